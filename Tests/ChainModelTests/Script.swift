import ChainEvents

@testable import ChainModel

/// A forest that is told one event at a time.
struct Script {
    var forest: ChainForest
    private var sequence: UInt64 = 0

    init(limits: ForestLimits = ForestLimits()) { forest = ChainForest(process: .test, limits: limits) }

    mutating func tell(
        _ kind: EventKind, _ node: UInt64, _ other: UInt64 = 0, at time: UInt64, text: String? = nil,
        detail: UInt16 = 0, flags: EventFlags = [], thread: ThreadID = 1
    ) {
        sequence += 1
        var batch = EventBatch(process: .test, sequence: sequence, time: time)
        let event = ChainEvent(
            time: time, kind, node: NodeID(node), other: NodeID(other), thread: thread, detail: detail, flags: flags)
        batch.append(LogEntry(event: event, text: text))
        forest.apply(batch)
    }

    /// A root, or a node that a handler of `creator` made.
    mutating func make(_ node: UInt64, _ kind: NodeKind = .promise, creator: UInt64 = 0, at time: UInt64) {
        tell(.created, node, creator, at: time, detail: UInt16(kind.rawValue))
    }

    /// A node made by an operation on `parent`.
    mutating func then(_ node: UInt64, on parent: UInt64, _ kind: NodeKind = .then, at time: UInt64) {
        tell(.created, node, parent, at: time, detail: UInt16(kind.rawValue), flags: .hasParent)
    }

    mutating func adopt(_ follower: UInt64, _ other: UInt64, at time: UInt64) {
        tell(.adopted, follower, other, at: time, detail: UInt16(LinkKind.adoption.rawValue))
    }

    mutating func member(_ holder: UInt64, _ other: UInt64, at time: UInt64) {
        tell(.linked, holder, other, at: time, detail: UInt16(LinkKind.member.rawValue))
    }

    func index(_ id: UInt64) -> NodeIndex { forest.index(of: NodeID(id))! }
    func node(_ id: UInt64) -> NodeView { forest.node(index(id)) }
    func state(_ id: UInt64) -> NodeState { forest.state(of: index(id)) }
    func timing(_ id: UInt64, now: UInt64) -> Timing { forest.timing(of: index(id), now: now) }
    func above(_ id: UInt64) -> UInt64? { forest.treeParent(of: index(id)).map { forest.id(of: $0).rawValue } }
    func blocker(_ id: UInt64) -> Blocker { forest.blocker(of: index(id)) }
    var roots: [UInt64] { forest.roots.map { forest.id(of: $0).rawValue } }

    func children(_ id: UInt64) -> [UInt64] {
        var result: [UInt64] = []
        var child = forest.firstChild(of: index(id))
        while let current = child {
            result.append(forest.id(of: current).rawValue)
            child = forest.nextSibling(of: current)
        }
        return result
    }
}
