import ChainEvents
import Testing

// Code as users of ChainEvents write it: this target sees public declarations only.

/// A sink that counts events by kind.
private final class Counter: EventSink {
    // Used on the test's thread only.
    nonisolated(unsafe) private(set) var counts: [EventKind: Int] = [:]

    func record(_ record: EventRecord, text: String?) { counts[record.kind, default: 0] += 1 }
}

/// A clock that stands still, with a timer that never fires.
private final class StoppedClock: ChainClock {
    private final class Timer: ClockTimer {
        func cancel() {}
    }

    let now = ChainInstant(offset: .seconds(5))
    let followsCycleCounter = false

    func schedule(at deadline: ChainInstant, _ work: @escaping @Sendable () -> Void) -> any ClockTimer { Timer() }
}

struct ChainEventsUseTests {
    @Test("a clock of the user's has instants and durations")
    func clock() {
        let clock: any ChainClock = StoppedClock()
        #expect(clock.now.duration(to: ChainInstant(offset: .seconds(7))) == .seconds(2))
        #expect(clock.now < clock.now.advanced(by: .nanoseconds(1)))
        clock.schedule(after: .seconds(1)) {}.cancel()
    }

    @Test("a sink counts the records that it receives")
    func sink() {
        let counter = Counter()
        counter.record(
            EventRecord(.created, node: NodeID(1), site: CallSite(fileID: "Shop.swift", line: 17)), text: "order 17")
        counter.record(EventRecord(.fulfilled, node: NodeID(1)), text: nil)
        #expect(counter.counts == [.created: 1, .fulfilled: 1])
    }

    @Test("a batch names what its events refer to")
    func batch() {
        var batch = EventBatch(process: ProcessKey(rawValue: 1), sequence: 1, time: 2)
        batch.texts = ["order 17"]
        batch.nodes = [NodeSnapshot(id: NodeID(1), kind: .work)]
        #expect(batch.events.isEmpty && batch.loss.lostCount == 0 && batch.resync == nil)
        #expect(NodeKind.work.word == "work")
    }
}

// SPDX-License-Identifier: MIT
