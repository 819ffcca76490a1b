// SPDX-License-Identifier: MIT

import ChainModel

/// The rendered details of a live promise, for a ``NodeDetail``.
struct LiveDetail: Sendable {
    /// The name of the executor.
    var executor: String
    /// The whole label.
    var label: String?
    /// The unsettled children, which wait for the promise.
    var handlers: [NodeID]
    /// How many tasks and callbacks wait for the promise.
    var callbackCount: Int
    /// The nodes that follow the promise.
    var followers: [NodeID]
    /// The unsettled combinators that have the promise as a member.
    var combinators: [NodeID]
    /// The threads that sleep until the promise is settled, each with the node of the handler that it runs, or `.none`
    /// if it runs no handler.
    var blockedThreads: [(thread: ThreadID, node: NodeID)]
    /// The parent, while the promise waits for it.
    var parent: NodeID?
    /// The node that the promise follows.
    var followed: NodeID?
    var valueType: String
    var isFulfilled: Bool
    /// Nil where there is no value, it has no description, or values are not captured.
    var value: String?
    /// Nil where there is no error.
    var error: ErrorText?
    /// The entries of a span; empty for other nodes.
    var spanEntries: [NodeDetail.Entry] = []
    var isSpan = false
}

extension NodeDetail {
    /// The most bytes of one text.
    static let textByteLimit = 16 << 10
    /// The most ids of one list.
    static let listLimit = 32

    /// Adds an entry; nothing where the text is nil or empty.
    fileprivate mutating func add(_ name: String, _ text: String?) {
        if let text, !text.isEmpty { entries.append(Entry(name: name, text: text.cut(toBytes: Self.textByteLimit))) }
    }

    /// Adds the count and the ids of nodes, as `3: #4, #7, #9`; nothing where there are none.
    fileprivate mutating func add(_ name: String, _ nodes: [NodeID]) {
        guard !nodes.isEmpty else { return }
        let listed = nodes.prefix(Self.listLimit).map(\.description).joined(separator: ", ")
        add(name, "\(nodes.count): \(listed)\(nodes.count > Self.listLimit ? ", …" : "")")
    }
}

extension Collector {
    /// Returns more details of a node than events contain. They come from the promise while it is alive, else from the
    /// task; the forest's record adds to them in either case.
    ///
    /// Runs the program's descriptions of its errors and values on the calling thread, with no lock held.
    func describe(_ id: NodeID) -> CommandReply.Outcome {
        pass()
        let live = runtime.detail(of: id)
        let task = live == nil ? tasks.withLock { $0 }?.entries(of: id) : nil
        let recorded = withState { state in state.forest.index(of: id).flatMap { state.recordedDetail(of: $0) } }
        guard live != nil || recorded != nil else { return .refused(withState { $0.absence(of: id) }) }
        var detail = NodeDetail(node: id)
        detail.add("label", live?.label ?? recorded?.label)
        if let live {
            addOutcome(of: live, to: &detail)
            addWaiters(of: live, to: &detail)
        } else if let recorded {
            detail.add(recorded.isError ? "error" : "value", recorded.summary)
            detail.add("executor", recorded.executor)
            for entry in task ?? [] { detail.add(entry.name, entry.text) }
            if task == nil { detail.add("note", "The program no longer has it: these are its recorded details") }
        }
        if let recorded {
            detail.add("waits for", recorded.blocker)
            detail.add("age", recorded.age)
        }
        return .described(detail)
    }

    /// The most entries of a span that are returned.
    private static var spanEntryLimit: Int { 256 }

    private func addOutcome(of live: LiveDetail, to detail: inout NodeDetail) {
        if live.isSpan {
            for entry in live.spanEntries.prefix(Self.spanEntryLimit) { detail.add(entry.name, entry.text) }
        } else {
            detail.add("value type", live.valueType)
        }
        if live.isFulfilled, !live.isSpan {
            detail.add("value", live.value ?? (runtime.capturesValues ? nil : "not captured (capturesValues is off)"))
        }
        guard let error = live.error else { return }
        for part in error.parts {
            let name = part.depth == 0 ? "error" : "cause"
            detail.add(name, part.text ?? "not captured (capturesErrorText is off)")
            detail.add("\(name) type", part.type)
        }
        if error.isCut { detail.add("note", "There are more causes") }
    }

