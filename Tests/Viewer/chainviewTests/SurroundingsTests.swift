import Foundation
import TerminalHarness
import Testing

/// Sizes, signals and kinds of terminals: the terminal is always restored.
@Suite(.serialized, .onItsOwnThread) struct SurroundingsTests {
    @Test func everySizeIsDrawn() throws {
        let viewer = try Viewer.demo("stuck")
        for (columns, rows, part) in [
            (80, 24, "running"), (40, 12, "stuck"), (20, 5, "too small"), (200, 60, "made at"), (120, 40, "go home"),
        ] {
            viewer.terminal.resize(columns: columns, rows: rows)
            try viewer.wait("\(columns)x\(rows)") { $0.contains(part) }
        }
        viewer.terminal.resize(columns: 20, rows: 5)
        try viewer.see("too small")
        try viewer.quit()
    }

    @Test func controlCQuits() throws {
        let viewer = try Viewer.demo("checkout")
        viewer.press(.control("c"))
        #expect(try viewer.terminal.waitForExit() == .exited(0))
        viewer.expectRestored()
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGTRAP, SIGILL, SIGABRT, SIGSEGV])
    func aSignalEndsItWithTheTerminalRestored(signal: Int32) throws {
        let viewer = try Viewer.demo("checkout")
        viewer.terminal.signal(signal)
        #expect(try viewer.terminal.waitForExit() == .signalled(signal))
        viewer.expectRestored()
    }

    @Test(arguments: ["^Z", "SIGTSTP"])
    func itStopsAndContinues(how: String) throws {
        let viewer = try Viewer.demo("stuck")
        if how == "^Z" { viewer.press(.control("z")) } else { viewer.terminal.signal(SIGTSTP) }
        try viewer.terminal.waitForStop()
        #expect(!viewer.screen.isAlternate && viewer.screen.isCursorVisible && viewer.terminal.modes == viewer.modes)
        try viewer.terminal.goOn()
        try viewer.wait("the tree again") { $0.isAlternate && $0.contains("answer from") }
        viewer.type("j")
        try viewer.wait("row 4") { _ in viewer.selectedRow == 4 }
        try viewer.quit()
    }

    /// Without events the next tick is a second away, although the screen was cleared. What is drawn at once has the time
    /// of day of the last tick; what a tick draws has a later one.
    @Test func aStillPictureIsBackAtOnce() throws {
        let viewer = try Viewer.demo("stuck")
        viewer.type("p")
        try viewer.see("frozen")
        // Repeated, because a tick may come between the look at the time and the stop.
        let isBackAtOnce = try (1...20).contains { _ in
            let time = try #require(viewer.screen.text(row: 0).firstMatch(of: /[0-9]+:[0-9]{2}:[0-9]{2}/)?.output)
            viewer.terminal.signal(SIGTSTP)
            try viewer.terminal.waitForStop()
            let before = viewer.terminal.received.count
            try viewer.terminal.goOn()
            try viewer.wait("the tree again") { $0.isAlternate && $0.contains("answer from") && $0.contains("frozen") }
            return String(decoding: viewer.terminal.received[before...], as: UTF8.self).contains(time)
        }
        #expect(isBackAtOnce)
        try viewer.quit()
    }

    /// In pasted text, `c` would ask whether to cancel, and a line's end would answer yes.
    @Test func aPasteDoesNotActAsKeys() throws {
        let viewer = try Viewer.demo("stuck")
        try viewer.select("answer from")
        viewer.type("\u{1B}[200~cat\r\u{1B}[201~")
        try viewer.see("pasted text goes into a line")
        #expect(viewer.row("answer from").contains("◍ pending"))
        viewer.type("/\u{1B}[200~answer\u{1B}[201~")
        try viewer.see("/answer")
        viewer.type("\u{1B}")
        try viewer.seeNoMore("/answer")
        try viewer.quit()
    }

    @Test(arguments: [SIGTSTP, SIGSTOP])
    func continuedInTheBackgroundItWaitsForItsTerminal(signal: Int32) throws {
        let viewer = try Viewer.demo("stuck")
        viewer.terminal.signal(signal)
        try viewer.terminal.waitForStop()
        // Read in the background, the key would stop the process before it has restored the terminal.
        viewer.type("j")
        try viewer.terminal.goOnInBackground()
        try viewer.terminal.waitForStop()
        try viewer.terminal.waitUntilQuiet()
        #expect(!viewer.screen.isAlternate && viewer.screen.isCursorVisible && !viewer.screen.wantsMouse)
        try viewer.terminal.goOn()
        try viewer.wait("the tree again") { $0.isAlternate && $0.contains("answer from") }
        #expect(viewer.screen.wantsMouse)
        try viewer.wait("row 4") { _ in viewer.selectedRow == 4 }
        try viewer.quit()
    }

    @Test func noColoursAreSentIfTheyAreOff() throws {
        for (arguments, setting) in [(["--no-color"], [:]), ([], ["NO_COLOR": "1"])] {
            let viewer = try Viewer(["demo", "stuck"] + arguments, setting: setting)
            #expect(!String(decoding: viewer.terminal.received, as: UTF8.self).contains(/\e\[[0-9;]*[34]8;5/))
            #expect(viewer.row("answer from").contains("◍ pending"))
            try viewer.quit()
        }
    }

    @Test func sixteenColoursWillDo() throws {
        let viewer = try Viewer.demo("stuck", setting: ["TERM": "xterm"])
        #expect(!String(decoding: viewer.terminal.received, as: UTF8.self).contains("38;5;"))
        #expect((0..<120).contains { viewer.screen.cell(3, $0).foreground != nil })
        try viewer.quit()
    }

    @Test func asciiIsDrawnWhereAskedForOrNeeded() throws {
        for (arguments, setting) in [(["--ascii"], [:]), ([], ["LC_ALL": "C", "LANG": "C"])] {
            let viewer = try Viewer(["demo", "stuck"] + arguments, setting: setting, waits: false)
            try viewer.wait("the rows") { $0.contains("answer from") && viewer.selectedRow == 3 }
            #expect(viewer.text.utf8.allSatisfy { $0 < 0x80 }, "\(viewer.text)")
            try viewer.quit()
        }
    }

    /// The fonts of the Linux console have few of the signs. Its description has no alternate screen.
    @Test func theLinuxConsoleGetsASCII() throws {
        let viewer = try Viewer(["demo", "stuck"], setting: ["TERM": "linux"], waits: false)
        try viewer.wait("the rows") { $0.contains("answer from") && viewer.selectedRow == 3 }
        #expect(viewer.text.utf8.allSatisfy { $0 < 0x80 }, "\(viewer.text)")
        viewer.type("q")
        #expect(try viewer.terminal.waitForExit() == .exited(0))
    }

    #if os(Linux)
        @Test func whatTheProgramPrintsIsShownAfterwards() throws {
            let viewer = try Viewer.demo("stuck")
            // The standard output of chainview itself.
            let output = try #require(FileHandle(forWritingAtPath: "/proc/\(viewer.terminal.processID)/fd/1"))
            output.write(Data("printed meanwhile\n".utf8))
            try output.close()
            viewer.type("j")
            try viewer.wait("row 4") { _ in viewer.selectedRow == 4 }
            #expect(!viewer.screen.contains("printed meanwhile"))
            viewer.type("q")
            #expect(try viewer.terminal.waitForExit() == .exited(0))
            #expect(viewer.text == "printed meanwhile")
        }
    #endif
}

// SPDX-License-Identifier: MIT
