import Dashboard
import Foundation
import TerminalHarness
import Testing

@testable import chainview

/// Screens saved to files.
struct SavedFileTests {
    private let folder = ScratchFolder()

    private func write(_ path: String, _ content: String, overwrites: Bool = false) -> (text: String, isSuccess: Bool) {
        switch SavedFile(path: path).write(content, overwrites: overwrites) {
        case .message(let text): (text, true)
        case .report(let text): (text, false)
        default: ("", false)
        }
    }

    @Test func writesAndReportsThePath() throws {
        let path = folder.path + "/sub/../a b.txt"
        let answer = write(path, "one ● two\n")
        #expect(answer == ("saved to \(folder.path)/a b.txt", true))
        #expect(try String(contentsOfFile: folder.path + "/a b.txt", encoding: .utf8) == "one ● two\n")
    }

    @Test func anExistingFileStaysUnlessForced() throws {
        let path = folder.path + "/a.txt"
        _ = write(path, "one")
        #expect(write(path, "two") == ("\(path) exists: type save! to overwrite it", false))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "one")
        #expect(write(path, "three", overwrites: true) == ("saved to \(path)", true))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "three")
    }

    /// A full disk leaves nothing. Here a limit of the size of files stands for the disk.
    @Test(arguments: [":save", ":save!"]) func aFullDiskLeavesNoFile(_ command: String) throws {
        let path = builtProduct("chainview")
        let terminal = try PseudoTerminal(
            "/bin/sh", ["-c", "ulimit -f 0; exec '\(path)' demo steps --fresh"], columns: 150 + folder.path.utf8.count,
            rows: 30, directory: folder.path)
        try terminal.waitUntil("the first rows") { $0.isAlternate && $0.contains("live") }
        terminal.send("\(command) a.svg\r")
        try terminal.waitUntil("the cause") { $0.contains("cannot save to \(folder.path)/a.svg: ") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        terminal.send("q")
        #expect(try terminal.waitForExit() == .exited(0))
    }

    @Test func aFailureIsOneSentence() throws {
        for overwrites in [false, true] {
            let answer = write(folder.path + "/missing/a.txt", "one", overwrites: overwrites)
            #expect(!answer.isSuccess && answer.text.hasPrefix("cannot save to \(folder.path)/missing/a.txt: "))
            #expect(answer.text.contains("No such file") && !answer.text.contains("\n"))
        }
        #expect(!write(folder.path, "one").isSuccess)
        #expect(!write(folder.path, "one", overwrites: true).isSuccess)
    }

    @Test func tildeIsTheHomeFolder() {
        let home = FileManager.default.homeDirectoryForCurrentUser.path
        let answer = write("~/no such folder \(UUID().uuidString)/a.txt", "one")
        #expect(answer.text.hasPrefix("cannot save to \(home)/no such folder"))
    }

    /// A file with colours looks on a terminal like the saved screen, cell by cell.
    @Test func aSavedScreenLooksTheSameInATerminal() throws {
        // Wide enough for the messages with the path of a long folder.
        let columns = 150 + folder.path.utf8.count
        let viewer = try Viewer(["demo", "checkout"], columns: columns, rows: 30, directory: folder.path)
        viewer.type("p")
        try viewer.see("frozen:")
        // The details of the selected node come from the program, also into a frozen screen.
        try viewer.see("fetched from the program")
        viewer.type(":save shown.ansi\r")
        try viewer.see("saved to \(folder.path)/shown.ansi")
        let bytes = try Data(contentsOf: folder.url.appendingPathComponent("shown.ansi"))
        let saved = VirtualScreen(columns: columns, rows: 31)
        saved.feed(bytes.flatMap { $0 == 0x0a ? [0x0d, 0x0a] : [$0] })
        // Except the first row, which has the time, and the last one, which has the message.
        for row in 1..<29 {
            for column in 0..<columns {
                let (old, new) = (viewer.screen.cell(row, column), saved.cell(row, column))
                #expect(old == new, "row \(row), column \(column): \(old) and \(new)")
            }
        }
        viewer.type(":save shown.ansi\r")
        try viewer.see("exists: type save! to overwrite it")
        viewer.type("q")
        _ = try viewer.terminal.waitForExit()
    }
}

// SPDX-License-Identifier: MIT
