import ChainModel

/// Makes entries along a walk, each with the folds around it.
struct EntryMaker {
    /// By how far in a node stands, the folds around nodes there, as far as they are known.
    private var folds: [(all: UInt32, user: UInt16)?] = []
    private let origin: UInt32

    /// Begins where no node stands less far in than `level` says.
    init(level: UInt32) { origin = level >> 1 }

    func folds(at level: UInt32) -> (all: UInt32, user: UInt16)? {
        let place = Int(level >> 1 - origin)
        return place < folds.count ? folds[place] : nil
    }

    mutating func setFolds(_ new: (all: UInt32, user: UInt16), at level: UInt32) {
        let place = Int(level >> 1 - origin)
        while folds.count <= place { folds.append(nil) }
        folds[place] = new
    }

    /// The entry of the next node; the folds at its level must be known.
    mutating func make(_ node: NodeIndex, _ level: UInt32, flags: LongChainIndex.Flags) -> LongChainIndex.Entry {
        let own = folds(at: level) ?? (0, 0)
        setFolds(
            (own.all + (flags.contains(.folded) ? 1 : 0), own.user + (flags.contains(.userFolded) ? 1 : 0)),
            at: level + 2)
        return LongChainIndex.Entry(
            node: node.rawValue, level: level, folds: own.all, userFolds: own.user, flags: flags)
    }
}
