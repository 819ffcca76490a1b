import ChainEvents
import ChainModel

/// What a live promise says of itself, rendered: see ``NodeDetail``.
struct LiveDetail: Sendable {
    /// The executor, the label whole, and who waits for it: by id.
    var executor: String
    var label: String?
    var handlers: [NodeID]
    var callbackCount: Int
    var followers: [NodeID]
    var combinators: [NodeID]
    var blockedThreads: [(thread: ThreadID, node: NodeID)]
    var parent: NodeID?
    var followed: NodeID?
    var valueType: String
    var isFulfilled: Bool
    /// Nil where there is no value, nothing to say of it, or values are not to be told.
    var value: String?
    /// Nil where there is no error.
    var error: ErrorText?
}

extension NodeDetail {
    /// How many bytes of one text are told.
    static let textByteLimit = 16 << 10
    /// How many nodes of one list are told by their ids.
    static let listLimit = 32

    fileprivate mutating func add(_ name: String, _ text: String?) {
        if let text, !text.isEmpty { entries.append(Entry(name: name, text: text.cut(toBytes: Self.textByteLimit))) }
    }

    /// `3: #4, #7, #9`.
    fileprivate mutating func add(_ name: String, _ nodes: [NodeID]) {
        guard !nodes.isEmpty else { return }
        let told = nodes.prefix(Self.listLimit).map(\.description).joined(separator: ", ")
        add(name, "\(nodes.count): \(told)\(nodes.count > Self.listLimit ? ", …" : "")")
    }
}

extension Collector {
    /// Tells of a node what events do not: from the promise itself while it is there, else from the forest what was told.
    ///
    /// Runs the program's descriptions of its errors and values on the calling thread, with no lock held.
    func describe(_ id: NodeID) -> CommandReply.Outcome {
        pass()
        let live = runtime.detail(of: id)
        let told = withState { state in state.forest.index(of: id).flatMap { state.told(of: $0) } }
        guard live != nil || told != nil else { return .refused(withState { $0.absence(of: id) }) }
        var detail = NodeDetail(node: id)
        detail.add("label", live?.label ?? told?.label)
        if let live {
            addOutcome(of: live, to: &detail)
            addWaiters(of: live, to: &detail)
        } else if let told {
            detail.add(told.isError ? "error" : "value", told.summary)
            detail.add("executor", told.executor)
            detail.add("note", "The promise is gone: this is what was told of it")
        }
        if let told {
            detail.add("waits for", told.blocker)
            detail.add("age", told.age)
        }
        return .described(detail)
    }

    private func addOutcome(of live: LiveDetail, to detail: inout NodeDetail) {
        detail.add("value type", live.valueType)
        if live.isFulfilled {
            detail.add("value", live.value ?? (runtime.capturesValues ? nil : "not told (capturesValues is off)"))
        }
        guard let error = live.error else { return }
        for part in error.parts {
            let name = part.depth == 0 ? "error" : "cause"
            detail.add(name, part.text ?? "not told (capturesErrorText is off)")
            detail.add("\(name) type", part.type)
        }
        if error.isCut { detail.add("note", "There are more causes than are told") }
    }

    private func addWaiters(of live: LiveDetail, to detail: inout NodeDetail) {
        detail.add("executor", live.executor)
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

/// What the forest knows of a node, in words.
private struct ToldDetail {
    var label: String?
    var summary: String?
    var isError: Bool
    var executor: String?
    var blocker: String?
    var age: String
}

extension CollectorState {
    /// Nil where nothing was told of it but its id.
    fileprivate func told(of index: NodeIndex) -> ToldDetail? {
        let view = forest.node(index)
        guard !forest.isOnlyMentioned(index) else { return nil }
        let age = readable(time > view.created ? time - view.created : 0)
        return ToldDetail(
            label: forest.label(of: index), summary: forest.summary(of: index),
            isError: view.settlement != .fulfilled && view.settlement != .skippedFulfilled,
            executor: forest.executors[view.executor], blocker: view.isLive ? forest.blockerText(of: index) : nil,
            age: view.marks.contains(.seenLate) ? "first told of \(age) ago" : "made \(age) ago")
    }

    /// Why nothing can be said or done about a node of which nothing was told.
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
    /// Whether nothing was told of a node but that others are linked to it.
    func isOnlyMentioned(_ index: NodeIndex) -> Bool {
        let view = node(index)
        return view.state == .unknown && view.settlement == .pending
    }

    /// What a node waits for, in a few words; nil where it waits for nothing.
    func blockerText(of index: NodeIndex) -> String? {
        let blocker = self.blocker(of: index)
        let other = blocker.node.map { other in
            "\(id(of: other))" + (isOnlyMentioned(other) ? " (not recorded)" : " (\(state(of: other).word))")
        }
        switch blocker.reason {
        case .settled, .running: return nil
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

/// A duration in nanoseconds as people read it: `0.2ms`, `210ms`, `1.24s`, `3m 12s`, `2h 5m`.
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
    case ..<60_000_000_000: return rounded(nanoseconds, per: 1_000_000_000, digits: 2) + "s"
    case ..<3_600_000_000_000: return "\(nanoseconds / 60_000_000_000)m \(nanoseconds / 1_000_000_000 % 60)s"
    default: return "\(nanoseconds / 3_600_000_000_000)h \(nanoseconds / 60_000_000_000 % 60)m"
    }
}
