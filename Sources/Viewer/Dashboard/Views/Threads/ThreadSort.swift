// SPDX-License-Identifier: MIT

import ChainEvents
import ChainInsight

/// The order of the threads of a program.
struct ThreadSort: Hashable, ColumnSort {
    enum Column: CaseIterable {
        case name
        /// The share of the last seconds that handlers took.
        case busy
        /// How long the present handler or wait has lasted.
        case longest
    }

    var column = Column.name
    var isInverted = false

    /// Whether the arrow points down: the highest value, or Z, is first.
    var isDescending: Bool { (column != .name) != isInverted }

    /// The order in a sentence.
    var words: String {
        switch column {
        case .name: "sorted by name, from \(isInverted ? "Z to A" : "A to Z")"
        case .busy: "sorted by busy, the \(isInverted ? "least" : "most") busy first"
        case .longest: "sorted by since, the \(isInverted ? "shortest" : "longest") first"
        }
    }
}

extension ThreadsView {
    func sortColumns(_ context: ViewContext) -> [ThreadSort.Column] { ThreadSort.Column.allCases }

    mutating func handleHeaderClick(column: Int, _ context: inout ViewContext) {
        let columns = ThreadColumns(context)
        let spans: [(ColumnSpan, ThreadSort.Column)] = [
            (columns.thread, .name), (columns.since, .longest), (columns.recent, .busy),
        ]
        guard
            let hit = spans.first(where: { $0.0.isShown && $0.0.start <= column && column <= $0.0.start + $0.0.width })
        else { return context.notify("threads are sorted by name, since or busy; s changes that") }
        sort(by: hit.1, &context)
    }

    /// Returns the threads in the order of the sort; `named` are the threads by name.
    func sorted(_ named: [ThreadID], _ program: borrowing Program, _ context: ViewContext) -> [ThreadID] {
        let sort = sort
        if sort.column == .name { return sort.isInverted ? named.reversed() : named }
        let columns = ThreadColumns(context)
        let now = program.shownNow
        let keys = named.enumerated().map { index, thread -> (key: UInt64, index: Int, thread: ThreadID) in
            guard let lane = program.insight.threads.lane(of: thread) else { return (0, index, thread) }
            let activity = ThreadActivity(lane, of: program, context.options.warnings)
            if sort.column == .longest {
                // In tenths of a second, so that threads of the same age stay in order of name.
                return (activity.since.map { 1 + (now &- min($0, now)) / 100_000_000 } ?? 0, index, thread)
            }
            let seconds = max(1, columns.strip.width)
            let share = ThreadStatistics(lane, activity, at: now, seconds: seconds).recent ?? 0
            return (UInt64(share), index, thread)
        }
        let ordered = keys.sorted { left, right in
            if left.key == right.key { return left.index < right.index }
            return (left.key > right.key) != sort.isInverted
        }
        return ordered.map(\.thread)
    }
}
