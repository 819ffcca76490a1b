import CChainRuntime
import ChainEvents
import ChainSystem
import Testing

@testable import ChainInspector

@Suite struct RecorderTests {
    @Test func keepsOneThreadsEventsInOrderRoundTheRing() {
        var options = RecorderOptions()
        options.ringCapacity = 16
        let bench = Bench(recorder: options)
        // Seven events a round, because that is no divisor of the capacity: rounds begin at every slot of the ring.
        for round in 0..<40 as Range<UInt64> {
            for step in 0..<7 as Range<UInt64> { bench.record(.queued, round * 7 + step + 1) }
            bench.collector.collectNow()
        }
        #expect(bench.events.map(\.node.rawValue) == Array(1...280))
        #expect(bench.counts == EventCounts(madeCount: 280, deliveredCount: 280))
    }

    @Test func carriesEveryFieldOfARecord() throws {
        let bench = Bench(clock: StillClock())
        let site = CallSite(fileID: "A/B.swift", line: 41)
        bench.recorder.record(
            EventRecord(
                .created, node: NodeID(.max), other: NodeID(5), site: site, detail: 0xABCD,
                flags: [.hasParent, .external]), text: "label")
        bench.collector.collectNow()
        let batch = try #require(bench.batches.first)
        let event = try #require(batch.events.first)
        #expect(event.node == NodeID(.max) && event.other == NodeID(5))
        #expect(event.kind == .created && event.detail == 0xABCD && event.flags == [.hasParent, .external])
        #expect(batch.sites == [event.site: CodeLocation(fileID: "A/B.swift", line: 41)])
        #expect(batch.text(of: event) == "label")
        #expect(event.time == 1_000)
        #expect(event.thread != 0)
    }

    @Test(arguments: [0, 1, 47, 48, 49, 95, 96, 97, 191, 192])
    func carriesTextsOfAnyLength(length: Int) {
        var options = RecorderOptions()
        options.ringCapacity = 16
        let bench = Bench(recorder: options)
        let text = String((0..<length).map { Character(UnicodeScalar(UInt8(33 + $0 % 90))) })
        // Enough to wrap in the middle of a text.
        for node in 1...30 as ClosedRange<UInt64> {
            bench.record(.rejected, node, text: text)
            bench.collector.collectNow()
        }
        #expect(bench.texts == Array(repeating: length == 0 ? nil : text, count: 30))
    }

    @Test func aTextIsCutToNothingByALimitBelowZero() {
        #expect("order".cut(toBytes: -1) == "…" && "order".cut(toBytes: 0) == "…" && "order".cut(toBytes: 5) == "order")
    }

    @Test func cutsALongTextBeforeAScalar() throws {
        var options = RecorderOptions()
        options.textLimit = 10
        let bench = Bench(recorder: options)
        bench.record(.rejected, 1, text: "12345678é9")
        bench.record(.rejected, 2, text: "123456789é")
        bench.record(.rejected, 3, text: "12345678😀")
        bench.collector.collectNow()
        #expect(bench.texts == ["12345678é…", "123456789…", "12345678…"])
    }

    @Test func dropsErrorTextsIfNotCaptured() {
        var options = RecorderOptions()
        options.capturesErrorText = false
        let bench = Bench(recorder: options)
        bench.record(.created, 1, text: "label")
        bench.record(.rejected, 1, text: "secret")
        bench.record(.unhandled, 1, text: "secret")
        bench.record(.cancelled, 2, text: "by you")
        bench.collector.collectNow()
        #expect(bench.texts == ["label", nil, nil, "by you"])
    }

    @Test func losesATextTogetherWithItsHead() {
        var options = RecorderOptions()
        options.ringCapacity = 16
        let bench = Bench(recorder: options)
        for node in 1...14 as ClosedRange<UInt64> { bench.record(.queued, node) }
        // Two slots are left, and this event needs three.
        bench.record(.rejected, 15, text: String(repeating: "x", count: 60))
        bench.record(.queued, 16)
        bench.record(.queued, 17)
        bench.record(.queued, 18)
        bench.collector.collectNow()
        #expect(bench.events.map(\.node.rawValue) == Array(1...14) + [16, 17])
        #expect(bench.counts == EventCounts(madeCount: 18, deliveredCount: 16, lostInRings: 2))
        bench.record(.rejected, 19, text: "whole")
        bench.collector.collectNow()
        #expect(bench.texts.last == "whole")
    }

