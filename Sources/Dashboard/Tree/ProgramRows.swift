import ChainEvents
import ChainModel

// Which rows there are, over all programs: each has a row of its own where there are several, its chains' rows below it.
// A row is found by the counts of the programs, which are few; within one by its outline.

extension Program {
    // MARK: The rows of the chains, numbered from 0

    var isReached: Bool { forest != nil }

    mutating func setFilter(_ filter: Filter) {
        outline.filter.dims = filter.dims
        outline.setFilter(filter.query, now: shownNow)
    }

    /// Whether it is still looked through for what the filter holds.
    var isScanning: Bool { isReached && outline.filter.hasWork }

    mutating func scan(budget: Int) -> Bool {
        guard let forest else { return false }
        return outline.scan(in: forest, budget: budget)
    }

    /// The row of a node among its chains' rows.
    mutating func row(of node: NodeIndex) -> Int? { outline.row(of: node, in: forest!) }

    /// Who stands in the row at a number among its chains' rows.
    mutating func subject(at row: Int) -> RowID? {
        outline.lines(from: row, count: 1, in: forest!).first.map(subject)
    }

    fileprivate func subject(_ row: OutlineRow) -> RowID {
        switch row {
        case .tree(let tree): subject(tree.node)
        case .group(let site): RowID(source: source, site: site)
        }
    }

    mutating func fold(_ node: NodeIndex, _ isFolded: Bool) { outline.fold(node, isFolded, in: forest!) }

    /// Folds every chain to one row, or unfolds everything.
    mutating func foldAll(_ isFolded: Bool) {
        if !isFolded { self.isFolded = false }
        guard let forest else { return }
        outline.foldAll(isFolded, in: forest)
    }

    mutating func tag(_ node: NodeIndex, _ isTagged: Bool) { outline.tag(node, isTagged, in: forest!) }
}

extension State {
    /// Whether a program has a row of its own.
    func hasHead(_ place: Int) -> Bool {
        showsPrograms && !(filter.hidesRest && observed[place].outline.rowCount == 0)
    }

    /// Whether a program's chains are shown.
    private func showsChains(_ place: Int) -> Bool { !(showsPrograms && observed[place].isFolded) }

    private func rowCount(of place: Int) -> Int {
        (hasHead(place) ? 1 : 0) + (showsChains(place) ? observed[place].outline.rowCount : 0)
    }

    func countRows() -> Int { observed.indices.reduce(0) { $0 + rowCount(of: $1) } }

    /// The row of a program or node, or of what hides it; nil where it is not shown.
    mutating func row(of subject: RowID) -> Int? {
        guard let place = place(of: subject.source) else { return nil }
        var first = 0
        for before in 0..<place { first += rowCount(of: before) }
        guard !subject.isProgram else { return hasHead(place) ? first : nil }
        let found = find(subject)
        guard found != nil || subject.site != nil else { return nil }
        guard showsChains(place) else { return hasHead(place) ? first : nil }
        let row: Int? =
            if let site = subject.site {
                observed[place].outline.row(ofGroup: site)
            } else {
                found.flatMap { observed[place].row(of: $0.node) }
            }
        return row.map { first + (hasHead(place) ? 1 : 0) + $0 }
    }

    /// The rows from a number on, at most so many.
    mutating func rows(from first: Int, count: Int) -> [WindowRow] {
        var result: [WindowRow] = []
        var skipped = max(0, first)
        for place in observed.indices where result.count < count {
            let total = rowCount(of: place)
            guard skipped < total else {
                skipped -= total
                continue
            }
            append(from: skipped, count: count - result.count, of: place, to: &result)
            skipped = 0
        }
        return result
    }

    private mutating func append(from first: Int, count: Int, of place: Int, to result: inout [WindowRow]) {
        var (first, count) = (first, count)
        if hasHead(place) {
            if first == 0 {
                result.append(WindowRow(subject: RowID(source: observed[place].source), place: place))
                count -= 1
            } else {
                first -= 1
            }
        }
        guard count > 0, showsChains(place), observed[place].isReached else { return }
        for row in observed[place].lines(from: first, count: count) {
            var tree: TreeRow?
            if case .tree(let shown) = row { tree = shown }
            result.append(WindowRow(subject: observed[place].subject(row), place: place, tree: tree))
        }
    }

    mutating func row(at number: Int) -> WindowRow? { rows(from: number, count: 1).first }
}

extension Program {
    fileprivate mutating func lines(from row: Int, count: Int) -> [OutlineRow] {
        outline.lines(from: row, count: count, in: forest!)
    }
}
