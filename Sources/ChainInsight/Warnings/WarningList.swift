import ChainEvents

/// The warnings of one kind: some are kept, all are counted.
struct WarningList: Sendable {
    /// How many are kept of a kind.
    static let limit = 1_000
    /// For how long one is kept that holds no more, in nanoseconds.
    static let historyDuration: UInt64 = 10_000_000_000

    /// By node: those that hold, and those that held until lately.
    fileprivate(set) var kept: [NodeID: Warning] = [:]
    /// All that hold, also those that are not kept.
    fileprivate(set) var count = 0
    /// In the order in which they came; some may be gone.
    private var order: [NodeID] = []
    fileprivate var historyCount = 0
    /// Not later than the first end of those that hold no more.
    private var firstEnd = UInt64.max

    var hasHistory: Bool { historyCount > 0 }

    /// Those that hold, by node.
    var holding: [NodeID: Warning] { kept.filter { $0.value.ended == nil } }

    /// By the time from which they hold, those that held after those that hold.
    var sorted: [Warning] {
        kept.values.sorted { left, right in
            if (left.ended == nil) != (right.ended == nil) { return left.ended == nil }
            if let ends = left.ended.flatMap({ end in right.ended.map { (end, $0) } }), ends.0 != ends.1 {
                return ends.0 > ends.1
            }
            return left.since != right.since ? left.since < right.since : left.node < right.node
        }
    }

    /// One that is there now; whether that is new. Where there is no room the oldest goes, but stays counted.
    mutating func add(_ warning: Warning) -> Bool {
        if let known = kept[warning.node] {
            guard known.ended != nil else { return false }
            historyCount -= 1
        } else {
            if kept.count >= Self.limit { dropOldest() }
            // Those that were removed one by one are still named.
            if order.count >= 2 * Self.limit { order.removeAll { kept[$0] == nil } }
            order.append(warning.node)
        }
        kept[warning.node] = warning
        count += 1
        return true
    }

    private mutating func dropOldest() {
        var place = 0
        while place < order.count, kept[order[place]] == nil { place += 1 }
        guard place < order.count else { return order.removeAll() }
        if kept.removeValue(forKey: order[place])?.ended != nil { historyCount -= 1 }
        // Many at once: each time costs what is left.
        order.removeFirst(place + 1)
    }

    /// It holds no more: it is history, or forgotten at once.
    mutating func end(_ node: NodeID, at now: UInt64, keepsHistory: Bool = true) {
        guard let known = kept[node], known.ended == nil else { return }
        count -= 1
        guard keepsHistory else {
            kept[node] = nil
            return
        }
        kept[node]?.ended = now
        historyCount += 1
        firstEnd = min(firstEnd, now)
    }

    /// Takes over what a look at everything found: at most ``limit`` of `count`; whether anything is another.
    mutating func replace(_ found: [Warning], count newCount: Int, at now: UInt64) -> Bool {
        var isChanged = false
        var fresh: [NodeID: Warning] = [:]
        for warning in found { fresh[warning.node] = warning }
        for (node, known) in kept where known.ended == nil && fresh[node] == nil {
            // Where there are more than are kept it may hold as well as those that were found.
            if newCount > found.count {
                kept[node] = nil
            } else {
                end(node, at: now)
            }
            isChanged = true
        }
        for warning in found {
            if let known = kept[warning.node], known.ended == nil {
                guard known.amount != warning.amount || known.other != warning.other else { continue }
                kept[warning.node]?.amount = warning.amount
                kept[warning.node]?.other = warning.other
                isChanged = true
            } else {
                isChanged = add(warning) || isChanged
            }
        }
        if count != newCount { isChanged = true }
        count = newCount
        return isChanged
    }

    /// Forgets what has been history for long; whether anything was.
    mutating func expire(at now: UInt64) -> Bool {
        guard historyCount > 0, now >= firstEnd, now - firstEnd >= Self.historyDuration else { return false }
        let due = kept.values.filter { $0.ended.map { now >= $0 &+ Self.historyDuration } ?? false }
        for warning in due { kept[warning.node] = nil }
        firstEnd = kept.values.reduce(.max) { min($0, $1.ended ?? .max) }
        historyCount -= due.count
        if !due.isEmpty { order.removeAll { kept[$0] == nil } }
        return !due.isEmpty
    }

    /// Only those that are kept count from now on.
    mutating func recount() { count = kept.count - historyCount }

    /// All are gone.
    mutating func removeAll() { self = WarningList() }
}

extension WarningList {
    /// Takes one away without a trace.
    mutating func remove(_ node: NodeID) {
        guard let known = kept.removeValue(forKey: node) else { return }
        if known.ended == nil { count -= 1 } else { historyCount -= 1 }
    }

    /// All that hold, of which some are not kept; whether that is another number.
    mutating func setCount(_ new: Int) -> Bool {
        let new = max(new, kept.count - historyCount)
        defer { count = new }
        return new != count
    }

    mutating func setAmount(_ amount: UInt64, of node: NodeID) { kept[node]?.amount = amount }
}