    @Test func countsEveryEventWhileThreadsOverflowTheirRings() {
        var options = RecorderOptions()
        options.ringCapacity = 64
        let bench = Bench(recorder: options)
        let count: UInt64 = 50_000
        let threads = (1...3).map { number in
            startThread {
                for step in 0..<count {
                    bench.record(.queued, UInt64(number) << 32 | step, text: step % 5 == 0 ? "text \(step)" : nil)
                }
            }
        }
        for _ in 0..<200 { bench.collector.collectNow() }
        for join in threads { join() }
        bench.collector.collectNow()
        let loss = bench.counts
        #expect(loss.madeCount == 3 * count)
        #expect(loss.deliveredCount == UInt64(bench.events.count))
        #expect(loss.madeCount == loss.deliveredCount + loss.lostInRings)
        // A ring this small must have overflowed, and something must have come through.
        #expect(loss.lostInRings > 0 && loss.deliveredCount > 0)
        for number in 1...3 as ClosedRange<UInt64> {
            let steps = bench.events.filter { $0.node.rawValue >> 32 == number }
            #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.node < $1.node && $0.time <= $1.time })
        }
        for batch in bench.batches {
            for event in batch.events {
                let step = event.node.rawValue & 0xFFFF_FFFF
                let text = batch.text(of: event)
                guard text == (step % 5 == 0 ? "text \(step)" : nil) else {
                    Issue.record("step \(step) came with \(text ?? "no text")")
                    return
                }
            }
        }
    }

    @Test func ringsOfEndedThreadsAreReadAndReused() {
        var options = RecorderOptions()
        options.ringCapacity = 16
        options.ringByteLimit = 8 * RingPool.byteCountOfAThread
        let bench = Bench(recorder: options)
        for round in 0..<500 as Range<UInt64> {
            let threads = (0..<4 as Range<UInt64>).map { number in
                startThread { bench.record(.queued, round * 4 + number + 1) }
            }
            for join in threads { join() }
            // Events of ended threads are still in their rings.
            bench.collector.collectNow()
        }
        #expect(Set(bench.events.map(\.node.rawValue)) == Set(1...2000))
        #expect(bench.counts == EventCounts(madeCount: 2000, deliveredCount: 2000))
        let footprint = bench.recorder.pool.footprint
        #expect(footprint.byteCount <= options.ringByteLimit)
        #expect(footprint.activeCount == 0)
    }

    /// 16,000 events are 80 ms at 200,000 a second. A busy system may delay the collecting thread that long.
    @Test func losesNothingWhileTheCollectorWaitsForAProcessor() {
        let bench = Bench()
        for node in 1...16_000 as ClosedRange<UInt64> { bench.record(.queued, node) }
        bench.collector.collectNow()
        #expect(bench.counts == EventCounts(madeCount: 16_000, deliveredCount: 16_000))
    }

    @Test func countsEventsOfThreadsThatGetNoRing() {
        var options = RecorderOptions()
        options.ringCapacity = 16
        options.ringByteLimit = RingPool.byteCountOfAThread
        let bench = Bench(recorder: options)
        onThread { bench.record(.queued, 1) }
        onThread {
            bench.record(.queued, 2)
            bench.record(.queued, 3)
        }
        bench.collector.collectNow()
        #expect(bench.events.map(\.node.rawValue) == [1])
        #expect(bench.counts == EventCounts(madeCount: 3, deliveredCount: 1, lostInRings: 2))
        // The ring was drained, so it is free again.
        onThread { bench.record(.queued, 4) }
        bench.collector.collectNow()
        #expect(bench.events.map(\.node.rawValue) == [1, 4])
    }

    @Test func recordersShareAThreadWithoutSeeingEachOther() {
        let left = Bench()
        let right = Bench()
        onThread {
            for node in 1...100 as ClosedRange<UInt64> {
                left.record(.queued, node)
                right.record(.queued, 1000 + node)
                if node % 3 == 0 { right.record(.started, 1000 + node) }
            }
        }
        left.collector.collectNow()
        right.collector.collectNow()
        #expect(left.events.map(\.node.rawValue) == Array(1...100))
        #expect(right.events.filter { $0.kind == .queued }.map(\.node.rawValue) == Array(1001...1100))
        #expect(right.events.count == 133)
    }

    @Test func aThreadOutlivesManyRecorders() {
        // On a new thread, because threads of the pool hold rings of other tests.
        let ringCount = Lock(0)
        onThread {
            for round in 1...200 as ClosedRange<UInt64> {
                let bench = Bench()
                bench.record(.queued, round)
                bench.collector.collectNow()
                #expect(bench.events.map(\.node.rawValue) == [round])
                bench.collector.close()
                // An event after the end is dropped.
                bench.record(.queued, round)
            }
            // A recorder's first event on a thread releases the rings of ended recorders.
            let bench = Bench()
            bench.record(.queued, 1)
            ringCount.withLock { $0 = ThreadRings.count }
        }
        #expect(ringCount.withLock { $0 } == 1)
    }
}

extension ThreadRings {
    /// The number of rings that the calling thread holds.
    fileprivate static var count: Int {
        var count = 0
        var next = chain_thread_current().pointee.ring?.assumingMemoryBound(to: RingHeader.self)
        while let header = next {
            count += 1
            next = header.pointee.next
        }
        return count
    }
}

extension RingPool {
    /// The bytes that an idle thread holds, with the default limit of texts.
    static let byteCountOfAThread = 4096 + Ring.headerSize
}

// SPDX-License-Identifier: MIT
