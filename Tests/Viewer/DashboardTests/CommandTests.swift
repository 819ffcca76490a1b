import ChainEvents
import ChainInsight
import ChainModel
import ChainRows
import Frames
import GoldenSupport
import Testing

@testable import Dashboard

/// The command line: what the user types after `:`.
@Suite struct CommandTests {
    @Test func quittingCanBeForced() {
        for line in [":q!", ":quit!"] {
            var screen = Screen(80, 24)
            screen.type(line + "<Enter>")
            #expect(screen.effects == [.quit])
        }
        var screen = Screen(80, 24)
        screen.type(":follow!<Enter>")
        #expect(screen.effects.isEmpty && screen.text.contains("only save and quit can be followed by !"))
    }

    /// Esc and a key that follow each other fast arrive as Alt and the key.
    @Test func escapeAndAFastKeyAreTwoKeys() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("/card<Enter>")
        screen.act(.key(.alt("?")))
        #expect(!screen.state.filter.isActive && screen.state.context == .help)
        screen.act(.key(.alt("4")))
        #expect(screen.state.context == .view(.sites))
        screen.type("1/card")
        screen.act(.key(.alt("j")))
        #expect(screen.state.context == .view(.chains) && !screen.state.filter.isActive)
        screen.type(":one two")
        screen.act(.key(.alt("b")))
        #expect(screen.state.typing.cursor == 4, "a word back, as in a shell")
        screen.act(.key(KeyPress(.enter, .alt)))
        #expect(screen.state.context == .view(.chains) && screen.state.detail.isWanted == true, "Esc, then Enter")
    }

    @Test func charactersTypedAtOnceAreTheLine() {
        var (one, other) = (GoldenTests.checkout(120, 40), GoldenTests.checkout(120, 40))
        for start in ["/", ":", "?/"] {
            one.type(start + "order 17")
            other.type(start)
            other.act(.typed("order 17"))
            #expect(one.frame == other.frame)
            one.type("<^U><BS><Esc><Esc>")
            other.type("<^U><BS><Esc><Esc>")
        }
        #expect(!other.state.isTyping)
        other.type("/")
        #expect(other.state.isTyping)
    }

    private static func screen(_ columns: Int = 100, _ rows: Int = 12) -> Screen {
        var screen = GoldenTests.checkout(columns, rows)
        screen.type("jj")
        return screen
    }

    /// Returns the last line of the screen.
    private func line(_ screen: Screen) -> String { screen.frame.rowText(screen.state.size.rows - 1) }

    private func tab(_ screen: inout Screen) { screen.act(.key(KeyPress(.tab))) }

    /// Returns the command line, or nil if it is not open.
    private func typed(_ screen: Screen) -> String? {
        if case .command(let text) = screen.state.mode { text } else { nil }
    }

    @Test func looksAsItShould() {
        var screen = Self.screen()
        screen.type(":")
        GoldenTests.check(screen, "command/100x12")
        screen.type("th")
        GoldenTests.check(screen, "command/hint-100x12")
        screen.type("eme drak<Enter>")
        GoldenTests.check(screen, "command/error-100x12")
        screen.type("<^U>")
        tab(&screen)
        tab(&screen)
        GoldenTests.check(screen, "command/completion-100x12")
    }

    /// Each command of the table does something, is completed and stands in the help.
    @Test(arguments: CommandTable.entries.indices) func everyCommandWorks(_ index: Int) {
        let entry = CommandTable.entries[index]
        let line =
            switch entry.name {
            case .filter: "filter card"
            case .alert: "alert failed"
            case .at: "at +5s"
            case .mark: "mark boot"
            case .unmark: "unmark boot"
            case .record: "record a.chain"
            case .view: "view threads"
            case .fold: "fold 1"
            case .sort: "sort run asc siblings"
            case .columns: "columns wait value"
            case .goto: "goto #203"
            case .save: "save a.txt"
            case .theme: "theme light"
            case .rate: "rate 12"
            case .warn: "warn long-handler off"
            case .group, .cancel, .copy, .reset, .help, .quit, .unfold, .follow, .why, .tag, .untag, .freeze, .marks,
                .baseline:
                entry.name.rawValue
            }
        var screen = Self.screen(100, 60)
        if entry.name == .untag { screen.type(" j k ") }
        if [.at, .mark, .unmark, .marks].contains(entry.name) { screen.act(ReplayTests.still) }
        let before = (screen.state.options.theme.name, screen.state.options.refreshRate, screen.state.view)
        let start = screen
        screen.type(":\(line)<Enter>")
        #expect(typed(screen) == nil)
        switch entry.name {
        case .filter: #expect(screen.state.filter.text == "card")
        case .view: #expect(screen.state.view == .threads && before.2 == .chains)
        case .sort:
            #expect(screen.state.tree.order == TreeOrder(column: .run, isInverted: true, sortsSiblings: true))
        case .columns: #expect(screen.state.tree.columns == [.node, .wait, .value])
        case .goto: #expect(screen.selectedID == 203)
        case .cancel: #expect(screen.message?.contains("cancel") == true || screen.state.context == .confirm)
        case .copy:
            guard case .copy(let text)? = screen.effects.last else { return #expect(Bool(false), "nothing copied") }
            #expect(text.contains("checks"))
        case .save:
            guard case .save("a.txt", let text, false)? = screen.effects.last else {
                return #expect(Bool(false), "nothing saved")
            }
            #expect(text.contains("order 18"))
        case .theme: #expect(screen.state.options.theme.name == "light" && before.0 == "dark")
        case .rate: #expect(screen.state.options.refreshRate == 12 && before.1 == 30)
        case .warn: #expect(!screen.state.options.warnings.enabled.contains(.longHandler))
        case .reset: #expect(screen.message == "everything is as by default")
        case .help: #expect(screen.state.context == .help)
        case .quit: #expect(screen.effects.last == .quit)
        case .at: #expect(screen.effects.last == .replay(SourceID(0), .seek(7_000_000_001)))
        case .mark: #expect(screen.effects.last == .replay(SourceID(0), .mark("boot")))
        case .unmark: #expect(screen.effects.last == .replay(SourceID(0), .unmark("boot")))
        case .record: #expect(screen.effects.last == .record(SourceID(0), path: "a.chain"))
        case .marks: #expect(screen.message?.contains("no marks") == true)
        case .baseline: #expect(screen.message == "only Sites and Profile do that; 4 and 7 show them")
        case .alert: #expect(screen.state.alerts.all.map(\.query.text) == ["failed"])
        case .tag: #expect(screen.state.tags.count == 1)
        case .freeze: #expect(screen.state.isFrozen)
        case .untag: #expect(start.state.tags.count > 0 && screen.state.tags == [])
        case .group:
            #expect(!start.state.tree.order.isGrouped && screen.state.tree.order.isGrouped && screen.visibleIDs[0] == 0)
        case .fold:
            // Node 310 is on the second level of chain 300; chain 200 was folded.
            #expect(start.visibleIDs.contains(310) && !start.visibleIDs.contains(203))
            #expect(!screen.visibleIDs.contains(310) && screen.visibleIDs.contains(203))
        case .unfold: #expect(start.visibleIDs.count < 40 && screen.visibleIDs.count == 40)
        case .follow: #expect(screen.state.tree.following == .newest && screen.selectedID == 400)
        case .why: #expect(start.selectedID == 402 && screen.selectedID == 401)
        }
        var other = Self.screen()
        other.type(":\(entry.name.rawValue.prefix(1))")
        for _ in 0..<CommandTable.entries.count {
            tab(&other)
            if typed(other)?.hasPrefix(entry.name.rawValue) == true { break }
        }
        #expect(typed(other)?.hasPrefix(entry.name.rawValue) == true)
        let help = HelpText(view: .chains, glyphs: .unicode)
        #expect(help.sections.contains { $0.entries.contains(HelpText.Entry(keys: entry.usage, text: entry.text)) })
    }

    @Test(arguments: [
        ("nonsense", 0..<8, "there is no command nonsense"), ("view nowhere", 5..<12, "there is no view nowhere"),
        ("view", 4..<4, "say which view"), ("view sites now", 11..<14, "leave it out"),
        ("rate 0", 5..<6, "a number from 1 to 60"), ("rate fast", 5..<9, "a number from 1 to 60"),
        ("fold -1", 5..<7, "a number from 0 to 1,000"), ("rate +5", 5..<7, "a number from 1 to 60"),
        ("view +1", 5..<7, "there is no view +1"), ("goto 17x", 5..<8, "an id is a number"),
        ("goto +17", 5..<8, "an id is a number"),
        ("goto 999", 5..<8, "there is no node #999"), ("filter age>", 7..<11, "age> needs a value"),
        ("filter  (a", 8..<9, "this ( is not closed"), ("theme", 5..<5, "say which theme"),
        ("warn nothing on", 5..<12, "there is no warning nothing"), ("warn abandoned", 14..<14, "say on or off"),
        ("warn abandoned maybe", 15..<20, "say on or off"), ("save", 4..<4, "say which file"),
        ("save svg", 5..<8, "end the name in"), ("save picture.png", 5..<16, "end the name in"),
        ("copy all", 5..<8, "only tree can stand here"),
        ("sort size", 5..<9, "there is no column size: start state node"),
        ("sort run down", 9..<13, "only asc or desc, and siblings"), ("sort run asc desc", 13..<17, "only asc or desc"),
        ("sort run siblings siblings", 18..<26, "only asc or desc"),
        ("freeze!", 0..<7, "only save"), ("f", 0..<1, "there is no command f: filter fold follow freeze"),
        ("w", 0..<1, "there is no command w: why warn"), ("Q", 0..<1, "did you mean :q?"),
        ("stop", 0..<4, "did you mean :cancel?"), ("alert age>", 6..<10, "age> needs a value"),
        ("999", 0..<3, "there is no node #999"),
    ])
    func anErrorStaysOnTheLine(text: String, range: Range<Int>, problem: String) {
        var screen = Self.screen(140)
        screen.type(":\(text)<Enter>")
        #expect(typed(screen) == text)
        #expect(screen.state.typing.problem?.range == range)
        #expect(line(screen).contains(problem), "\(line(screen))")
        screen.type(" ")
        #expect(screen.state.typing.problem == nil)
        screen.type("<Esc>")
        #expect(screen.state.context == .view(.chains))
    }

    @Test func completesArguments() {
        var screen = Self.screen()
        func completed(_ text: String, _ count: Int = 1) -> String? {
            screen.type(":<^U>\(text)")
            for _ in 0..<count { tab(&screen) }
            defer { screen.type("<Esc>") }
            return typed(screen)
        }
        #expect(completed("vi") == "view ")
        #expect(completed("view s") == "view sites")
        #expect(completed("view ", 3) == "view timeline")
        #expect(completed("theme high") == "theme high-contrast")
        #expect(completed("warn long-h") == "warn long-handler ")
        #expect(completed("warn long-handler o", 2) == "warn long-handler off")
        #expect(completed("filter state:rej") == "filter state:rejected")
        #expect(completed("filter kind:then site:checks.swift:2") == "filter kind:then site:Checks.swift:20")
        #expect(completed("so") == "sort " && completed("sort r") == "sort run ")
        #expect(completed("sort ", SortColumn.allCases.count) == "sort \(SortColumn.allCases.last!) ")
        #expect(completed("sort run d") == "sort run desc " && completed("sort run ", 3) == "sort run siblings")
        #expect(completed("sort run desc ") == "sort run desc siblings")
        #expect(completed("copy ") == "copy tree")
        #expect(completed("nonsense x") == "nonsense x")
    }

    @Test func upRecallsEarlierLines() {
        var screen = Self.screen()
        screen.type(":view sites<Enter>:view chains<Enter>:vie")
        screen.type("<Up>")
        #expect(typed(screen) == "view chains")
        screen.type("<Up><Up>")
        #expect(typed(screen) == "view sites")
        screen.type("<Down><Down>")
        #expect(typed(screen) == "vie")
        screen.type("<Esc>:<Enter>")
        #expect(screen.state.context == .view(.chains))
    }

    @Test func gotoUnfoldsTheChainOfItsNode() {
        var screen = Self.screen()
        screen.type("_:goto 311<Enter>")
        #expect(screen.selectedID == 311 && screen.visibleIDs.contains(311))
    }

    @Test func aNumberGoesToItsNode() {
        var screen = Self.screen()
        screen.type(":311<Enter>")
        #expect(screen.selectedID == 311)
        screen.type(":#203<Enter>")
        #expect(screen.selectedID == 203)
    }

    @Test func hostileTextIsHarmless() {
        var screen = Self.screen()
        screen.type(":")
        screen.act(.pasted("save \u{1b}]0;x\u{7}.png"))
        screen.type("<Enter>")
        #expect(!screen.text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" })
    }
}

