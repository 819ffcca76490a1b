import ChainEvents
import ChainModel
import Frames

/// Words for nodes. What the program wrote is passed on as it is: frames make it safe, and so does ``safe(_:)``.
enum NodeText {
    /// A node in a sentence: its label, else its kind and call site.
    static func name(of node: NodeIndex, in forest: borrowing ChainForest) -> String {
        if let label = forest.label(of: node), !label.isEmpty { return label }
        let view = forest.node(node)
        if let site = forest.site(of: node), !site.fileID.isEmpty { return "\(view.kind.word) at \(site)" }
        return "\(view.kind.word) \(view.id)"
    }

    /// What stands after its kind in a row: its label, else its call site or id.
    static func label(of node: NodeIndex, in forest: borrowing ChainForest) -> (text: String, isLabel: Bool) {
        if let label = forest.label(of: node), !label.isEmpty { return (label, true) }
        if let site = forest.site(of: node), !site.fileID.isEmpty { return (site.description, false) }
        return (forest.node(node).id.description, false)
    }

    /// A node as one line of text, for the clipboard.
    static func line(_ node: NodeIndex, in forest: borrowing ChainForest, now: UInt64) -> String {
        let view = forest.node(node)
        var text = "\(view.id) \(view.state.word) \(view.kind.word)"
        if let label = forest.label(of: node) { text += " " + safe(label) }
        if let site = forest.site(of: node), !site.fileID.isEmpty { text += " (\(safe(site.description)))" }
        if let total = forest.timing(of: node, now: now).total { text += " " + DurationText.settled(total) }
        if let summary = forest.summary(of: node) { text += ": " + safe(summary) }
        return text
    }

    /// A text without anything that a terminal or a clipboard's reader would take for more than text.
    static func safe(_ text: String) -> String { SafeText.line(text) }

    /// What many children of a folded node are doing, in parts: `  1,204 children: 3 running, 1 rejected`. Who waits or
    /// went well is not told apart.
    static func children(of node: NodeIndex, in forest: borrowing ChainForest) -> [(text: String, style: Style)] {
        guard var counts = forest.childCounts(of: node) else { return [] }
        // The one with which the chain goes on is not inside it.
        if let tail = forest.continuation(of: node) { counts[forest.state(of: tail)] -= 1 }
        let told: [NodeState] = [.running, .rejected, .abandoned, .cancelled, .unknown, .queued, .pending]
        let children = "  \(CountText.grouped(counts.nodeCount)) children"
        let states = told.filter { counts[$0] > 0 }
        guard !states.isEmpty else {
            let what = counts.liveCount == 0 ? "all went well" : "\(CountText.grouped(counts.liveCount)) waiting"
            return [(children, .dim), (": " + what, .dim)]
        }
        return [(children, .dim)]
            + states.enumerated().map { place, state in
                let separator = place == 0 ? ": " : ", "
                return ("\(separator)\(CountText.grouped(counts[state])) \(state.word)", state.wordStyle)
            }
    }

    /// How far a combinator is: `2/3`, or nil for other kinds.
    ///
    /// Members are links, bounded in number; where there are none, those under the node stand for them. Of very many,
    /// all that stand there count, but for the one with which the chain goes on.
    static func progress(of node: NodeIndex, in forest: borrowing ChainForest) -> String? {
        switch forest.node(node).kind {
        case .all, .allSettled, .any, .race, .sequence, .forEach: break
        default: return nil
        }
        let evictedCount = forest.evictedCounts(of: node)?.count ?? 0
        if let counts = forest.childCounts(of: node), let tail = forest.continuation(of: node) {
            let settled = counts.settledCount - (forest.state(of: tail).isLive ? 0 : 1)
            return "\(settled + evictedCount)/\(counts.nodeCount - 1 + evictedCount)"
        }
        let limit = 1_000
        var memberCount = 0
        var settledCount = 0
        var child = forest.firstChild(of: node)
        while let current = child, memberCount < limit {
            if !forest.node(current).hasParent {
                memberCount += 1
                if !forest.state(of: current).isLive { settledCount += 1 }
            }
            child = forest.nextSibling(of: current)
        }
        guard child == nil else { return "\(forest.childCount(of: node)) inside" }
        memberCount += evictedCount
        settledCount += evictedCount
        return memberCount == 0 ? nil : "\(settledCount)/\(memberCount)"
    }

    /// How a chain is doing as a whole: what is the most alive in it, else the worst that came of it.
    static func role(of chain: ChainSummary) -> Role {
        let order: [NodeState] =
            chain.liveCount > 0
            ? [.running, .queued, .pending, .waiting] : [.rejected, .abandoned, .cancelled, .unknown]
        return (order.first { chain.counts[$0] > 0 } ?? .fulfilled).role
    }

    /// What is left of a chain, `3 of 9 left`; once it has settled what went wrong, `1 rejected`, or how many nodes it
    /// had.
    static func summary(of chain: ChainSummary, _ role: Role) -> String {
        let count = CountText.grouped(chain.nodeCount + chain.evictedCount)
        if chain.liveCount > 0 { return "\(CountText.grouped(chain.liveCount)) of \(count) left" }
        if let state = NodeState.allCases.first(where: { $0.role == role }), state != .fulfilled {
            return "\(CountText.grouped(chain.counts[state])) \(state.word)"
        }
        return count + " nodes"
    }
}

extension NodeState {
    /// What the state looks like.
    var role: Role {
        switch self {
        case .waiting: .waiting
        case .queued: .queued
        case .running: .running
        case .pending: .pending
        case .fulfilled: .fulfilled
        case .rejected: .rejected
        case .cancelled: .cancelled
        case .skipped: .skipped
        case .abandoned: .abandoned
        case .unknown: .unknown
        }
    }

    /// Calm where nothing is to be done about it: only the glyph has the colour then.
    var wordStyle: Style {
        switch self {
        case .waiting, .fulfilled, .skipped: .dim
        default: Style(role)
        }
    }
}
