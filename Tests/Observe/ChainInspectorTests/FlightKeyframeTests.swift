// SPDX-License-Identifier: MIT
import ChainEvents
import ChainModel
import ChainRecording
import ChainSystem
import ChainWire
import Foundation
import SeededNumbers
import TerminalHarness
import Testing

@testable import ChainInspector

/// Keyframes of a flight recorder that the collector makes in parts, while events arrive.
@Suite(.onItsOwnThread) struct FlightKeyframeTests {
    /// A program, its collector and a flight recorder, driven by hand.
    private final class Flight: @unchecked Sendable {
        // Sendable: each test uses it on one thread, on which it is also called by the collector that it drives.
        let clock = StillClock()
        let bench: Bench
        let file: FlightFile
        let subscription: BatchSubscription
        private var writing: FlightWriting
        private let folder = ScratchFolder()
        /// How many batches were recorded while a keyframe was being made.
        private(set) var countMeanwhile = 0
        private(set) var keyframeCount = 0

        init(_ options: CollectorOptions, ring: Int? = nil, mailboxLimit: Int = 1_000_000, settledLimit: Int) throws {
            var recorder = RecorderOptions()
            if let ring { recorder.ringCapacity = ring }
            bench = Bench(clock: clock, recorder: recorder, collector: options)
            let options = InspectorOptions.FlightRecorder()
            file = try FlightFile(in: SocketFolder(path: folder.path), limit: options.limit)
            subscription = bench.collector.subscribe(
                mailboxLimit: mailboxLimit, settledLimit: settledLimit, onReady: {})
            let process = ProcessDescription(key: Bench.process, pid: 1, name: "shop", wallOffset: 0)
            writing = FlightWriting(process, clock, options, file, totals: { ProcessTotals() }, dump: { _, _ in })
        }

        deinit { file.remove() }

        var isInState: Bool { writing.isInState }

        func write(atMost limit: Int = .max) {
            var count = 0
            while count < limit, let part = subscription.nextPart() {
                if part.isKeyframe, case .begin? = part.batch.resync { keyframeCount += 1 }
                if !part.isKeyframe, writing.isInState { countMeanwhile += 1 }
                writing.record(part)
                if writing.isKeyframeDue { subscription.requestKeyframe() }
                count += 1
            }
            #expect(!writing.hasFailed)
        }

        /// Lets events happen, at most `step` nanoseconds apart. A keyframe is requested once in about `roundsOfKeyframe`
        /// rounds, and at most `writes` batches are written at a time.
        func run(
            _ lives: inout BatchSubscriptionTests.Lives, rounds: Int, step: UInt64, roundsOfKeyframe: UInt64,
            writes: Int
        ) {
            for _ in 0..<rounds {
                clock.advance(by: 1 + lives.random.next() % step)
                lives.step(bench)
                if lives.random.next() % 3 == 0 { bench.collector.collectNow() }
                if lives.random.next() % roundsOfKeyframe == 0 { subscription.requestKeyframe() }
                if lives.random.next() % 2 == 0 { write(atMost: writes) }
            }
            bench.collector.collectNow()
        }

        /// Writes what is left, and returns a copy of the recording.
        func recording() throws -> RecordingFile {
            write()
            let path = "\(folder.path)/\(UUID().uuidString).chain"
            _ = try writing.copy(.max, to: RecordingFileStorage(path: path, overwrites: false)).get()
            return try RecordingFile(path: path)
        }

        /// Returns what a viewer has that was attached all the time.
        func live(at moment: UInt64 = .max) -> ChainForest {
            forest(of: bench.batches.filter { $0.time <= moment })
        }
    }

    private static func forest(of batches: [EventBatch]) -> ChainForest {
        var forest = ChainForest(process: Bench.process)
        for batch in batches { forest.apply(batch) }
        return forest
    }

