// SPDX-License-Identifier: MIT

import ChainEvents

/// The recent activity of one thread, updated by each of the thread's events, in constant memory.
///
/// It has the busy time (in handlers) and the blocked time (waiting for nodes or the system) in each of the last
/// ``secondCount`` seconds. It also has the sums of both times since the first event.
package struct ThreadLane: Hashable, Sendable {
    /// What occupies a thread: a handler, a wait or a stall.
    package struct Entry: Hashable, Sendable {
        /// The kind of entry.
        package enum Kind: Hashable, Sendable {
            /// The handler of the node runs.
            case handler
            /// The thread blocks until the node settles.
            case wait
            /// The thread is blocked in the system while it runs the node.
            case stall
        }

        /// The node of the running handler, or the node that has to settle.
        package var node: NodeID
        /// When the entry began, in nanoseconds of the process's clock.
        package var since: UInt64
        /// Handler, wait or stall.
        package var kind: Kind
    }

    /// Time that a thread spent within one second, or in total, in nanoseconds.
    package struct Usage: Hashable, Sendable {
        /// Time in handlers.
        package var busy: UInt64 = 0
        /// Time spent waiting for nodes or the system.
        package var blocked: UInt64 = 0
    }

    /// How many past seconds are kept.
    package static let secondCount = 64
    static let second: UInt64 = 1_000_000_000
    /// The maximum number of entries; beyond that number the outermost entry is dropped.
    private static let depthLimit = 64
    /// The greatest time, 146 years. Later times are clamped, so that the sum of two times does not overflow.
    private static let timeLimit = UInt64.max >> 2

    /// The thread.
    package let thread: ThreadID
    /// The time of the first event, in nanoseconds of the process's clock.
    package private(set) var first: UInt64
    /// What occupied the thread at its last event, outermost first: a handler may wait while the thread runs another
    /// handler. Compare with the forest by ``ThreadLanes/entries(of:in:)``.
    package private(set) var entries: [Entry] = []
    /// The time of the last event, in nanoseconds of the process's clock. All time before it is counted.
    package private(set) var lastEventTime: UInt64
    /// The end of the second that `lastEventTime` is in.
    private var secondEnd: UInt64
    /// The usage in each of the latest seconds, a ring by second modulo ``secondCount``.
    private var seconds = [Usage](repeating: Usage(), count: secondCount)
    private var total = Usage()

    init(_ thread: ThreadID, at time: UInt64) {
        self.thread = thread
        let time = min(time, Self.timeLimit)
        (first, lastEventTime) = (time, time)
        secondEnd = (time / Self.second + 1) * Self.second
    }

    // MARK: Applying

    @inline(__always)
    mutating func push(_ node: NodeID, _ kind: Entry.Kind, at time: UInt64) {
        advance(to: time)
        let entry = Entry(node: node, since: time, kind: kind)
        guard let last = entries.last else { return entries.append(entry) }
        guard !entries.contains(where: { $0.node == node && $0.kind == kind }) else { return }
        if last.since <= time {
            entries.append(entry)
        } else {
            // The event is older than the last entry. A viewer that subscribes late may receive such events.
            entries.insert(entry, at: entries.firstIndex { $0.since > time } ?? entries.count)
            first = min(first, time)
        }
        if entries.count > Self.depthLimit { entries.removeFirst() }
    }

    /// Ends an entry and the entries inside it. Returns false if there is no such entry.
    @inline(__always)
    mutating func pop(_ node: NodeID, _ kind: Entry.Kind, at time: UInt64) -> Bool {
        guard let last = entries.last else { return false }
        if last.node == node, last.kind == kind {
            advance(to: time)
            entries.removeLast()
            return true
        }
        guard let index = entries.lastIndex(where: { $0.node == node && $0.kind == kind }) else { return false }
        advance(to: time)
        entries.removeSubrange(index...)
        return true
    }

    /// Removes the entries for which `isActive` returns false, such as entries with a lost end event.
    mutating func prune(at time: UInt64, unless isActive: (Entry) -> Bool) {
        guard !entries.isEmpty else { return }
        advance(to: time)
        entries.removeAll { !isActive($0) }
    }

    /// Counts the time up to a moment for the innermost entry.
    @inline(__always)
    private mutating func advance(to moment: UInt64) {
        let time = min(moment, Self.timeLimit)
        guard time > lastEventTime else { return }
        if time < secondEnd {
            count(time &- lastEventTime)
            lastEventTime = time
        } else {
            advanceAcrossSeconds(to: time)
        }
    }

    @inline(__always)
    private mutating func count(_ duration: UInt64) {
        guard let kind = entries.last?.kind else { return }
        let index = Int(truncatingIfNeeded: (secondEnd / Self.second &- 1) % UInt64(Self.secondCount))
        seconds[index].add(duration, kind)
        total.add(duration, kind)
    }

    private mutating func advanceAcrossSeconds(to time: UInt64) {
        let window = UInt64(Self.secondCount) * Self.second
        if time - lastEventTime > window + Self.second {
            // Time from before the window counts for the total only.
            let rest = time - window - lastEventTime
            if let kind = entries.last?.kind { total.add(rest, kind) }
            lastEventTime = time - window
            secondEnd = (lastEventTime / Self.second + 1) * Self.second
            for index in seconds.indices { seconds[index] = Usage() }
        }
        while time >= secondEnd {
            count(secondEnd - lastEventTime)
            lastEventTime = secondEnd
            secondEnd += Self.second
            seconds[Int((lastEventTime / Self.second) % UInt64(Self.secondCount))] = Usage()
        }
        count(time - lastEventTime)
        lastEventTime = time
    }
}

extension ThreadLane.Usage {
    @inline(__always)
    mutating func add(_ duration: UInt64, _ kind: ThreadLane.Entry.Kind) {
        if kind == .handler { busy &+= duration } else { blocked &+= duration }
    }
}

// MARK: Reading

extension ThreadLane {
    /// Returns the time spent within one second of the process's clock. Nil for a second that is too old, in the
    /// future, or before the first event. A second's number is its start in nanoseconds divided by 10⁹. `kind` is what
    /// has occupied the thread since the last event, or nil if nothing has.
    package func usage(ofSecond number: UInt64, now: UInt64, _ kind: Entry.Kind?) -> Usage? {
        let now = min(now, Self.timeLimit)
        guard number < Self.timeLimit / Self.second else { return nil }
        let start = number * Self.second
        let end = start &+ Self.second
        guard end > first, start <= now, now < start &+ UInt64(Self.secondCount) * Self.second else { return nil }
        var usage = Usage()
        if start < secondEnd, end &+ UInt64(Self.secondCount - 1) * Self.second >= secondEnd {
            usage = seconds[Int(number % UInt64(Self.secondCount))]
        }
        let (from, to) = (max(start, lastEventTime), min(end, now))
        if let kind, to > from { usage.add(to - from, kind) }
        return usage
    }

    /// Returns the busy and the blocked time since the first event, and `of`, the whole time since the first event, in
    /// nanoseconds. `kind` is what has occupied the thread since the last event, or nil if nothing has.
    package func total(now: UInt64, _ kind: Entry.Kind?) -> (usage: Usage, of: UInt64) {
        let now = min(now, Self.timeLimit)
        var usage = total
        if let kind, now > lastEventTime { usage.add(now - lastEventTime, kind) }
        return (usage, now > first ? now - first : 0)
    }
}
