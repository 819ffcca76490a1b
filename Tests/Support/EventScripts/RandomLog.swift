import ChainEvents
import SeededNumbers

/// One event with its text.
public struct LogEntry {
    /// The event.
    public var event: ChainEvent
    /// Its text.
    public var text: String?
}

/// The events of a random program in the order of time: makers, links, combinators, adoptions and every settlement, on
/// several threads that take ids in blocks. Some nodes were made before recording began.
public struct RandomLog {
    /// The events.
    public private(set) var entries: [LogEntry] = []
    private var generator: SeededGenerator
    private var nodes: [Node] = []
    private var time: UInt64 = 1000
    private var blocks: [(next: UInt64, end: UInt64)]
    private var nextBlock: UInt64 = 1
    private let threadCount: Int
    /// Whether links may go to any node, so that cycles arise.
    private let isWild: Bool
    /// Whether several events may have the same time, as under a virtual clock.
    private let hasTies: Bool

    private struct Node {
        var id: NodeID
        var kind: NodeKind
        var hasParent: Bool
        var step = 0
        var isSettled = false
        var isReleased = false
        var isUnhandled = false
        var renameCount: UInt16 = 0
    }

    /// Makes a log of about `count` events.
    public init(seed: UInt64, count: Int, threadCount: Int = 3, isWild: Bool = false, hasTies: Bool = false) {
        generator = SeededGenerator(seed: seed)
        self.threadCount = threadCount
        self.isWild = isWild
        self.hasTies = hasTies
        blocks = Array(repeating: (0, 0), count: threadCount)
        while entries.count < count { step() }
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &generator) < percent }

    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

    private mutating func newID(on thread: Int) -> NodeID {
        if blocks[thread].next == blocks[thread].end {
            blocks[thread] = (nextBlock, nextBlock + 16)
            nextBlock += 16
        }
        defer { blocks[thread].next += 1 }
        return NodeID(blocks[thread].next)
    }

    private mutating func record(
        _ kind: EventKind, _ node: NodeID, other: NodeID = .none, text: String? = nil, thread: Int, detail: UInt16 = 0,
        flags: EventFlags = [], site: SiteID = 0
    ) {
        if !hasTies || chance(30) { time += UInt64(1 + pick(50)) }
        let event = ChainEvent(
            time: time, kind, node: node, other: other, site: site, thread: ThreadID(thread + 1), detail: detail,
            flags: flags)
        entries.append(LogEntry(event: event, text: text))
    }

    private mutating func step() {
        let thread = pick(threadCount)
        switch pick(100) {
        case 0..<8: make(nil, on: thread)
        case 8..<30: if !nodes.isEmpty { make(pick(nodes.count), on: thread) }
        case 30..<36: combine(on: thread)
        case 36..<42: adopt()
        case 42..<45: cancelRequest(on: thread)
        case 45..<50: release(on: thread)
        case 50..<52: rename(on: thread)
        case 52: callRemotely(on: thread)
        case 53: switchRun(on: thread)
        case 54: stall(on: thread)
        case 55: waitForSomething(on: thread)
        default: if !nodes.isEmpty { advance(pick(nodes.count), on: thread) }
        }
    }

    /// Reports a node's creation, or leaves it out: then it was made before recording began.
    private mutating func make(_ parent: Int?, kind: NodeKind? = nil, on thread: Int) {
        let makers: [NodeKind] = [.promise, .pending, .work, .task]
        let linkKinds: [NodeKind] = [.then, .map, .catch, .anyway, .callback, .delay]
        let kind = kind ?? (parent == nil ? makers[pick(makers.count)] : linkKinds[pick(linkKinds.count)])
        let id = newID(on: thread)
        nodes.append(Node(id: id, kind: kind, hasParent: parent != nil))
        if chance(8) { return }
        let creator = parent == nil && !nodes.isEmpty && chance(40) ? nodes[pick(nodes.count)].id : .none
        let other = parent.map { nodes[$0].id } ?? (creator == id ? .none : creator)
        var flags: EventFlags = parent == nil ? [] : .hasParent
        if kind == .pending { flags.insert(.external) }
        if kind == .task, other != .none, id.rawValue % 3 == 0 { flags.insert(.separateChain) }
        if id.rawValue % 20 == 0 { flags.insert(.late) }
        record(
            .created, id, other: other, text: chance(30) ? "label \(pick(20))" : nil, thread: thread,
            detail: UInt16(kind.rawValue), flags: flags, site: SiteID(pick(5)))
    }

    private mutating func combine(on thread: Int) {
        guard nodes.count > 3 else { return }
        let kinds: [NodeKind] = [.all, .race, .any, .sequence]
        make(nil, kind: kinds[pick(4)], on: thread)
        let holder = nodes.count - 1
        for _ in 0...pick(4) {
            let member = isWild ? pick(nodes.count) : pick(holder)
            record(
                .linked, nodes[holder].id, other: nodes[member].id, thread: thread,
                detail: LinkKind.member.rawValue.asDetail)
        }
    }

    private mutating func adopt() {
        guard nodes.count > 2 else { return }
        let (holder, target) = (pick(nodes.count), pick(nodes.count))
        guard isWild || (holder < target && nodes[holder].kind.role != .combinator) else { return }
        // One thread a holder, so that links of equal time have an order.
        let thread = Int(nodes[holder].id.rawValue) % threadCount
        record(
            .adopted, nodes[holder].id, other: nodes[target].id, thread: thread,
            detail: LinkKind.adoption.rawValue.asDetail)
    }

    private mutating func cancelRequest(on thread: Int) {
        guard !nodes.isEmpty else { return }
        let node = pick(nodes.count)
        record(
            .cancelRequested, nodes[node].id, text: chance(70) ? "viewer \(pick(3))" : nil, thread: thread,
            flags: chance(50) ? .byViewer : [])
    }

    private mutating func switchRun(on thread: Int) {
        guard !nodes.isEmpty else { return }
        record(pick(2) == 0 ? .resumed : .suspended, nodes[pick(nodes.count)].id, thread: thread)
    }

    private mutating func stall(on thread: Int) {
        guard !nodes.isEmpty else { return }
        record(
            pick(3) == 0 ? .stallEnded : .stalled, nodes[pick(nodes.count)].id, thread: thread,
            detail: UInt16(pick(SystemWait.allCases.count)))
    }

    /// A task waits for another node or for something else, or a node is held by another or by nobody.
    private mutating func waitForSomething(on thread: Int) {
        guard !nodes.isEmpty else { return }
        let (node, other) = (nodes[pick(nodes.count)].id, nodes[pick(nodes.count)].id)
        record(
            pick(3) == 0 ? .heldBy : .waitsFor, node, other: pick(3) == 0 ? .none : other, thread: thread,
            detail: UInt16(pick(WaitTarget.allCases.count)))
    }

    private mutating func rename(on thread: Int) {
        guard !nodes.isEmpty else { return }
        let node = pick(nodes.count)
        nodes[node].renameCount += 1
        record(
            .renamed, nodes[node].id, text: "name \(pick(20))", thread: thread, detail: nodes[node].renameCount)
    }

    private mutating func callRemotely(on thread: Int) {
        guard !nodes.isEmpty else { return }
        let parent = NodeKey(process: ProcessKey(rawValue: UInt64(pick(3))), id: NodeID(UInt64(pick(20))))
        record(.remoteParent, nodes[pick(nodes.count)].id, text: parent.text, thread: thread)
    }

    private mutating func release(on thread: Int) {
        guard !nodes.isEmpty else { return }
        let node = pick(nodes.count)
        guard nodes[node].isSettled, !nodes[node].isReleased else { return }
        nodes[node].isReleased = true
        if chance(20) { record(.unhandled, nodes[node].id, text: "nobody cared", thread: thread) }
        record(.released, nodes[node].id, thread: thread)
    }

    private mutating func advance(_ index: Int, on thread: Int) {
        let id = nodes[index].id
        if nodes[index].isSettled {
            if chance(10), !nodes[index].isReleased { record(.settledAgain, id, thread: thread) }
            return
        }
        if chance(25) || nodes[index].step == 3 { return settle(index, on: thread) }
        switch nodes[index].step {
        case 0: record(.queued, id, thread: thread, detail: UInt16(1 + pick(3)))
        case 1: record(.started, id, thread: thread)
        default: record(.ended, id, thread: thread)
        }
        nodes[index].step += 1
    }

    private mutating func settle(_ index: Int, on thread: Int) {
        let id = nodes[index].id
        nodes[index].isSettled = true
        let ended: EventFlags = nodes[index].step == 2 && chance(80) ? .handlerEnded : []
        switch pick(8) {
        case 0...2: record(.fulfilled, id, thread: thread, flags: ended)
        case 3: record(.rejected, id, text: chance(80) ? "error \(pick(9))" : nil, thread: thread, flags: ended)
        case 4: record(.cancelled, id, text: "by somebody", thread: thread, flags: chance(50) ? .byViewer : [])
        case 5: record(.skipped, id, thread: thread, flags: chance(50) ? .error : [])
        case 6: record(.abandoned, id, text: "a > b > c", thread: thread)
        default: record(.fulfilled, id, thread: thread, flags: ended)
        }
    }
}

