// SPDX-License-Identifier: MIT

/// The waiters of a promise that has had two or more waiters at once, in linked segments in order of registration. A
/// removed entry leaves a hole; a sweep unlinks each segment that has only holes, except the last. Used under the lock
/// bit of its promise, except for its release.
final class WaiterList {
    private var first: Unmanaged<WaiterSegment>
    private(set) var last: Unmanaged<WaiterSegment>
    /// The number of entries, not counting holes.
    private(set) var entryCount = 0
    /// The number of waiters that became done since the last sweep began, including waiters that the list has removed
    /// since then. A waiter that notes its end and is then removed by the delivery counts twice. A sweep that is
    /// stopped sets this count to ``entryCount``, or to 1 for a list without entries, so that another sweep is due.
    var doneCount = 0
    /// The number of walks in progress that release the lock between entries.
    var walkCount = 0
    /// Whether a sweep is running.
    var isSweeping = false
    /// Where the search for a consumer resumes: no consumer before this position still waits.
    private var consumerSearch = WaiterPosition()

    init(_ segment: WaiterSegment) {
        first = Unmanaged.passRetained(segment)
        last = first
    }

    // Iterative, because a list may have any length.
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
        // Counted, because waiters such as tasks do not note the end of their wait when an outcome is delivered.
        // Otherwise a child that stays pending would keep all segments, as holes. The last segment stays in any case.
        if first.toOpaque() != last.toOpaque() { doneCount += 1 }
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
        guard doneCount * 2 >= entryCount, doneCount > 0, !isSweeping, walkCount == 0 else { return false }
        isSweeping = true
        doneCount = 0
        return true
    }

    /// Stops a sweep before its end, and marks another sweep as due.
    func abortSweep() {
        isSweeping = false
        doneCount = max(1, entryCount)
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
                isSweeping = false
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

    /// Advances from a swept segment to the next, and unlinks the swept segment if it has no entries. Returns false if
    /// there is no next segment.
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

/// A segment of a ``WaiterList``: some entries in one allocation.
final class WaiterSegment: ManagedBuffer<WaiterSegment.Header, Unmanaged<_Waiter>?> {
    struct Header {
        let capacity: Int
        /// The number of entries, holes included.
        var count = 0
        /// The number of entries, not counting holes.
        var entryCount = 0
        /// The next segment, owned.
        var next: Unmanaged<WaiterSegment>?
    }

    /// The maximum number of entries in a segment; it bounds the number of holes that a walk passes in a segment.
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
