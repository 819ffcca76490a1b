// SPDX-License-Identifier: MIT

import ChainModel
import ChainText

/// The view of events: the log of all programs, by time.
struct EventsView {
    var cursor = ListCursor()
    /// Whether the newest row stays at the bottom; then no row is selected.
    var isFollowing = true
    /// Which kinds of events are shown.
    var level = EventLevel.all
    /// The root of the only chain that is shown; nil for all chains.
    var scope: RowID?
    /// The rows of the view, in order of time.
    var index = EventIndex(ends: [])
    /// The rows that will replace ``index`` once they are complete, because nodes have changed; nil if no such rows are
    /// being made.
    var renewal: EventIndex?
    /// The filter that ``index`` was made with; nil before the view is first shown.
    var indexFilter: EventFilter?
    /// The ``nodeRevision(_:)`` when the index or its latest renewal was begun.
    var nodeRevision: UInt64 = 0
    /// When the index or its latest renewal was begun, in nanoseconds since 1970.
    var renewed: UInt64 = 0
    var selected: EventIndex.Entry?
    /// A row, and the line of the window on which the row is kept.
    var anchor: (entry: EventIndex.Entry, line: Int)?
}

extension EventsView: ListView {
    static let name = "events"
    static let keyText = "events: the program's events, one by one"
    static let acting: Set<Intent> = [.follow]
    static let filtersEvents = true

    /// What the view's own keys ask for.
    enum Own: String, CaseIterable { case scope, level }

    static let bindings = [
        KeyMap.Binding(
            own: Own.scope, [KeyMap.key("a")], "events of all chains, or only of the selected one", footer: "one chain"),
        KeyMap.Binding(
            own: Own.level, [KeyMap.key("V")], "all events; runs and settlements; only what went wrong", footer: "level"
        ),
    ]

    mutating func updateRows(_ context: inout ViewContext) {
        updateIndex(context)
        let height = height(in: context)
        let entries = index.entries
        cursor.resize(entries.count, height: height)
        guard !isFollowing else {
            cursor.top = max(0, entries.count - height)
            // One beyond the last row, so that a step up selects the newest row.
            cursor.selected = entries.count
            return
        }
        if let anchor {
            // The selected row stays in sight if the window got smaller.
            let line = anchor.entry == selected ? min(anchor.line, max(0, height - 1)) : anchor.line
            let top = index.index(of: anchor.entry) - line
            cursor.top = min(max(0, top), max(0, entries.count - height))
        }
        if let selected {
            let row = index.index(of: selected)
            cursor.selected = min(row, max(0, entries.count - 1))
            if row == entries.count || entries[row] != selected { self.selected = nil }
        }
        storeAnchor(context)
    }

    /// Anchors the selected row to its line if it is in sight, else the first row to the top.
    private mutating func storeAnchor(_ context: ViewContext) {
        if let selected, let line = cursor.line(height: height(in: context)) {
            anchor = (selected, line)
        } else {
            storeTopAnchor()
        }
    }

    private mutating func storeTopAnchor() {
        let (entries, top) = (index.entries, cursor.top)
        anchor = entries.indices.contains(top) ? (entries[top], 0) : nil
    }

    /// Stops following, before the rows move under the pointer.
    mutating func willClick(line: Int, _ context: inout ViewContext) -> RowID? {
        if isFollowing { didScroll(context) }
        return nil
    }

    var matchingRows: (count: Int, unit: String)? {
        (index.entries.count, "event")
    }

    mutating func didScroll(_ context: ViewContext) {
        isFollowing = false
        storeTopAnchor()
    }

    mutating func didMoveCursor(_ context: inout ViewContext) {
        let row = cursor.selected
        guard index.entries.indices.contains(row) else { return }
        let entry = index.entries[row]
        isFollowing = false
        selected = entry
        storeAnchor(context)
        guard case .event(let event, _)? = self.row(of: entry, context),
            let info = context.programs[entry.programIndex].info
        else { return context.select(nil) }
        let source = context.programs[entry.programIndex].source
        context.select(RowID(source: source, node: NodeKey(process: info.key, id: event.node)))
    }

