import ChainEvents

/// What one executor has to do at the moment. Kept up by each change, so that asking costs nothing.
public struct ExecutorLoad: Hashable, Sendable {
    /// Nodes whose handlers stand in its queue.
    public internal(set) var queuedCount = 0
    /// Nodes that are not settled and whose handlers it runs.
    public internal(set) var runningCount = 0
    var ages = QueueAges()

    /// Since when the one waits that has waited for the longest, in nanoseconds of the process's clock, up to a
    /// hundredth of a second too early; nil where none waits.
    public var oldestQueued: UInt64? { ages.oldest }
}

/// How many wait since when, in steps of ``grain``: sorted, at most one entry a step and so at most one for each that
/// waits. Whoever comes is nearly always the youngest and whoever goes the oldest: both cost some nanoseconds.
struct QueueAges: Hashable, Sendable {
    private struct Entry: Hashable {
        var step: UInt64
        var count: UInt32
    }

    /// Nanoseconds that are not told apart.
    static let grain: UInt64 = 10_000_000
    private static let slack = 64

    private var entries: [Entry] = []
    /// The first entry that is not empty; empty ones further on are `holeCount`.
    private var head = 0
    private var holeCount = 0

    /// Whether what it counts of itself is so, and it is as short as it promises to be.
    var isConsistent: Bool {
        let holes = entries.dropFirst(head).lazy.filter { $0.count == 0 }.count
        let empty = head + holes
        return entries.prefix(head).allSatisfy { $0.count == 0 } && holes == holeCount
            && (empty <= Self.slack || empty * 2 <= entries.count)
    }

    var oldest: UInt64? { head < entries.count ? entries[head].step &* Self.grain : nil }

    /// By what waits, however it came about.
    static func == (left: QueueAges, right: QueueAges) -> Bool { left.filled == right.filled }
    func hash(into hasher: inout Hasher) { hasher.combine(filled) }
    private var filled: [Entry] { entries[head...].filter { $0.count > 0 } }

    mutating func add(_ time: UInt64) {
        let step = time / Self.grain
        let place = place(of: step)
        if place < entries.count, entries[place].step == step {
            if place >= head, entries[place].count == 0 { holeCount -= 1 }
            entries[place].count += 1
        } else {
            entries.insert(Entry(step: step, count: 1), at: place)
            if place < head { head += 1 }
        }
        guard place < head else { return }
        // A late one: the empty entries between it and the oldest of before are further on now.
        holeCount += head - place - 1
        head = place
    }

    mutating func remove(_ time: UInt64) {
        let step = time / Self.grain
        let place = place(of: step)
        guard place < entries.count, entries[place].step == step, entries[place].count > 0 else {
            return assertionFailure("Nobody waits since then")
        }
        entries[place].count -= 1
        guard entries[place].count == 0 else { return }
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

    /// The first entry that is not before a step.
    @inline(__always)
    private func place(of step: UInt64) -> Int {
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
    /// What an executor has to do at the moment. O(1).
    public func load(of executor: ExecutorID) -> ExecutorLoad {
        Int(executor) < loads.count ? loads[Int(executor)] : ExecutorLoad()
    }

    /// Takes a node with some state into its executor's load, or out of it: before anything else of it changes that
    /// the load is made of.
    @inline(__always)
    mutating func weigh(_ slot: UInt32, _ state: NodeState, isAdded: Bool) {
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
