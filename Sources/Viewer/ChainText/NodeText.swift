// SPDX-License-Identifier: MIT

import ChainModel
import Frames

/// Words for nodes.
///
/// Texts of the program are returned unescaped, except by ``line(_:in:now:)``. Frames escape what they draw; other
/// callers use ``safe(_:)``.
package enum NodeText {
    /// Returns a node's name for use in a sentence: its label, else its kind and call site, else its kind and id.
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

    /// Returns a node as one line of text, for the clipboard. The line of a settled root has the status of the root's
    /// chain, and the chain's value once the chain has settled.
    package static func line(_ node: NodeIndex, in forest: borrowing ChainForest, now: UInt64) -> String {
        let view = forest.node(node)
        let isRoot = forest.isRoot(node)
        let state = state(of: node, isRoot: isRoot, in: forest, now: now)
        var text = "\(view.id) \(state.word) \(view.kind.word)"
        if let label = forest.label(of: node) { text += " " + safe(label) }
        if let site = forest.site(of: node), !site.fileID.isEmpty { text += " (\(safe(site.description)))" }
        if let function = forest.innermostFrame(of: node) { text += " in \(safe(function))" }
        if let wait = wait(of: node, in: forest) { text += ", " + safe(wait) }
        if let total = total(of: node, in: forest, now: now, .ascii) { text += " " + total }
        if let stall = stall(of: node, in: forest, now: now) { text += ": " + stall }
        if let summary = forest.summary(of: shownNode(for: node, isRoot: isRoot, in: forest)) {
            text += ": " + safe(summary)
        }
        return text
    }

    /// Returns a text with control characters escaped, safe for a terminal and a clipboard's reader.
    package static func safe(_ text: String) -> String { SafeText.line(text) }

    /// Returns how many of a folded node's many children are in each state, as parts of one text:
    /// `  1,204 children: 3 running, 1 rejected`. Waiting, fulfilled and skipped children are not listed. If no child
    /// is in another state, the number of waiting children follows, or `all went well` if no child waits. Empty if the
    /// forest does not count the node's children by state.
    package static func children(of node: NodeIndex, in forest: borrowing ChainForest) -> [(text: String, style: Style)]
    {
        guard var counts = forest.childCounts(of: node) else { return [] }
        // The continuation is not counted, because folding does not hide it.
        if let tail = forest.continuation(of: node) { counts[forest.state(of: tail)] -= 1 }
        let listed: [NodeState] = [.running, .rejected, .abandoned, .cancelled, .unknown, .queued, .pending]
        let children = "  \(CountText.grouped(counts.nodeCount)) children"
        let states = listed.filter { counts[$0] > 0 }
        guard !states.isEmpty else {
            let rest = counts.liveCount == 0 ? "all went well" : "\(CountText.grouped(counts.liveCount)) waiting"
            return [(children, .dim), (": " + rest, .dim)]
        }
        return [(children, .dim)]
            + states.enumerated().map { index, state in
                let separator = index == 0 ? ": " : ", "
                return ("\(separator)\(CountText.grouped(counts[state])) \(state.word)", state.wordStyle)
            }
    }

    /// Returns how many members of a combinator have settled, as `2/3`; nil for a node of another kind, and for a
    /// combinator without members.
    ///
    /// The members are the children that no operation on a promise (`then` and the like) made; evicted members are
    /// counted, too. If the forest counts the node's children by state and the node has a continuation, all children
    /// but the continuation count as members. Otherwise, if there are more than 1,000 children, the result is the
    /// number of children, as `1200 inside`.
    package static func progress(of node: NodeIndex, in forest: borrowing ChainForest) -> String? {
        switch forest.node(node).kind {
        case .all, .allSettled, .any, .race, .sequence, .forEach: break
        default: return nil
        }
        let evictedCount = forest.evictedMemberCount(of: node)
        if let counts = forest.childCounts(of: node), let tail = forest.continuation(of: node) {
            let settled = counts.settledCount - (forest.state(of: tail).isLive ? 0 : 1)
            return "\(settled + evictedCount)/\(counts.nodeCount - 1 + evictedCount)"
        }
        var (visitedCount, memberCount) = (0, 0)
        var settledCount = 0
        var child = forest.firstChild(of: node)
        while let current = child, visitedCount < 1_000 {
            visitedCount += 1
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

    /// Returns how many nodes of a live chain have not settled, as `3 of 9 left`. Returns the number of nodes of a
    /// fulfilled chain, and the outcome of any other settled chain, as `recovered (2)`.
    package static func summary(of chain: ChainSummary) -> String {
        let count = chain.nodeCount + chain.evictedCount
        switch chain.outcome {
        case .live: return "\(CountText.grouped(chain.liveCount)) of \(CountText.grouped(count)) left"
        case .fulfilled: return CountText.counted(count, "node")
        // The number is left out if the rejected nodes were evicted.
        case .recovered where chain.rejectedCount > 0: return "recovered (\(CountText.grouped(chain.rejectedCount)))"
        case .recovered, .rejected, .abandoned, .cancelled, .unknown: return chain.outcome.word
        }
    }

    /// Returns the node with the state and value that a row shows: for the root of a settled chain, the node that the
    /// chain ended with; otherwise the node itself.
    package static func shownNode(for node: NodeIndex, isRoot: Bool, in forest: borrowing ChainForest) -> NodeIndex {
        isRoot ? forest.concludingNode(of: node) ?? node : node
    }

    /// Returns the error of a failed chain: `charge card: declined`. The name before the error is that of the first
    /// rejected node; it is left out if that node is unknown, is the root, or has another error. Nil if there is no
    /// error text.
    package static func failure(of chain: ChainSummary, in forest: borrowing ChainForest) -> String? {
        guard let node = forest.concludingNode(of: chain.root), let error = forest.summary(of: node) else { return nil }
        guard let first = chain.firstRejected, first != chain.root, forest.summary(of: first) == error else {
            return error
        }
        return "\(name(of: first, in: forest)): \(error)"
    }

    /// Returns a node's total, such as `1.24s` or `≥ 12s`; nil if it has none.
    package static func total(
        of node: NodeIndex, in forest: borrowing ChainForest, now: UInt64, _ glyphs: Glyphs
    ) -> String? {
        guard let total = forest.timing(of: node, now: now).total else { return nil }
        return DurationText.atLeast(DurationText.settled(total), glyphs, if: forest.lowerBounds(of: node).total)
    }

    /// Returns what the thread of a node is blocked in, and for how long: `blocked in futex wait 12s`, or `blocked in futex
    /// wait, at least 12s` if it was blocked when it was first seen. Nil if it is not blocked.
    package static func stall(of node: NodeIndex, in forest: borrowing ChainForest, now: UInt64) -> String? {
        guard let stall = forest.shownStall(of: node, now: now) else { return nil }
        let words = "blocked\(stall.wait.words)" + (forest.isReadFromOutside ? ", at least" : "")
        return "\(words) \(DurationText.running(now - min(stall.since, now)))"
    }

    /// Returns the word, role and style of a row's state: for the settled root of a chain of several nodes, those of
    /// the chain's status; otherwise those of the node's state. A node whose thread is blocked in the system for a
    /// second does not run: it is *blocked*. An actor, a lock or an executor is *held* or *free*. A task that was read from
    /// outside has *ended*, because how it ended is not known.
    package static func state(
        of node: NodeIndex, isRoot: Bool, in forest: borrowing ChainForest, now: UInt64
    ) -> (word: String, role: Role, style: Style) {
        let state = forest.state(of: node)
        if state == .running, forest.shownStall(of: node, now: now) != nil { return ("blocked", state.role, .warning) }
        if state.isLive, forest.kind(of: node).isResource {
            return forest.holder(of: node) == nil ? ("free", .waiting, .dim) : ("held", .pending, .pending)
        }
        if state == .fulfilled, forest.isReadFromOutside { return ("ended", .unknown, .dim) }
        guard isRoot, !state.isLive else {
            return (forest.node(node).stateWord, state.role, state.wordStyle)
        }
        let chain = forest.chain(of: node)
        guard chain.nodeCount > 1 else { return (state.word, state.role, state.wordStyle) }
        return (chain.status.word, chain.status.role, chain.status.wordStyle)
    }
}

extension ChainStatus {
    /// The role in which the status is drawn.
    package var role: Role {
        switch self {
        case .running: .running
        case .queued: .queued
        case .pending: .pending
        case .waiting: .waiting
        case .rejected: .rejected
        case .abandoned: .abandoned
        case .cancelled: .cancelled
        case .unknown: .unknown
        case .recovered: .recovered
        case .fulfilled: .fulfilled
        }
    }

    /// The style of the status's word: dim where no action is needed, so that only the glyph is coloured.
    package var wordStyle: Style {
        switch self {
        case .waiting, .fulfilled: .dim
        default: Style(role)
        }
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

    /// The style of the state's word: dim where no action is needed, so that only the glyph is coloured.
    package var wordStyle: Style {
        switch self {
        case .waiting, .fulfilled, .skipped: .dim
        default: Style(role)
        }
    }
}
