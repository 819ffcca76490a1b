// SPDX-License-Identifier: MIT

import Frames

/// The content of the help: keys, commands and queries from their tables, and a legend of the screen. The manual has the
/// same tables.
package struct HelpText {
    /// A key, a command or a sign, and what it means.
    package struct Entry: Equatable {
        package var keys: String
        package var text: String
    }

    package struct Section: Equatable {
        package var title: String
        package var entries: [Entry]
    }

    /// The sections. The first sections list the keys that act in the current view, each key once; then come the keys
    /// for time that do not act now. A section without entries is left out.
    let sections: [Section]

    /// - Parameter time: the contexts of keys for time that apply at present, as in ``KeyMap/intent(for:in:time:)``.
    init(view: ViewID, time: [KeyMap.Context] = [], glyphs: Glyphs) {
        func keys(_ context: KeyMap.Context) -> Section {
            Section(
                title: context.title,
                entries: Self.bindings(of: context, in: view, time: time).map {
                    Entry(keys: $0.keyNames(glyphs), text: $0.text)
                })
        }
        let contexts = KeyMap.Context.allCases
        let present: [KeyMap.Context] = [.view(view), .allViews] + time
        // Without a history there is no looking back.
        let later: [KeyMap.Context] = time.isEmpty ? [.replay] : [.live, .past, .replay]
        let first = present + later.filter { !present.contains($0) }
        var sections = first.map(keys) + Self.legend(glyphs) + [Self.commands, Self.queries]
        sections += contexts.filter { !first.contains($0) && (!time.isEmpty || ![.live, .past].contains($0)) }.map(keys)
        self.sections = sections.filter { !$0.entries.isEmpty }
    }

    /// Returns the bindings of a context. Of the keys of the view, of all views and of the present time, only those
    /// that act there now are listed, because another table may bind a key, too.
    static func bindings(of context: KeyMap.Context, in view: ViewID, time: [KeyMap.Context]) -> [KeyMap.Binding] {
        let all = KeyMap.bindings(in: context)
        // In the order in which the tables are searched.
        let isPast = time.first == .past
        var order: [KeyMap.Context] = isPast ? [.past, .view(view)] : [.view(view)]
        order += isPast ? Array(time.dropFirst()) : time
        order.append(.allViews)
        guard let place = order.firstIndex(of: context) else { return all }
        let taken = Set(order[..<place].flatMap { KeyMap.bindings(in: $0).flatMap(\.keys) })
        return all.compactMap { binding in
            let keys = binding.keys.filter { !taken.contains($0) }
            return keys.isEmpty
                ? nil : KeyMap.Binding(binding.intent, keys, binding.text, footer: binding.footer)
        }
    }

    /// The keys of every context, a section for each.
    package static var keys: [Section] {
        KeyMap.Context.allCases.map { context in
            let bindings = KeyMap.bindings(in: context)
            return Section(
                title: context.title, entries: bindings.map { Entry(keys: $0.keyNames(), text: $0.text) })
        }
        .filter { !$0.entries.isEmpty }
    }

    /// What the columns, states and signs of the screen mean.
    package static func legend(_ glyphs: Glyphs = .unicode) -> [Section] {
        [
            Section(
                title: "Columns of Chains",
                entries: TreeColumn.allCases.map { Entry(keys: $0.rawValue, text: $0.legend) }),
            Section(title: "States", entries: states.map { Entry(keys: "\(glyphs.state($0)) \($0)", text: $1) }),
            Section(title: "Signs", entries: signs(glyphs)), Section(title: "Header", entries: header),
            Section(title: "Programs", entries: programs(glyphs)),
        ]
    }

    package static let commands = Section(
        title: "Commands", entries: CommandTable.entries.map { Entry(keys: $0.usage, text: $0.text) })

    package static let queries = Section(
        title: "Queries", entries: CommandTable.queries.map { Entry(keys: $0.form, text: $0.text) })

    private static let states: [(Role, String)] = [
        (.waiting, "its parent has to settle first"),
        (.queued, "handed to an executor, not begun"),
        (.running, "its handler runs"),
        (.pending, "a callback, members or another promise will settle it"),
        (.fulfilled, "settled with a value"),
        (.recovered, "a chain: settled with a value although nodes of it failed"),
        (.rejected, "settled with an error"),
        (.cancelled, "it was cancelled"),
        (.skipped, "passed its parent's outcome on"),
        (.abandoned, "its resolver was released, or its job dropped"),
        (.unknown, "it ended while events were lost, or only its id is known"),
    ]

    private static func signs(_ glyphs: Glyphs) -> [Entry] {
        [
            Entry(keys: glyphs.prompt, text: "the selected row, which keys act on"),
            Entry(keys: glyphs.tagged, text: "tagged with Space"),
            Entry(keys: glyphs.taggedInside, text: "tagged nodes are folded into this row"),
            Entry(keys: glyphs.pinned, text: "pinned with P: its chain is kept"),
            Entry(keys: "\(glyphs.folded) \(glyphs.unfolded)", text: "folded, unfolded"),
            Entry(keys: glyphs.cancelRequested, text: "asked to be cancelled; its events are still to come"),
            Entry(keys: glyphs.stillRunning, text: "settled, but its handler still runs"),
            Entry(keys: "\(glyphs.ascending) \(glyphs.descending)", text: "sorted by this column, and which way"),
        ]
    }

    private static let header = [
        Entry(keys: "in flight", text: "nodes that have not settled; oldest: the age of the oldest live chain"),
        Entry(keys: "running, queued", text: "handlers that run, and those that wait for a thread"),
        Entry(
            keys: "failed, failed/min", text: "chains that were rejected or abandoned: in all, and in the last minute"),
        Entry(keys: "chains, nodes", text: "how many; kept 861 of 3,512: the others were evicted"),
        Entry(keys: "ev/s", text: "events a second"),
        Entry(keys: "events lost", text: "events that the program made and that did not arrive"),
        Entry(keys: "12.4s behind", text: "the past is shown, so long before now"),
        Entry(keys: "recording", text: "what R has started: its time, events, bytes and losses"),
        Entry(keys: "frozen", text: "the picture stands still, and how many events wait"),
        Entry(keys: "read-only", text: "nothing can be cancelled from here"),
    ]

    private static func programs(_ glyphs: Glyphs) -> [Entry] {
        [
            Entry(keys: "\(glyphs.live) live", text: "its events come as they happen"),
            Entry(keys: "\(glyphs.lost) lost", text: "it cannot be reached: its last known state stands still"),
            Entry(keys: "\(glyphs.waiting) absent", text: "it was not found yet"),
            Entry(keys: "\(glyphs.pending) ended", text: "nothing more comes from it"),
        ]
    }
}