    private static func options(_ chunk: Int) -> CollectorOptions {
        var options = CollectorOptions()
        (options.chunkLimit, options.keyframeChunkLimit, options.resyncInterval) = (chunk, chunk, 0)
        return options
    }

    /// From whichever keyframe a reader begins, and also if it plays the recording from its beginning.
    @Test(arguments: Seeds.upTo(8)) func eachMomentIsThatOfTheLiveForest(seed: UInt64) throws {
        let flight = try Flight(Self.options(Int(seed % 5) + 1), settledLimit: 10_000)
        var lives = BatchSubscriptionTests.Lives(random: SeededGenerator(seed: seed))
        flight.run(&lives, rounds: 300, step: 200_000_000, roundsOfKeyframe: 40, writes: 4)
        let file = try flight.recording()
        #expect(file.damage == [] && file.segments.count == flight.keyframeCount)
        #expect(flight.keyframeCount > 2 && flight.countMeanwhile > 10)
        let times = zip(file.chunks, file.chunks.dropFirst()).map { ($0.header.lastTime, $1.header.firstTime) }
        #expect(times.allSatisfy { $0 <= $1 })
        var moments = file.segments.map(\.time)
        let all = flight.bench.batches.map(\.time).filter { file.range.contains($0) }
        for _ in 0..<10 { moments.append(all.randomElement(using: &lives.random) ?? 0) }
        var player = RecordingPlayer(file)
        for moment in moments {
            let forest = Self.forest(of: player.seek(to: moment))
            #expect(forest.dump(facts: true) == flight.live(at: moment).dump(facts: true), "seed \(seed) at \(moment)")
        }
        var played = Self.forest(of: player.seek(to: file.range.lowerBound))
        for moment in Set(all).sorted() {
            for batch in player.advance(to: moment) { played.apply(batch) }
            guard moments.contains(moment) else { continue }
            #expect(played.dump(facts: true) == flight.live(at: moment).dump(facts: true), "seed \(seed) at \(moment)")
        }
        #expect(played.dump(facts: true) == flight.live().dump(facts: true), "seed \(seed)")
    }

