// SPDX-License-Identifier: MIT

/// The state of the line that is being typed after `/` or `:`: cursor, completions, and recall of earlier lines.
struct Typing: Equatable {
    /// The completions of the last word of a line.
    struct Choices: Equatable {
        /// The text before the last word.
        var head: String
        /// The words that can replace the last word.
        var words: [String]
        /// The index of the inserted word; nil before the first Tab.
        var chosen: Int?
    }

    /// How many characters of the line are before the cursor; nil for all characters.
    var cursor: Int?
    /// The completions that Tab goes through; nil if the line was changed after the last Tab, or if there was only one
    /// completion.
    var choices: Choices?
    /// Why the command was refused; unused for a filter, which is parsed when it is drawn.
    var problem: Problem?
    /// The index of the recalled line, 0 for the newest; nil for a new line.
    private(set) var recalled: Int?
    /// The unfinished new line, while a recalled line is shown.
    private var draft = ""

    /// What is wrong with a line, and in which characters. If something is missing, the range is empty and at the end
    /// of the line.
    struct Problem: Error, Equatable {
        var text: String
        var range: Range<Int>
    }

    /// Inserts the next completion and keeps the completions in ``choices``, unless there is only one. Returns the new
    /// line, or nil if there are no completions.
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

    /// Returns the line that is `step` lines older than the shown line, or newer if `step` is negative; nil if there is
    /// no such line. The unfinished line counts as newer than all `lines`. A line of `lines` that equals the unfinished
    /// line is skipped; the filter in force may be such a line.
    mutating func recall(_ step: Int, from lines: [String], instead line: String) -> String? {
        let kept = recalled == nil ? line : draft
        var target = (recalled ?? -1) + step
        if lines.indices.contains(target), lines[target] == kept { target += step }
        guard target >= -1, target < lines.count else { return nil }
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
