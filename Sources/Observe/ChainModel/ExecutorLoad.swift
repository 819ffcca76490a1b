// SPDX-License-Identifier: MIT

/// Work of one executor at the moment. Updated by each change, so reading is O(1).
public struct ExecutorLoad: Hashable, Sendable {
    /// Nodes with a handler in the executor's queue.
    public internal(set) var queuedCount = 0
    /// Unsettled nodes with a handler that the executor runs.
    public internal(set) var runningCount = 0
    var ages = QueueAges()

    /// When the longest wait in the queue began, in nanoseconds of the process's clock, at most 10 ms too early; nil if
    /// no node waits.
    public var oldestQueued: UInt64? { ages.oldest }
}

/// Counts of waiting nodes by when their wait began, in steps of ``grain``.
///
/// Sorted, with at most one entry for each step. Nearly always the newest entry grows and the oldest entry shrinks;
/// either change costs some nanoseconds.
struct QueueAges: Hashable, Sendable {
    private struct Entry: Hashable {
        var step: UInt64
        var count: UInt32
    }

    /// The length of a step in nanoseconds.
    static let grain: UInt64 = 10_000_000
    /// The most empty entries that are kept even if they are more than half of all entries.
    private static let slack = 64

    private var entries: [Entry] = []
    /// The index of the first entry that is not empty.
    private var head = 0
    /// How many entries after ``head`` are empty; all entries before ``head`` are empty.
    private var holeCount = 0

    /// Whether the counts of empty entries are right, and no more empty entries are kept than allowed. For tests.
    var isConsistent: Bool {
        let holes = entries.dropFirst(head).lazy.filter { $0.count == 0 }.count
        let empty = head + holes
        return entries.prefix(head).allSatisfy { $0.count == 0 } && holes == holeCount
            && (empty <= Self.slack || empty * 2 <= entries.count)
    }

    var oldest: UInt64? { head < entries.count ? entries[head].step &* Self.grain : nil }

    /// Compares the entries that are not empty, because which empty entries are kept depends on the order of changes.
    static func == (left: QueueAges, right: QueueAges) -> Bool { left.filled == right.filled }
    func hash(into hasher: inout Hasher) { hasher.combine(filled) }
    private var filled: [Entry] { entries[head...].filter { $0.count > 0 } }

    mutating func add(_ time: UInt64) {
        let step = time / Self.grain
        let index = index(of: step)
        if index < entries.count, entries[index].step == step {
            if index >= head, entries[index].count == 0 { holeCount -= 1 }
            entries[index].count += 1
        } else {
            entries.insert(Entry(step: step, count: 1), at: index)
            if index < head { head += 1 }
        }
        guard index < head else { return }
        // An entry before the head moves the head back, so the empty entries in between become holes.
        holeCount += head - index - 1
        head = index
    }

    mutating func remove(_ time: UInt64) {
        let step = time / Self.grain
        let index = index(of: step)
        guard index < entries.count, entries[index].step == step, entries[index].count > 0 else {
            return assertionFailure("No node waits since then")
        }
        entries[index].count -= 1
        guard entries[index].count == 0 else { return }
        holeCount += 1
        while head < entries.count, entries[head].count == 0 {
            head += 1
            holeCount -= 1
        }
        if head + holeCount > Self.slack, (head + holeCount) * 2 > entries.count {
            entries.removeAll { $0.count == 0 }
            (head, holeCount) = (0, 0)
        }
    }

    /// Returns the index of the first entry that is not before a step.
    @inline(__always)
    private func index(of step: UInt64) -> Int {
        guard let last = entries.last, last.step >= step else { return entries.count }
        if last.step == step { return entries.count - 1 }
        if head < entries.count, entries[head].step == step { return head }
        var (low, high) = (0, entries.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].step < step { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension ChainForest {
    /// Returns the load of an executor at the moment. O(1).
    public func load(of executor: ExecutorID) -> ExecutorLoad {
        Int(executor) < data.loads.count ? data.loads[Int(executor)] : ExecutorLoad()
    }
}

extension ForestData {
    /// Adds a node with the given state to its executor's load, or removes the node. A node has to be removed before
    /// its executor, queue time or creation time changes, and added again after the change.
    @inline(__always)
    func countLoad(_ slot: UInt32, _ state: NodeState, isAdded: Bool) {
        guard state == .queued || state == .running else { return }
        let node = nodes[slot]
        let executor = Int(node.pointee.executor)
        if executor >= loads.count {
            loads.append(contentsOf: repeatElement(ExecutorLoad(), count: executor + 1 - loads.count))
        }
        if state == .running {
            loads[executor].runningCount += isAdded ? 1 : -1
        } else if isAdded {
            loads[executor].queuedCount += 1
            loads[executor].ages.add(node.pointee.queued ?? node.pointee.created)
        } else {
            loads[executor].queuedCount -= 1
            loads[executor].ages.remove(node.pointee.queued ?? node.pointee.created)
        }
    }
}