    /// The collector evicts settled nodes meanwhile, of which no half is left.
    @Test(arguments: Seeds.upTo(8)) func aKeyframeHasAllLiveNodesAndTheNewestSettled(seed: UInt64) throws {
        var options = Self.options(3)
        (options.forest.settledNodeLimit, options.forest.settledLeafLimit) = (30, 10)
        (options.forest.failedChainLimit) = 5
        let flight = try Flight(options, settledLimit: 12)
        var lives = BatchSubscriptionTests.Lives(random: SeededGenerator(seed: seed))
        flight.run(&lives, rounds: 600, step: 100_000_000, roundsOfKeyframe: 30, writes: 2)
        let file = try flight.recording()
        #expect(file.segments.count > 3)
        var player = RecordingPlayer(file)
        var sizes: [(Int, Int)] = []
        for segment in file.segments {
            let forest = Self.forest(of: player.seek(to: segment.time))
            let live = flight.live(at: segment.time)
            #expect(forest.totals.counts.liveCount == live.totals.counts.liveCount, "seed \(seed)")
            // Evicted nodes that others name are known by their ids alone.
            let ids = forest.reportedIDs(from: .none, limit: .max).ids
            for id in ids {
                let (view, other) = try (#require(forest.index(of: id)), #require(live.index(of: id)))
                #expect(forest.node(view).state == live.node(other).state, "seed \(seed), \(id)")
                #expect(forest.node(view).kind == live.node(other).kind, "seed \(seed), \(id)")
            }
            sizes.append((ids.count, live.totals.counts.nodeCount))
        }
        #expect(sizes.map(\.0).reduce(0, +) < sizes.map(\.1).reduce(0, +))
    }

    /// Whole chains, and beside them older ones that failed.
    @Test func theNewestSettledChainsAreWhole() throws {
        let flight = try Flight(Self.options(4), settledLimit: 31)
        for first in stride(from: 1 as UInt64, through: 598, by: 3) {
            for node in first..<first + 3 {
                flight.bench.recorder.record(
                    EventRecord(
                        .created, node: NodeID(node), other: NodeID(node == first ? 0 : node - 1),
                        flags: node == first ? [] : .hasParent), text: nil)
            }
            let isFailed = (100..<130).contains(first)
            for node in first..<first + 3 { flight.bench.record(isFailed ? .rejected : .fulfilled, node) }
            flight.clock.advance(by: 1_000)
            flight.bench.collector.collectNow()
        }
        flight.write()
        flight.subscription.requestKeyframe()
        let file = try flight.recording()
        var player = RecordingPlayer(file)
        let forest = Self.forest(of: player.seek(to: .max))
        let ids = Set(forest.reportedIDs(from: .none, limit: .max).ids.map(\.rawValue))
        #expect(file.segments.count == 2 && ids == Set(571...600).union(115...129))
    }

    /// What did not fit into the mailbox is counted as lost, and the next keyframe corrects the rest.
    @Test(arguments: Seeds.upTo(8)) func afterALossTheStateFollows(seed: UInt64) throws {
        let flight = try Flight(Self.options(4), mailboxLimit: 30, settledLimit: 10_000)
        var lives = BatchSubscriptionTests.Lives(random: SeededGenerator(seed: seed))
        for round in 0..<400 {
            flight.clock.advance(by: 1 + lives.random.next() % 1_000_000)
            lives.step(flight.bench)
            if lives.random.next() % 3 == 0 { flight.bench.collector.collectNow() }
            if round % 40 == 0 { flight.write(atMost: 3) }
        }
        flight.bench.collector.collectNow()
        let file = try flight.recording()
        #expect(flight.subscription.lostCount > 0)
        var player = RecordingPlayer(file)
        for start in [file.range.lowerBound, file.range.upperBound] {
            var forest = Self.forest(of: player.seek(to: start))
            for batch in player.advance(to: .max) { forest.apply(batch) }
            #expect(forest.dump(facts: true) == flight.live().dump(facts: true), "seed \(seed)")
            #expect(forest.loss.lostAtClient == flight.subscription.lostCount)
        }
    }

    /// Losses in the rings are corrected by a walk over the registry, which may begin or end while a keyframe is made.
    @Test(arguments: 0..<6, [1, 2, 3, 100]) func aWalkOverTheRegistryIsRecorded(partsBefore: Int, parts: Int) throws {
        let flight = try Flight(Self.options(1), ring: 16, settledLimit: 10_000)
        for node in 1...6 as ClosedRange<UInt64> { flight.bench.record(.created, node) }
        flight.bench.collector.collectNow()
        flight.clock.advance(by: 1_000)
        flight.write()
        flight.subscription.requestKeyframe()
        flight.write(atMost: partsBefore)
        for _ in 0..<16 { flight.bench.record(.queued, 1) }
        for node in 2...5 as ClosedRange<UInt64> { flight.bench.record(.fulfilled, node) }
        flight.bench.runtime.setLive([NodeID(1), NodeID(6), NodeID(7)])
        flight.bench.runtime.onLook { shard in
            flight.clock.advance(by: 1_000)
            flight.write(atMost: parts)
        }
        flight.clock.advance(by: 1_000)
        flight.bench.collector.collectNow()
        let file = try flight.recording()
        let own = flight.bench.collector.withState { $0.forest.dump(facts: true) }
        var player = RecordingPlayer(file)
        for start in file.segments.map(\.time) {
            var forest = Self.forest(of: player.seek(to: start))
            for batch in player.advance(to: .max) { forest.apply(batch) }
            #expect(forest.totals.counts[.unknown] == 4 && forest.totals.counts.liveCount == 3)
            #expect(forest.dump(facts: true) == own)
        }
    }
}
