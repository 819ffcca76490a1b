// SPDX-License-Identifier: MIT

import Frames

/// The views of a dashboard, in the order of their keys `1` to `8`.
package enum ViewID: UInt8, Hashable, Sendable, CaseIterable {
    /// The tree of all chains.
    case chains = 1
    /// A lane for each thread.
    case threads
    /// The waterfall of a chain, or of all chains.
    case timeline
    /// Nodes by call site and kind.
    case sites
    /// What looks wrong, and what to do about it.
    case warnings
    /// The program's events, one by one.
    case events
    /// Where the time of all chains goes, by call path.
    case profile
    /// A row for each program.
    case overview

    /// The type that implements the view.
    var type: any DashboardView.Type {
        switch self {
        case .chains: ChainsView.self
        case .threads: ThreadsView.self
        case .timeline: TimelineView.self
        case .sites: SitesView.self
        case .warnings: WarningsView.self
        case .events: EventsView.self
        case .profile: ProfileView.self
        case .overview: OverviewView.self
        }
    }

    /// The name on the command line and in the configuration, in lower case.
    package var name: String { type.name }

    /// Finds the view with a name, in upper or lower case; nil if no view has that name.
    package init?(name: String) {
        guard let view = Self.allCases.first(where: { $0.name == name.lowercased() }) else { return nil }
        self = view
    }

    /// The name as the view's tab shows it, with a capital.
    var title: String { name.prefix(1).uppercased() + name.dropFirst() }

    /// Returns a message that names the views that act on an intent, and the keys that show these views.
    static func words(forViewsWith intent: Intent) -> String {
        words(
            for: allCases.filter { view in
                view.type.acting.contains(intent) || view.type.bindings.contains { $0.intent == intent }
            })
    }

    /// Returns the views that bind a key themselves.
    static func views(binding key: KeyPress) -> [ViewID] {
        allCases.filter { view in view.type.bindings.contains { $0.keys.contains(key) } }
    }

    /// Returns a message that only `views` do what was asked for, and which keys show these views.
    static func words(for views: [ViewID]) -> String {
        func joined(_ words: [String]) -> String {
            words.count < 2 ? words.joined() : words.dropLast().joined(separator: ", ") + " and " + words.last!
        }
        let (names, digits) = (joined(views.map(\.title)), joined(views.map { String($0.rawValue) }))
        return views.count == 1
            ? "only \(names) does that; \(digits) shows it" : "only \(names) do that; \(digits) show them"
    }

    /// Returns the view that is `step` views further, or back if `step` is negative; wraps at the ends.
    func next(by step: Int) -> ViewID {
        let count = Self.allCases.count
        return Self.allCases[((Int(rawValue) - 1 + step) % count + count) % count]
    }
}
