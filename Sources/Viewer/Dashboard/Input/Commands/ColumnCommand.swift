// SPDX-License-Identifier: MIT

extension TreeColumn {
    /// Reads the columns that `:columns` names; nil if it names none.
    static func columns(namedIn words: CommandWords) throws(Typing.Problem) -> [TreeColumn]? {
        guard let first = words.arguments.first else { return nil }
        if first.text.lowercased() == "default" {
            try words.noMore(than: 1)
            return usual
        }
        var chosen: [TreeColumn] = []
        for word in words.arguments {
            for name in word.text.lowercased().split(separator: ",") {
                guard let column = TreeColumn(rawValue: String(name)) else {
                    let names = allCases.map(\.rawValue).joined(separator: " ")
                    throw Typing.Problem(text: "there is no column \(name): \(names) default", range: word.range)
                }
                chosen.append(column)
            }
        }
        return valid(chosen)
    }
}

extension ChainsView {
    /// Returns the message that lists the columns that are shown, the chosen columns without room, and the columns that
    /// were not chosen.
    func columnWords(_ context: ViewContext) -> String {
        func list(_ columns: [TreeColumn]) -> String { columns.map(\.rawValue).joined(separator: " ") }
        let shown = columns(in: context.layout.content.columns).shown.map(\.column)
        var text = "columns: \(list(shown))"
        let hidden = columns.filter { !shown.contains($0) }
        if !hidden.isEmpty { text += "; no room for \(list(hidden))" }
        let others = TreeColumn.allCases.filter { !columns.contains($0) }
        if !others.isEmpty { text += "; there are also \(list(others))" }
        return text
    }
}
