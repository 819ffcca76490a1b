// SPDX-License-Identifier: MIT

/// The members of a combinator, counted.
public struct MemberCounts: Hashable, Sendable {
    /// The members by state.
    public var counts = StateCounts()
    /// Whether the combinator has more members than were counted.
    public var isPartial = false
    /// The first member that is not settled, in the order in which members were linked.
    public var firstLive: NodeIndex?
    /// The member that was rejected, abandoned or cancelled first, by time.
    public var firstRejected: NodeIndex?

    /// How many members were counted.
    public var count: Int { counts.nodeCount }
}

extension ChainForest {
    /// Returns what a node waits for. Looks at a combinator's first `memberLimit` members only: O(memberLimit).
    public func blocker(of index: NodeIndex, memberLimit: Int = .max) -> Blocker {
        let record = data.nodes[checked(index)].pointee
        switch record.state {
        case .running:
            guard let wait = data.wait(ofRunning: record) else {
                if let blocker = taskBlocker(of: index) { return blocker }
                return Blocker(reason: data.stall(of: record) == nil ? .running : .system)
            }
            return Blocker(reason: .awaits, node: data.slot(of: wait.node)?.asNode)
        case .queued: return taskBlocker(of: index) ?? Blocker(reason: .queued)
        case .waiting:
            guard let parent = parent(of: index) else { return Blocker(reason: .aboutToRun) }
            let above = data.nodes[parent.rawValue].pointee
            return above.state.isLive || !above.has(.reported)
                ? Blocker(reason: .parent, node: parent) : Blocker(reason: .aboutToRun)
        case .pending where record.kind.isResource:
            guard let holder = holder(of: index) else { return Blocker(reason: .free) }
            return Blocker(reason: .holder, node: holder.node)
        case .pending: return taskBlocker(of: index) ?? linkBlocker(of: index, record, memberLimit)
        default: return Blocker(reason: .settled)
        }
    }

    /// Returns what a Swift task was reported to wait for; nil if nothing was reported.
    private func taskBlocker(of index: NodeIndex) -> Blocker? {
        guard let wait = taskWait(of: index) else { return nil }
        let reason: Blocker.Reason
        switch wait.target {
        case .unknown, .moving: return nil
        case .task: reason = .task
        case .continuation: reason = .continuation
        case .group: reason = .group
        case .actor: reason = .actor
        case .pool: reason = .pool
        case .lock: reason = .lock
        case .executor: reason = .executor
        }
        return Blocker(reason: reason, node: wait.node)
    }

    private func linkBlocker(of index: NodeIndex, _ record: NodeRecord, _ limit: Int) -> Blocker {
        var link = record.extra == noSlot ? noSlot : data.extras[record.extra].pointee.firstOut
        let hasLinks = link != noSlot
        var rest = limit
        while link != noSlot {
            let target = data.nodes[data.links[link].pointee.target].pointee
            if target.state.isLive || !target.has(.reported) {
                let reason = data.links[link].pointee.kind == .adoption ? Blocker.Reason.follows : .member
                return Blocker(reason: reason, node: data.links[link].pointee.target.asNode)
            }
            link = data.links[link].pointee.nextOut
            rest -= 1
            if rest <= 0, link != noSlot { return Blocker(reason: .member) }
        }
        if record.kind == .delay || record.kind == .timeout { return Blocker(reason: .timer) }
        if record.isSuspended { return Blocker(reason: .suspended) }
        return Blocker(reason: hasLinks ? .aboutToSettle : .resolver)
    }

    /// Returns the wait that blocks the thread of a node's handler; nil if there is none. The node itself may be
    /// settled.
    public func wait(of index: NodeIndex) -> ThreadWait? {
        let record = data.nodes[checked(index)].pointee
        return record.activity == .running ? data.wait(ofRunning: record) : nil
    }

