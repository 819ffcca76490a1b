/// State of the line that is being typed after `/` or `:`: cursor, completions, and recall of earlier lines.
struct Typing: Equatable {
    /// Completions of the last word.
    struct Choices: Equatable {
        /// The text before that word.
        var head: String
        /// The words that fit there.
        var words: [String]
        /// The index of the inserted word; nil before the first Tab.
        var chosen: Int?
    }

    /// How many characters of the line are before the cursor; nil for all of them.
    var cursor: Int?
    var choices: Choices?
    /// Why the command was refused; a filter is parsed at each key instead.
    var problem: Problem?
    /// The index of the recalled line, 0 for the newest; nil for a new line.
    private(set) var recalled: Int?
    /// The unfinished new line, while a recalled one is shown.
    private var draft = ""

    /// What is wrong with a line, and with which of its characters.
    struct Problem: Error, Equatable {
        var text: String
        var range: Range<Int>
    }

    /// Inserts the next of the completions and keeps them in ``choices``; returns the line, or nil where
    /// there are none.
    mutating func complete(_ found: Choices) -> String? {
        var next = found
        guard !next.words.isEmpty else {
            choices = next
            return nil
        }
        cursor = nil
        let index = next.chosen.map { ($0 + 1) % next.words.count } ?? 0
        next.chosen = index
        // A single completion is final: the next Tab completes anew.
        choices = next.words.count == 1 ? nil : next
        return next.head + next.words[index]
    }

    /// Goes to the line before (or after) the one that is shown; returns it, or nil where there is none.
    mutating func recall(_ step: Int, from lines: [String], instead line: String) -> String? {
        let target = (recalled ?? -1) + step
        guard target >= -1, target < lines.count else { return nil }
        let kept = recalled == nil ? line : draft
        self = Typing()
        draft = kept
        recalled = target < 0 ? nil : target
        return target < 0 ? kept : lines[target]
    }
}

/// Lines that were typed, the newest first.
struct LineHistory: Equatable {
    private(set) var lines: [String] = []
    private static let limit = 100

    mutating func add(_ line: String) {
        guard !line.isEmpty else { return }
        lines.removeAll { $0 == line }
        lines.insert(line, at: 0)
        if lines.count > Self.limit { lines.removeLast() }
    }
}
