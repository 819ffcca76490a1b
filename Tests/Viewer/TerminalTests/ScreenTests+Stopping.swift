import Foundation
import TerminalHarness
import Testing

/// Stops and continuations, and which process group has the terminal.
extension ScreenTests {
    @Test(arguments: ["z", "SIGTSTP"])
    func itStopsAndContinues(how: String) throws {
        let (terminal, modes) = try shownProbe()
        for round in 1...2 {
            if how == "z" { terminal.send("z") } else { terminal.signal(SIGTSTP) }
            try terminal.waitForStop()
            expectRestored(terminal, modes, "round \(round)")
            try terminal.goOn()
            try terminal.waitUntil("round \(round)") { screen in
                screen.isAlternate && (0..<16).filter { screen.text(row: $0) == "resumed" }.count == round
                    && screen.contains("日本 é ✔")
            }
            #expect(!terminal.modes.isCanonical && !terminal.screen.isCursorVisible && terminal.screen.wantsMouse)
            #expect(Self.bracketsPastes(terminal), "round \(round)")
        }
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
        expectRestored(terminal, modes)
    }

    @Test func itComesBackAfterAnUnrequestedStop() throws {
        let (terminal, _) = try shownProbe()
        terminal.signal(SIGSTOP)
        try terminal.waitForStop()
        terminal.screen.feed(Array("\u{1B}[?1049l\u{1B}[?25h\u{1B}[2Jgarbage".utf8))
        try terminal.goOn()
        try terminal.waitUntil("the frame") { $0.isAlternate && !$0.contains("garbage") && $0.contains("resumed") }
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
    }

    /// `kill -CONT` and `bg` while the shell has the terminal: the shell keeps it until `fg`.
    @Test(arguments: [SIGTSTP, SIGSTOP])
    func continuedInTheBackgroundItLeavesTheTerminalToTheShell(signal: Int32) throws {
        let (terminal, modes) = try shownProbe()
        terminal.signal(signal)
        try terminal.waitForStop()
        let shell = terminal.modes
        for round in 1...2 {
            try terminal.waitUntilQuiet()
            let before = terminal.received.count
            try terminal.goOnInBackground()
            try terminal.waitForStop()
            try terminal.waitUntilQuiet()
            #expect(!terminal.screen.isAlternate && terminal.screen.isCursorVisible, "round \(round)")
            #expect(!terminal.screen.wantsMouse && terminal.modes == shell, "round \(round)")
            // After an unrequested stop, the terminal is restored once.
            if signal == SIGTSTP || round == 2 { #expect(terminal.received.count == before, "round \(round)") }
        }
        try terminal.goOn()
        try terminal.waitUntil("the whole frame") { screen in
            screen.isAlternate && (0..<16).filter { screen.text(row: $0) == "resumed" }.count == 1
                && screen.contains("probe 60x16") && screen.contains("日本 é ✔")
        }
        #expect(!terminal.modes.isCanonical && !terminal.screen.isCursorVisible && terminal.screen.wantsMouse)
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
        expectRestored(terminal, modes)
    }

    /// `kill %1` of a stopped job: a shell sends SIGTERM, then SIGCONT, and keeps the terminal.
    @Test(arguments: [SIGTSTP, SIGSTOP])
    func aStoppedJobCanBeEnded(signal: Int32) throws {
        let (terminal, _) = try shownProbe()
        terminal.signal(signal)
        try terminal.waitForStop()
        let shell = terminal.modes
        terminal.signal(SIGTERM)
        try terminal.goOnInBackground()
        #expect(try terminal.waitForExit() == .signalled(SIGTERM))
        #expect(!terminal.screen.isAlternate && terminal.screen.isCursorVisible && !terminal.screen.wantsMouse)
        #expect(terminal.modes == shell)
    }
}

// SPDX-License-Identifier: MIT
