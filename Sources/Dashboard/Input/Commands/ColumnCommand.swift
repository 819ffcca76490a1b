// SPDX-License-Identifier: MIT

extension State {
    /// Performs `:columns`: shows the named columns in their order; without a name, lists the columns in a message.
    mutating func chooseColumns(_ words: CommandWords) throws(Typing.Problem) {
        guard let first = words.arguments.first else { return notify(columnWords) }
        if first.text.lowercased() == "default" {
            try words.noMore(than: 1)
            return show(columns: TreeColumn.usual)
        }
        var chosen: [TreeColumn] = []
        for word in words.arguments {
            let names = word.text.lowercased().drop { $0 == "," }.split(separator: ",")
            for name in names {
                guard let column = TreeColumn(rawValue: String(name)) else {
                    throw Typing.Problem(
                        text: "there is no column \(name): \(Self.columnNames) default", range: word.range)
                }
                chosen.append(column)
            }
        }
        show(columns: chosen)
    }

    private mutating func show(columns wanted: [TreeColumn]) {
        tree.columns = TreeColumn.valid(wanted)
        showTree()
        updateViewport()
        notify(columnWords)
    }

    private static var columnNames: String { TreeColumn.allCases.map(\.rawValue).joined(separator: " ") }

    /// The message that lists the columns that are shown, the chosen columns without room, and the columns that were
    /// not chosen.
    private var columnWords: String {
        func list(_ columns: [TreeColumn]) -> String { columns.map(\.rawValue).joined(separator: " ") }
        let shown = tree.columns(in: Layout(self).content.columns).shown.map(\.column)
        var text = "columns: \(list(shown))"
        let hidden = tree.columns.filter { !shown.contains($0) }
        if !hidden.isEmpty { text += "; no room for \(list(hidden))" }
        let others = TreeColumn.allCases.filter { !tree.columns.contains($0) }
        if !others.isEmpty { text += "; there are also \(list(others))" }
        return text
    }
}
