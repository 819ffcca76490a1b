// SPDX-License-Identifier: MIT

import ChainInsight
import Frames

// The line on which a filter or a command is typed, in place of the footer.
extension Painter {
    mutating func paintFilterLine(_ text: String, _ state: borrowing State, _ row: Int) {
        var problem: Typing.Problem?
        do {
            _ = try state.query(text)
        } catch {
            problem = Typing.Problem(text: error.description, range: error.range)
        }
        var column = paintInput("/", text, state.typing.cursor, problem, row)
        if paintChoices(state.typing.choices, row, &column) { return }
        if let problem { return paintProblem(problem, row, column) }
        if text.isEmpty { return paintExamples(row, column) }
        if state.filter.isActive {
            column += frame.write(found(in: state), row: row, column: column, style: .status) + 3
        }
        paintKeys(of: .filter, row, column)
    }

    mutating func paintCommandLine(_ text: String, _ state: borrowing State, _ row: Int) {
        let problem = state.typing.problem
        var column = paintInput(":", text, state.typing.cursor, problem, row)
        if paintChoices(state.typing.choices, row, &column) { return }
        if let problem { return paintProblem(problem, row, column) }
        if let entry = CommandTable.entry(of: text) {
            let words = [entry.arguments, entry.text].filter { !$0.isEmpty }.joined(separator: "  ")
            write(words, row: row, column: column, end: frame.size.columns - 1, style: .dim)
            return
        }
        paintKeys(of: .command, row, column)
    }

    /// Draws example queries, and on the line above the examples the names of the fields. Called while nothing is
    /// typed.
    private mutating func paintExamples(_ row: Int, _ column: Int) {
        let fields = QueryCompletion.fields.joined(separator: " ")
        let lines = [
            (row, column, Self.examples.joined(separator: "   ")), (row - 1, 2, "fields: " + fields),
        ]
        frame.fill(row: row - 1, column: 0, columns: frame.size.columns, style: .normal)
        for (row, column, text) in lines {
            write(text, row: row, column: column, end: frame.size.columns - 1, style: .dim)
        }
    }

    private static let examples = [
        "charge", "live", "failed", "total > 5s", "#17", "Order.swift:42", "charge|bank -refund", "/order 1[0-9]/",
        "@slow",
    ]

    /// Draws the sign, the typed line and the cursor; of a long line, only the part around the cursor. Returns the
    /// column at which further text may begin.
    private mutating func paintInput(
        _ sign: String, _ text: String, _ cursor: Int?, _ problem: Typing.Problem?, _ row: Int
    ) -> Int {
        var column = 1
        column += frame.write(sign, row: row, column: column, style: .key)
        let room = max(4, frame.size.columns / 2, frame.size.columns - 32)
        // The cursor after the text stands on a blank.
        let shown = text.map { glyphs.safe(String($0)) } + [" "]
        let widths = shown.map { glyphs.width(of: $0) }
        let cursor = min(cursor ?? text.count, text.count)
        var first = 0
        var width = widths[...cursor].reduce(0, +)
        while width > room {
            width -= widths[first]
            first += 1
        }
        // An empty range means that something is missing at the end.
        let isMissing = problem.map { $0.range.isEmpty } ?? false
        let start = column
        for index in first..<shown.count {
            guard index <= cursor || column - start + widths[index] <= room else { break }
            let isWrong = problem?.range.contains(index) == true || isMissing && index == text.count
            var style: Style = isWrong ? .error.underlined : .label
            if index == text.count { style = isWrong ? .error : .normal }
            if index == cursor { style = style.reversed }
            if index == text.count, index != cursor { break }
            column += frame.write(shown[index], row: row, column: column, style: style)
        }
        return column + (cursor == text.count ? 2 : 3)
    }

    private mutating func paintProblem(_ problem: Typing.Problem, _ row: Int, _ column: Int) {
        write(problem.text, row: row, column: column, end: frame.size.columns - 1, style: .error)
    }

    /// Draws the completions that fit, and marks the chosen completion; returns false if no completions were asked for.
    private mutating func paintChoices(_ choices: Typing.Choices?, _ row: Int, _ column: inout Int) -> Bool {
        guard let choices else { return false }
        let end = frame.size.columns - 1
        guard !choices.words.isEmpty else {
            frame.write("no completions", row: row, column: column, maxColumns: end - column, style: .dim)
            return true
        }
        let chosen = choices.chosen ?? 0
        let words = choices.words.map { word in
            glyphs.safe(word.last == " " ? String(word.dropLast()) : word)
        }
        // The chosen word is always shown; if there is no room for it, words before it are left out.
        var first = 0
        func width(_ range: ClosedRange<Int>) -> Int {
            range.reduce(0) { $0 + glyphs.width(of: words[$1]) + 2 }
        }
        while first < chosen, column + width(first...chosen) > end { first += 1 }
        for index in first..<words.count {
            let word = words[index]
            guard index == first || column + glyphs.width(of: word) <= end else { break }
            column +=
                write(
                    word, row: row, column: column, end: end, style: index == chosen ? Style.label.reversed : .keyText)
                + 2
        }
        return true
    }

    private mutating func paintKeys(of context: KeyMap.Context, _ row: Int, _ start: Int) {
        var column = start
        for item in KeyMap.footer(in: context, glyphs) {
            guard column + item.key.count + item.word.count + 1 < frame.size.columns else { break }
            column += writeKey(item, row: row, column: column) + 2
        }
    }
}
