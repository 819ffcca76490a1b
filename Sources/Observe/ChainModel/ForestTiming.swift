// SPDX-License-Identifier: MIT

extension ChainForest {
    /// Returns the promise that a node's operation was called on; nil if there is no such promise, or if it was
    /// evicted.
    public func parent(of index: NodeIndex) -> NodeIndex? {
        data.nodes[checked(index)].pointee.has(.hasParent) ? self.index(of: data.originID(of: index.rawValue)) : nil
    }

    /// Returns a node's creator: the node with the handler that made it. Nil if there is no creator, if the creator was
    /// evicted, and for a node with a parent.
    public func creator(of index: NodeIndex) -> NodeIndex? {
        data.nodes[checked(index)].pointee.has(.hasParent) ? nil : self.index(of: data.originID(of: index.rawValue))
    }

    /// Returns the id of a node's parent, else of its creator, even if that node was evicted; `.none` if there is
    /// neither.
    public func origin(of index: NodeIndex) -> NodeID { data.originID(of: checked(index)) }

    /// Returns a node's durations at `now` (ns of the process's clock).
    public func timing(of index: NodeIndex, now: UInt64) -> Timing {
        let record = data.nodes[checked(index)].pointee
        guard record.state != .skipped, record.has(.reported) else { return Timing() }
        var timing = NodeView(index: index, record: record).handlerTiming(now: now)
        if record.settlement == .pending, let switched = lastSwitchTime(of: index) {
            let duration = span(switched, now)
            if record.isSuspended { timing.wait = duration } else { timing.run = duration }
        }
        if let begin = begin(of: index, record) { timing.total = span(begin, record.settled ?? now) }
        return timing
    }

    /// Returns which durations of a node are lower bounds: its total, because its creation was not seen, and its wait
    /// or run, because it was in its state when it was first seen. Only of what is read from outside, where this is so for
    /// most nodes.
    public func lowerBounds(of index: NodeIndex) -> LowerBounds {
        let record = data.nodes[checked(index)].pointee
        guard isSeenFromOutside(record), !record.has(.createdKnown), record.has(.reported) else { return LowerBounds() }
        let state = lastSwitchTime(of: index) ?? record.started ?? record.queued ?? record.created
        return LowerBounds(state: state <= record.created, total: begin(of: index, record) == record.created)
    }

    /// Whether the process is read from outside (``ProcessDescription/isReadFromOutside``).
    public var isReadFromOutside: Bool { data.isReadFromOutside }

    /// Whether a node is known from outside of its process alone: in a process that is read from outside, and elsewhere
    /// an actor, a lock or an executor whose creation was not seen.
    public func isSeenFromOutside(_ index: NodeIndex) -> Bool {
        isSeenFromOutside(data.nodes[checked(index)].pointee)
    }

    private func isSeenFromOutside(_ record: NodeRecord) -> Bool {
        data.isReadFromOutside || record.kind.isResource && !record.has(.createdKnown)
    }

    /// Returns the time from which a node's total counts: its creation or its parent's settlement, whichever was later.
    /// Nil if a reported parent has not settled, or if the parent settled after the node was cancelled.
    private func begin(of index: NodeIndex, _ record: NodeRecord) -> UInt64? {
        guard let parent = parent(of: index) else { return record.created }
        let above = data.nodes[parent.rawValue].pointee
        guard let settled = above.settled else {
            // No settlement of the parent is known. If the node was queued, the parent had settled by then.
            if let queued = record.queued ?? record.started { return max(record.created, queued) }
            return above.has(.reported) ? nil : record.created
        }
        // A node that was cancelled before its parent settled has no total.
        if record.settlement == .cancelled, let own = record.settled, own < settled { return nil }
        return max(record.created, settled)
    }

    /// Returns when a node's cancellation was requested (ns of the process's clock); nil if the program has not
    /// confirmed a request.
    public func cancelRequestTime(of index: NodeIndex) -> UInt64? {
        guard let time = extraFacts(of: index)?.cancelRequestedAt, time != 0 else { return nil }
        return time
    }

    /// Returns a node's steps in order of time, from its own facts. Only the first 64 links are included.
    public func history(of index: NodeIndex) -> [HistoryStep] {
        let record = data.nodes[checked(index)].pointee
        var steps = [HistoryStep(kind: record.has(.createdKnown) ? .created : .seen, time: record.created)]
        if record.extra != noSlot {
            let extra = data.extras[record.extra].pointee
            var link = extra.firstOut
            while link != noSlot, steps.count <= 64 {
                let found = data.links[link].pointee
                let target = NodeIndex(rawValue: found.target)
                steps.append(
                    .init(kind: found.kind == .adoption ? .adopted(target) : .linked(target), time: found.time))
                link = found.nextOut
            }
            if extra.cancelRequestedAt != 0 {
                steps.append(.init(kind: .cancelRequested, time: extra.cancelRequestedAt))
            }
        }
        if let time = record.queued { steps.append(.init(kind: .queued(record.executor), time: time)) }
        if let time = record.started { steps.append(.init(kind: .started(record.thread), time: time)) }
        if let time = record.ended, record.kind.role != .combinator { steps.append(.init(kind: .ended, time: time)) }
        if let time = record.settled { steps.append(.init(kind: .settled(record.settlement), time: time)) }
        // Steps at the same time are in the order of a node's life. All times are rounded before they are compared,
        // because the times of links and of the cancel request are stored exactly. The other times are stored rounded
        // from 39 hours after the node's creation on.
        let order = steps.enumerated().sorted { left, right in
            (record.rounded(left.element.time), left.element.rank, left.offset)
                < (record.rounded(right.element.time), right.element.rank, right.offset)
        }
        return order.map(\.element)
    }
}

private func span(_ begin: UInt64, _ end: UInt64) -> UInt64 { end > begin ? end - begin : 0 }

extension NodeView {
    /// Returns wait and run at `now` (ns of the process's clock), without the total, which depends on other nodes.
    /// Empty for combinators, for skipped and unreported nodes, and for a Swift task that reports its runs.
    public func handlerTiming(now: UInt64) -> Timing {
        var timing = Timing()
        guard record.state != .skipped, record.has(.reported), record.kind.role != .combinator,
            !record.handlerFlags.contains(.isSwitching)
        else { return timing }
        if let queued = record.queued { timing.wait = span(queued, record.started ?? record.settled ?? now) }
        if let started = record.started {
            timing.run = span(started, record.ended ?? (record.has(.released) ? record.settled : nil) ?? now)
        }
        return timing
    }
}

extension HistoryStep {
    /// The order among steps at the same time.
    fileprivate var rank: Int {
        switch kind {
        case .created, .seen: 0
        case .queued: 1
        case .started: 2
        case .linked: 3
        case .cancelRequested: 4
        case .ended: 5
        case .adopted: 6
        case .settled: 7
        }
    }
}
