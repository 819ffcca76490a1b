/// What goes with a line that is being typed, behind `/` or `:`: how it could go on, and the lines of before.
struct Typing: Equatable {
    /// Ways to go on with the word at the end.
    struct Choices: Equatable {
        /// The text before that word.
        var head: String
        /// The words that fit there.
        var words: [String]
        /// Which of them does.
        var chosen: Int?
    }

    /// How many characters of the line are before the cursor; nil for all of them.
    var cursor: Int?
    var choices: Choices?
    /// Why the line was not done when it was asked for; a filter's line is read with each key instead.
    var problem: Problem?
    /// Which line of before is shown, 0 for the newest; nil while it is a new one.
    private(set) var recalled: Int?
    /// The new line, while one of before is shown.
    private var draft = ""

    /// What is wrong with a line, and with which of its characters.
    struct Problem: Error, Equatable {
        var text: String
        var range: Range<Int>
    }

    /// Puts in the next of the ways to go on, which are ``choices`` once there are some; gives the line, or nil where
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
        // What is the only way can be gone on with at once.
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
