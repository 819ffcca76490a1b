/// What the tree's rows are sorted by.
public enum SortColumn: String, Hashable, Sendable, CaseIterable {
    /// Live chains in the order of their start, then settled ones, the newest first.
    case start
    /// What is alive first, then what went wrong.
    case state
    /// The label, else the call site; numbers in it count as numbers.
    case node
    /// The name of the thread.
    case thread
    /// Time from being queued to the handler's start.
    case wait
    /// The handler's time.
    case run
    /// From the beginning to the end of a chain.
    case total
    /// What went wrong, then values.
    case value

    /// Whether it is a duration: then the longest stands first.
    package var isDuration: Bool { self == .wait || self == .run || self == .total }

    /// As the head of its column says.
    package var title: String { self == .value ? "value / error" : rawValue }

    /// The column that `s` goes to next.
    package var next: SortColumn {
        let all = Self.allCases
        return all[(all.firstIndex(of: self)! + 1) % all.count]
    }
}

/// In which order the tree shows its chains: what a configuration keeps of it.
public struct TreeOrder: Hashable, Sendable {
    /// The column that is sorted by.
    public var column: SortColumn
    /// The other way round than usual: durations the shortest first, texts from Z to A, the newest first.
    public var isInverted: Bool
    /// Whether nodes under a node are sorted, too; else they stand in program order.
    public var sortsSiblings: Bool
    /// Whether chains of one call site stand together under a row of their own.
    public var isGrouped: Bool

    /// The usual order.
    public init(
        column: SortColumn = .start, isInverted: Bool = false, sortsSiblings: Bool = false, isGrouped: Bool = false
    ) {
        self.column = column
        self.isInverted = isInverted
        self.sortsSiblings = sortsSiblings
        self.isGrouped = isGrouped
    }

    /// Whether the greatest stands first.
    package var isDescending: Bool { column.isDuration != isInverted }
}
