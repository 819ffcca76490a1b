import ChainEvents
import ChainModel
import Testing

@testable import ChainInspector

/// A forest as text for people.
@Suite struct LiveTreeTests {
    @Test func showsAHandlerThatRunsOnInASettledChain() {
        var forest = ChainForest(process: ProcessKey(rawValue: 7))
        var batch = EventBatch(process: forest.process, sequence: 1, time: 40)
        let (first, second) = (NodeID(1), NodeID(2))
        let work = UInt16(NodeKind.work.rawValue)
        batch.events = [
            ChainEvent(time: 10, .created, node: first, detail: work),
            ChainEvent(time: 10, .created, node: second, other: first, detail: work, flags: .hasParent),
            ChainEvent(time: 20, .started, node: first, thread: 3),
            ChainEvent(time: 20, .started, node: second, thread: 3),
            ChainEvent(time: 30, .fulfilled, node: first, flags: .handlerEnded),
            ChainEvent(time: 40, .cancelled, node: second),
        ]
        forest.apply(batch)
        let tree = LiveTree(of: forest, now: 1_000_000_020, settled: false, limit: 10)
        #expect(
            tree.text == """
                fulfilled work #1, 0 of 2 alive
                  cancelled work #2 still on thread 3 for 1.00s

                """)
    }

    @Test func namesOfExecutorsAreEscaped() {
        var forest = ChainForest(process: ProcessKey(rawValue: 7))
        var batch = EventBatch(process: forest.process, sequence: 1, time: 10)
        batch.executors = [5: "\u{1B}[2J"]
        batch.events = [
            ChainEvent(time: 10, .created, node: NodeID(1), detail: UInt16(NodeKind.work.rawValue)),
            ChainEvent(time: 10, .queued, node: NodeID(1), detail: 5),
        ]
        forest.apply(batch)
        let text = LiveTree(of: forest, now: 10, settled: false, limit: 10).text
        #expect(text.contains("waits for a turn on ") && !text.contains("\u{1B}"), "\(text)")
    }
}

// SPDX-License-Identifier: MIT
