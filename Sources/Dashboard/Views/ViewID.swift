/// The views of a dashboard, in the order of their keys `1` to `6`.
public enum ViewID: UInt8, Hashable, Sendable, CaseIterable {
    /// The tree of all chains.
    case chains = 1
    /// A lane a thread.
    case threads
    /// The waterfall of a chain, or of all.
    case timeline
    /// Nodes by call site and kind.
    case sites
    /// What looks wrong, and what to do about it.
    case warnings
    /// What the program says, event by event.
    case events

    /// As the tab, the command line and the configuration call it, in lower case.
    public var name: String {
        switch self {
        case .chains: "chains"
        case .threads: "threads"
        case .timeline: "timeline"
        case .sites: "sites"
        case .warnings: "warnings"
        case .events: "events"
        }
    }

    /// The view of a name, in upper or lower case.
    public init?(name: String) {
        guard let view = Self.allCases.first(where: { $0.name == name.lowercased() }) else { return nil }
        self = view
    }

    /// As its tab is called.
    var title: String { name.prefix(1).uppercased() + name.dropFirst() }

    /// The next view, or the one before; around the ends.
    func next(by step: Int) -> ViewID {
        let count = Self.allCases.count
        return Self.allCases[((Int(rawValue) - 1 + step) % count + count) % count]
    }

    /// The table of the keys that only this view has.
    var context: KeyMap.Context {
        switch self {
        case .chains: .tree
        case .threads: .threads
        case .timeline: .timeline
        case .sites: .sites
        case .warnings: .warnings
        case .events: .events
        }
    }
}
