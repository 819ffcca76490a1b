import Dashboard
import Foundation
import Frames
import SeededNumbers
import TerminalHarness
import Testing

/// The command on a pseudo-terminal, with random keys, clicks and sizes on the demo `storm`. Now and then the picture is
/// frozen and redrawn: no cell changes, except in the header and the status line.
@Suite(.serialized, .onItsOwnThread) struct ProcessSoakTests {
    private static let seconds = ProcessInfo.processInfo.environment["CHAINVIEW_SOAK"].flatMap { Double($0) }
    /// Intents that quit, suspend, or pass the terminal to another program.
    private static let excluded: Set<Intent> = [.quit, .suspend, .edit, .commandLine]

    /// Escape as an unambiguous sequence, because a lone one would join the next key.
    private static let escape = "\u{1B}[27u"

    @Test func theCommandSurvivesRandomInput() throws {
        // The key `R` records to a file in the working directory.
        let folder = FileManager.default.temporaryDirectory.appending(path: "chainview-soak-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let terminal = try PseudoTerminal(
            builtProduct("chainview"), ["demo", "storm"], columns: 120, rows: 40, directory: folder.path)
        try terminal.waitUntil("the first rows") { $0.isAlternate && $0.contains("drop") }
        var random = SeededGenerator(seed: UInt64.random(in: 1...UInt64.max))
        let clock = ContinuousClock()
        let begin = clock.now
        var rounds = 0
        var sizes: [Int] = []
        while Self.seconds.map({ clock.now - begin < .seconds($0) }) ?? (rounds < 5) {
            for _ in 0..<20 { act(on: terminal, &random) }
            try compare(terminal, round: rounds)
            rounds += 1
            sizes.append(Self.residentByteCount(of: terminal.processID))
        }
        for _ in 0..<4 { terminal.send(Self.escape) }
        terminal.press(.control("c"))
        #expect(try terminal.waitForExit() == .exited(0))
        #expect(!terminal.screen.isAlternate && terminal.screen.isCursorVisible && !terminal.screen.wantsMouse)
        print("soak: \(rounds) rounds, resident \(sizes.first! / 1024) to \(sizes.max()! / 1024) kB")
        guard sizes.count >= 100 else { return }
        let half = sizes.count / 2
        let (middle, end) = (sizes[half..<(half + half / 2)].max()!, sizes[(half + half / 2)...].max()!)
        #expect(end < middle + middle / 5 + 8_000_000, "memory grows: \(sizes)")
    }

    /// Resizes, clicks, turns the wheel, or presses a key of a random context.
    private func act(on terminal: PseudoTerminal, _ random: inout SeededGenerator) {
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            terminal.resize(
                columns: Int.random(in: 30..<200, using: &random), rows: Int.random(in: 8..<60, using: &random))
        case 1...2:
            // Not in the last line, because a click on `q quit` there ends the command.
            let row = Int.random(in: 0..<terminal.screen.rows - 1, using: &random)
            let column = Int.random(in: 0..<terminal.screen.columns, using: &random)
            terminal.press(
                Bool.random(using: &random)
                    ? .click(row: row, column: column)
                    : .wheel(up: Bool.random(using: &random), row: row, column: column))
        default:
            let context = KeyMap.Context.allCases.randomElement(using: &random)!
            guard let binding = KeyMap.bindings(in: context).randomElement(using: &random),
                !Self.excluded.contains(binding.intent), let key = binding.keys.randomElement(using: &random),
                key.key != .character("q"), let bytes = Self.bytes(of: key)
            else { return }
            terminal.send(bytes)
        }
    }

    /// Returns the bytes that a terminal sends for a key; nil for keys that this test does not press.
    private static func bytes(of key: KeyPress) -> String? {
        let named: [Key: String] = [
            .up: "\u{1B}OA", .down: "\u{1B}OB", .right: "\u{1B}OC", .left: "\u{1B}OD", .home: "\u{1B}OH",
            .end: "\u{1B}OF", .pageUp: "\u{1B}[5~", .pageDown: "\u{1B}[6~", .enter: "\r", .tab: "\t",
            .backTab: "\u{1B}[Z", .function(1): "\u{1B}OP", .escape: escape,
        ]
        if case .character(let character) = key.key, key.modifiers.isEmpty { return String(character) }
        if key.key == .character("l"), key.modifiers == .control { return "\u{C}" }
        return named[key.key]
    }

    /// Freezes the picture, checks that a redraw changes no cell, and resumes it.
    private func compare(_ terminal: PseudoTerminal, round: Int) throws {
        // Back to the tree, with no unfinished key.
        for _ in 0..<4 {
            terminal.send(Self.escape)
            try redraw(terminal)
        }
        // Back from the past, to which earlier keys may have led. Another thread reads the past, so that takes a while.
        for _ in 0..<4 where terminal.screen.text(row: 0).contains("behind") {
            if let end = Self.bytes(of: KeyPress(.end)) { terminal.send(end) }
            try terminal.waitUntil("the present") { !$0.text(row: 0).contains("behind") }
        }
        // Frozen again, because earlier keys may have resumed it.
        for _ in 0..<4 where !isFrozen(terminal) {
            terminal.send("p")
            try redraw(terminal)
        }
        try #require(terminal.screen.columns < 60 || isFrozen(terminal), "\(terminal.screen.text)")
        guard isFrozen(terminal) else { return }
        // Background work goes on while the picture is frozen, such as a new list of 50,000 events, and ends.
        var (before, after) = (cells(terminal.screen), cells(terminal.screen))
        for _ in 0..<4 {
            try terminal.waitUntilQuiet(.milliseconds(250))
            before = cells(terminal.screen)
            try redraw(terminal)
            after = cells(terminal.screen)
            if before == after { break }
        }
        if before != after {
            let row = before.indices.first { before[$0] != after[$0] }!
            Issue.record(
                "round \(round), row \(row): \(before[row].map(\.text).joined()) → \(after[row].map(\.text).joined())")
        }
        terminal.send("p")
    }

    private func isFrozen(_ terminal: PseudoTerminal) -> Bool { terminal.screen.text(row: 0).contains("frozen") }

    /// Asks for a redraw and waits until the screen is cleared for it.
    private func redraw(_ terminal: PseudoTerminal) throws {
        let before = terminal.received.count
        terminal.send("\u{C}")
        let clear = Array("\u{1B}[2J".utf8)
        try terminal.waitUntil("a fresh picture") { _ in
            let received = terminal.received[before...]
            return received.indices.contains { received[$0...].starts(with: clear) }
        }
    }

    /// Returns the rows that do not change while frozen: all except the first and the last.
    private func cells(_ screen: VirtualScreen) -> [[VirtualCell]] {
        (1..<max(1, screen.rows - 1)).map { row in (0..<screen.columns).map { screen.cell(row, $0) } }
    }

    /// Returns the resident memory of a process in bytes; 0 where `/proc` is missing.
    private static func residentByteCount(of process: pid_t) -> Int {
        let words = (try? String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8))?.split(separator: " ")
        return (words.flatMap { $0.count > 1 ? Int($0[1]) : nil } ?? 0) * Int(getpagesize())
    }
}

// SPDX-License-Identifier: MIT
