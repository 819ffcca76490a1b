import Foundation
import TerminalHarness
import Testing

/// What is copied, inside tmux and outside it, and a line that is typed at once.
@Suite(.serialized, .onItsOwnThread) struct CopyTests {
    private let folder = ScratchFolder()

    /// Starts a demo with a command `tmux` that runs a script.
    private func viewer(tmux script: String) throws -> Viewer {
        let path = folder.path + "/tmux"
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let search = folder.path + ":" + (PseudoTerminal.standardEnvironment["PATH"] ?? "")
        return try Viewer.demo("stuck", setting: ["TMUX": "/tmp/tmux,1,0", "PATH": search])
    }

    /// As shipped, tmux drops the terminal's sequence.
    @Test func insideTmuxItsBufferIsLoaded() throws {
        let place = folder.path
        let viewer = try viewer(
            tmux: "echo \"$*\" >'\(place)/arguments'; cat >'\(place)/new'; mv '\(place)/new' '\(place)/text'")
        try viewer.select("wait at the desk")
        viewer.type("y")
        try viewer.see("copied 1 node")
        try viewer.wait("the text") { _ in FileManager.default.fileExists(atPath: place + "/text") }
        #expect(try String(contentsOfFile: place + "/text", encoding: .utf8).contains("wait at the desk"))
        #expect(try String(contentsOfFile: place + "/arguments", encoding: .utf8) == "load-buffer -w -\n")
        try viewer.quit()
    }

    @Test(arguments: [
        ("exit 1", "not copied: tmux load-buffer failed"),
        ("[ \"$2\" != -w ] && cat >/dev/null", "this version of tmux does not pass it on"),
    ])
    func whatTmuxDoesNotDoIsSaid(script: String, message: String) throws {
        let viewer = try viewer(tmux: script)
        viewer.type("y")
        try viewer.see(message)
        try viewer.quit()
    }

    @Test func outsideTmuxItIsOnlySent() throws {
        let viewer = try Viewer.demo("stuck")
        viewer.type("y")
        try viewer.see("sent 1 node to the terminal's clipboard")
        viewer.type("Y")
        try viewer.see("lines to the terminal's clipboard")
        try viewer.quit()
    }

    /// Each frame of the line has more than a hundred bytes.
    @Test func aLineTypedAtOnceIsDrawnAFewTimes() throws {
        let viewer = try Viewer.demo("stuck")
        viewer.type("p")
        try viewer.see("frozen")
        let before = viewer.terminal.received.count
        viewer.type("/" + String(repeating: "order ", count: 300) + "THE END")
        try viewer.see("THE END")
        #expect(viewer.terminal.received.count - before < 60_000)
        viewer.press(.escape)
        try viewer.quit()
    }
}

// SPDX-License-Identifier: MIT
