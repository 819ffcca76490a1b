import ChainEvents
import Testing

@testable import ChainOutside

/// The events of what surrounds tasks.
struct ResourceTests {
    private func blocked(task: NodeID, since: UInt64, taskSince: UInt64, at time: UInt64) -> Surroundings {
        var seen = Surroundings(time: time)
        seen.isTaskKnown = true
        seen.threads = [
            Surroundings.Thread(
                id: 7, name: "worker", wait: .read, stillSince: since, task: task, taskSince: taskSince)
        ]
        return seen
    }

    /// Otherwise the task would be older than its first sight, and its run would look exact.
    @Test func aThreadBlocksATaskNoEarlierThanTheTaskWasSeen() {
        var publisher = ResourcePublisher()
        let first = publisher.update(blocked(task: NodeID(2), since: 100, taskSince: 150, at: 200))
        #expect(first.events.filter { $0.kind == .stalled }.map(\.time) == [150])
        #expect(first.threads == [7: "worker"])
        let second = publisher.update(blocked(task: NodeID(2), since: 100, taskSince: 150, at: 300))
        #expect(second.events == [] && second.threads == [:])
        let other = publisher.update(blocked(task: NodeID(3), since: 100, taskSince: 350, at: 400))
        #expect(other.events.filter { $0.kind == .stallEnded }.map(\.node) == [NodeID(2)])
        #expect(other.events.filter { $0.kind == .stalled }.map(\.time) == [350])
    }
}

// SPDX-License-Identifier: MIT
