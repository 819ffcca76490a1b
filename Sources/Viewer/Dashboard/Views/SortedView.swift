// SPDX-License-Identifier: MIT

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
    var sort: Sort { get set }
    /// Returns the columns that rows can be sorted by, in the order of the key.
    func sortColumns(_ context: ViewContext) -> [Sort.Column]
    /// Returns the order in a sentence.
    func words(of sort: Sort, _ context: ViewContext) -> String
}

extension SortedView {
    func words(of sort: Sort, _ context: ViewContext) -> String { sort.words }

    mutating func sortByNext(_ context: inout ViewContext) {
        let columns = sortColumns(context)
        let next = columns.firstIndex(of: sort.column).map { ($0 + 1) % columns.count } ?? 0
        sort(by: columns[next], &context)
    }

    /// Sorts by a column; inverts the order if the rows are sorted by that column already.
    mutating func sort(by column: Sort.Column, _ context: inout ViewContext) {
        sort = Sort(column: column, isInverted: sort.column == column && !sort.isInverted)
        context.notify(words(of: sort, context))
    }

    mutating func invertSort(_ context: inout ViewContext) { sort(by: sort.column, &context) }
}
