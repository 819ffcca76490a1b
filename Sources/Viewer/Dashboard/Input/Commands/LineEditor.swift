// SPDX-License-Identifier: MIT

import Frames

/// A line of text with a cursor, edited as in a shell. A change of the text costs O(its length).
struct LineEditor: Equatable {
    private(set) var characters: [Character]
    /// How many characters are before the cursor.
    private(set) var cursor: Int

    init(_ text: String, cursor: Int? = nil) {
        characters = Array(text)
        self.cursor = min(max(0, cursor ?? characters.count), characters.count)
    }

    var text: String { String(characters) }

    /// Performs a key as a shell's line editor does; returns false for a key without a meaning there.
    mutating func press(_ key: KeyPress) -> Bool {
        switch (key.key, key.modifiers) {
        case (.left, []), (.character("b"), .control): cursor = max(0, cursor - 1)
        case (.right, []), (.character("f"), .control): cursor = min(characters.count, cursor + 1)
        case (.home, _), (.character("a"), .control): cursor = 0
        case (.end, _), (.character("e"), .control): cursor = characters.count
        case (.left, _), (.character("b"), .alt): cursor = wordStart
        case (.right, _), (.character("f"), .alt): cursor = wordEnd
        case (.backspace, .alt): delete(wordStart..<cursor)
        case (.backspace, _): delete(max(0, cursor - 1)..<cursor)
        case (.delete, _), (.character("d"), .control): delete(cursor..<min(characters.count, cursor + 1))
        case (.character("d"), .alt): delete(cursor..<wordEnd)
        case (.character("w"), .control): delete(blankWordStart..<cursor)
        case (.character("u"), .control): delete(0..<cursor)
        case (.character("k"), .control): delete(cursor..<characters.count)
        default: return false
        }
        return true
    }

    /// Inserts a text before the cursor. A leading combining mark joins the character before it.
    mutating func insert(_ text: String) {
        let before = String(characters[..<cursor]) + text
        characters = Array(before + String(characters[cursor...]))
        cursor = min(before.count, characters.count)
    }

    private mutating func delete(_ range: Range<Int>) {
        let (before, after) = (String(characters[..<range.lowerBound]), String(characters[range.upperBound...]))
        // The two parts are joined as a string, because characters may combine across the gap.
        characters = Array(before + after)
        cursor = min(before.count, characters.count)
    }

    private var wordStart: Int {
        var index = cursor
        while index > 0, !Self.isInWord(characters[index - 1]) { index -= 1 }
        while index > 0, Self.isInWord(characters[index - 1]) { index -= 1 }
        return index
    }

    private var wordEnd: Int {
        var index = cursor
        while index < characters.count, !Self.isInWord(characters[index]) { index += 1 }
        while index < characters.count, Self.isInWord(characters[index]) { index += 1 }
        return index
    }

    /// The start of the word before the cursor, where words are separated by blanks only.
    private var blankWordStart: Int {
        var index = cursor
        while index > 0, characters[index - 1].isWhitespace { index -= 1 }
        while index > 0, !characters[index - 1].isWhitespace { index -= 1 }
        return index
    }

    private static func isInWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
}
