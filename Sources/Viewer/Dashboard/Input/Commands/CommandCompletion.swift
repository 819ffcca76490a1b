// SPDX-License-Identifier: MIT

import ChainInsight
import ChainRows
import Frames

// Completions of commands.
extension SharedState {
    /// Returns the completions of the last word of a command line; `marks` are those of the recording.
    func commandChoices(_ text: String, marks: [ReplayMark]) -> Typing.Choices {
        let words = CommandWords(text)
        let isInWord = text.last.map { !$0.isWhitespace } ?? false
        guard let name = words.words.first, words.words.count > 1 || !isInWord else {
            return Self.choices(
                CommandTable.entries.map { $0.name.rawValue + ($0.arguments.isEmpty ? "" : " ") }, for: text, words)
        }
        guard let entry = CommandTable.entry(of: name.text) else { return Typing.Choices(head: text, words: []) }
        if entry.name == .filter || entry.name == .alert {
            let query = words.rest + (isInWord || words.rest.isEmpty ? "" : " ")
            var choices = filterChoices(query, hasEvents: entry.name == .filter)
            let head = String(text.prefix(words.argumentStart))
            choices.head = head + choices.head
            return choices
        }
        let besideMarks: [CommandTable.Name: [String]] = [.at: ["start", "end"], .baseline: ["off"], .unmark: []]
        if let others = besideMarks[entry.name] { return markChoices(text, words, marks, or: others) }
        let index = words.words.count - (isInWord ? 2 : 1)
        return Self.choices(arguments(of: entry.name, at: index), for: text, words)
    }

    /// Returns the completions of a mark's name, which may contain blanks, or of other words.
    private func markChoices(
        _ text: String, _ words: CommandWords, _ marks: [ReplayMark], or others: [String]
    ) -> Typing.Choices {
        let names = others + marks.map(\.name)
        let typed = text.dropFirst(words.argumentStart).lowercased()
        let fitting = names.filter { $0.lowercased().hasPrefix(typed) && $0.lowercased() != typed }
        return Typing.Choices(head: String(text.prefix(words.argumentStart)), words: fitting)
    }

    /// Returns the words that can be the argument at an index.
    private func arguments(of name: CommandTable.Name, at index: Int) -> [String] {
        switch (name, index) {
        case (.view, 0): ViewID.allCases.map(\.name)
        case (.theme, 0): Theme.all.map(\.name)
        case (.sort, 0): SortColumn.allCases.map { $0.rawValue + " " }
        case (.sort, 1): ["asc ", "desc ", "siblings"]
        case (.sort, 2): ["siblings"]
        case (.columns, _): TreeColumn.allCases.map { $0.rawValue + " " } + (index == 0 ? ["default"] : [])
        case (.warn, 0): WarningKind.allCases.map { $0.rawValue + " " } + ["all "]
        case (.warn, 1): ["on", "off"]
        case (.cancel, 0): ["chain"]
        case (.copy, 0): ["tree"]
        case (.rate, 0): RefreshRate.offered.map(String.init)
        case (.save, 0): ["chainview.txt", "chainview.ansi", "chainview.svg", "chainview.json"]
        default: []
        }
    }

    /// Returns the words of `all` that begin with the last word of a line and differ from it. If the line ends with a
    /// blank, returns all words.
    private static func choices(_ all: [String], for text: String, _ words: CommandWords) -> Typing.Choices {
        let isInWord = text.last.map { !$0.isWhitespace } ?? false
        let word = isInWord ? words.words.last!.text : ""
        let fitting = all.filter { $0.hasPrefix(word.lowercased()) && $0 != word }
        return Typing.Choices(head: String(text.dropLast(word.count)), words: fitting)
    }
}
