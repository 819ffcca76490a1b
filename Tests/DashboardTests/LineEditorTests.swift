import Frames
import GoldenSupport
import SeededNumbers
import Testing

@testable import Dashboard

/// The line behind `/` and `:` is edited as a shell's.
@Suite struct LineEditorTests {
    /// A line as two texts, before and behind the cursor: slow, and plain to see.
    private struct Model {
        var before = ""
        var behind = ""

        private static func isInWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }

        private func back(_ isInWord: (Character) -> Bool) -> Int {
            let gap = before.reversed().prefix { !isInWord($0) }.count
            return gap + before.reversed().dropFirst(gap).prefix(while: isInWord).count
        }

        private var on: Int {
            let gap = behind.prefix { !Self.isInWord($0) }.count
            return gap + behind.dropFirst(gap).prefix(while: Self.isInWord).count
        }

        private mutating func move(_ count: Int) {
            let all = before + behind
            let cursor = min(max(0, before.count + count), all.count)
            (before, behind) = (String(all.prefix(cursor)), String(all.dropFirst(cursor)))
        }

        mutating func press(_ name: String) {
            switch name {
            case "Left", "^B": move(-1)
            case "Right", "^F": move(1)
            case "Home", "^A": move(-before.count)
            case "End", "^E": move(behind.count)
            case "Alt-b": move(-back(Self.isInWord))
            case "Alt-f": move(on)
            case "^W": before.removeLast(back { !$0.isWhitespace })
            case "^U": before = ""
            case "^K": behind = ""
            case "BS": _ = before.popLast()
            case "Del": behind = String(behind.dropFirst())
            default: before += name
            }
        }
    }

    private static let keys =
        ["Left", "^B", "Right", "^F", "Home", "^A", "End", "^E", "Alt-b", "Alt-f", "^W", "^U", "^K", "BS", "Del"]

    @Test(arguments: Seeds.upTo(12)) func agreesWithAPlainEditor(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var screen = GoldenTests.checkout(60, 12)
        screen.type(":")
        var model = Model()
        for _ in 0..<120 {
            let isKey = Int.random(in: 0..<3, using: &random) == 0
            let name = (isKey ? Self.keys : ["a", "b", "7", " ", "-", "é", "注", "🙂"]).randomElement(using: &random)!
            // Backspace on an empty line leaves it.
            if name == "BS", model.before.isEmpty, model.behind.isEmpty { continue }
            model.press(name)
            if isKey { screen.type("<\(name)>") } else { screen.act(.pasted(name)) }
            guard case .command(let text) = screen.state.mode else { return #expect(Bool(false), "left by \(name)") }
            #expect(text == model.before + model.behind, "after \(name)")
            #expect((screen.state.typing.cursor ?? text.count) == model.before.count, "after \(name)")
            #expect(cursorColumn(screen) != nil, "the cursor is on the screen")
        }
    }

    /// The column of the reversed cell.
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
