import Foundation
import SeededNumbers
import TerminalHarness
import Testing

/// The screen on a real pseudo-terminal: `ScreenProbe` shows each event that it gets.
@Suite(.serialized, .onItsOwnThread) struct ScreenTests {
    /// Starts `ScreenProbe` on a new pseudo-terminal.
    func probe(
        _ arguments: String..., columns: Int = 60, rows: Int = 16, setting: [String: String] = [:]
    ) throws -> PseudoTerminal {
        let environment = PseudoTerminal.standardEnvironment.merging(setting) { $1 }
        let terminal = try PseudoTerminal(
            builtProduct("ScreenProbe"), arguments, columns: columns, rows: rows, environment: environment)
        return terminal
    }

    /// Starts `ScreenProbe`, waits for its first frame, and returns the modes of an untouched terminal, too.
    func shownProbe(_ arguments: String...) throws -> (terminal: PseudoTerminal, modes: TerminalModes) {
        let terminal = try probe(arguments.first ?? "--plain")
        try terminal.waitUntil("the first frame") { $0.contains("probe 60x16") && $0.contains("日本 é ✔") }
        return (terminal, try PseudoTerminal("/bin/cat", []).modes)
    }

    /// Checks that the terminal is again as the program found it.
    func expectRestored(_ terminal: PseudoTerminal, _ modes: TerminalModes, _ comment: Comment? = nil) {
        #expect(!terminal.screen.isAlternate, comment)
        #expect(terminal.screen.isCursorVisible, comment)
        #expect(!terminal.screen.wantsMouse, comment)
        #expect(!Self.bracketsPastes(terminal), comment)
        #expect(terminal.modes == modes, comment)
        #expect(terminal.modes.isCanonical && terminal.modes.echoes && terminal.modes.sendsSignals, comment)
    }

    /// Whether the last request about bracketed paste turned it on.
    static func bracketsPastes(_ terminal: PseudoTerminal) -> Bool {
        let text = String(decoding: terminal.received, as: UTF8.self)
        return text.components(separatedBy: "\u{1B}[?2004").dropFirst().last?.first == "h"
    }

    @Test func theTerminalIsRestored() throws {
        let (terminal, modes) = try shownProbe()
        #expect(Self.bracketsPastes(terminal))
        #expect(terminal.screen.isAlternate && !terminal.screen.isCursorVisible && terminal.screen.wantsMouse)
        #expect(!terminal.modes.isCanonical && !terminal.modes.echoes && !terminal.modes.sendsSignals)
        #expect(terminal.screen.cell(0, 0).foreground == 255 && terminal.screen.cell(0, 0).background == 236)
        #expect(terminal.screen.cell(15, 0).text == "日" && terminal.screen.cell(15, 0).width == 2)
        #expect(terminal.screen.cell(15, 5).text.unicodeScalars.elementsEqual(["e", "\u{301}"]))
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
        expectRestored(terminal, modes)
    }

    @Test func controlCIsAKey() throws {
        let (terminal, modes) = try shownProbe()
        terminal.press(.control("c"))
        #expect(try terminal.waitForExit() == .exited(0))
        expectRestored(terminal, modes)
    }

