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
    static let intent = Intent.events
    static let keyText = "events: the program's events, one by one"
    static let bindings = [
        KeyMap.Binding(
            .scope, [KeyMap.key("a")], "events of all chains, or only of the selected one", footer: "one chain"),
        KeyMap.Binding(
            .level, [KeyMap.key("V")], "all events; runs and settlements; only what went wrong", footer: "level"),
    ]
    static func cursor(of state: borrowing State) -> ListCursor { state.events.cursor }
    static func setCursor(_ cursor: ListCursor, _ state: inout State) { state.events.cursor = cursor }

    static func updateRows(_ state: inout State) {
        updateIndex(&state)
        let height = height(in: state)
        let entries = state.events.index.entries
        state.events.cursor.resize(entries.count, height: height)
        guard !state.events.isFollowing else {
            state.events.cursor.top = max(0, entries.count - height)
            // One beyond the last row, so that a step up selects the newest row.
            state.events.cursor.selected = entries.count
            return
        }
        if let anchor = state.events.anchor {
            // The selected row stays in sight if the window got smaller.
            let line = anchor.entry == state.events.selected ? min(anchor.line, max(0, height - 1)) : anchor.line
            let top = state.events.index.index(of: anchor.entry) - line
            state.events.cursor.top = min(max(0, top), max(0, entries.count - height))
        }
        if let selected = state.events.selected {
            let row = state.events.index.index(of: selected)
            state.events.cursor.selected = min(row, max(0, entries.count - 1))
            if row == entries.count || entries[row] != selected { state.events.selected = nil }
        }
        storeAnchor(&state)
    }

    /// Anchors the selected row to its line if it is in sight, else the first row to the top.
    private static func storeAnchor(_ state: inout State) {
        let cursor = state.events.cursor
        if let selected = state.events.selected, let line = cursor.line(height: height(in: state)) {
            state.events.anchor = (selected, line)
        } else {
            storeTopAnchor(&state)
        }
    }

    private static func storeTopAnchor(_ state: inout State) {
        let (entries, top) = (state.events.index.entries, state.events.cursor.top)
        state.events.anchor = entries.indices.contains(top) ? (entries[top], 0) : nil
    }

    /// Stops following, before the rows move under the pointer.
    static func willClick(_ state: inout State) { if state.events.isFollowing { didScroll(&state) } }

    static func matchCount(of state: borrowing State) -> (count: Int, unit: String)? {
        (state.events.index.entries.count, "event")
    }

    static func didScroll(_ state: inout State) {
        state.events.isFollowing = false
        storeTopAnchor(&state)
    }

    static func didMoveCursor(_ state: inout State) {
        let row = state.events.cursor.selected
        guard state.events.index.entries.indices.contains(row) else { return }
        let entry = state.events.index.entries[row]
        state.events.isFollowing = false
        state.events.selected = entry
        storeAnchor(&state)
        guard case .event(let event, _)? = self.row(of: entry, state),
            let info = state.programs[entry.programIndex].info
        else { return state.select(nil) }
        let source = state.programs[entry.programIndex].source
        state.select(RowID(source: source, node: NodeKey(process: info.key, id: event.node)))
    }

    /// Returns the row of an entry; nil if the row was dropped.
    static func row(of entry: EventIndex.Entry, _ state: borrowing State) -> EventsInsight.Row? {
        guard state.programs.indices.contains(entry.programIndex) else { return nil }
        return state.programs[entry.programIndex].insight.events.row(entry.number)
    }

    // MARK: Keys

    static func handleOwn(_ intent: Intent, _ state: inout State) -> [Effect]? {
        switch intent {
        case .scope: toggleScope(&state)
        case .level: changeLevel(&state)
        case .end: followNewest(&state)
        case .follow:
            guard state.events.isFollowing else {
                followNewest(&state)
                return []
            }
            state.events.isFollowing = false
            state.events.cursor.selected = max(0, state.events.index.entries.count - 1)
            storeAnchor(&state)
            state.notify("stays here; f or G follows the newest again")
        case .down, .halfDown, .pageDown:
            guard state.events.isFollowing else { return nil }
            state.notify("this follows the newest")
        case .nextMatch, .previousMatch:
            let filter = currentFilter(state)
            goToMatch(forward: intent == .nextMatch, &state) { isMatch($1.events.index.entries[$0], filter, $1) }
        case .back:
            guard state.events.scope != nil, !state.filter.isActive, Layout(state).detail == nil else { return nil }
            toggleScope(&state)
        default: return nil
        }
        return []
    }

    static func handleClickOnCursor(_ click: RowClick, _ state: inout State) {
        guard click.isDouble, state.events.selected != nil else { return }
        if let (programIndex, node) = state.selectedNode {
            state.reveal(node, in: programIndex)
        } else {
            state.notify("this node is no longer kept")
        }
    }

    private static func followNewest(_ state: inout State) {
        state.events.isFollowing = true
        state.events.selected = nil
        state.notify("follows the newest; any move stops that")
        state.updateViewport()
    }

    /// Shows only the chain of the selected node, or all chains again.
    private static func toggleScope(_ state: inout State) {
        if state.events.scope != nil {
            state.events.scope = nil
            state.notify("events of all chains")
        } else if let (programIndex, node) = state.selectedNode {
            let root = state.programs[programIndex].forest.root(of: node)
            let name = NodeText.name(of: root, in: state.programs[programIndex].forest)
            state.events.scope = state.rowID(of: root, in: programIndex)
            state.notify("only events of \(name); a shows all")
        } else {
            state.notify("no node is selected whose chain could be shown")
        }
        state.updateViewport()
    }

    private static func changeLevel(_ state: inout State) {
        let level = state.events.level.next
        state.events.level = level
        let hidden = level.hidden.joined(separator: ", ")
        state.notify(level == .all ? "shows all events" : "shows \(level.words); hides \(hidden)")
        state.updateViewport()
    }

    // MARK: Details

    /// Explains a note, or an event of an evicted node; nil for an event of a kept node, and without a selected row.
    static func detail(of state: borrowing State, width: Int) -> ViewDetail? {
        guard let selected = state.events.selected, let row = row(of: selected, state) else { return nil }
        var text = DetailWriter(width: width, glyphs: state.options.glyphs)
        switch row {
        case .note(let note):
            let words = EventText.words(for: note)
            text.wrap(words.title, style: .warning)
            text.gap()
            text.wrap(words.explanation, style: .normal)
            return ViewDetail(title: "no event", lines: text.lines)
        case .event(let event, let words):
            guard state.selectedNode == nil else { return nil }
            let forest = state.programs[selected.programIndex].forest
            text.wrap(EventText.word(event.kind), style: EventText.style(event.kind))
            let detail = EventText.detail(of: event, text: words, in: forest)
            if !detail.text.isEmpty { text.wrap(detail.text, style: detail.style) }
            text.gap()
            text.wrap("The node has ended and is no longer kept: its events are all that is left.", style: .dim)
            return ViewDetail(title: "\(event.node)", lines: text.lines)
        }
    }
}