extension UInt8 {
    fileprivate var asDetail: UInt16 { UInt16(self) }
}

extension [LogEntry] {
    /// Returns another interleaving that keeps each thread's order.
    public func shuffled(by generator: inout SeededGenerator) -> [LogEntry] {
        var queues = Dictionary(grouping: self) { $0.event.thread }.mapValues { ArraySlice($0) }
        var result: [LogEntry] = []
        while let thread = queues.keys.sorted().randomElement(using: &generator) {
            let run = Int.random(in: 1...20, using: &generator)
            result += queues[thread]!.prefix(run)
            queues[thread]!.removeFirst(Swift.min(run, queues[thread]!.count))
            if queues[thread]!.isEmpty { queues[thread] = nil }
        }
        return result
    }

    /// Returns the events in batches of up to `limit` events, numbered from `sequence` on.
    public func batches(upTo limit: Int, sequence: UInt64 = 1, using generator: inout SeededGenerator) -> [EventBatch] {
        var result: [EventBatch] = []
        var rest = self[...]
        var time: UInt64 = 0
        while !rest.isEmpty {
            let part = rest.prefix(Int.random(in: 1...limit, using: &generator))
            rest = rest.dropFirst(part.count)
            time = Swift.max(time, part.map(\.event.time).max() ?? 0)
            var batch = EventBatch(process: .test, sequence: sequence + UInt64(result.count), time: time)
            for entry in part { batch.append(entry.event, text: entry.text) }
            result.append(batch)
        }
        return result
    }
}

extension ProcessKey {
    /// The process of random logs.
    public static let test = ProcessKey(rawValue: 7)
}

// SPDX-License-Identifier: MIT
