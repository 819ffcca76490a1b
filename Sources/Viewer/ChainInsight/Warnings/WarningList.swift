// SPDX-License-Identifier: MIT

import ChainModel

/// The warnings of one kind: all warnings that hold are counted, and some are kept.
struct WarningList: Sendable {
    /// The maximum number of kept warnings, including ended warnings.
    static let limit = 1_000
    /// How long a warning is kept after its end, in nanoseconds.
    static let historyDuration: UInt64 = 600_000_000_000
    /// The maximum number of ended warnings that are kept.
    static let historyLimit = 200

    /// By node: the warnings that hold, and recently ended warnings. At most ``limit``.
    fileprivate(set) var kept: [NodeID: Warning] = [:]
    /// How many warnings hold, including those that are not kept.
    fileprivate(set) var count = 0
    /// Warnings by node and serial number, in the order in which they began to hold. The entries of warnings that were
    /// removed, or that hold again with a later number, may remain.
    private var order = Queue<(node: NodeID, serial: UInt64)>()
    /// How many of the kept warnings have ended.
    fileprivate var historyCount = 0
    /// Ended warnings in the order of their ends, from `historyHead` on. The entries of warnings that were removed, or
    /// that hold again, may remain.
    private var history: [(node: NodeID, ended: UInt64)] = []
    private var historyHead = 0
    /// How many warnings were ever added; also the serial number of the last warning.
    private(set) var serial: UInt64 = 0

    /// The kept warnings: first the warnings that hold, longest first, then the ended warnings, last ended first.
    var sorted: [Warning] {
        kept.values.sorted { left, right in
            if (left.ended == nil) != (right.ended == nil) { return left.ended == nil }
            if let ends = left.ended.flatMap({ end in right.ended.map { (end, $0) } }), ends.0 != ends.1 {
                return ends.0 > ends.1
            }
            return left.since != right.since ? left.since < right.since : left.node < right.node
        }
    }

    /// Adds a warning, or makes an ended warning hold again. Returns false if a kept warning of the node holds already.
    /// If there is no room, drops the kept warning that was added first; if that warning still holds, it stays counted.
    mutating func add(_ warning: Warning) -> Bool {
        // By index, because a copy of a warning retains its texts.
        if let known = kept.index(forKey: warning.node) {
            guard kept.values[known].ended != nil else { return false }
            historyCount -= 1
        } else if kept.count >= Self.limit {
            dropOldest()
        }
        if order.count >= 2 * Self.limit { order.removeAll { kept[$0.node]?.serial != $0.serial } }
        serial += 1
        order.append((warning.node, serial))
        var warning = warning
        warning.serial = serial
        kept[warning.node] = warning
        count += 1
        return true
    }

    /// Returns whether a warning of a node is kept.
    func has(_ node: NodeID) -> Bool { kept.index(forKey: node) != nil }

    private mutating func dropOldest() {
        while let (node, serial) = order.popFirst() {
            guard let oldest = kept.index(forKey: node), kept.values[oldest].serial == serial else { continue }
            if kept.values[oldest].ended != nil { historyCount -= 1 }
            kept.remove(at: oldest)
            return
        }
    }

    /// Ends a warning. It is kept as an ended warning, within ``historyDuration`` and ``historyLimit``.
    mutating func end(_ node: NodeID, at now: UInt64) {
        guard let known = kept[node], known.ended == nil else { return }
        count -= 1
        kept[node]?.ended = now
        historyCount += 1
        history.append((node, now))
        if history.count >= 8 * Self.historyLimit {
            // Warnings that begin and end repeatedly leave entries behind.
            history = history[historyHead...].filter { kept[$0.node]?.ended == $0.ended }
            historyHead = 0
        }
        // Drops the warnings beyond `historyLimit`.
        _ = dropEnded(before: 0)
    }

    /// Drops the warnings that ended before a moment. If more than `historyLimit` ended warnings are left, also drops
    /// those that ended first. Returns whether any warning was dropped.
    private mutating func dropEnded(before moment: UInt64) -> Bool {
        let before = historyCount
        while historyHead < history.count {
            let (node, ended) = history[historyHead]
            let isKept = kept[node]?.ended == ended
            guard !isKept || historyCount > Self.historyLimit || ended < moment else { break }
            historyHead += 1
            guard isKept else { continue }
            kept[node] = nil
            historyCount -= 1
        }
        if historyHead > Self.historyLimit {
            history.removeFirst(historyHead)
            historyHead = 0
        }
        return historyCount != before
    }

    /// Replaces the warnings that hold by the warnings that a sweep found: `newCount`, of which `found` has at most
    /// ``limit``. Returns whether anything changed.
    mutating func replace(_ found: [Warning], count newCount: Int, at now: UInt64) -> Bool {
        var isChanged = false
        var fresh: [NodeID: Warning] = [:]
        for warning in found { fresh[warning.node] = warning }
        for (node, known) in kept where known.ended == nil && fresh[node] == nil {
            // If more warnings hold than were kept, this warning may still hold although it is not in `found`.
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

    /// Removes warnings that ended long ago. Returns whether there were any such warnings.
    mutating func expire(at now: UInt64) -> Bool {
        historyCount > 0 && now > Self.historyDuration && dropEnded(before: now - Self.historyDuration)
    }

    /// Sets the count to the number of kept warnings that hold.
    mutating func recount() { count = kept.count - historyCount }

    mutating func removeAll() {
        let serial = serial
        self = WarningList()
        self.serial = serial
    }
}

extension WarningList {
    /// Removes one warning without keeping it as ended.
    mutating func remove(_ node: NodeID) {
        guard let known = kept.removeValue(forKey: node) else { return }
        if known.ended == nil { count -= 1 } else { historyCount -= 1 }
    }

    /// Sets how many warnings hold, including those that are not kept. Returns whether the count changed.
    mutating func setCount(_ new: Int) -> Bool {
        let new = max(new, kept.count - historyCount)
        defer { count = new }
        return new != count
    }

    mutating func removeEnded() { _ = expire(at: .max) }

    mutating func setAmount(_ amount: UInt64, of node: NodeID) { kept[node]?.amount = amount }
}
