import ChainModel
import ChainText
import Frames

extension Painter {
    /// Draws the last line: the status, the line that is being typed, or the keys that act now.
    mutating func paintFooter(_ state: borrowing State) {
        let row = layout.footerRow
        if case .filter(let text) = state.mode { return paintFilterLine(text, state, row) }
        if case .command(let text) = state.mode { return paintCommandLine(text, state, row) }
        var column = 1
        if !state.tags.isEmpty {
            let words = "\(glyphs.tagged) \(CountText.grouped(state.tags.count)) tagged"
            column += frame.write(words, row: row, column: column, style: .warning) + 3
        }
        if let status = state.status, state.context.isView {
            frame.write(
                status.text, row: row, column: column, maxColumns: frame.size.columns - 1 - column,
                style: status.tone == .warning ? .warning : .status, ellipsis: glyphs.ellipsis)
            return
        }
        let filter = state.filter
        if filter.isActive {
            column += frame.write(
                "/\(filter.text)", row: row, column: column, maxColumns: 24, style: .match, ellipsis: glyphs.ellipsis)
            column += frame.write("  \(found(in: state))", row: row, column: column, style: .status) + 3
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
        if state.context.isView {
            let isNothing = state.selection == nil
            // Keys that act on a node do nothing where rows are no nodes.
            let isOfNodes = state.view.type.hasNodeRows
            items.removeAll { item in
                switch item.intent {
                case .cancelNode: !state.canCancel || !isOfNodes
                case .why: !state.isSelectionLive || !isOfNodes
                case .left: isNothing
                case .detail: isNothing && isOfNodes
                default: false
                }
            }
            for index in items.indices where items[index].intent == .freeze && state.isFrozen {
                items[index].word = "go on"
            }
            if state.filter.isActive {
                items.insert(("n", "next", .nextMatch), at: 0)
                items.insert(("Esc", "drop", .back), at: 1)
                if !state.view.type.keepsAllRows {
                    items.insert(("m", state.filter.dims ? "hide rest" : "dim rest", .dim), at: 1)
                }
            }
        }
        let columns = { (item: (key: String, word: String, intent: Intent)) in
            TextWidth.of(item.key) + 3 + item.word.count
        }
        return fitting(
            items, into: frame.size.columns - 2, gap: 0, rank: { Self.ranks[$0.intent] }, columns: columns
        ).map { ($0.key, $0.word) }
    }

    /// Keys that give way where there is not room for all, the highest first.
    private static let ranks: [Intent: Int] = [
        .follow: 6, .why: 5, .freeze: 4, .detail: 3, .filter: 2, .left: 1, .cancelNode: 0,
    ]

    /// How many match, and of how many.
    func found(in state: borrowing State) -> String {
        if state.view == .events, !state.filter.dims {
            let count = state.events.index.entries.count
            return "\(CountText.grouped(count)) \(count == 1 ? "event" : "events")"
        }
        let total = state.programs.reduce(0) { $0 + $1.forest.totals.counts.nodeCount }
        let count = "\(CountText.grouped(state.matchCount)) of \(CountText.grouped(total))"
        if state.isScanning { return count + " so far" }
        guard state.filter.dims || state.view.type.keepsAllRows else { return count + " shown" }
        return count + (state.matchCount == 1 ? " matches" : " match")
    }
}

extension State {
    /// Whether a node is selected that has not settled.
    var isSelectionLive: Bool {
        selectedNode.map { programs[$0.programIndex].forest.state(of: $0.node).isLive } ?? false
    }

    /// Whether asking to cancel could come to anything.
    var canCancel: Bool {
        guard let selection, let programIndex = selectedProgramIndex, whyNotCancel(in: programIndex) == nil else {
            return false
        }
        if !tags.isEmpty { return true }
        guard selection.node != nil else { return programs[programIndex].liveCount > 0 }
        return selectedNode.map { programs[programIndex].forest.chain(of: $0.node).liveCount > 0 } ?? false
    }
}