    /// Returns the handler that has blocked its thread longest, if every handler that an executor runs blocks its
    /// thread; nil otherwise. O(n log n) for n waiting threads.
    public func longestBlockedHandler(of executor: ExecutorID) -> (node: NodeIndex, wait: ThreadWait)? {
        var blocked: [NodeIndex: ThreadWait] = [:]
        for wait in waits {
            guard let slot = data.slot(of: wait.waiter), case let record = data.nodes[slot].pointee,
                record.state == .running,
                record.executor == executor
            else { continue }
            let node = NodeIndex(rawValue: slot)
            if let known = blocked[node], known.since >= wait.since { continue }
            blocked[node] = wait
        }
        guard !blocked.isEmpty, load(of: executor).runningCount <= blocked.count else { return nil }
        return blocked.min { ($0.value.since, $0.value.waiter) < ($1.value.since, $1.value.waiter) }
            .map { ($0.key, $0.value) }
    }

    /// Counts the members of a combinator, but only the first `limit` of them. O(limit).
    public func members(of index: NodeIndex, limit: Int) -> MemberCounts {
        var result = MemberCounts()
        let targets = targets(of: index, limit: limit == .max ? limit : limit + 1)
        for link in targets where link.role == .hasMember {
            guard result.count < limit else {
                result.isPartial = true
                break
            }
            let record = data.nodes[link.node.rawValue].pointee
            result.counts.add(record.state)
            if record.state.isLive {
                result.firstLive = result.firstLive ?? link.node
            } else if record.state == .rejected || record.state == .abandoned || record.state == .cancelled {
                if result.firstRejected.map({ rejectionOrder(link.node) < rejectionOrder($0) }) ?? true {
                    result.firstRejected = link.node
                }
            }
        }
        return result
    }

    /// Returns the key that sorts rejected members by their settlements. At equal times, which rounding may have made
    /// equal, a cancellation comes last, because it is a consequence of another rejection.
    private func rejectionOrder(_ node: NodeIndex) -> (UInt64, Int) {
        let record = data.nodes[node.rawValue].pointee
        return (record.latestSettled ?? .max, record.state == .cancelled ? 1 : 0)
    }

    /// Returns the node in which a node's rejection began, which may be the node itself, and how many steps away it is.
    /// Each of at most `limit` steps goes to an adopted node, a member or a parent that passed the rejection on.
    public func rejectionOrigin(of index: NodeIndex, limit: Int = 10_000) -> (node: NodeIndex, steps: Int) {
        var (current, steps) = (index, 0)
        var seen: Set<NodeIndex> = [index]
        while steps < limit, let next = rejectionSource(of: current), seen.insert(next).inserted {
            // A node that was rejected later cannot be the cause.
            guard
                (data.nodes[next.rawValue].pointee.settled ?? 0)
                    <= (data.nodes[current.rawValue].pointee.latestSettled ?? .max)
            else { break }
            current = next
            steps += 1
        }
        return (current, steps)
    }

    /// The most links of a node that are looked at for the source of its rejection.
    private static let memberLimit = 1_000

    /// Returns the node from which a node got its rejection; nil if the rejection began in the node itself.
    private func rejectionSource(of index: NodeIndex) -> NodeIndex? {
        let record = data.nodes[checked(index)].pointee
        func isRejected(_ node: NodeIndex) -> Bool {
            switch data.nodes[node.rawValue].pointee.settlement {
            case .rejected, .skippedRejected, .abandoned, .cancelled: true
            case .pending, .unknown, .fulfilled, .skippedFulfilled: false
            }
        }
        guard isRejected(index), record.settlement != .abandoned else { return nil }
        if record.settlement != .skippedRejected {
            if let followed = targets(of: index, limit: Self.memberLimit).last(where: { $0.role == .follows }) {
                return isRejected(followed.node) ? followed.node : nil
            }
            if record.has(.hasMembers) { return members(of: index, limit: Self.memberLimit).firstRejected }
        }
        guard let parent = parent(of: index), isRejected(parent) else { return nil }
        switch record.kind {
        // Handlers of these kinds ran for the error, and may have thrown an error of their own.
        case .catch, .recover, .ignore, .asResult, .callback:
            return record.settlement == .skippedRejected ? parent : nil
        default: return parent
        }
    }
}
