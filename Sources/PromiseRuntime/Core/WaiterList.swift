/// The waiters of one promise, in order of registration, in one word: none, one, or a list on the heap. Each entry is a
/// reference that the word owns.
///
/// All methods but ``release()`` are called under the promise's lock bit. Each looks at a bounded number of entries, and
/// neither allocates nor releases anything.
struct WaiterSlot {
    // 0; the address of the only waiter; or that of a WaiterList, plus 1.
    private var word: UInt = 0

    var isEmpty: Bool { word == 0 }

    private var single: Unmanaged<_Waiter>? {
        UnsafeRawPointer(bitPattern: word).map { Unmanaged.fromOpaque($0) }
    }

    private var list: WaiterList? {
        word & 1 == 0
            ? nil : Unmanaged<WaiterList>.fromOpaque(UnsafeRawPointer(bitPattern: word & ~1)!).takeUnretainedValue()
    }

    // MARK: Changes

    /// Appends a waiter, retained. False, and nothing is changed, if that takes memory: then the caller unlocks, allocates
    /// what ``missing`` says, and tries again.
    @inline(__always)
    mutating func append(_ waiter: _Waiter, _ spare: inout WaiterSpare?) -> Bool {
        let entry = Unmanaged.passUnretained(waiter)
        guard word == 0 else { return appendAnother(entry, &spare) }
        word = UInt(bitPattern: entry.retain().toOpaque())
        return true
    }

    @inline(never)
    private mutating func appendAnother(_ entry: Unmanaged<_Waiter>, _ spare: inout WaiterSpare?) -> Bool {
        if let list {
            if list.last._withUnsafeGuaranteedRef({ $0.isFull }) {
                guard let segment = spare?.segment.take() else { return false }
                list.append(segment)
            }
            list.append(entry.retain())
            return true
        }
        guard let new = spare?.list.take() else { return false }
        new.append(single!)
        new.append(entry.retain())
        word = UInt(bitPattern: Unmanaged.passRetained(new).toOpaque()) | 1
        return true
    }

    /// What ``append(_:_:)`` needs: a segment of so many entries, and a list where there is none.
    var missing: (list: Bool, capacity: Int) {
        guard let list else { return (true, 4) }
        let capacity = list.last._withUnsafeGuaranteedRef { $0.header.capacity }
        return (false, min(capacity * 2, WaiterSegment.capacityLimit))
    }

    /// Takes that waiter out, for the caller to release, if it is the only one.
    @inline(__always)
    mutating func removeOnly(_ waiter: Unmanaged<AnyPromise>) -> Bool {
        guard word == UInt(bitPattern: waiter.toOpaque()) else { return false }
        word = 0
        return true
    }

    /// Takes out the entry that ``next(_:)`` returned last, for the caller to release.
    mutating func remove(before position: inout WaiterPosition) {
        if let list { return list.remove(before: &position) }
        word = 0
        position.index = 0
    }

    /// Takes out a list that has no entries, for the caller to release once it holds no lock.
    mutating func takeEmptyList() -> WaiterSlot {
        guard let list, list.entryCount == 0, list.walkCount == 0, !list.isSwept else { return WaiterSlot() }
        let taken = self
        word = 0
        return taken
    }

    // MARK: Walks

    /// The entry behind a position, unretained, and moves the position on; nil at the end.
    @inline(__always)
    mutating func next(_ position: inout WaiterPosition) -> Unmanaged<_Waiter>? {
        if let list { return list.next(&position) }
        guard position.index == 0, let single else { return nil }
        position.index = 1
        return single
    }

    /// Keeps segments in place from now on, until ``endWalk(_:)``, for a walk that gives the lock back between entries.
    mutating func beginWalk(_ position: inout WaiterPosition) {
        guard !position.isCounted, let list else { return }
        list.walkCount += 1
        position.isCounted = true
    }

    /// Ends what ``beginWalk(_:)`` began.
    mutating func endWalk(_ position: WaiterPosition) { if position.isCounted { list?.walkCount -= 1 } }

    /// Whether one of the entries is a consumer that is not done; nil if `limit` entries were looked at and none is.
    /// Consumers do not come back, so that the search goes on where the last one ended.
    mutating func findConsumer(limit: Int) -> Bool? {
        if let list { return list.findConsumer(limit: limit) }
        return single.map { $0._withUnsafeGuaranteedRef { $0.isConsumer && !$0.isDone } } ?? false
    }

    // MARK: Sweeps

    /// Counts one more waiter as done; true if it is time for the caller to sweep, and `mayBegin`. So a sweep, which looks
    /// at all entries, costs O(1) for each entry that is done.
    mutating func noteDone(mayBegin: Bool) -> Bool {
        guard let list else { return mayBegin && word != 0 }
        list.doneCount += 1
        return mayBegin && list.beginSweep()
    }

    /// Whether it is time to sweep.
    mutating func beginSweep() -> Bool { list?.beginSweep() ?? false }

    /// Takes entries that are done out into `taken`, as many as there is room for. True at the end of the sweep.
    mutating func sweep(_ position: inout WaiterPosition, _ taken: inout RemovedWaiters) -> Bool {
        if let list { return list.sweep(&position, &taken) }
        if let single, single._withUnsafeGuaranteedRef({ $0.isDone }) {
            taken.append(single)
            word = 0
        }
        return true
    }

    /// Ends a sweep before its end.
    mutating func abortSweep() { list?.abortSweep() }

    /// Releases all entries, one after the other: no recursion however long the list is.
    @inline(__always)
    consuming func release() { if word != 0 { releaseAll() } }

    @inline(never)
    private consuming func releaseAll() {
        if word & 1 == 0 { return single!.release() }
        let list = Unmanaged<WaiterList>.fromOpaque(UnsafeRawPointer(bitPattern: word & ~1)!).takeRetainedValue()
        list.releaseAll()
    }
}

/// A place between the entries of a ``WaiterSlot``.
struct WaiterPosition {
    /// The segment; nil for the first.
    // Unretained: segments stay while a walk is counted, a sweep is under way, or the promise is settling.
    var segment: Unmanaged<WaiterSegment>?
    /// The entry within the segment.
    var index = 0
    /// Whether the list counts the walk.
    var isCounted = false
    /// Of a sweep: the segment before, which stays; nil for the first.
    var previous: Unmanaged<WaiterSegment>?
}

/// Memory for a list to grow into, allocated without the lock bit.
struct WaiterSpare {
    fileprivate var list: WaiterList?
    fileprivate var segment: WaiterSegment?

    /// Allocates what ``WaiterSlot/missing`` says.
    init(_ missing: (list: Bool, capacity: Int)) {
        let segment = WaiterSegment.make(capacity: missing.capacity)
        if missing.list { list = WaiterList(segment) } else { self.segment = segment }
    }
}

/// Entries that were taken out of a list, to be released without the lock bit.
struct RemovedWaiters: ~Copyable {
    static let limit = 16
    private let entries = UnsafeMutablePointer<Unmanaged<_Waiter>>.allocate(capacity: Self.limit)
    private var count = 0
    // Segments that were unlinked; each sweep step unlinks one at the most.
    var segment: Unmanaged<WaiterSegment>?

    var isFull: Bool { count == Self.limit || segment != nil }

    mutating func append(_ entry: Unmanaged<_Waiter>) {
        (entries + count).initialize(to: entry)
        count += 1
    }

    /// Releases what was taken.
    mutating func release() {
        for index in 0..<count { entries[index].release() }
        count = 0
        segment.take()?.release()
    }

    deinit { entries.deallocate() }
}
