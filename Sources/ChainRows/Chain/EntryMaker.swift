import ChainModel

/// Makes the entries of a walk, each with the number of folds around it.
struct EntryMaker {
    /// By level, the folds around nodes of that level, as far as they are known.
    private var folds: [(all: UInt32, user: UInt16)?] = []
    private let origin: UInt32

    /// Begins a walk that stays at `level` or further in.
    init(level: UInt32) { origin = level >> 1 }

    func folds(at level: UInt32) -> (all: UInt32, user: UInt16)? {
        let index = Int(level >> 1 - origin)
        return index < folds.count ? folds[index] : nil
    }

    mutating func setFolds(_ new: (all: UInt32, user: UInt16), at level: UInt32) {
        let index = Int(level >> 1 - origin)
        while folds.count <= index { folds.append(nil) }
        folds[index] = new
    }

    /// Returns the entry of the next node; the folds at its level must be known.
    mutating func make(_ node: NodeIndex, _ level: UInt32, flags: LongChainIndex.Flags) -> LongChainIndex.Entry {
        let own = folds(at: level) ?? (0, 0)
        setFolds(
            (own.all + (flags.contains(.folded) ? 1 : 0), own.user + (flags.contains(.userFolded) ? 1 : 0)),
            at: level + 2)
        return LongChainIndex.Entry(
            node: node.rawValue, level: level, folds: own.all, userFolds: own.user, flags: flags)
    }
}