/// What is copied and saved.
@Suite struct CopyAndSaveTests {
    private func copied(_ screen: Screen) -> String {
        if case .copy(let text)? = screen.effects.last { text } else { "" }
    }

    @Test func aSubtreeIsCopiedAsText() {
        var screen = GoldenTests.checkout(100, 30)
        screen.type(":goto 302<Enter>Y")
        let lines = copied(screen).split(separator: "\n")
        #expect(lines.count == 9 && screen.message == "copied 9 lines")
        #expect(lines[0].contains("#302 then checks"))
        #expect(lines.contains { $0.contains("├─ #310 work fraud score") })
        #expect(copied(screen).hasSuffix("Checkout.swift:48") && !copied(screen).contains("#300"))
    }

    @Test func tagsInsideOneAnotherAreCopiedOnce() {
        var screen = GoldenTests.checkout(100, 40)
        screen.type(":goto 310<Enter> :goto 302<Enter> :goto 203<Enter> Y")
        #expect(screen.taggedIDs == [310, 302, 203])
        #expect(copied(screen).split(separator: "\n").count == 9 + 4)
        #expect(copied(screen).ranges(of: "#310 work").count == 1)
    }

    @Test func theClipboardIsBounded() {
        var screen = Screen(100, 30)
        var script = Script(time: 10)
        script.make(1, .all, "many")
        for node in 2...3_000 as ClosedRange<UInt64> {
            script.make(node, .work, "order \(node) with a label of some length", by: 1)
        }
        screen.feed(script)
        screen.type("gY")
        #expect(copied(screen).utf8.count <= 74_994 && copied(screen).utf8.count > 74_800)
        #expect(screen.message?.hasSuffix("lines: terminals take no more than 75 kB") == true)
        screen.type("*g")
        for _ in 0..<2_990 { screen.type(" ") }
        #expect(screen.state.tags.count == 2_990)
        screen.type("y")
        #expect(copied(screen).utf8.count <= 74_994)
        #expect(screen.message?.contains(" of 2,990 nodes: terminals take") == true)
        screen.type("c")
        guard case .confirm(let question) = screen.state.mode else { return #expect(Bool(false), "nothing was asked") }
        #expect(question.count == 3_000 && question.what == "2,990 tagged nodes")
    }

    @Test(arguments: ["txt", "ansi", "svg", "json", "TXT"]) func theScreenIsSaved(_ format: String) {
        var screen = GoldenTests.checkout(100, 30)
        screen.type("/card<Enter>m")
        screen.type(":save! my screen.\(format)<Enter>")
        guard case .save(let path, let content, true)? = screen.effects.last else {
            return #expect(Bool(false), "nothing was saved")
        }
        #expect(path == "my screen.\(format)")
        #expect(content.contains("charge card"))
        switch format {
        case "json":
            #expect(content.contains(#""filter":"card""#) && content.contains(#""id":403,"#))
            #expect(content.contains(#""leftOut":0"#))
            #expect(Golden.complaint(about: content, named: "saved/json") == nil)
        case "ansi":
            let shown = content.replacing("\u{1b}", with: "ESC")
            #expect(Golden.complaint(about: shown, named: "saved/ansi") == nil)
        case "svg": #expect(content.hasPrefix("<svg") && content.contains("chainview checkout"))
        default: #expect(content == screen.text, "the picture is the one before the command")
        }
    }

    @Test func anotherViewIsSavedByItsLines() {
        var screen = GoldenTests.checkout(100, 30)
        screen.type("6:save x.json<Enter>")
        guard case .save(_, let content, false)? = screen.effects.last else {
            return #expect(Bool(false), "nothing was saved")
        }
        #expect(content.contains(#""view":"events""#) && content.contains("reserve stock"))
    }

    @Test func messagesOfEffectsAreShown() {
        var screen = GoldenTests.checkout(100, 30)
        screen.act(.message("saved to /tmp/x.txt"))
        #expect(screen.message == "saved to /tmp/x.txt" && screen.state.status?.tone == .plain)
    }
}

// SPDX-License-Identifier: MIT
