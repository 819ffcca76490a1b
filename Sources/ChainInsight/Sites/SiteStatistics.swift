import ChainEvents

/// Nodes that belong together: made at one place in the source by one operation.
public struct SiteKey: Hashable, Sendable {
    /// Where, by number in the program's table; 0 where unknown.
    public var site: SiteID
    /// By which operation.
    public var kind: NodeKind

    /// Joins a place and an operation.
    public init(site: SiteID, kind: NodeKind) {
        self.site = site
        self.kind = kind
    }

    /// All those that came when ``SiteTable/keyLimit`` was reached.
    public static let others = SiteKey(site: .max, kind: .other)
}

/// What became of the nodes of one call site and kind.
public struct SiteStatistics: Hashable, Sendable {
    /// Those that have not settled.
    public var live = 0
    /// All that were seen, also those that are no longer kept.
    public var total = 0
    /// Those that were rejected or abandoned.
    public var rejected = 0
    /// Those that were cancelled.
    public var cancelled = 0
    /// From being queued to the handler's start, of those that have settled.
    public var wait = DurationFigures()
    /// The handler's time, of those that have settled.
    public var run = DurationFigures()

    /// Nothing seen.
    public init() {}
}
