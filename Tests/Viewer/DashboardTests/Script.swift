import ChainEvents

/// Builds a batch of events, one call per step. Nodes are given by number, times in milliseconds.
struct Script {
    static let process = ProcessDescription(
        key: ProcessKey(rawValue: 42), pid: 4242, name: "checkout", wallOffset: 1_790_000_000_000_000_000)

    /// Another program; its clock began 100 s earlier.
    static let billing = ProcessDescription(
        key: ProcessKey(rawValue: 77), pid: 5150, name: "billing", wallOffset: 1_789_999_900_000_000_000,
        startTime: 1_789_999_940_000_000_000)

    private(set) var batch: EventBatch
    private var sites: [String: SiteID] = [:]
    /// The time of the next event: milliseconds since ``process`` began, also for another program.
    private(set) var time = 0.0
    /// By how many nanoseconds the program's clock is ahead of that of ``process``; wraps if it is behind.
    private let lead: UInt64

    init(sequence: UInt64 = 1, time: Double = 0, of process: ProcessDescription = Self.process) {
        lead = Self.process.wallOffset &- process.wallOffset
        batch = EventBatch(
            process: process.key, sequence: sequence, time: UInt64(time * 1_000_000) &+ 1 &+ lead)
        self.time = time
        batch.threads = [1: "worker-1", 2: "worker-2", 3: "worker-3"]
        batch.executors = [1: "pool"]
    }

    private var nanoseconds: UInt64 { UInt64(time * 1_000_000) &+ 1 &+ lead }

    /// Counts events that were lost on the way.
    mutating func lose(_ count: UInt64) { batch.loss.lostAtClient += count }

    /// Marks the batch as the first or the last one of a snapshot.
    mutating func resync(_ mark: Resync) { batch.resync = mark }

    /// Sets the time of the next event, if it is not earlier than that of the last one.
    mutating func at(_ milliseconds: Double) { time = max(time, milliseconds) }

    private mutating func add(
        _ kind: EventKind, _ node: UInt64, other: UInt64 = 0, text: String? = nil, thread: ThreadID = 1,
        site: SiteID = 0, detail: UInt16 = 0, flags: EventFlags = []
    ) {
        var textNumber: UInt32 = 0
        if let text {
            batch.texts.append(text)
            textNumber = UInt32(batch.texts.count)
        }
        batch.events.append(
            ChainEvent(
                time: nanoseconds, kind, node: NodeID(node), other: NodeID(other), site: site, text: textNumber,
                thread: thread, detail: detail, flags: flags))
        batch.loss.madeCount += 1
        batch.loss.deliveredCount += 1
        batch.time = max(batch.time, nanoseconds)
    }

    /// Makes a node: `under` the node that it continues, or `by` the node that made it; at a site such as
    /// `A/A.swift:1`.
    mutating func make(
        _ node: UInt64, _ kind: NodeKind, _ label: String? = nil, under parent: UInt64 = 0, by creator: UInt64 = 0,
        site: String? = nil, external: Bool = false, separate: Bool = false, late: Bool = false
    ) {
        var siteID: SiteID = 0
        if let site {
            if let known = sites[site] {
                siteID = known
            } else {
                siteID = SiteID(sites.count + 1) + SiteID(batch.sequence) * 1_000
                sites[site] = siteID
                let parts = site.split(separator: ":")
                batch.sites[siteID] = CodeLocation(fileID: String(parts[0]), line: UInt32(parts[1])!)
            }
        }
        var flags: EventFlags = parent != 0 ? .hasParent : []
        if external { flags.insert(.external) }
        if separate { flags.insert(.separateChain) }
        if late { flags.insert(.late) }
        add(
            .created, node, other: parent != 0 ? parent : creator, text: label, site: siteID,
            detail: UInt16(kind.rawValue), flags: flags)
    }

    mutating func link(_ combinator: UInt64, _ member: UInt64) {
        add(.linked, combinator, other: member, detail: UInt16(LinkKind.member.rawValue))
    }
    mutating func rename(_ node: UInt64, _ name: String) { add(.renamed, node, text: name, detail: 1) }
    mutating func call(_ node: UInt64, from parent: NodeKey) { add(.remoteParent, node, text: parent.text) }
    mutating func queue(_ node: UInt64) { add(.queued, node, detail: 1) }
    mutating func start(_ node: UInt64, on thread: ThreadID = 1) { add(.started, node, thread: thread) }
    /// Resumes a task.
    mutating func resume(_ node: UInt64, on thread: ThreadID) { add(.resumed, node, thread: thread) }
    /// Resumes a task, and suspends it again.
    mutating func suspend(_ node: UInt64) {
        add(.resumed, node)
        add(.suspended, node)
    }
    mutating func end(_ node: UInt64) { add(.ended, node) }
    mutating func adopt(_ node: UInt64, _ other: UInt64) { add(.adopted, node, other: other) }
    mutating func fulfill(_ node: UInt64, _ value: String? = nil) {
        add(.fulfilled, node, text: value, flags: .handlerEnded)
    }
    mutating func reject(_ node: UInt64, _ error: String) { add(.rejected, node, text: error, flags: .handlerEnded) }
    mutating func skip(_ node: UInt64, error: Bool = false) { add(.skipped, node, flags: error ? .error : []) }
    mutating func cancel(_ node: UInt64, _ actor: String) { add(.cancelled, node, text: actor, flags: .byViewer) }
    mutating func abandon(_ node: UInt64, _ text: String) { add(.abandoned, node, text: text) }
    mutating func requestCancel(_ node: UInt64, _ actor: String) { add(.cancelRequested, node, text: actor) }
    /// The handler of `waiter` blocks its thread until `node` settles.
    mutating func block(_ waiter: UInt64, for node: UInt64, on thread: ThreadID) {
        add(.awaited, node, other: waiter, thread: thread)
    }
    /// The thread that runs `node` is blocked in the system.
    mutating func stall(_ node: UInt64, on thread: ThreadID = 1, in wait: SystemWait = .futex) {
        add(.stalled, node, thread: thread, detail: wait.rawValue)
    }
    /// A Swift task waits for another node, or for something else.
    mutating func wait(_ node: UInt64, for other: UInt64 = 0, _ target: WaitTarget = .unknown) {
        add(.waitsFor, node, other: other, detail: target.rawValue)
    }
    /// An actor or a lock is held by a task, by a thread or by nobody.
    mutating func hold(_ node: UInt64, by task: UInt64 = 0, on thread: ThreadID = 0) {
        add(.heldBy, node, other: task, thread: thread)
    }
    mutating func release(_ node: UInt64) { add(.released, node) }
    mutating func leaveUnhandled(_ node: UInt64, _ error: String) { add(.unhandled, node, text: error) }
    mutating func settleAgain(_ node: UInt64) { add(.settledAgain, node) }
}

// SPDX-License-Identifier: MIT
