import ChainEvents
import ChainModel
import Frames

/// Words for nodes.
///
/// Texts of the program are returned unescaped: frames escape them when they draw, as does ``safe(_:)``.
package enum NodeText {
    /// Returns a node's name in a sentence: its label, else its kind and call site.
    package static func name(of node: NodeIndex, in forest: borrowing ChainForest) -> String {
        if let label = forest.label(of: node), !label.isEmpty { return label }
        let view = forest.node(node)
        if let site = forest.site(of: node), !site.fileID.isEmpty { return "\(view.kind.word) at \(site)" }
        return "\(view.kind.word) \(view.id)"
    }

    /// Returns what follows the kind in a row: the label, else the call site or id.
    package static func label(of node: NodeIndex, in forest: borrowing ChainForest) -> (text: String, isLabel: Bool) {
        if let label = forest.label(of: node), !label.isEmpty { return (label, true) }
        if let site = forest.site(of: node), !site.fileID.isEmpty { return (site.description, false) }
        return (forest.node(node).id.description, false)
    }

    /// Returns a node as one line of text, for the clipboard.
    package static func line(_ node: NodeIndex, in forest: borrowing ChainForest, now: UInt64) -> String {
        let view = forest.node(node)
        var text = "\(view.id) \(view.state.word) \(view.kind.word)"
        if let label = forest.label(of: node) { text += " " + safe(label) }
        if let site = forest.site(of: node), !site.fileID.isEmpty { text += " (\(safe(site.description)))" }
        if let total = forest.timing(of: node, now: now).total { text += " " + DurationText.settled(total) }
        if let summary = forest.summary(of: node) { text += ": " + safe(summary) }
        return text
    }

    /// Returns a text with control characters escaped, safe for a terminal and a clipboard's reader.
    package static func safe(_ text: String) -> String { SafeText.line(text) }

    /// Returns the states of a folded node's many children, in parts: `  1,204 children: 3 running, 1 rejected`.
    /// Waiting, fulfilled and skipped children are counted in the total alone.
    package static func children(of node: NodeIndex, in forest: borrowing ChainForest) -> [(text: String, style: Style)]
    {
        guard var counts = forest.childCounts(of: node) else { return [] }
        // Without the continuation, because folding does not hide it.
        if let tail = forest.continuation(of: node) { counts[forest.state(of: tail)] -= 1 }
        let listed: [NodeState] = [.running, .rejected, .abandoned, .cancelled, .unknown, .queued, .pending]
        let children = "  \(CountText.grouped(counts.nodeCount)) children"
        let states = listed.filter { counts[$0] > 0 }
        guard !states.isEmpty else {
            let what = counts.liveCount == 0 ? "all went well" : "\(CountText.grouped(counts.liveCount)) waiting"
            return [(children, .dim), (": " + what, .dim)]
        }
        return [(children, .dim)]
            + states.enumerated().map { index, state in
                let separator = index == 0 ? ": " : ", "
                return ("\(separator)\(CountText.grouped(counts[state])) \(state.word)", state.wordStyle)
            }
    }

    /// Returns how many members of a combinator have settled, as `2/3`; nil for other kinds.
    ///
    /// The members are the children without a parent. Of very many children all but the continuation are counted.
    /// O(children), at most 1,000.
    package static func progress(of node: NodeIndex, in forest: borrowing ChainForest) -> String? {
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

    /// Returns the role of a whole chain: its most active live state, else its worst outcome.
    package static func role(of chain: ChainSummary) -> Role {
        let order: [NodeState] =
            chain.liveCount > 0
            ? [.running, .queued, .pending, .waiting] : [.rejected, .abandoned, .cancelled, .unknown]
        return (order.first { chain.counts[$0] > 0 } ?? .fulfilled).role
    }

    /// Returns how much of a chain is live, `3 of 9 left`; of a settled chain the faults, `1 rejected`, or the number
    /// of its nodes.
    package static func summary(of chain: ChainSummary, _ role: Role) -> String {
        let count = CountText.grouped(chain.nodeCount + chain.evictedCount)
        if chain.liveCount > 0 { return "\(CountText.grouped(chain.liveCount)) of \(count) left" }
        if let state = NodeState.allCases.first(where: { $0.role == role }), state != .fulfilled {
            return "\(CountText.grouped(chain.counts[state])) \(state.word)"
        }
        return count + " nodes"
    }
}

extension NodeState {
    /// The role in which the state is drawn.
    package var role: Role {
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

    /// The style of the state's word: dim where nothing is to be done, so that only the glyph is coloured.
    package var wordStyle: Style {
        switch self {
        case .waiting, .fulfilled, .skipped: .dim
        default: Style(role)
        }
    }
}