    private func addWaiters(of live: LiveDetail, to detail: inout NodeDetail) {
        if !live.isSpan { detail.add("executor", live.executor) }
        detail.add("waiting handlers", live.handlers)
        if live.callbackCount > 0 { detail.add("waiting tasks and callbacks", "\(live.callbackCount)") }
        detail.add("parent", live.parent?.description)
        detail.add("follows", live.followed?.description)
        detail.add("followed by", live.followers)
        detail.add("member of", live.combinators)
        let names = withState { $0.forest.threads }
        for blocked in live.blockedThreads.prefix(NodeDetail.listLimit) {
            let thread = names[blocked.thread].map { "\($0) (\(blocked.thread))" } ?? "\(blocked.thread)"
            let handler = blocked.node == .none ? "" : ", in the handler of \(blocked.node)"
            detail.add("blocks thread", thread + handler)
        }
    }
}

/// The texts of the forest's record of a node.
private struct RecordedDetail {
    var label: String?
    var summary: String?
    var isError: Bool
    var executor: String?
    var blocker: String?
    var age: String
}

extension CollectorState {
    /// Returns the texts of a node's record; nil where the node is known only by links from other nodes.
    fileprivate func recordedDetail(of index: NodeIndex) -> RecordedDetail? {
        let view = forest.node(index)
        guard !forest.isOnlyReferenced(index) else { return nil }
        let age = readable(time > view.created ? time - view.created : 0)
        return RecordedDetail(
            label: forest.label(of: index), summary: forest.summary(of: index),
            isError: view.settlement != .fulfilled && view.settlement != .skippedFulfilled,
            executor: forest.executors[view.executor], blocker: view.isLive ? forest.blockerText(of: index) : nil,
            age: view.marks.contains(.seenLate) ? "first seen \(age) ago" : "made \(age) ago")
    }

    /// Returns why a node that was evicted or not recorded cannot be described or cancelled.
    func absence(of id: NodeID) -> String {
        if forest.isEvicted(id) { return "\(id) has ended and was forgotten" }
        let why = "the program records some of its chains only"
        guard forest.index(of: id) != nil else {
            return options.isNarrowed
                ? "There is no node \(id) in what is recorded: \(why)" : "There is no node \(id) in this program"
        }
        return options.isNarrowed
            ? "\(id) is not recorded: \(why)"
            : "\(id) was made before recording began: it can be reached from its next step on"
    }
}

extension ChainForest {
    /// Returns whether a node is known only by links from other nodes.
    func isOnlyReferenced(_ index: NodeIndex) -> Bool {
        let view = node(index)
        return view.state == .unknown && view.settlement == .pending
    }

    /// Returns a phrase for what a node waits for; nil where it waits for nothing.
    func blockerText(of index: NodeIndex) -> String? {
        let blocker = self.blocker(of: index)
        let other = blocker.node.map { other in
            "\(id(of: other))" + (isOnlyReferenced(other) ? " (not recorded)" : " (\(state(of: other).word))")
        }
        switch blocker.reason {
        // What Swift tasks wait for is known only from outside.
        case .settled, .running, .suspended, .system, .task, .continuation, .group, .actor, .pool, .lock, .executor,
            .holder, .free:
            return nil
        case .parent: return "its parent \(other ?? "")"
        case .aboutToRun: return "its turn to be queued"
        case .queued: return executors[node(index).executor].map { "a turn on \($0)" } ?? "a turn on its executor"
        case .follows: return "\(other ?? ""), which it follows"
        case .member: return "its member \(other ?? "")"
        case .aboutToSettle: return "nothing more: it is about to settle"
        case .awaits: return "\(other ?? "another"), for which its handler blocks the thread"
        case .timer: return "a timer"
        case .resolver: return "its resolver"
        }
    }
}

/// Returns a duration in nanoseconds as text: `0.2ms`, `210ms`, `1.24s`, `3m 12s`, `2h 5m`.
func readable(_ nanoseconds: UInt64) -> String {
    func rounded(_ value: UInt64, per unit: UInt64, digits: Int) -> String {
        let scale: UInt64 = digits == 1 ? 10 : 100
        let whole = (value * scale + unit / 2) / unit
        let rest = String(whole % scale)
        return "\(whole / scale)." + String(repeating: "0", count: digits - rest.count) + rest
    }
    switch nanoseconds {
    case ..<9_950_000: return rounded(nanoseconds, per: 1_000_000, digits: 1) + "ms"
    case ..<999_500_000: return "\((nanoseconds + 500_000) / 1_000_000)ms"
    case ..<59_995_000_000: return rounded(nanoseconds, per: 1_000_000_000, digits: 2) + "s"
    case ..<3_599_500_000_000:
        let seconds = (nanoseconds + 500_000_000) / 1_000_000_000
        return "\(seconds / 60)m \(seconds % 60)s"
    default:
        let minutes = (nanoseconds / 1_000_000_000 + 30) / 60
        return "\(minutes / 60)h \(minutes % 60)m"
    }
}
