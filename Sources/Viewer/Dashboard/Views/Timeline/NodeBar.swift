// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

/// The phases of a node or chain over time, in nanoseconds of its program's clock.
struct NodeBar {
    enum Phase: Int, CaseIterable {
        case waiting, pending, queued, running

        var style: Style {
            switch self {
            case .waiting: .waiting
            case .pending: .pending
            case .queued: .queued
            case .running: .running
            }
        }
    }

    /// A phase from one moment to another.
    struct Stretch: Equatable {
        var phase: Phase
        var from: UInt64
        var to: UInt64
    }

    private(set) var stretches: [Stretch] = []
    /// When the node or chain settled, and how; nil while it is live.
    private(set) var end: (time: UInt64, role: Role)?

    /// Makes the bar of a single node.
    init(of node: NodeIndex, in forest: borrowing ChainForest, now: UInt64) {
        let view = forest.node(node)
        let until = view.settled ?? max(now, view.created)
        if let settled = view.settled { end = (settled, view.state.role) }
        // The end of the phases so far.
        var covered = view.created
        func clamped(_ time: UInt64) -> UInt64 { min(max(time, covered), max(covered, until)) }
        let ready = view.queued ?? view.started ?? Self.readyTime(of: node, view, in: forest, until: until)
        add(.waiting, from: covered, to: clamped(ready))
        covered = clamped(ready)
        if let queued = view.queued {
            let started = view.started ?? until
            add(.queued, from: queued, to: started)
            covered = max(covered, started)
        }
        if let started = view.started {
            let suspended = view.isSuspended ? forest.lastSwitchTime(of: node) : nil
            let ended = view.ended ?? suspended ?? (view.marks.contains(.released) ? until : max(now, started))
            add(.running, from: started, to: ended)
            covered = max(covered, ended)
        }
        if view.settled != nil || view.state == .pending { add(.pending, from: covered, to: until) }
    }

    /// Returns when a node that was never queued became ready: when its parent settled or, without a parent, when it
    /// was made. Returns `until` if the node is not ready yet.
    private static func readyTime(
        of node: NodeIndex, _ view: NodeView, in forest: borrowing ChainForest, until: UInt64
    ) -> UInt64 {
        guard view.hasParent, let parent = forest.parent(of: node) else {
            return view.state == .waiting ? until : view.created
        }
        return forest.node(parent).settled ?? until
    }

    /// Makes the bar of a whole chain: the phases of its root, then pending until the chain settles.
    init(ofChain root: NodeIndex, in forest: borrowing ChainForest, now: UInt64) {
        self.init(of: root, in: forest, now: now)
        let chain = forest.chain(of: root)
        guard chain.nodeCount + chain.evictedCount > 1 else { return }
        let begin = end?.time ?? stretches.last?.to ?? forest.node(root).created
        let until = chain.settled ?? max(now, begin)
        end = chain.settled.map { ($0, chain.status.role) }
        add(.pending, from: begin, to: until)
    }

    private mutating func add(_ phase: Phase, from: UInt64, to: UInt64) {
        if to > from { stretches.append(Stretch(phase: phase, from: from, to: to)) }
    }
}

extension Glyphs {
    /// Returns the sign of a phase in a bar.
    func bar(_ phase: NodeBar.Phase) -> Unicode.Scalar {
        switch (phase, charset) {
        case (.waiting, .unicode): "·"
        case (.pending, .unicode): "─"
        case (.queued, .unicode): "░"
        case (.running, .unicode): "█"
        case (.waiting, .ascii): "."
        case (.pending, .ascii): "-"
        case (.queued, .ascii): ":"
        case (.running, .ascii): "#"
        }
    }
}
