import ChainModel
import ChainText
import Frames

/// The phases of a node over time, in nanoseconds of its program's clock.
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

    struct Stretch: Equatable {
        var phase: Phase
        var from: UInt64
        var to: UInt64
    }

    private(set) var stretches: [Stretch] = []
    /// When it settled, and how; nil while it is live.
    private(set) var end: (time: UInt64, role: Role)?

    /// A node by itself.
    init(of node: NodeIndex, in forest: borrowing ChainForest, now: UInt64) {
        let view = forest.node(node)
        let until = view.settled ?? max(now, view.created)
        if let settled = view.settled { end = (settled, view.state.role) }
        var at = view.created
        func upTo(_ time: UInt64) -> UInt64 { min(max(time, at), max(at, until)) }
        let turn = view.queued ?? view.started ?? Self.readyTime(of: node, view, in: forest, until: until)
        add(.waiting, from: at, to: upTo(turn))
        at = upTo(turn)
        if let queued = view.queued {
            let started = view.started ?? until
            add(.queued, from: queued, to: started)
            at = max(at, started)
        }
        if let started = view.started {
            let ended = view.ended ?? (view.marks.contains(.released) ? until : max(now, started))
            add(.running, from: started, to: ended)
            at = max(at, ended)
        }
        if view.settled != nil || view.state == .pending { add(.pending, from: at, to: until) }
    }

    /// When a node that was never queued became ready: when its parent settled, or at once.
    private static func readyTime(
        of node: NodeIndex, _ view: NodeView, in forest: borrowing ChainForest, until: UInt64
    ) -> UInt64 {
        guard view.hasParent, let parent = forest.parent(of: node) else {
            return view.state == .waiting ? until : view.created
        }
        return forest.node(parent).settled ?? until
    }

    /// A whole chain: its root, and what follows.
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
    /// The sign of what a node is at, in a bar.
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
