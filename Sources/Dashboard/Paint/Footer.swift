import ChainModel
import Frames

extension Painter {
    /// The last line: what was just said, what is being typed, or the keys that act now.
    mutating func paintFooter(_ state: borrowing State) {
        let row = layout.footerRow
        if case .filter(let text) = state.mode { return paintFilterLine(text, state, row) }
        if let status = state.status, state.context == .tree {
            frame.write(
                status.text, row: row, column: 1, maxColumns: frame.size.columns - 2,
                style: status.tone == .warning ? .warning : .status, ellipsis: glyphs.ellipsis)
            return
        }
        var column = 1
        let filter = state.filter
        if filter.isActive {
            column += frame.write(
                "/\(filter.text)", row: row, column: column, maxColumns: 24, style: .match, ellipsis: glyphs.ellipsis)
            column += frame.write("  \(found(in: state))", row: row, column: column, style: .status) + 3
        } else if !state.tags.isEmpty {
            column += frame.write(
                "\(glyphs.tagged) \(state.tags.count) tagged", row: row, column: column, style: .warning)
            column += 3
        }
        for item in items(for: state) {
            let width =
                TextWidth.of(item.key, charset: glyphs.charset) + 1 + TextWidth.of(item.word, charset: glyphs.charset)
            guard column + width < frame.size.columns else { break }
            column += frame.write(item.key, row: row, column: column, style: .key) + 1
            column += frame.write(item.word, row: row, column: column, style: .keyText) + 2
        }
    }

    private func items(for state: borrowing State) -> [(key: String, word: String)] {
        var items = KeyMap.footer(in: state.context, glyphs)
        if state.context == .tree {
            let isNothing = state.selection == nil
            items.removeAll { item in
                switch item.intent {
                case .cancelNode: !state.canCancel
                case .why: !state.isSelectionLive
                case .left, .detail: isNothing
                default: false
                }
            }
            for place in items.indices where items[place].intent == .freeze && state.isFrozen {
                items[place].word = "go on"
            }
            if state.filter.isActive {
                items.insert(("n", "next", .nextMatch), at: 0)
                items.insert(("m", state.filter.dims ? "hide rest" : "dim rest", .dim), at: 1)
                items.insert(("Esc", "drop", .back), at: 2)
            }
        }
        // Help and quit stay, whatever else has to give way.
        let room = frame.size.columns - 2
        func width() -> Int { items.reduce(0) { $0 + TextWidth.of($1.key) + 3 + $1.word.count } }
        let order: [Intent] = [.follow, .why, .freeze, .detail, .filter, .left, .cancelNode]
        for intent in order where width() > room { items.removeAll { $0.intent == intent } }
        return items.map { ($0.key, $0.word) }
    }

    private func found(in state: borrowing State) -> String {
        let count = CountText.grouped(state.matchCount)
        return state.isScanning ? "\(count) so far" : "\(count) \(state.matchCount == 1 ? "match" : "matches")"
    }

    private mutating func paintFilterLine(_ text: String, _ state: borrowing State, _ row: Int) {
        var column = 1
        column += frame.write("/", row: row, column: column, style: .key)
        let room = max(4, frame.size.columns - 32)
        // The end of a long text is where one types.
        var shown = SafeText.line(text, charset: glyphs.charset)
        while TextWidth.of(shown, charset: glyphs.charset) > room { shown.removeFirst() }
        column += frame.write(shown, row: row, column: column, style: .label)
        frame.fill(row: row, column: column, columns: 1, style: Style.normal.reversed)
        column += 3
        if state.filter.isActive {
            column += frame.write(found(in: state), row: row, column: column, style: .status) + 3
        }
        for item in KeyMap.footer(in: .filter, glyphs) {
            guard column + item.key.count + item.word.count + 1 < frame.size.columns else { break }
            column += frame.write(item.key, row: row, column: column, style: .key) + 1
            column += frame.write(item.word, row: row, column: column, style: .keyText) + 2
        }
    }
}

extension State {
    /// Whether a node is selected that has not settled.
    var isSelectionLive: Bool {
        selectedNode.map { observed[$0.place].forest!.state(of: $0.node).isLive } ?? false
    }

    /// Whether asking to cancel could come to anything.
    var canCancel: Bool {
        guard let selection, let place = selectedPlace, whyNotCancel(in: place) == nil else { return false }
        if !tags.isEmpty { return true }
        guard selection.node != nil else { return observed[place].liveCount > 0 }
        return selectedNode.map { observed[place].forest!.chain(of: $0.node).liveCount > 0 } ?? false
    }
}
