// SPDX-License-Identifier: MIT

// Folding every chain to the same level.
extension State {
    /// Shows `levels` more levels of every chain, or fewer levels if `levels` is negative. Counts from the level in
    /// force, else from the deepest row on the screen.
    mutating func fold(byLevels levels: Int) {
        guard checkFoldAll() else { return }
        let deepest = tree.window.reduce(0) { max($0, Int($1.tree?.depth ?? 0)) }
        guard let level = foldLevel else { return fold(toDepth: deepest + levels) }
        if levels > 0, deepest < level {
            return notify("nothing on the screen is deeper than level \(level)")
        }
        if levels < 0, level == 0 { return notify("every chain is one row") }
        fold(toDepth: level + levels)
    }

    /// Folds every chain so that nodes up to `depth` levels in are shown; 0 leaves one row for each chain. Drops the
    /// folds of single nodes; nodes with very many children stay folded.
    mutating func fold(toDepth depth: Int) {
        guard checkFoldAll() else { return }
        let level = max(0, depth)
        if following != .nothing { following = .nothing }
        for programIndex in world.programs.indices { world.programs[programIndex].fold(toLevel: level) }
        let levels = level == 1 ? "1 level" : "\(level) levels"
        notify(level == 0 ? "every chain is one row; } shows a level more" : "\(levels) of every chain; * shows all")
        updateViewport()
    }

    /// Returns why chains cannot be folded to a level now; nil if they can be folded.
    func whyNotFoldAll() -> String? {
        if tree.rowCount == 0 { return emptyReason }
        return filter.hidesUnmatched ? "a filter unfolds what matches; Esc drops it" : nil
    }

    /// Returns whether chains can be folded to a level; if not, shows why.
    private mutating func checkFoldAll() -> Bool {
        guard let why = whyNotFoldAll() else { return true }
        notify(why)
        return false
    }

    /// The fold level in force; nil if everything is shown, or if no level was chosen yet.
    private var foldLevel: Int? {
        world.programs.first { $0.wasReached }?.outline.foldLevel
    }
}

extension Program {
    /// Shows `level` levels of each chain.
    mutating func fold(toLevel level: Int) {
        guard wasReached else { return }
        outline.fold(toLevel: level, in: forest)
    }
}
