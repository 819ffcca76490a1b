import ChainEvents
import ChainModel
import SeededNumbers

/// A forest that is told one event at a time; times in milliseconds.
struct Telling {
    var forest: ChainForest
    private var sequence: UInt64 = 0
    private var time: UInt64 = 0
    private(set) var loss = EventCounts()

    init(limits: ForestLimits = ForestLimits()) {
        forest = ChainForest(process: ProcessKey(rawValue: 7), limits: limits)
    }

    static func nanoseconds(_ milliseconds: Double) -> UInt64 { UInt64(milliseconds * 1_000_000) }

    /// Times go on from here.
    mutating func at(_ milliseconds: Double) { time = max(time, Self.nanoseconds(milliseconds)) }

    var now: UInt64 { time }

    mutating func tell(
        _ kind: EventKind, _ node: UInt64, other: UInt64 = 0, text: String? = nil, detail: UInt16 = 0,
        flags: EventFlags = [], site: SiteID = 0, thread: ThreadID = 1
    ) {
        sequence += 1
        var batch = EventBatch(process: forest.process, sequence: sequence, time: time)
        if let text { batch.texts = [text] }
        batch.loss = loss
        batch.events = [
            ChainEvent(
                time: time, kind, node: NodeID(node), other: NodeID(other), site: site, text: text == nil ? 0 : 1,
                thread: thread, detail: detail, flags: flags)
        ]
        forest.apply(batch)
    }

    mutating func tables(sites: [SiteID: CodeLocation] = [:], threads: [ThreadID: String] = [:]) {
        sequence += 1
        var batch = EventBatch(process: forest.process, sequence: sequence, time: time)
        batch.loss = loss
        batch.sites = sites
        batch.threads = threads
        forest.apply(batch)
    }

    mutating func lose(_ count: UInt64) {
        loss.lostInRings += count
        tables()
    }

    mutating func resync(_ mark: Resync) {
        sequence += 1
        var batch = EventBatch(process: forest.process, sequence: sequence, time: time)
        batch.resync = mark
        forest.apply(batch)
    }

    mutating func make(
        _ node: UInt64, _ kind: NodeKind = .promise, _ label: String? = nil, under parent: UInt64 = 0,
        by creator: UInt64 = 0, site: SiteID = 1, external: Bool = false
    ) {
        var flags: EventFlags = parent != 0 ? .hasParent : []
        if external { flags.insert(.external) }
        tell(
            .created, node, other: parent != 0 ? parent : creator, text: label, detail: UInt16(kind.rawValue),
            flags: flags, site: site)
    }

    mutating func queue(_ node: UInt64, on executor: ExecutorID = 1) { tell(.queued, node, detail: executor) }
    mutating func start(_ node: UInt64, on thread: ThreadID = 1) { tell(.started, node, thread: thread) }
    mutating func end(_ node: UInt64) { tell(.ended, node) }
    mutating func fulfill(_ node: UInt64) { tell(.fulfilled, node, flags: .handlerEnded) }
    mutating func reject(_ node: UInt64, _ error: String = "no") {
        tell(.rejected, node, text: error, flags: .handlerEnded)
    }
    mutating func member(_ combinator: UInt64, _ node: UInt64) {
        tell(.linked, combinator, other: node, detail: UInt16(LinkKind.member.rawValue))
    }
    mutating func adopt(_ follower: UInt64, _ node: UInt64) { tell(.adopted, follower, other: node) }
}
