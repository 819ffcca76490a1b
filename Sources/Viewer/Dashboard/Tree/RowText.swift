// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows
import ChainText
import Frames

/// The texts of a row's cells, for drawing and measuring.
struct RowText {
    let tree: TreeRow
    let forest: ChainForest
    let view: NodeView
    /// The moment that is shown, in nanoseconds of the program's clock.
    let now: UInt64
    /// The node of another program that called the row's node, in words; nil if the row is drawn under that caller.
    private let calledFrom: String?

    /// The program's name before the label of a chain that is drawn in another program's tree; else empty.
    let program: String

    /// `calledFrom` names the node of another program that called the row's node.
    init(
        _ tree: TreeRow, in forest: ChainForest, of program: @autoclosure () -> String, calledFrom: String?, now: UInt64
    ) {
        (self.tree, self.forest, self.now) = (tree, forest, now)
        let isUnderCaller = tree.depth > 0 && tree.flags.contains(.root)
        self.program = isUnderCaller ? NodeText.safe(program()) + ": " : ""
        self.calledFrom = isUnderCaller ? nil : calledFrom
        view = forest.node(tree.node)
    }

    private var isRoot: Bool { tree.flags.contains(.root) }

    /// Returns the width of a kind before a name, with the gap.
    static func kindWidth(_ word: String) -> Int { max(8, word.utf8.count + 1) }

    /// The text after the kind: the label, else the call site or id.
    var label: (text: String, isLabel: Bool) { NodeText.label(of: tree.node, in: forest) }

    var thread: String {
        guard view.thread != 0 else { return "" }
        return forest.threads[view.thread] ?? "\(view.thread)"
    }

    var executor: String {
        guard view.executor != 0 else { return "" }
        return forest.executors[view.executor] ?? "\(view.executor)"
    }

    var site: String {
        guard let site = forest.site(of: view.index), !site.fileID.isEmpty else { return "" }
        return site.description
    }

    /// Returns the texts after the label. The texts of a combinator include its progress. A task whose state is that of an
    /// earlier reading is `moving`. The texts of a folded node
    /// with very many children include the children's states. The texts of a root include the status of its chain and,
    /// while the chain is live, the number of rejected nodes. `isBesideState` is whether the word of the state is
    /// shown, too.
    func extras(_ glyphs: Glyphs, isBesideState: Bool) -> [(text: String, style: Style)] {
        var extras: [(text: String, style: Style)] = []
        if let progress = NodeText.progress(of: tree.node, in: forest) { extras.append(("  " + progress, .dim)) }
        if forest.isMoving(tree.node) { extras.append(("  moving", .warning)) }
        guard isRoot else {
            return tree.flags.contains(.folded) ? extras + NodeText.children(of: tree.node, in: forest) : extras
        }
        let chain = forest.chain(of: tree.node)
        guard chain.nodeCount + chain.evictedCount > 1 else { return extras }
        let role = chain.status.role
        extras.append(("  " + glyphs.state(role), Style(role)))
        // Beside the word of the state, the summary would repeat the outcome. The summary of `recovered` is shown even
        // there, because it also counts the rejected nodes.
        let isCount = chain.outcome != .live && chain.outcome != .recovered && isBesideState
        let count = CountText.grouped(chain.nodeCount + chain.evictedCount)
        let summary = isCount ? count + " nodes" : NodeText.summary(of: chain)
        extras.append((" " + summary, isCount || chain.liveCount > 0 ? .dim : Style(role)))
        if chain.liveCount > 0, chain.rejectedCount > 0 {
            extras.append(("  \(CountText.grouped(chain.rejectedCount)) rejected", .warning))
        }
        return extras
    }

    /// The text of the value column: a value, an error, how the node ended, or what its thread is blocked in. The root
    /// of a settled chain has the text of the node that the chain ended with. The root of a live chain has the text of the
    /// first rejected node. Without such a text, the cell names the function in which a suspended task continues, else
    /// the caller in another program.
    var value: (text: String, style: Style) {
        let node = NodeText.shownNode(for: tree.node, isRoot: isRoot, in: forest)
        let view = node == tree.node ? view : forest.node(node)
        let summary = forest.summary(of: node)
        switch view.state {
        case .rejected:
            let failure = isRoot ? NodeText.failure(of: forest.chain(of: tree.node), in: forest) : summary
            return (failure ?? "", .error)
        case .abandoned: return (summary ?? "its resolver was released, or its job dropped", .abandoned)
        case .cancelled: return (summary ?? "cancelled", .cancelled)
        case .unknown:
            guard view.settlement != .unknown else { return ("ended while events were lost", .dim) }
            return (forest.isInResync ? "not read yet" : "only its id is known", .dim)
        default: break
        }
        if let stall = NodeText.stall(of: node, in: forest, now: now) { return (stall, .warning) }
        if view.marks.contains(.cancelRequested) { return ("cancel requested", .cancelled) }
        if view.marks.contains(.unhandled) { return ("unhandled error", .warning) }
        if isRoot, case let chain = forest.chain(of: tree.node), chain.liveCount > 0, let rejected = chain.firstRejected
        {
            let name = NodeText.name(of: rejected, in: forest)
            // Not as an error, because the chain may still recover, as one that tries again does.
            return ("\(name): \(forest.summary(of: rejected) ?? forest.state(of: rejected).word)", .warning)
        }
        if summary == nil, let function = forest.innermostFrame(of: tree.node) { return ("in " + function, .dim) }
        return (summary ?? calledFrom.map { "called from \(NodeText.safe($0))" } ?? "", .dim)
    }

    // MARK: Durations

    /// A duration in its column.
    struct Time {
        var duration: UInt64
        var isRunning: Bool
        /// Whether the duration may be longer.
        var isLowerBound: Bool

        /// The shortest duration that is shown, in nanoseconds; shorter durations are left blank.
        private static let least: UInt64 = 100_000

        /// Makes the time of a cell; nil without a duration, and for a duration under ``least``.
        init?(_ duration: UInt64?, isRunning: Bool, isLowerBound: Bool) {
            guard let duration, duration >= Self.least else { return nil }
            (self.duration, self.isRunning, self.isLowerBound) = (duration, isRunning, isLowerBound)
        }

        func cell(_ glyphs: Glyphs) -> (text: String, style: Style) {
            let text = isRunning ? DurationText.running(duration) : DurationText.settled(duration)
            return (
                DurationText.atLeast(text, glyphs, if: isLowerBound), isRunning ? .number : Style.number.dimmed
            )
        }
    }

    /// The time from being queued to the handler's start.
    var wait: Time? { time(timing.wait, isRunning: view.isWaitGrowing) }

    /// The time that the handler ran.
    var run: Time? { time(timing.run, isRunning: view.activity == .running) }

    private var timing: Timing { forest.timing(of: tree.node, now: now) }

    private func time(_ duration: UInt64?, isRunning: Bool) -> Time? {
        Time(
            duration, isRunning: isRunning, isLowerBound: isRunning && forest.lowerBounds(of: tree.node).state)
    }

    /// The node's total time; of a root, its chain's.
    var total: Time? {
        let isLowerBound = forest.lowerBounds(of: tree.node).total
        if isRoot, case let chain = forest.chain(of: tree.node), chain.nodeCount > 1 {
            let end = chain.settled ?? now
            return Time(end &- min(view.created, end), isRunning: chain.settled == nil, isLowerBound: isLowerBound)
        }
        return Time(timing.total, isRunning: view.isLive, isLowerBound: isLowerBound)
    }
}
