import ChainEvents
import ChainInsight
import ChainModel

/// What looks wrong in one program: kept up always, for its count is on the tab.
struct WarningsInsight {
    private(set) var table = WarningTable()

    /// Warnings that hold.
    var count: Int { table.count }

    /// Whether nothing can come or go but by what the program says.
    var isIdle: Bool { table.isIdle }

    mutating func follow(_ changes: ForestChanges, of forest: borrowing ChainForest, now: UInt64) {
        table.follow(changes, of: forest, now: now)
    }

    /// Looks at a slice of everything, where that is due; true if there is something to draw anew.
    mutating func tick(_ forest: borrowing ChainForest, now: UInt64, options: WarningOptions) -> Bool {
        table.tick(forest, now: now, options: options)
    }

    /// Takes a warning away that was seen.
    mutating func dismiss(_ id: Warning.ID) { table.dismiss(id) }

    /// Takes all of a kind away.
    mutating func dismissAll(of kind: WarningKind) { table.dismissAll(of: kind) }
}
