import ChainEvents
import ChainModel

// How settled chains leave the live ones.
extension Outline {
    mutating func enqueue(_ entry: Due) {
        // Nearly always at the end: three lingers, each in the order of settling.
        var place = due.count
        while place > dueStart, due[place - 1].deadline > entry.deadline { place -= 1 }
        due.insert(entry, at: place)
    }

    /// Whether ``retire(in:now:pinned:)`` would do something.
    func hasDue(now: UInt64) -> Bool { dueStart < due.count && due[dueStart].deadline <= now }

    /// Whether there is anything to be retired or tidied but for what the user is in.
    var hasAnyDue: Bool { due.count - dueStart + tidies.count - tidyStart > putOffCount }

    /// Folds chains that have been settled for long enough and lets them go to the settled ones.
    mutating func retire(in forest: borrowing ChainForest, now: UInt64, pinned: NodeIndex?) {
        var steps = 0
        while dueStart < due.count, due[dueStart].deadline <= now, steps < 2_000 {
            if steps.isMultiple(of: Self.warmCount) { warmDues(in: forest) }
            let entry = due[dueStart]
            dueStart += 1
            steps += 1
            if entry.isPutOff { putOffCount -= 1 }
            guard forest.contains(NodeID(entry.id), at: entry.root), slotOf[entry.root.rawValue] != 0 else { continue }
            let place = Int(slotOf[entry.root.rawValue] - 1)
            let chain = forest.chain(of: entry.root)
            guard chain.settled != nil, !slots.has(.retired, place) else {
                slots.set(.due, false, place)
                continue
            }
            if entry.root == pinned {
                putOffCount += 1
                enqueue(Due(deadline: now &+ 1_000_000_000, root: entry.root, id: entry.id, isPutOff: true))
                continue
            }
            slots.set(.due, false, place)
            setRetired(entry.root, true, in: forest)
            slots.set(.folded, true, place)
            reweigh(entry.root, in: forest)
        }
        if dueStart > 4_096, dueStart * 2 > due.count {
            due.removeFirst(dueStart)
            dueStart = 0
        }
    }

    private mutating func warmDues(in forest: borrowing ChainForest) {
        let next = due[dueStart...].prefix(Self.warmCount)
        for entry in next { warmed ^= warmth(of: entry.root) ^ forest.warmth(of: entry.root) }
        for entry in next { warmed ^= placeWarmth(of: entry.root) }
    }
}
