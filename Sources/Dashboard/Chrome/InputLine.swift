import Frames

/// The line on which a filter or a command is typed, in place of the footer.
extension Painter {
    mutating func paintFilterLine(_ text: String, _ state: borrowing State, _ row: Int) {
        var problem: Typing.Problem?
        do {
            _ = try state.query(text)
        } catch {
            problem = Typing.Problem(text: error.description, range: error.range)
        }
        var column = paintInput("/", text, problem, row)
        if paintChoices(state.typing.choices, row, &column) { return }
        if let problem { return paintProblem(problem, row, column) }
        if state.filter.isActive {
            column += frame.write(found(in: state), row: row, column: column, style: .status) + 3
        }
        paintKeys(of: .filter, row, column)
    }

    mutating func paintCommandLine(_ text: String, _ state: borrowing State, _ row: Int) {
        let problem = state.typing.problem
        var column = paintInput(":", text, problem, row)
        if paintChoices(state.typing.choices, row, &column) { return }
        if let problem { return paintProblem(problem, row, column) }
        if let entry = CommandTable.entry(of: text) {
            let words = [entry.arguments, entry.text].filter { !$0.isEmpty }.joined(separator: "  ")
            frame.write(
                words, row: row, column: column, maxColumns: frame.size.columns - 1 - column, style: .dim,
                ellipsis: glyphs.ellipsis)
            return
        }
        paintKeys(of: .command, row, column)
    }

    /// Draws the sign, the line and the cursor; returns the column of what follows.
    private mutating func paintInput(_ sign: String, _ text: String, _ problem: Typing.Problem?, _ row: Int) -> Int {
        var column = 1
        column += frame.write(sign, row: row, column: column, style: .key)
        let room = max(4, frame.size.columns / 2, frame.size.columns - 32)
        var shown = text.enumerated().map { (offset: $0, text: SafeText.line(String($1), charset: glyphs.charset)) }
        var width = shown.reduce(0) { $0 + TextWidth.of($1.text, charset: glyphs.charset) }
        // The end of a long text is where one types.
        while width > room {
            width -= TextWidth.of(shown[0].text, charset: glyphs.charset)
            shown.removeFirst()
        }
        for (offset, text) in shown {
            let isWrong = problem?.range.contains(offset) == true
            column += frame.write(text, row: row, column: column, style: isWrong ? .error.underlined : .label)
        }
        // What is missing is missing here.
        let isMissing = problem.map { $0.range.isEmpty } ?? false
        frame.fill(row: row, column: column, columns: 1, style: (isMissing ? Style.error : .normal).reversed)
        return column + 3
    }

    private mutating func paintProblem(_ problem: Typing.Problem, _ row: Int, _ column: Int) {
        frame.write(
            problem.text, row: row, column: column, maxColumns: frame.size.columns - 1 - column, style: .error,
            ellipsis: glyphs.ellipsis)
    }

    /// Draws the completions that fit, the chosen one marked; returns whether completions were asked for.
    private mutating func paintChoices(_ choices: Typing.Choices?, _ row: Int, _ column: inout Int) -> Bool {
        guard let choices else { return false }
        let end = frame.size.columns - 1
        guard !choices.words.isEmpty else {
            frame.write("nothing goes on from here", row: row, column: column, maxColumns: end - column, style: .dim)
            return true
        }
        let chosen = choices.chosen ?? 0
        let words = choices.words.map { word in
            SafeText.line(word.last == " " ? String(word.dropLast()) : word, charset: glyphs.charset)
        }
        // The chosen word is always shown; words before it are left out.
        var first = 0
        func width(_ range: ClosedRange<Int>) -> Int {
            range.reduce(0) { $0 + TextWidth.of(words[$1], charset: glyphs.charset) + 2 }
        }
        while first < chosen, column + width(first...chosen) > end { first += 1 }
        for index in first..<words.count {
            let word = words[index]
            guard index == first || column + TextWidth.of(word, charset: glyphs.charset) <= end else { break }
            column +=
                frame.write(
                    word, row: row, column: column, maxColumns: end - column,
                    style: index == chosen ? Style.label.reversed : .keyText, ellipsis: glyphs.ellipsis) + 2
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
