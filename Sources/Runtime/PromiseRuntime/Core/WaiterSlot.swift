// SPDX-License-Identifier: MIT

/// The waiters of one promise, in order of registration, in one word: none, one, or a list on the heap. Each entry is a
/// reference that the word owns.
///
/// All methods but ``release()`` are called under the promise's lock bit. Each call looks at a bounded number of
/// entries, not counting the holes that removed entries leave in a list. No call but ``release()`` allocates or
/// releases memory.
struct WaiterSlot {
    // 0, the address of the only waiter, or the address of a WaiterList plus 1.
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

    /// Appends a waiter and retains it. If memory is needed, returns false and changes nothing: the caller then
    /// unlocks, allocates a ``WaiterSpare`` for ``missing``, and tries again.
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

    /// The memory that ``append(_:_:)`` needs: a segment of `capacity` entries and, if `list` is true, also a list.
    var missing: (list: Bool, capacity: Int) {
        guard let list else { return (true, 4) }
        let capacity = list.last._withUnsafeGuaranteedRef { $0.header.capacity }
        return (false, min(capacity * 2, WaiterSegment.capacityLimit))
    }

    /// Removes a waiter if it is the only waiter; the caller releases it. Returns false if there are other waiters, or
    /// none.
    @inline(__always)
    mutating func removeOnly(_ waiter: Unmanaged<AnyPromise>) -> Bool {
        guard word == UInt(bitPattern: waiter.toOpaque()) else { return false }
        word = 0
        return true
    }

    /// Removes the entry that ``next(_:)`` returned last; the caller releases it.
    mutating func remove(before position: inout WaiterPosition) {
        if let list { return list.remove(before: &position) }
        word = 0
        position.index = 0
    }

    /// Removes the list if it has no entries and no walk or sweep uses it. Returns the removed list, for the caller to
    /// release without a lock, or an empty slot.
    mutating func takeEmptyList() -> WaiterSlot {
        guard let list, list.entryCount == 0, list.walkCount == 0, !list.isSweeping else { return WaiterSlot() }
        let taken = self
        word = 0
        return taken
    }

    // MARK: Walks

    /// Returns the entry after a position, unretained, and advances the position; nil at the end.
    @inline(__always)
    mutating func next(_ position: inout WaiterPosition) -> Unmanaged<_Waiter>? {
        if let list { return list.next(&position) }
        guard position.index == 0, let single else { return nil }
        position.index = 1
        return single
    }

    /// Keeps segments in the list until ``endWalk(_:)``, for a walk that releases the lock between entries.
    mutating func beginWalk(_ position: inout WaiterPosition) {
        guard !position.isCounted, let list else { return }
        list.walkCount += 1
        position.isCounted = true
    }

    /// Ends the walk that ``beginWalk(_:)`` began.
    mutating func endWalk(_ position: WaiterPosition) { if position.isCounted { list?.walkCount -= 1 } }

    /// Returns whether an entry is a consumer that is not done; nil if the search stopped after `limit` entries without
    /// a result. The next search resumes at that place, because an entry that is done stays done, and an entry that is
    /// no consumer never becomes one.
    mutating func findConsumer(limit: Int) -> Bool? {
        if let list { return list.findConsumer(limit: limit) }
        return single.map { $0._withUnsafeGuaranteedRef { $0.isConsumer && !$0.isDone } } ?? false
    }

    // MARK: Sweeps

    /// Removes and returns the only waiter if it is done; the caller releases it. Nil if it is not done, if there is no
    /// waiter, or for a list.
    mutating func removeOnlyIfDone() -> Unmanaged<_Waiter>? {
        guard list == nil, let single, single._withUnsafeGuaranteedRef({ $0.isDone }) else { return nil }
        word = 0
        return single
    }

    /// Counts one more waiter of a list as done. If `mayBegin` is true and a sweep is due, begins the sweep and returns
    /// true: the caller then sweeps. A sweep looks at all entries, and is due when half of them are done: amortised
    /// O(1) per entry that is done. After a sweep that was stopped, another sweep is due, whatever the number.
    mutating func noteDone(mayBegin: Bool) -> Bool {
        guard let list else { return false }
        list.doneCount += 1
        return mayBegin && list.beginSweep()
    }

    /// Begins a sweep of a list if a sweep is due, and no walk or other sweep uses the list; otherwise returns false.
    mutating func beginSweep() -> Bool { list?.beginSweep() ?? false }

    /// Looks at the next entries, at most ``RemovedWaiters/limit``, and moves the entries that are done to `taken`.
    /// Returns true when the sweep has ended, or was stopped because of a walk.
    mutating func sweep(_ position: inout WaiterPosition, _ taken: inout RemovedWaiters) -> Bool {
        list?.sweep(&position, &taken) ?? true
    }

    /// Stops a sweep before its end.
    mutating func abortSweep() { list?.abortSweep() }

    /// Releases all entries iteratively, however long the list is.
    @inline(__always)
    consuming func release() { if word != 0 { releaseAll() } }

    @inline(never)
    private consuming func releaseAll() {
        if word & 1 == 0 { return single!.release() }
        let list = Unmanaged<WaiterList>.fromOpaque(UnsafeRawPointer(bitPattern: word & ~1)!).takeRetainedValue()
        list.releaseAll()
    }
}

/// A position between the entries of a ``WaiterSlot``.
struct WaiterPosition {
    /// The segment; nil for the first segment.
    // Unretained: segments stay while a walk is counted, a sweep is running, or the promise is settling.
    var segment: Unmanaged<WaiterSegment>?
    /// The index of the next entry within the segment.
    var index = 0
    /// Whether the list has counted the walk.
    var isCounted = false
    /// In a sweep, the last kept segment before this one; nil if no segment before it was kept.
    var previous: Unmanaged<WaiterSegment>?
}

/// Memory for a list to grow, allocated without the lock bit.
struct WaiterSpare {
    fileprivate var list: WaiterList?
    fileprivate var segment: WaiterSegment?

    /// Allocates memory for ``WaiterSlot/missing``.
    init(_ missing: (list: Bool, capacity: Int)) {
        let segment = WaiterSegment.make(capacity: missing.capacity)
        if missing.list { list = WaiterList(segment) } else { self.segment = segment }
    }
}

/// Entries that were removed from a list, to be released without the lock bit.
struct RemovedWaiters: ~Copyable {
    static let limit = 16
    private let entries = UnsafeMutablePointer<Unmanaged<_Waiter>>.allocate(capacity: Self.limit)
    private var count = 0
    // The unlinked segment; each step of a sweep unlinks at most one segment.
    var segment: Unmanaged<WaiterSegment>?

    var isFull: Bool { count == Self.limit || segment != nil }

    mutating func append(_ entry: Unmanaged<_Waiter>) {
        (entries + count).initialize(to: entry)
        count += 1
    }

    /// Releases the entries and the segment.
    mutating func release() {
        for index in 0..<count { entries[index].release() }
        count = 0
        segment.take()?.release()
    }

    deinit { entries.deallocate() }
}
