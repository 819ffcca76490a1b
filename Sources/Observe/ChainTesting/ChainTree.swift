// SPDX-License-Identifier: MIT

import ChainModel

/// The promises of a ``RecordedRun`` or a ``ChainRecording`` at one moment.
public struct ChainTree: Sendable {
    let forest: ChainForest
    /// When the run began, in nanoseconds of its clock.
    let start: UInt64
    /// Whether the text has durations: durations of real time differ from run to run.
    let showsTimes: Bool

    /// The promises in the order of ``text``: each promise before the promises below it. O(promises).
    public var nodes: [RecordedNode] {
        forest.linesInOrder.map { line in
            let node = forest.node(line.index)
            let timing = forest.timing(of: line.index, now: forest.now)
            return RecordedNode(
                state: RecordedNode.State(node.state), kind: node.kind, label: forest.label(of: line.index),
                summary: forest.summary(of: line.index), depth: line.depth,
                created: .nanoseconds(Int64(clamping: node.created) - Int64(clamping: start)),
                wait: timing.wait.map { .nanoseconds($0) }, run: timing.run.map { .nanoseconds($0) },
                total: timing.total.map { .nanoseconds($0) })
        }
    }

    /// A line per promise, as ``RecordedRun/text``; for a ``ChainRecording`` without durations and times. O(promises).
    public var text: String { forest.chainText(showsTimes: showsTimes) }
}