    /// Returns the row of an entry; nil if the row was dropped.
    func row(of entry: EventIndex.Entry, _ context: ViewContext) -> EventsInsight.Row? {
        guard context.programs.indices.contains(entry.programIndex) else { return nil }
        return context.programs[entry.programIndex].insight.events.row(entry.number)
    }

    // MARK: Keys

    mutating func handleShared(_ intent: Intent, _ context: inout ViewContext) -> Bool {
        switch intent {
        case .end: followNewest(&context)
        case .follow:
            guard isFollowing else {
                followNewest(&context)
                return true
            }
            isFollowing = false
            cursor.selected = max(0, index.entries.count - 1)
            storeAnchor(context)
            context.notify("stays here; f or G follows the newest again")
        case .down, .halfDown, .pageDown:
            guard isFollowing else { return false }
            context.notify("this follows the newest")
        case .nextMatch, .previousMatch:
            let filter = currentFilter(context)
            goToMatch(forward: intent == .nextMatch, &context) { row, view, context in
                view.isMatch(view.index.entries[row], filter, context)
            }
        case .back:
            guard scope != nil, !context.filter.isActive, context.layout.detail == nil else { return false }
            toggleScope(&context)
        default: return false
        }
        return true
    }

    mutating func perform(_ intent: Own, _ context: inout ViewContext) {
        switch intent {
        case .scope: toggleScope(&context)
        case .level: changeLevel(&context)
        }
    }

    mutating func handleClickOnCursor(_ click: RowClick, _ context: inout ViewContext) {
        guard click.isDouble, selected != nil else { return }
        if let (programIndex, node) = context.selectedNode {
            context.reveal(node, in: programIndex)
        } else {
            context.notify("this node is no longer kept")
        }
    }

    private mutating func followNewest(_ context: inout ViewContext) {
        isFollowing = true
        selected = nil
        context.notify("follows the newest; any move stops that")
    }

    /// Shows only the chain of the selected node, or all chains again.
    private mutating func toggleScope(_ context: inout ViewContext) {
        if scope != nil {
            scope = nil
            context.notify("events of all chains")
        } else if let (programIndex, node) = context.selectedNode {
            let root = context.programs[programIndex].forest.root(of: node)
            let name = NodeText.name(of: root, in: context.programs[programIndex].forest)
            scope = context.rowID(of: root, in: programIndex)
            context.notify("only events of \(name); a shows all")
        } else {
            context.notify("no node is selected whose chain could be shown")
        }
    }

    private mutating func changeLevel(_ context: inout ViewContext) {
        level = level.next
        let hidden = level.hidden.joined(separator: ", ")
        context.notify(level == .all ? "shows all events" : "shows \(level.words); hides \(hidden)")
    }

    // MARK: Details

    /// Explains a note, or an event of an evicted node; nil for an event of a kept node, and without a selected row.
    func detail(in context: ViewContext, width: Int) -> ViewDetail? {
        guard let selected, let row = row(of: selected, context) else { return nil }
        var text = DetailWriter(width: width, glyphs: context.options.glyphs)
        switch row {
        case .note(let note):
            let words = EventText.words(for: note)
            text.wrap(words.title, style: .warning)
            text.gap()
            text.wrap(words.explanation, style: .normal)
            return ViewDetail(title: "no event", lines: text.lines)
        case .event(let event, let words):
            guard context.selectedNode == nil else { return nil }
            let forest = context.programs[selected.programIndex].forest
            text.wrap(EventText.word(event.kind), style: EventText.style(event.kind))
            let detail = EventText.detail(of: event, text: words, in: forest)
            if !detail.text.isEmpty { text.wrap(detail.text, style: detail.style) }
            text.gap()
            text.wrap("The node has ended and is no longer kept: its events are all that is left.", style: .dim)
            return ViewDetail(title: "\(event.node)", lines: text.lines)
        }
    }
}
