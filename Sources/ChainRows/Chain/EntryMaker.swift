import ChainModel

/// A maker of ``LongChainIndex`` entries for a pre-order walk, each with the number of folded nodes around its node.
///
/// Levels are those of ``LongChainIndex/Entry/level``.
struct EntryMaker {
    /// By depth below ``origin``: how many folded nodes the next node of that depth is inside of, and how many of these
    /// have a fold of their own. Nil where that is not known.
    private var folds: [(all: UInt32, own: UInt16)?] = []
    /// The least depth of the walk.
    private let origin: UInt32

    /// Begins a walk that stays at `level` or further in.
    init(level: UInt32) { origin = level >> 1 }

    /// Returns how many folded nodes the next node of a level is inside of; nil if that is not known.
    func folds(at level: UInt32) -> (all: UInt32, own: UInt16)? {
        let index = Int((level >> 1) - origin)
        return index < folds.count ? folds[index] : nil
    }

    /// Sets how many folded nodes the next node of a level is inside of.
    mutating func setFolds(_ new: (all: UInt32, own: UInt16), at level: UInt32) {
        let index = Int((level >> 1) - origin)
        while folds.count <= index { folds.append(nil) }
        folds[index] = new
    }

    /// Returns the entry of the next node; the folds at its level must be known.
    mutating func make(_ node: NodeIndex, _ level: UInt32, flags: LongChainIndex.Flags) -> LongChainIndex.Entry {
        let counts = folds(at: level) ?? (0, 0)
        setFolds(
            (counts.all + (flags.contains(.folded) ? 1 : 0), counts.own + (flags.contains(.ownFolded) ? 1 : 0)),
            at: level + 2)
        return LongChainIndex.Entry(
            node: node.rawValue, level: level, folds: counts.all, ownFolds: counts.own, flags: flags)
    }
}