    @Test func keysAndMouseArrive() throws {
        let (terminal, _) = try shownProbe()
        let keys: [(TerminalKey, String)] = [
            (.up, "key ↑"), (.pageDown, "key PgDn"), (.home, "key Home"), (.end, "key End"), (.delete, "key Del"),
            (.function(1), "key F1"), (.function(12), "key F12"), (.backTab, "key Shift-Tab"), (.alt("x"), "key Alt-x"),
            (.control("l"), "key ^L"), (.enter, "key Enter"), (.escape, "key Esc"),
            (.click(row: 3, column: 7), "release left 3,7"),
            (.wheel(up: false, row: 1, column: 2), "wheelDown none 1,2"),
        ]
        for (key, shown) in keys {
            terminal.press(key)
            try terminal.waitUntil(shown) { $0.contains(shown) }
        }
        terminal.send("é日")
        try terminal.waitUntil("UTF-8") { $0.contains("key é") && $0.contains("key 日") }
        terminal.send("\u{1B}[?62;22c\u{1B}[99~.")
        try terminal.waitUntil("a dot") { $0.contains("key .") }
        #expect(
            !terminal.screen.contains("key 9") && !terminal.screen.contains("key c")
                && !terminal.screen.contains("key ~"))
        terminal.send("q")
        try terminal.waitForExit()
    }

    /// The keys are read from the terminal by its own name, because Darwin cannot poll `/dev/tty`.
    @Test(arguments: ["/dev/null", "/dev/tty"])
    func keysArriveWithOtherInput(input: String) throws {
        let terminal = try PseudoTerminal(
            "/bin/sh", ["-c", "exec '\(builtProduct("ScreenProbe"))' <\(input)"], columns: 60, rows: 16)
        try terminal.waitUntil("the first frame") { $0.contains("probe 60x16") && $0.contains("日本 é ✔") }
        terminal.send("x")
        try terminal.waitUntil("a key") { $0.contains("key x") }
        #if os(Linux)
            let folder = "/proc/\(terminal.processID)/fd/"
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
                .compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: folder + $0) }
            // Standard input and its duplicate for ncurses, which are not polled.
            #expect(files.count { $0 == "/dev/tty" } == (input == "/dev/tty" ? 2 : 0), "\(files)")
        #endif
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
    }

    @Test func pastedTextDoesNotActAsKeys() throws {
        let (terminal, modes) = try shownProbe()
        terminal.send("\u{1B}[200~cat\r")
        terminal.send("q\u{3}é\u{1B}[201~x")
        try terminal.waitUntil("the text") { $0.contains(#"pasted "cat\rq\u{03}é""#) && $0.contains("key x") }
        #expect(!terminal.screen.contains("key c") && !terminal.screen.contains("key Enter"))
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
        expectRestored(terminal, modes)
    }

    /// Asks whether the terminal supports synchronized output.
    private static let question = Array("\u{1B}[?2026$p".utf8)
    /// Begins a synchronized frame, which `end` ends.
    private static let begin = Array("\u{1B}[?2026h".utf8)
    private static let end = Array("\u{1B}[?2026l".utf8)

    /// Returns the indices at which a part begins.
    private func offsets(of part: [UInt8], in bytes: ArraySlice<UInt8>) -> [Int] {
        bytes.indices.filter { bytes[$0...].starts(with: part) }
    }

    @Test func framesAreSynchronizedWhereTheTerminalSupportsIt() throws {
        let (terminal, _) = try shownProbe()
        #expect(offsets(of: Self.question, in: terminal.received[...]).count == 1)
        #expect(offsets(of: Self.begin, in: terminal.received[...]).isEmpty, "no answer so far")
        terminal.send("\u{1B}[?2026;2$y")
        let before = terminal.received.count
        terminal.send("R")
        try waitForMark(1, terminal)
        let after = terminal.received[before...]
        let (begins, ends) = (offsets(of: Self.begin, in: after), offsets(of: Self.end, in: after))
        #expect(!begins.isEmpty && begins.count == ends.count)
        #expect(zip(begins, ends).allSatisfy { $0 < $1 } && zip(ends, begins.dropFirst()).allSatisfy { $0 < $1 })
        terminal.send("q")
        try terminal.waitForExit()
    }

    @Test func aTerminalWithoutSynchronizationGetsPlainFrames() throws {
        let (terminal, _) = try shownProbe()
        terminal.send("\u{1B}[?2026;0$y")
        terminal.send("R")
        try waitForMark(1, terminal)
        #expect(offsets(of: Self.begin, in: terminal.received[...]).isEmpty)
        terminal.send("q")
        try terminal.waitForExit()
        let console = try probe("--plain", setting: ["TERM": "linux"])
        try console.waitUntil("the first frame") { $0.contains("probe 60x16") }
        #expect(offsets(of: Self.question, in: console.received[...]).isEmpty)
        console.send("q")
        try console.waitForExit()
    }

    @Test func aNewSizeIsPaintedCompletely() throws {
        let (terminal, _) = try shownProbe()
        for (columns, rows) in [(80, 20), (20, 5), (100, 30), (1, 1), (60, 16)] {
            terminal.resize(columns: columns, rows: rows)
            try terminal.waitUntil("\(columns)x\(rows)") {
                columns == 1
                    ? $0.text(row: 0).count <= 1 : $0.text(row: 0).hasPrefix("probe \(columns)x\(rows)".prefix(columns))
            }
        }
        try terminal.waitUntil("the lower edge") { $0.text(row: 15) == "日本 é ✔" }
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
    }

    @Test func anyChangesLookLikeAFreshRedraw() throws {
        let (terminal, _) = try shownProbe()
        var random = SeededGenerator(seed: 17)
        for round in 0..<15 {
            for _ in 0..<Int.random(in: 1..<12, using: &random) {
                switch Int.random(in: 0..<6, using: &random) {
                case 0:
                    terminal.resize(
                        columns: Int.random(in: 12..<90, using: &random), rows: Int.random(in: 2..<30, using: &random))
                case 1: terminal.send(["é", "日本", "\u{301}", "🙂", "\u{1B}[99~"].randomElement(using: &random)!)
                case 2: terminal.press(.wheel(up: true, row: 1, column: 3))
                case 3: terminal.send("w")
                default: terminal.press([.up, .pageDown, .alt("x"), .function(7)].randomElement(using: &random)!)
                }
            }
            // Twice, because a new size is read after the key that came with it.
            for mark in [3 * round + 1, 3 * round + 2] { try waitForMark(mark, terminal) }
            let size = "\(terminal.screen.columns)x\(terminal.screen.rows)"
            try terminal.waitUntil("the size \(size)") { $0.text(row: 0) == "probe \(size)" }
            let before = cells(terminal.screen)
            terminal.send("R")
            try waitForMark(3 * round + 3, terminal)
            #expect(cells(terminal.screen) == before, "round \(round)")
        }
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
    }

    /// Waits until all earlier input has been painted.
    private func waitForMark(_ number: Int, _ terminal: PseudoTerminal) throws {
        let before = terminal.received.count
        terminal.send("M")
        let mark = Array("\u{1B}]777;\(number)\u{7}".utf8)
        try terminal.waitUntil("mark \(number)") { _ in
            let received = terminal.received[before...]
            return received.indices.contains { received[$0...].starts(with: mark) }
        }
    }

    /// Returns all cells, by row.
    private func cells(_ screen: VirtualScreen) -> [[VirtualCell]] {
        (0..<screen.rows).map { row in (0..<screen.columns).map { screen.cell(row, $0) } }
    }

    @Test func printedOutputIsCapturedAndShownAfterwards() throws {
        let (terminal, modes) = try shownProbe()
        terminal.send("p")
        try terminal.waitUntil("the key") { $0.contains("key p") }
        try terminal.waitUntilQuiet()
        #expect(!terminal.screen.contains("printed"))
        terminal.send("q")
        try terminal.waitForExit()
        #expect(terminal.screen.text == "printed to stdout\nprinted to stderr")
        expectRestored(terminal, modes)
    }

    @Test func capturedOutputIsBounded() throws {
        let (terminal, _) = try shownProbe("--small-capture")
        terminal.send("Pq")
        #expect(try terminal.waitForExit() == .exited(0))
        let text = String(decoding: terminal.received, as: UTF8.self)
        #expect(
            text.contains("line 0 of many") && text.contains("line 1999 of many") && !text.contains("line 900 of many"))
        let total = (0..<2000).reduce(0) { $0 + "line \($1) of many\n".utf8.count }
        #expect(text.contains("[... \(total - 4096) bytes left out ...]"), "\(text.suffix(5000).prefix(2000))")
    }

    @Test func exitInTheMiddleRestores() throws {
        let (terminal, modes) = try shownProbe()
        terminal.send("e")
        #expect(try terminal.waitForExit() == .exited(3))
        expectRestored(terminal, modes)
    }

    @Test func noColoursAreSentIfTheyAreOff() throws {
        let (terminal, _) = try shownProbe("--no-color")
        #expect(!String(decoding: terminal.received, as: UTF8.self).contains("\u{1B}[38;5"))
        #expect(terminal.screen.cell(0, 0).foreground == nil && terminal.screen.cell(0, 0).isReversed)
        terminal.send("q")
        try terminal.waitForExit()
    }

    @Test(arguments: [("xterm-256color", 255), ("xterm", 0), ("linux", 0), ("vt100", nil)])
    func coloursAreThoseOfTheTerminal(name: String, foreground: Int?) throws {
        let terminal = try probe(setting: ["TERM": name])
        try terminal.waitUntil("the frame") { $0.contains("日本 é ✔") }
        #expect(terminal.screen.cell(0, 0).foreground == foreground)
        terminal.send("q")
        try terminal.waitForExit()
    }

    #if os(Linux)
        /// In a description such as `xterm-direct`, numbers from 8 on are red, green and blue: here of the palette's 255
        /// on 236.
        @Test(.enabled(if: hasCompiler, "without tic, of the package ncurses-bin"))
        func directColoursAreThoseOfThePalette() throws {
            let folder = ScratchFolder()
            let source = #"""
                probe-direct|a terminal with direct colours,
                    colors#0x1000000, pairs#0x10000,
                    setab=\E[%?%p1%{8}%<%t4%p1%d%e48:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m,
                    setaf=\E[%?%p1%{8}%<%t3%p1%d%e38:2::%p1%{65536}%/%d:%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m,
                    use=xterm-256color,

                """#
            try source.write(toFile: folder.path + "/source", atomically: true, encoding: .utf8)
            let command = "exec tic -x -o '\(folder.path)/terminfo' '\(folder.path)/source'"
            let compiler = try PseudoTerminal("/bin/sh", ["-c", command])
            #expect(try compiler.waitForExit() == .exited(0), "\(compiler.screen.text)")
            let terminal = try probe(setting: ["TERM": "probe-direct", "TERMINFO": folder.path + "/terminfo"])
            try terminal.waitUntil("the frame") { $0.contains("日本 é ✔") }
            let text = String(decoding: terminal.received, as: UTF8.self)
            #expect(text.contains("\u{1B}[38:2::238:238:238m") && text.contains("\u{1B}[48:2::48:48:48m"))
            terminal.send("q")
            try terminal.waitForExit()
        }

        /// Whether there is a compiler of terminal descriptions.
        private static let hasCompiler = (PseudoTerminal.standardEnvironment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: $0 + "/tic") }
    #endif

    @Test func withoutMouseTheTerminalIsNotAskedForIt() throws {
        let (terminal, _) = try shownProbe("--no-mouse")
        #expect(!terminal.screen.wantsMouse)
        terminal.send("q")
        try terminal.waitForExit()
    }

    @Test(arguments: [
        ("", "TERM is not set"), ("dumb", "TERM=dumb names a terminal that cannot place its cursor"),
    ])
    func unsuitableTerminalsAreOneSentence(name: String, sentence: String) throws {
        let terminal = try probe(columns: 200, setting: ["TERM": name])
        #expect(try terminal.waitForExit() == .exited(69))
        #expect(terminal.screen.contains(sentence), "\(terminal.screen.text)")
        #expect(terminal.screen.contains("--headless"))
        #expect(!terminal.screen.text.contains("\n"))
        #expect(terminal.modes.isCanonical && terminal.modes.echoes)
    }

    /// Terminals of today understand xterm's sequences.
    @Test(arguments: ["no-such-terminal", "xterm-kitty-of-tomorrow", "bad\u{1B}[31m"])
    func aTerminalWithoutADescriptionIsTakenForAnXterm(name: String) throws {
        let terminal = try probe(setting: ["TERM": name])
        try terminal.waitUntil("the frame") { $0.contains("日本 é ✔") }
        #expect(terminal.screen.cell(0, 0).foreground == 255 && terminal.screen.isAlternate)
        terminal.press(.up)
        try terminal.waitUntil("a key") { $0.contains("key ↑") }
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
    }

    /// A locale that is not installed still names the encoding of the terminal.
    @Test(arguments: [
        ("xx_YY.UTF-8", "", "unicode"), ("xx_YY.utf8@euro", "", "unicode"), ("", "xx_YY.UTF-8", "unicode"),
        ("xx_YY.ISO-8859-1", "", "ascii"), ("xx_YY", "", "ascii"), ("C", "xx_YY.UTF-8", "ascii"), ("", "", "ascii"),
    ])
    func theLocaleNamesTheCharacters(all: String, language: String, charset: String) throws {
        let terminal = try probe("--charset", setting: ["LC_ALL": all, "LANG": language])
        #expect(try terminal.waitForExit() == .exited(0))
        #expect(terminal.screen.text == charset)
    }

    /// A terminal that was entered is left, if the output cannot be captured.
    @Test(arguments: 13...17)
    func withoutDescriptorsTheTerminalIsRestored(limit: Int) throws {
        let modes = try PseudoTerminal("/bin/cat", []).modes
        // 10 and 11 are for ncurses; the pipes of the capture need 12 to 15, and the duplicates of 1 and 2 need 16 and
        // 17.
        let terminal = try PseudoTerminal(
            "/bin/sh", ["-c", "ulimit -n \(limit); exec \(builtProduct("ScreenProbe"))"], columns: 200)
        #expect(try terminal.waitForExit() == .exited(69))
        #expect(String(decoding: terminal.received, as: UTF8.self).contains("\u{1B}[?1049h"))
        #expect(terminal.screen.contains("Too many open files"), "\(terminal.screen.text)")
        expectRestored(terminal, modes)
    }

    @Test func aPipeIsNoTerminal() throws {
        let terminal = try PseudoTerminal(
            "/bin/sh", ["-c", "\(builtProduct("ScreenProbe")) | cat; \(builtProduct("ScreenProbe")) >&-"], columns: 200)
        try terminal.waitForExit()
        let text = terminal.screen.text
        #expect(text.split(separator: "\n").filter { $0.contains("no terminal") }.count == 2, "\(text)")
    }

    @Test func itCanBeOpenedAgainButNotTwiceAtOnce() throws {
        let (terminal, modes) = try shownProbe("--reopen")
        terminal.send("O")
        try terminal.waitUntil("the refusal") { $0.contains("has a screen open already") }
        terminal.press(.down)
        try terminal.waitUntil("the screen going on") { $0.contains("key ↓") }
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
        expectRestored(terminal, modes)
    }

    @Test func keysComeFromTheTerminalThoughInputIsAFile() throws {
        let terminal = try PseudoTerminal("/bin/sh", ["-c", "exec \(builtProduct("ScreenProbe")) </dev/null"])
        try terminal.waitUntil("the frame") { $0.contains("日本 é ✔") }
        terminal.press(.up)
        try terminal.waitUntil("the key") { $0.contains("key ↑") }
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
        #expect(terminal.modes.isCanonical && terminal.modes.echoes)
    }

    @Test func errorsThatGoToAFileStayThere() throws {
        let terminal = try PseudoTerminal("/bin/sh", ["-c", "\(builtProduct("ScreenProbe")) 2>/dev/null; echo done"])
        try terminal.waitUntil("the frame") { $0.contains("日本 é ✔") }
        terminal.send("pq")
        try terminal.waitForExit()
        #expect(terminal.screen.text == "printed to stdout\ndone")
    }

    @Test func aClosedWindowEndsItCleanly() throws {
        let (terminal, _) = try shownProbe()
        terminal.hangUp()
        let status = try terminal.waitForExit()
        #expect(status == .signalled(SIGHUP) || status == .exited(69))
    }

    @Test func aStalledTerminalDoesNotPreventTheEnd() throws {
        let (terminal, _) = try shownProbe()
        // Without a reader the painted bytes fill the terminal's buffer.
        for _ in 0..<400 { terminal.typeUnread("r") }
        let before = terminal.received.count
        #expect(terminal.waitUntilStalled())
        terminal.signal(SIGTERM)
        let status = try terminal.waitForExit(reading: false)
        #expect(status == .signalled(SIGTERM) || status == .exited(69), "\(status)")
        #expect(terminal.received.count - before < 400 * 500)
        #expect(terminal.modes.isCanonical && terminal.modes.echoes)
    }
}

// SPDX-License-Identifier: MIT
