import ChainEvents
import ChainModel
import ChainText
import Frames

/// What the view of events is at.
struct EventsView {
    var cursor = ListCursor()
    /// Whether the newest row stays at the bottom; then no row is selected.
    var isFollowing = true
    /// The root of the only chain that is shown; nil for all.
    var scope: RowID?
    /// The rows, and who makes them anew when they may be others for what the nodes have become.
    var index = EventIndex(ends: [])
    var renewal: EventIndex?
    var filtering: EventFilter?
    /// What the index was made of, and when (nanoseconds since 1970); see ``State/eventFacts``.
    var facts: UInt64 = 0
    var renewed: UInt64 = 0
    /// The row that is selected, and the row that stays on its line.
    var selected: EventIndex.Entry?
    var anchor: (entry: EventIndex.Entry, line: Int)?

    /// The window was moved.
    mutating func didScroll() {
        isFollowing = false
        anchor = index.entries.indices.contains(cursor.top) ? (index.entries[cursor.top], 0) : nil
    }
}

extension State {
    /// Finds the rows anew.
    mutating func arrangeEvents() {
        followEvents()
        let height = viewHeight
        let entries = events.index.entries
        events.cursor.resize(entries.count, height: height)
        guard !events.isFollowing else {
            events.cursor.top = max(0, entries.count - height)
            // One beyond the last: a step up selects the newest.
            events.cursor.selected = entries.count
            return
        }
        if let anchor = events.anchor {
            // The selected row stays in sight of a window that got smaller.
            let line = anchor.entry == events.selected ? min(anchor.line, max(0, height - 1)) : anchor.line
            let top = events.index.index(of: anchor.entry) - line
            events.cursor.top = min(max(0, top), max(0, entries.count - height))
        }
        if let selected = events.selected {
            let index = events.index.index(of: selected)
            events.cursor.selected = min(index, max(0, entries.count - 1))
            if index == entries.count || entries[index] != selected { events.selected = nil }
        }
        anchorEvents(height: height)
    }

    /// What is selected stays on its line, else what is at the top.
    private mutating func anchorEvents(height: Int) {
        let cursor = events.cursor
        if let selected = events.selected, let line = cursor.line(height: height) {
            events.anchor = (selected, line)
        } else {
            events.anchor =
                events.index.entries.indices.contains(cursor.top)
                ? (events.index.entries[cursor.top], 0) : nil
        }
    }

    /// Another row was selected: the node that it stands for is what keys act on.
    mutating func didSelectInEvents() {
        let index = events.cursor.selected
        guard events.index.entries.indices.contains(index) else { return }
        let entry = events.index.entries[index]
        events.isFollowing = false
        events.selected = entry
        anchorEvents(height: viewHeight)
        guard case .event(let event, _)? = row(of: entry), let info = programs[entry.programIndex].info else {
            return select(nil)
        }
        select(RowID(source: programs[entry.programIndex].source, node: NodeKey(process: info.key, id: event.node)))
    }

    /// What an entry of the index stands for; nil where it is gone.
    func row(of entry: EventIndex.Entry) -> EventsInsight.Row? {
        guard programs.indices.contains(entry.programIndex) else { return nil }
        return programs[entry.programIndex].insight.events.row(entry.number)
    }

    /// Does what only this view does; nil where it is done as everywhere.
    mutating func performInEvents(_ intent: Intent) -> [Effect]? {
        switch intent {
        case .scope: toggleEventScope()
        case .end: followNewestEvent()
        case .follow:
            guard events.isFollowing else { return performInEvents(.end) }
            events.isFollowing = false
            events.cursor.selected = max(0, events.index.entries.count - 1)
            anchorEvents(height: viewHeight)
            say("stays here; f or G follows the newest again")
        case .down, .pageDown:
            guard events.isFollowing else { return nil }
            say("this follows the newest")
        case .nextMatch, .previousMatch:
            guard filter.isActive else { return nil }
            goToMatchingEvent(forward: intent == .nextMatch)
        case .back:
            guard events.scope != nil, !filter.isActive, Layout(self).detail == nil else { return nil }
            toggleEventScope()
        default: return nil
        }
        return []
    }

    private mutating func followNewestEvent() {
        events.isFollowing = true
        events.selected = nil
        say("follows the newest; any move stops that")
        updateViewport()
    }

    private mutating func toggleEventScope() {
        if events.scope != nil {
            events.scope = nil
            say("events of all chains")
        } else if let (programIndex, node) = selectedNode {
            let root = programs[programIndex].forest!.root(of: node)
            events.scope = rowID(of: root, in: programIndex)
            say("only events of \(NodeText.name(of: root, in: programs[programIndex].forest!)); a shows all")
        } else {
            say("no node is selected whose chain could be shown")
        }
        updateViewport()
    }

    private mutating func goToMatchingEvent(forward: Bool) {
        let test = eventFilter()
        let entries = events.index.entries
        let start = min(events.cursor.selected, entries.count)
        let rest = forward ? Array((start + 1..<max(start + 1, entries.count))) : (0..<start).reversed()
        guard let index = rest.first(where: { isMatch(entries[$0], test) }) else {
            return say("no match \(forward ? "below" : "above")")
        }
        moveInView(to: index)
    }

    /// Goes to the tree, to the node that the selected event is of.
    mutating func goToNodeOfEvent() {
        guard events.selected != nil else { return }
        if let (programIndex, node) = selectedNode {
            reveal(node, in: programIndex)
        } else {
            say("this node is no longer kept")
        }
    }

    /// A note is explained; an event tells of its node, as long as that is kept.
    func eventsDetail(width: Int) -> ViewDetail? {
        guard let selected = events.selected, let row = row(of: selected) else { return nil }
        var text = DetailWriter(width: width, glyphs: options.glyphs)
        switch row {
        case .note(let note):
            let words = EventText.words(for: note)
            text.wrap(words.title, style: .warning)
            text.gap()
            text.wrap(words.explanation, style: .normal)
            return ViewDetail(title: "no event", lines: text.lines)
        case .event(let event, let words):
            guard selectedNode == nil else { return nil }
            let forest = programs[selected.programIndex].forest!
            text.wrap(EventText.word(event.kind), style: EventText.style(event.kind))
            let detail = EventText.detail(of: event, text: words, in: forest)
            if !detail.text.isEmpty { text.wrap(detail.text, style: detail.style) }
            text.gap()
            text.wrap("The node has ended and is no longer kept: its events are all that is left.", style: .dim)
            return ViewDetail(title: "\(event.node)", lines: text.lines)
        }
    }

    /// A number that changes when the passing of time alone changes the picture.
    var eventsStep: UInt64 { 0 }
}
