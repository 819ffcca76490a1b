// SPDX-License-Identifier: MIT

/// A key, whatever its modifiers.
package enum Key: Hashable, Sendable {
    /// A character that was typed, already shifted.
    case character(Character)
    /// Keys that move a cursor or a page.
    case up, down, left, right, home, end, pageUp, pageDown
    /// Keys that do something, as they are labelled.
    case enter, escape, tab, backTab, backspace, delete, insert
    /// A function key: F1 is 1.
    case function(Int)
}

/// One key press with its modifiers.
package struct KeyPress: Hashable, Sendable, CustomStringConvertible {
    /// The modifiers. Terminals do not report Shift with a character, nor Control with some characters.
    package struct Modifiers: OptionSet, Hashable, Sendable {
        /// One bit per key.
        package let rawValue: UInt8

        /// Wraps raw bits.
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Shift.
        package static let shift = Modifiers(rawValue: 1)
        /// Alt, Option or Meta.
        package static let alt = Modifiers(rawValue: 2)
        /// Control.
        package static let control = Modifiers(rawValue: 4)
    }

    /// The key.
    package var key: Key
    /// Its modifiers.
    package var modifiers: Modifiers

    /// Makes a key press, by default without modifiers.
    package init(_ key: Key, _ modifiers: Modifiers = []) {
        self.key = key
        self.modifiers = modifiers
    }

    /// Makes the press of a typed character.
    package static func character(_ character: Character) -> KeyPress { KeyPress(.character(character)) }
    /// Makes the press of a letter with Control; `letter` is the lower-case letter.
    package static func control(_ letter: Character) -> KeyPress { KeyPress(.character(letter), .control) }
    /// Makes the press of a character with Alt.
    package static func alt(_ character: Character) -> KeyPress { KeyPress(.character(character), .alt) }

    /// The character that the key types into a line; nil if it types none.
    package var typedCharacter: Character? {
        guard case .character(let character) = key, modifiers.isSubset(of: .shift) else { return nil }
        return character
    }

    /// The name that help and footers show: `q`, `^L`, `Alt-x`, `PgUp`, `Shift-F1`.
    package var description: String {
        var text = ""
        var held = modifiers
        if case .character(let character) = key, character != " ", held == .control {
            return "^" + character.uppercased()
        }
        if key == .backTab { held.remove(.shift) }
        if held.contains(.control) { text += "Ctrl-" }
        if held.contains(.alt) { text += "Alt-" }
        if held.contains(.shift) { text += "Shift-" }
        return text + key.name
    }
}

extension Key {
    /// The key's name alone.
    package var name: String {
        switch self {
        case .character(" "): "Space"
        case .character(let character): String(character)
        case .up: "↑"
        case .down: "↓"
        case .left: "←"
        case .right: "→"
        case .home: "Home"
        case .end: "End"
        case .pageUp: "PgUp"
        case .pageDown: "PgDn"
        case .enter: "Enter"
        case .escape: "Esc"
        case .tab: "Tab"
        case .backTab: "Shift-Tab"
        case .backspace: "Backspace"
        case .delete: "Del"
        case .insert: "Ins"
        case .function(let number): "F\(number)"
        }
    }
}

/// A mouse action at a cell, counted from 0.
package struct Mouse: Hashable, Sendable {
    /// The kind of action.
    package enum Action: Hashable, Sendable { case press, release, drag, wheelUp, wheelDown }
    /// The button; `none` for the wheel and for a release that does not name a button.
    package enum Button: Hashable, Sendable { case left, middle, right, none }

    /// The kind of action.
    package var action: Action
    /// The button.
    package var button: Button
    /// The row, from 0 at the top.
    package var row: Int
    /// The column, from 0 at the left.
    package var column: Int
    /// The modifiers.
    package var modifiers: KeyPress.Modifiers
    /// How often the button was pressed at this cell in short succession, this press included.
    package var clickCount: Int

    /// Describes one action.
    package init(
        _ action: Action, _ button: Button = .none, row: Int, column: Int, modifiers: KeyPress.Modifiers = [],
        clickCount: Int = 1
    ) {
        self.action = action
        self.button = button
        self.row = row
        self.column = column
        self.modifiers = modifiers
        self.clickCount = clickCount
    }
}
