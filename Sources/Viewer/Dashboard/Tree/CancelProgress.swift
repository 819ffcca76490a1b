// SPDX-License-Identifier: MIT

import ChainModel
import ChainText

/// The outcome of one confirmed cancellation: its nodes, counted by how they ended.
struct CancelProgress {
    /// The nodes that one program was asked to cancel and that have not settled yet.
    struct Part {
        var source: SourceID
        var process: ProcessKey
        var command: UInt64
        var remaining: [NodeID]
        /// When the program was asked, in nanoseconds of the program's clock.
        var asked: UInt64
        /// The index in ``remaining`` that is looked at next.
        private var cursor = 0

        init(_ part: Confirmation.Part, command: UInt64, asked: UInt64) {
            (source, process, remaining) = (part.source, part.process, part.nodes)
            (self.command, self.asked) = (command, asked)
        }

        /// Removes settled and evicted nodes, and adds them to `counts`. Looks at no more than `limit` nodes.
        fileprivate mutating func count(in forest: borrowing ChainForest, into counts: inout Counts, limit: Int) {
            for _ in 0..<min(limit, remaining.count) {
                if cursor >= remaining.count { cursor = 0 }
                guard let outcome = outcome(of: remaining[cursor], in: forest) else {
                    cursor += 1
                    continue
                }
                counts[keyPath: outcome] += 1
                remaining.swapAt(cursor, remaining.count - 1)
                remaining.removeLast()
            }
        }

        /// Returns the count that a node belongs to; nil for a live node.
        private func outcome(of id: NodeID, in forest: borrowing ChainForest) -> WritableKeyPath<Counts, Int>? {
            // The next run of the program uses the same ids for other nodes.
            guard forest.process == process, let node = forest.index(of: id) else { return \.evicted }
            let state = forest.state(of: node)
            if state.isLive { return nil }
            if state == .cancelled { return \.cancelled }
            return forest.node(node).settled.map { $0 <= asked } ?? false ? \.before : \.otherwise
        }
    }

    /// Nodes that were cancelled, that had settled before the program was asked, that settled otherwise, and that were
    /// evicted before they were looked at.
    fileprivate struct Counts {
        var cancelled = 0, before = 0, otherwise = 0, evicted = 0
    }

    var parts: [Part]
    /// Whether more nodes are to be cancelled than are counted.
    let isAtLeast: Bool
    /// When the counts are reported even if nodes are still pending, in nanoseconds since 1970.
    var deadline: UInt64
    fileprivate var counts = Counts()

    /// How long counting waits for events, in nanoseconds.
    static let duration: UInt64 = 3_000_000_000
    /// The maximum number of nodes of one part that are looked at in a tick.
    fileprivate static let limit = 2_000
    /// The maximum number of cancellations that are counted at the same time; at the limit, the oldest is dropped when
    /// another cancellation begins.
    static let countLimit = 16

    init(parts: [Part], isAtLeast: Bool, deadline: UInt64) {
        self.parts = parts
        self.isAtLeast = isAtLeast
        self.deadline = deadline
    }

    private var pendingCount: Int { parts.reduce(0) { $0 + $1.remaining.count } }

    var isComplete: Bool { pendingCount == 0 }

    /// The counts, such as `68 cancelled, 2 had settled`.
    var words: String {
        let all: [(Int, String)] = [
            (counts.cancelled, isAtLeast ? "or more cancelled" : "cancelled"), (counts.before, "had settled"),
            (counts.otherwise, "settled otherwise"), (counts.evicted, "no longer kept"),
            (pendingCount, "still pending"),
        ]
        let shown = all.enumerated().filter { $0.offset == 0 || $0.element.0 > 0 }.map(\.element)
        return shown.map { "\(CountText.grouped($0.0)) \($0.1)" }.joined(separator: ", ")
    }

    /// Whether some nodes are still pending, or settled otherwise than by the cancellation.
    var isPartial: Bool { counts.otherwise > 0 || pendingCount > 0 }
}

/// The confirmed cancellations with nodes that have not settled.
struct Cancellations {
    private(set) var all: [CancelProgress] = []

    var isEmpty: Bool { all.isEmpty }

    /// Begins to count; at the limit, the oldest cancellation is dropped.
    mutating func add(_ progress: CancelProgress) {
        if all.count >= CancelProgress.countLimit { all.removeFirst() }
        all.append(progress)
    }

    /// Restarts all time limits, after a time in which nodes were not counted; `wall` is in nanoseconds since 1970.
    mutating func restartDeadlines(wall: UInt64) {
        for index in all.indices { all[index].deadline = wall &+ CancelProgress.duration }
    }

    /// Counts how nodes ended; returns the cancellations that are complete or overdue, and drops them. Looks at no more
    /// than ``CancelProgress/limit`` nodes of each part.
    mutating func count(in world: borrowing World) -> [CancelProgress] {
        for index in all.indices {
            // The clock may have been set back.
            all[index].deadline = min(all[index].deadline, world.wall &+ CancelProgress.duration)
            var counts = all[index].counts
            defer { all[index].counts = counts }
            for part in all[index].parts.indices {
                guard let programIndex = world.programIndex(of: all[index].parts[part].source) else { continue }
                // The count is taken in one statement: a forest bound to a name would be copied by its next change.
                all[index].parts[part].count(
                    in: world.programs[programIndex].forest, into: &counts, limit: CancelProgress.limit)
            }
        }
        let wall = world.wall
        let done = all.filter { $0.isComplete || wall >= $0.deadline }
        if !done.isEmpty { all.removeAll { $0.isComplete || wall >= $0.deadline } }
        return done
    }

    /// Stops counting the nodes of a command that was refused.
    mutating func drop(_ command: UInt64, of source: SourceID) {
        for index in all.indices { all[index].parts.removeAll { $0.command == command && $0.source == source } }
        all.removeAll { $0.parts.isEmpty }
    }
}
