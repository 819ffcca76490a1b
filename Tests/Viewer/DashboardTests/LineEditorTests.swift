import Frames
import GoldenSupport
import SeededNumbers
import Testing

@testable import Dashboard

/// The line after `/` or `:` is edited as in a shell.
@Suite struct LineEditorTests {
    /// A reference editor, slow and obvious: the texts before and after the cursor.
    private struct Model {
        var before = ""
        var after = ""

        private static func isInWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

        /// Returns the length from the beginning of the previous word to the cursor.
        private func lengthBack(_ isInWord: (Character) -> Bool) -> Int {
            let gap = before.reversed().prefix { !isInWord($0) }.count
            return gap + before.reversed().dropFirst(gap).prefix(while: isInWord).count
        }

        /// The length from the cursor to the end of the next word.
        private var lengthForward: Int {
            let gap = after.prefix { !Self.isInWord($0) }.count
            return gap + after.dropFirst(gap).prefix(while: Self.isInWord).count
        }

        private mutating func move(_ count: Int) {
            let all = before + after
            let cursor = min(max(0, before.count + count), all.count)
            (before, after) = (String(all.prefix(cursor)), String(all.dropFirst(cursor)))
        }

        mutating func press(_ name: String) {
            switch name {
            case "Left", "^B": move(-1)
            case "Right", "^F": move(1)
            case "Home", "^A": move(-before.count)
            case "End", "^E": move(after.count)
            case "Alt-b": move(-lengthBack(Self.isInWord))
            case "Alt-f": move(lengthForward)
            case "^W": before.removeLast(lengthBack { !$0.isWhitespace })
            case "^U": before = ""
            case "^K": after = ""
            case "BS": _ = before.popLast()
            case "Del": after = String(after.dropFirst())
            default: before += name
            }
        }
    }

    private static let keys =
        ["Left", "^B", "Right", "^F", "Home", "^A", "End", "^E", "Alt-b", "Alt-f", "^W", "^U", "^K", "BS", "Del"]

    @Test(arguments: Seeds.upTo(12)) func agreesWithTheReferenceEditor(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var screen = GoldenTests.checkout(60, 12)
        screen.type(":")
        var model = Model()
        for _ in 0..<120 {
            let isKey = Int.random(in: 0..<3, using: &random) == 0
            let name = (isKey ? Self.keys : ["a", "b", "7", " ", "-", "é", "注", "🙂"]).randomElement(using: &random)!
            // Backspace on an empty line closes it.
            if name == "BS", model.before.isEmpty, model.after.isEmpty { continue }
            model.press(name)
            if isKey { screen.type("<\(name)>") } else { screen.act(.pasted(name)) }
            guard case .command(let text) = screen.state.mode else { return #expect(Bool(false), "left by \(name)") }
            #expect(text == model.before + model.after, "after \(name)")
            #expect((screen.state.typing.cursor ?? text.count) == model.before.count, "after \(name)")
            #expect(cursorColumn(screen) != nil, "the cursor is on the screen")
        }
    }

    /// Returns the column of the cursor, which is drawn reversed.
    private func cursorColumn(_ screen: Screen) -> Int? {
        // Drawn once, not for each column.
        let frame = screen.frame
        return (0..<frame.size.columns).first { frame[frame.size.rows - 1, $0].style.modifiers.contains(.reversed) }
    }

    @Test func aFilterIsEditedInTheMiddle() {
        var screen = GoldenTests.checkout(100, 12)
        screen.type("/charge bank<^A>not <^E><^W>card")
        #expect(screen.state.mode == .filter("not charge card"))
        #expect(screen.state.filter.text == "not charge card")
        screen.type("<Alt-b><^K>cart<Left><Del>d")
        #expect(screen.state.mode == .filter("not charge card"))
        screen.type("<^A><Alt-f><^U>")
        #expect(screen.state.mode == .filter(" charge card"))
        screen.type("<BS><^A><BS>")
        #expect(screen.state.mode == .filter(" charge card"), "there is nothing before the cursor")
        screen.type("<Esc>")
        #expect(screen.state.context == .view(.chains))
    }

    @Test func theCursorStandsOnItsCharacter() {
        var screen = GoldenTests.checkout(100, 12)
        screen.type("/")
        screen.act(.pasted("注文ab"))
        #expect(cursorColumn(screen) == 8)
        screen.type("<Left><Left>")
        #expect(cursorColumn(screen) == 6)
        screen.type("<Left>")
        #expect(cursorColumn(screen) == 4)
        screen.act(.pasted("x\ny"))
        #expect(screen.state.mode == .filter("注xy文ab") && cursorColumn(screen) == 6)
    }

    @Test func aLongLineScrollsWithItsCursor() {
        var screen = GoldenTests.checkout(60, 12)
        screen.type(":zzz " + String(repeating: "0123456789", count: 12))
        let line = { (screen: Screen) in screen.frame.rowText(11) }
        #expect(line(screen).contains("6789") && !line(screen).contains("zzz"))
        screen.type("<^A>")
        #expect(line(screen).hasPrefix(" :zzz 0123") && cursorColumn(screen) == 2)
        screen.type("<^E>")
        #expect(!line(screen).contains("zzz"))
    }

    @Test func anEmptyFilterShowsWhatItCanBe() {
        var screen = GoldenTests.checkout(120, 12)
        screen.type("/")
        GoldenTests.check(screen, "filter/empty-120x12")
        #expect(screen.text.contains("Order.swift:42") && screen.text.contains("fields: state kind"))
        screen.type("c")
        #expect(!screen.text.contains("fields: state"))
        screen.type("<BS>")
        #expect(screen.text.contains("fields: state"))
    }
}

// SPDX-License-Identifier: MIT
