/// The column that the rows of a view are sorted by, and the direction.
protocol ColumnSort {
    associatedtype Column: Equatable
    var column: Column { get }
    /// Whether the order is the reverse of the column's usual order.
    var isInverted: Bool { get }
    /// The order in a sentence.
    var words: String { get }
    init(column: Column, isInverted: Bool)
}

/// A list that is sorted by a column. A key sorts by the next column, a click on a header by that column; sorting by
/// the same column again inverts the order.
protocol SortedView: ListView {
    associatedtype Sort: ColumnSort
    static func sort(of state: borrowing State) -> Sort
    static func setSort(_ sort: Sort, _ state: inout State)
    /// The columns that rows can be sorted by, in the order of the key.
    static func sortColumns(_ state: borrowing State) -> [Sort.Column]
    /// Returns the order in a sentence.
    static func words(of sort: Sort, _ state: borrowing State) -> String
}

extension SortedView {
    static func words(of sort: Sort, _ state: borrowing State) -> String { sort.words }

    static func sortByNext(_ state: inout State) {
        let columns = sortColumns(state)
        let next = columns.firstIndex(of: sort(of: state).column).map { ($0 + 1) % columns.count } ?? 0
        sort(by: columns[next], &state)
    }

    /// Sorts by a column; inverts the order if the rows are sorted by that column already.
    static func sort(by column: Sort.Column, _ state: inout State) {
        let old = sort(of: state)
        let new = Sort(column: column, isInverted: old.column == column && !old.isInverted)
        setSort(new, &state)
        state.notify(words(of: new, state))
        state.updateViewport()
    }

    static func invertSort(_ state: inout State) { sort(by: sort(of: state).column, &state) }
}
