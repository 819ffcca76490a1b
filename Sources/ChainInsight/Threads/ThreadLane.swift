import ChainEvents

/// What one thread did lately and what it is in: kept up with each of its events, in constant memory.
///
/// Of the last ``secondCount`` seconds it is known for how long the thread was busy (in a handler) and for how long
/// blocked (waiting for a node); before that, and from the beginning, the sums.
public struct ThreadLane: Hashable, Sendable {
    /// What a thread is in: a handler, or a wait.
    public struct Entry: Hashable, Sendable {
        /// What the thread is held by.
        public enum Kind: Hashable, Sendable {
            /// The handler of the node runs.
            case handler
            /// The thread blocks until the node settles.
            case wait
        }

        /// The handler's node, or who has to settle.
        public var node: NodeID
        /// Since when, in nanoseconds of the process's clock.
        public var since: UInt64
        /// Which of both.
        public var kind: Kind
    }

    /// What a thread did within one second, or altogether: nanoseconds of it.
    public struct Share: Hashable, Sendable {
        /// In handlers.
        public var busy: UInt64 = 0
        /// Waiting for nodes.
        public var blocked: UInt64 = 0
    }

    /// Seconds of its past that are kept.
    public static let secondCount = 64
    static let second: UInt64 = 1_000_000_000
    private static let depthLimit = 64
    /// Times beyond 146 years are nonsense, and taken for that: sums of two do not overflow.
    private static let timeLimit = UInt64.max >> 2

    /// The thread.
    public let thread: ThreadID
    /// From when on something is known of it, in nanoseconds of the process's clock.
    public private(set) var first: UInt64
    /// What it was in when last heard of, from the outside in: a handler may wait, and meanwhile the thread may run
    /// another handler. To be held against the forest: see ``ThreadLanes/entries(of:in:)``.
    public private(set) var entries: [Entry] = []
    /// Up to when all is counted.
    private(set) var mark: UInt64
    /// The end of the second that `mark` is in.
    private var secondEnd: UInt64
    private var ring = [Share](repeating: Share(), count: secondCount)
    private var total = Share()

    init(_ thread: ThreadID, at time: UInt64) {
        self.thread = thread
        let time = min(time, Self.timeLimit)
        (first, mark) = (time, time)
        secondEnd = (time / Self.second + 1) * Self.second
    }

    // MARK: Folding

    @inline(__always)
    mutating func push(_ node: NodeID, _ kind: Entry.Kind, at time: UInt64) {
        advance(to: time)
        let entry = Entry(node: node, since: time, kind: kind)
        guard let last = entries.last else { return entries.append(entry) }
        guard !entries.contains(where: { $0.node == node && $0.kind == kind }) else { return }
        if last.since <= time {
            entries.append(entry)
        } else {
            // Told late, as it is to late comers.
            entries.insert(entry, at: entries.firstIndex { $0.since > time } ?? entries.count)
            first = min(first, time)
        }
        if entries.count > Self.depthLimit { entries.removeFirst() }
    }

    /// Ends an entry, and what is further in; false where there is no such one.
    @inline(__always)
    mutating func pop(_ node: NodeID, _ kind: Entry.Kind, at time: UInt64) -> Bool {
        guard let last = entries.last else { return false }
        if last.node == node, last.kind == kind {
            advance(to: time)
            entries.removeLast()
            return true
        }
        guard let place = entries.lastIndex(where: { $0.node == node && $0.kind == kind }) else { return false }
        advance(to: time)
        entries.removeSubrange(place...)
        return true
    }

    /// Takes away what is not so any more, though its end was not heard.
    mutating func prune(at time: UInt64, unless isStill: (Entry) -> Bool) {
        guard !entries.isEmpty else { return }
        advance(to: time)
        entries.removeAll { !isStill($0) }
    }

    /// Counts what it was in up to a moment.
    @inline(__always)
    private mutating func advance(to moment: UInt64) {
        let time = min(moment, Self.timeLimit)
        guard time > mark else { return }
        if time < secondEnd {
            count(time &- mark)
            mark = time
        } else {
            cross(to: time)
        }
    }

    @inline(__always)
    private mutating func count(_ duration: UInt64) {
        guard let kind = entries.last?.kind else { return }
        let place = Int(truncatingIfNeeded: (secondEnd / Self.second &- 1) % UInt64(Self.secondCount))
        ring[place].add(duration, kind)
        total.add(duration, kind)
    }

    private mutating func cross(to time: UInt64) {
        let window = UInt64(Self.secondCount) * Self.second
        if time - mark > window + Self.second {
            // Nothing of what is kept is within sight any more.
            let rest = time - window - mark
            if let kind = entries.last?.kind { total.add(rest, kind) }
            mark = time - window
            secondEnd = (mark / Self.second + 1) * Self.second
            for place in ring.indices { ring[place] = Share() }
        }
        while time >= secondEnd {
            count(secondEnd - mark)
            mark = secondEnd
            secondEnd += Self.second
            ring[Int((mark / Self.second) % UInt64(Self.secondCount))] = Share()
        }
        count(time - mark)
        mark = time
    }
}

extension ThreadLane.Share {
    @inline(__always)
    mutating func add(_ duration: UInt64, _ kind: ThreadLane.Entry.Kind) {
        if kind == .handler { busy &+= duration } else { blocked &+= duration }
    }
}

// MARK: What it says

extension ThreadLane {
    /// What it did within a second of the process's clock (its time divided by 10⁹); nil where that is too long ago, to
    /// come, or before anything was known of it. `kind` is what it has been in since the last event.
    public func share(ofSecond number: UInt64, now: UInt64, _ kind: Entry.Kind?) -> Share? {
        let now = min(now, Self.timeLimit)
        guard number < Self.timeLimit / Self.second else { return nil }
        let start = number * Self.second
        let end = start &+ Self.second
        guard end > first, start <= now, now < start &+ UInt64(Self.secondCount) * Self.second else { return nil }
        var share = Share()
        if start < secondEnd, end &+ UInt64(Self.secondCount - 1) * Self.second >= secondEnd {
            share = ring[Int(number % UInt64(Self.secondCount))]
        }
        let (from, to) = (max(start, mark), min(end, now))
        if let kind, to > from { share.add(to - from, kind) }
        return share
    }

    /// What it did in all the time that is known of it.
    public func total(now: UInt64, _ kind: Entry.Kind?) -> (share: Share, of: UInt64) {
        let now = min(now, Self.timeLimit)
        var share = total
        if let kind, now > mark { share.add(now - mark, kind) }
        return (share, now > first ? now - first : 0)
    }

    /// When it was last heard of, in nanoseconds of the process's clock.
    public var lastEventTime: UInt64 { mark }
}
