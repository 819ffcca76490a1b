import ChainText

// Marks: named moments of a recording.
extension State {
    /// `:mark`, `:unmark` and `:marks`.
    mutating func perform(
        marking name: CommandTable.Name, _ words: CommandWords
    ) throws(Typing.Problem) -> [Effect] {
        guard let position = replayPosition ?? presentPosition else {
            throw Typing.Problem(text: "only moments of a recording have marks", range: words.words[0].range)
        }
        switch name {
        case .mark: return replay(.mark(words.rest.isEmpty ? nil : words.rest))
        case .unmark:
            guard !words.rest.isEmpty else { throw words.missing("say which mark; :marks lists them") }
            return replay(.unmark(words.rest))
        default:
            try words.noMore(than: 0)
            listMarks(from: position.range.lowerBound)
            return []
        }
    }

    private mutating func listMarks(from start: UInt64) {
        let list = timeStrip.marks.map { mark in
            "\(NodeText.safe(mark.name)) at \(ReplayTime.exact(mark.time.subtractingClamped(start)))"
        }
        notify(
            list.isEmpty
                ? "no marks; M marks the moment, :mark NAME names it"
                : "\(list.count == 1 ? "1 mark" : "\(list.count) marks"): \(list.joined(separator: "   "))")
    }
}
