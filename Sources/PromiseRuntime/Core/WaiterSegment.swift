/// Where there are two waiters or more: entries in segments that are linked in order of registration. An entry that was
/// taken out leaves a hole; a segment of holes alone is unlinked. Used under the lock bit of its promise.
final class WaiterList {
    private var first: Unmanaged<WaiterSegment>
    private(set) var last: Unmanaged<WaiterSegment>
    /// Entries that were not taken out.
    private(set) var entryCount = 0
    /// Waiters that became done since the last sweep began; some of them may have been taken out meanwhile.
    var doneCount = 0
    /// Walks that stand between two entries and have given the lock back.
    var walkCount = 0
    /// Whether a sweep is under way.
    var isSwept = false
    /// Before this position there is no consumer that is not done.
    private var consumerSearch = WaiterPosition()

    init(_ segment: WaiterSegment) {
        first = Unmanaged.passRetained(segment)
        last = first
    }

    // One after the other, however many there are.
    deinit {
        var next: Unmanaged<WaiterSegment>? = first
        while let segment = next {
            next = segment._withUnsafeGuaranteedRef { $0.header.next }
            segment.release()
        }
    }

    func append(_ segment: WaiterSegment) {
        let added = Unmanaged.passRetained(segment)
        last._withUnsafeGuaranteedRef { $0.header.next = added }
        last = added
    }

    func append(_ entry: Unmanaged<_Waiter>) {
        last._withUnsafeGuaranteedRef { $0.append(entry) }
        entryCount += 1
    }

    func releaseAll() {
        var position = WaiterPosition()
        while let entry = next(&position) { entry.release() }
    }

    // MARK: Walks

    @inline(__always)
    func next(_ position: inout WaiterPosition) -> Unmanaged<_Waiter>? {
        while true {
            let segment = position.segment ?? first
            let header = segment._withUnsafeGuaranteedRef { $0.header }
            while position.index < header.count {
                let entry = segment._withUnsafeGuaranteedRef { $0[position.index] }
                position.index += 1
                if let entry {
                    position.segment = segment
                    return entry
                }
            }
            guard let next = header.next else { return nil }
            position.segment = next
            position.index = 0
        }
    }

    func remove(before position: inout WaiterPosition) {
        (position.segment ?? first)._withUnsafeGuaranteedRef { $0.remove(position.index - 1) }
        entryCount -= 1
    }

    func findConsumer(limit: Int) -> Bool? {
        for _ in 0..<limit {
            let start = consumerSearch
            guard let entry = next(&consumerSearch) else { return false }
            if entry._withUnsafeGuaranteedRef({ $0.isConsumer && !$0.isDone }) {
                consumerSearch = start
                return true
            }
        }
        return nil
    }

    // MARK: Sweeps

    func beginSweep() -> Bool {
        guard doneCount * 2 >= entryCount, doneCount > 0, !isSwept, walkCount == 0 else { return false }
        isSwept = true
        doneCount = 0
        return true
    }

    /// Ends a sweep before its end; the next chance begins another one.
    func abortSweep() {
        isSwept = false
        doneCount = entryCount
    }

    func sweep(_ position: inout WaiterPosition, _ taken: inout RemovedWaiters) -> Bool {
        if walkCount > 0 {
            abortSweep()
            return true
        }
        for _ in 0..<RemovedWaiters.limit where !taken.isFull {
            let segment = position.segment ?? first
            if position.index < segment._withUnsafeGuaranteedRef({ $0.header.count }) {
                takeIfDone(segment, position.index, &taken)
                position.index += 1
            } else if !advance(&position, behind: segment, &taken) {
                isSwept = false
                return true
            }
        }
        return false
    }

    private func takeIfDone(_ segment: Unmanaged<WaiterSegment>, _ index: Int, _ taken: inout RemovedWaiters) {
        guard let entry = segment._withUnsafeGuaranteedRef({ $0[index] }),
            entry._withUnsafeGuaranteedRef({ $0.isDone })
        else { return }
        segment._withUnsafeGuaranteedRef { $0.remove(index) }
        entryCount -= 1
        taken.append(entry)
    }

    /// Goes on to the segment behind one that was swept, and unlinks that one if nothing is left of it; false at the end.
    private func advance(
        _ position: inout WaiterPosition, behind segment: Unmanaged<WaiterSegment>, _ taken: inout RemovedWaiters
    ) -> Bool {
        let header = segment._withUnsafeGuaranteedRef { $0.header }
        guard let next = header.next else { return false }
        if header.entryCount > 0 {
            position.previous = segment
        } else {
            if (consumerSearch.segment ?? first).toOpaque() == segment.toOpaque() {
                consumerSearch = WaiterPosition(segment: next)
            }
            if let previous = position.previous {
                previous._withUnsafeGuaranteedRef { $0.header.next = next }
            } else {
                first = next
            }
            taken.segment = segment
        }
        position.segment = next
        position.index = 0
        return true
    }
}

/// A few entries of a ``WaiterList``, in memory of its own.
final class WaiterSegment: ManagedBuffer<WaiterSegment.Header, Unmanaged<_Waiter>?> {
    struct Header {
        let capacity: Int
        /// Entries, holes included.
        var count = 0
        /// Entries without holes.
        var entryCount = 0
        /// Owned.
        var next: Unmanaged<WaiterSegment>?
    }

    /// Bounds what one walk over holes costs.
    static let capacityLimit = 128

    static func make(capacity: Int) -> WaiterSegment {
        unsafeDowncast(create(minimumCapacity: capacity) { _ in Header(capacity: capacity) }, to: WaiterSegment.self)
    }

    var isFull: Bool { header.count == header.capacity }

    subscript(_ index: Int) -> Unmanaged<_Waiter>? { withUnsafeMutablePointerToElements { $0[index] } }

    func append(_ entry: Unmanaged<_Waiter>) {
        let count = header.count
        withUnsafeMutablePointerToElements { ($0 + count).initialize(to: entry) }
        header.count = count + 1
        header.entryCount += 1
    }

    func remove(_ index: Int) {
        withUnsafeMutablePointerToElements { $0[index] = nil }
        header.entryCount -= 1
    }
}
