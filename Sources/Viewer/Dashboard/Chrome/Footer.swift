// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

extension Painter {
    /// Draws the last line of the screen. While a filter or a command is being typed, the line shows the typed text.
    /// Otherwise it shows the number of tags, and then the message; if there is no message, the active filter and the
    /// keys that do something in the present state.
    mutating func paintFooter(_ state: borrowing State) {
        let row = layout.footerRow
        if case .filter(let text) = state.mode { return paintFilterLine(text, state, row) }
        if case .command(let text) = state.mode { return paintCommandLine(text, state, row) }
        var column = 1
        if !state.presentTags.isEmpty {
            let words = "\(glyphs.tagged) \(CountText.grouped(state.presentTags.count)) tagged"
            column += frame.write(words, row: row, column: column, style: .warning) + 3
        }
        if let status = state.status, state.context.isView {
            write(
                status.text, row: row, column: column, end: frame.size.columns - 1,
                style: status.tone == .warning ? .warning : .status)
            return
        }
        let filter = state.filter
        if filter.isActive {
            column += frame.write(
                "/\(filter.text)", row: row, column: column, maxColumns: 24, style: .match, ellipsis: glyphs.ellipsis)
            column += frame.write("  \(found(in: state))", row: row, column: column, style: .status) + 3
        }
        for item in items(for: state, into: frame.size.columns - 1 - column) {
            let width = glyphs.width(of: item.key) + 1 + glyphs.width(of: item.word)
            guard column + width < frame.size.columns else { break }
            column += writeKey(item, row: row, column: column) + 2
        }
    }

    /// Writes a key and its word, and records the area in which a click performs the key; returns the width.
    mutating func writeKey(_ item: (key: String, word: String, intent: Intent), row: Int, column: Int) -> Int {
        let keyWidth = frame.write(item.key, row: row, column: column, style: .key)
        let width = keyWidth + 1 + frame.write(item.word, row: row, column: column + keyWidth + 1, style: .keyText)
        // Each key of a pair such as ↑↓ can be clicked; a click on the word after the pair acts as the second key.
        let partner: [Intent: Intent] = [
            .up: .down, .left: .right, .secondBack: .secondOn,
            .previousEvent: .nextEvent, .previousNotable: .nextNotable, .playFaster: .playSlower,
        ]
        if var second = partner[item.intent] ?? KeyMap.partners[item.intent], keyWidth == 2 {
            var first = item.intent
            // Without arrows the pair is `jk`: down, then up.
            if item.key == "jk" { swap(&first, &second) }
            clickAreas.append((Area(row: row, column: column, rows: 1, columns: 1), first))
            clickAreas.append((Area(row: row, column: column + 1, rows: 1, columns: width - 1), second))
        } else {
            clickAreas.append((Area(row: row, column: column, rows: 1, columns: width), item.intent))
        }
        return width
    }

    /// Returns the keys that do something in the present state and fit into `room` columns.
    private func items(for state: borrowing State, into room: Int) -> [(key: String, word: String, intent: Intent)] {
        if case .help(let help) = state.mode, help.isTyping {
            return [(glyphs.enter, "search", .accept), ("Esc", "clear", .abort)]
        }
        var items = KeyMap.footer(in: state.context, glyphs)
        if state.context.isView {
            items.removeAll { !doesAct($0.intent, state) }
            for index in items.indices {
                items[index].word = state.views[state.view].footerWord(for: items[index].intent) ?? items[index].word
            }
            if let position = state.replayPosition {
                items.removeAll { $0.intent == .freeze }
                var keys = KeyMap.footer(in: .replay, glyphs)
                if position.isPlaying { keys[0].word = "pause" }
                if position.isPast { keys.insert(contentsOf: KeyMap.footer(in: .past, glyphs), at: 1) }
                let (context, time) = (state.context, state.timeKeys)
                items = keys.filter { KeyMap.hasTimeKey(for: $0.intent, in: context, time: time) } + items
            }
            if state.view == .chains || state.view.type.listsPrograms, state.presentTags.isEmpty,
                state.selection?.isProgram == true
            {
                for index in items.indices where items[index].intent == .cancelNode { items[index].word = "cancel all" }
            }
            for index in items.indices where items[index].intent == .freeze && state.isFrozen {
                items[index].word = "resume"
            }
            if state.detail.selectedLink(of: state.selection, layout) != nil {
                for index in items.indices where items[index].intent == .visit { items[index].word = "go to" }
            }
            if state.filter.isActive {
                items.insert(("n", "next", .nextMatch), at: 0)
                items.insert(("Esc", "clear", .back), at: 1)
                if !state.view.type.keepsAllRows {
                    items.insert(("m", state.filter.dims ? "hide rest" : "dim rest", .dim), at: 1)
                }
            }
        }
        let columns = { (item: (key: String, word: String, intent: Intent)) in
            TextWidth.of(item.key) + 3 + item.word.count
        }
        // What the view itself binds to Enter and the arrows says what the view is for.
        let bindings = state.context.isView ? state.view.type.bindings : []
        let own = Set(bindings.map(\.intent)).intersection([.visit, .left])
        return fitting(
            items, into: room, gap: 0,
            rank: { item in
                own.contains(item.intent)
                    ? 1 : Self.ranks[item.intent] ?? bindings.first { $0.intent == item.intent }?.rank
            }, columns: columns)
    }

    /// Returns whether a key of the footer does something in the present state. A key without a rule below always does.
    private func doesAct(_ intent: Intent, _ state: borrowing State) -> Bool {
        let type = state.view.type
        // If the view binds the intent itself, the view decides; the rules below are for the other views.
        if type.bindings.contains(where: { $0.intent == intent }) {
            return state.views[state.view].offers(intent, hasSelection: state.selection != nil)
        }
        // Keys that act on a node are not offered where rows are not nodes.
        let hasNodeRows = type.hasNodeRows
        switch intent {
        case .cancelNode:
            return state.canCancel && hasNodeRows && !(state.isSelectionHidden && state.presentTags.isEmpty)
        case .why: return state.isSelectionLive && hasNodeRows && !state.isSelectionHidden
        case .left: return state.selection != nil
        case .visit: return state.selection != nil || !hasNodeRows
        default: return true
        }
    }

    /// The ranks of keys. If not all keys fit, the key of the highest rank is left out first; a key without a rank is
    /// never left out.
    private static let ranks: [Intent: Int] = [
        .onlyStuck: 13, .onlySlow: 12, .follow: 11, .group: 10, .why: 9, .freeze: 8,
        .left: 7,
        .detail: 6, .visit: 5, .cancelNode: 5, .onlyLive: 4, .onlyFailed: 3, .filter: 2, .dim: 1, .up: 0,
    ]

    /// Returns how many of all nodes match the filter, as text. In the view Events, if the filter hides rows, returns
    /// how many events match.
    func found(in state: borrowing State) -> String {
        if !state.filter.dims, let (count, unit) = state.views[state.view].matchingRows {
            return CountText.counted(count, unit)
        }
        let total = state.world.programs.reduce(0) { $0 + $1.forest.totals.counts.nodeCount }
        let count = "\(CountText.grouped(state.matchCount)) of \(CountText.grouped(total))"
        if state.isScanning { return count + " so far" }
        guard state.filter.dims || state.view.type.keepsAllRows else { return count + " shown" }
        return count + (state.matchCount == 1 ? " matches" : " match")
    }
}
