/// What the rows of a view are sorted by.
protocol ColumnSort {
    associatedtype Column: Equatable
    var column: Column { get }
    /// Whether the order is turned round.
    var isInverted: Bool { get }
    /// The order in a sentence.
    var words: String { get }
    init(column: Column, isInverted: Bool)
}

/// A list that is sorted by a column: a key goes to the next one, a click on a heading to that one, the second time the
/// other way round.
protocol SortedView: ListView {
    associatedtype Sort: ColumnSort
    static func sort(of state: borrowing State) -> Sort
    static func setSort(_ sort: Sort, _ state: inout State)
    /// The columns that rows can be sorted by, in the order of the key.
    static func sortColumns(_ state: borrowing State) -> [Sort.Column]
}

extension SortedView {
    static func sortByNext(_ state: inout State) {
        let columns = sortColumns(state)
        let next = columns.firstIndex(of: sort(of: state).column).map { ($0 + 1) % columns.count } ?? 0
        sort(by: columns[next], &state)
    }

    static func sort(by column: Sort.Column, _ state: inout State) {
        let old = sort(of: state)
        let new = Sort(column: column, isInverted: old.column == column && !old.isInverted)
        setSort(new, &state)
        state.notify(new.words)
        state.updateViewport()
    }

    static func invertSort(_ state: inout State) { sort(by: sort(of: state).column, &state) }
}
