// SPDX-License-Identifier: MIT

// Marks: named moments of a recording.
extension State {
    /// Performs `:mark`, `:unmark` or `:marks`.
    mutating func perform(
        marking name: CommandTable.Name, _ words: CommandWords
    ) throws(Typing.Problem) -> [Effect] {
        guard replayPosition ?? presentPosition != nil else {
            throw Typing.Problem(text: "only moments of a recording have marks", range: words.words[0].range)
        }
        switch name {
        case .mark:
            guard words.rest.isEmpty || !ReplayTime.isMoment(words.rest) else {
                throw Typing.Problem(
                    text: "\(words.rest) is a moment itself: choose another name", range: words.words[1].range)
            }
            return replay(.mark(words.rest.isEmpty ? nil : words.rest))
        case .unmark:
            guard !words.rest.isEmpty else { throw words.missing("say which mark; :marks lists them") }
            return replay(.unmark(words.rest))
        default:
            try words.noMore(than: 0)
            listMarks()
            return []
        }
    }
}
