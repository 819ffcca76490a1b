import ChainEvents
import Foundation
import TerminalHarness
import Testing

@testable import chainview

/// The file of a call site, and the arguments of editors.
struct EditorTests {
    private let scratch = ScratchFolder()
    private let root: URL

    init() throws {
        root = scratch.url.resolvingSymlinksInPath()
        for file in [
            "Package.swift", "Sources/Other/Order.swift", "Sources/Shop/Order.swift", "Sources/Shop/Deep/Pay.swift",
            ".build/checkouts/Shop/Late.swift", "Sources/A/Bill.swift", "Sources/Bill/Bill.swift",
            "Sources/C/Bill.swift", "Tests/ShopTests/PayTests.swift",
        ] {
            let url = root.appendingPathComponent(file)
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("one\ntwo\n".utf8).write(to: url)
        }
    }

    private func found(_ fileID: String, from folder: String = "") -> String? {
        var editor = Editor()
        editor.folder = folder.isEmpty ? root : root.appendingPathComponent(folder)
        return editor.find(CodeLocation(fileID: fileID, line: 1)).map { $0.replacing(root.path + "/", with: "") }
    }

    @Test func findsTheFileOfTheModule() {
        #expect(found("Shop/Order.swift") == "Sources/Shop/Order.swift")
        #expect(found("Other/Order.swift") == "Sources/Other/Order.swift")
        #expect(found("Shop/Pay.swift") == "Sources/Shop/Deep/Pay.swift")
        #expect(found("Elsewhere/Pay.swift") == "Sources/Shop/Deep/Pay.swift", "a module may go by another name")
        #expect(found("Bill/Bill.swift") == "Sources/Bill/Bill.swift", "the file's own name does not count")
        #expect(found("Shop/Late.swift") == nil, "what was fetched or built is not looked through")
    }

    @Test func findsItFromASubfolder() {
        for folder in ["Sources", "Sources/Shop/Deep", "Tests/ShopTests"] {
            #expect(found("Shop/Order.swift", from: folder) == "Sources/Shop/Order.swift", "\(folder)")
            #expect(found("Shop/Pay.swift", from: folder) == "Sources/Shop/Deep/Pay.swift", "\(folder)")
        }
    }

    @Test(arguments: [
        ("vim", ["+7", "a b.swift"]), ("/usr/bin/nano -w", ["+7", "a b.swift"]), ("", ["+7", "a b.swift"]),
        ("code", ["--wait", "--goto", "a b.swift:7"]), ("code --wait", ["--goto", "a b.swift:7"]),
        ("'/opt/my editors/code' -n", ["--wait", "--goto", "a b.swift:7"]),
        ("/snap/bin/code -w -n", ["--goto", "a b.swift:7"]), ("subl", ["--wait", "a b.swift:7"]),
        ("zed --wait", ["a b.swift:7"]), ("kate", ["--line", "7", "a b.swift"]), ("emacs -nw", ["+7", "a b.swift"]),
    ])
    func passesTheLineInTheEditorsForm(editor: String, arguments: [String]) {
        #expect(Editor(environment: ["EDITOR": editor]).arguments("a b.swift", line: 7) == arguments)
    }

    @Test func runsTheEditorOnTheFile() throws {
        let notes = root.appendingPathComponent("notes").path
        let script = root.appendingPathComponent("my editor")
        try Shell.write("#!/bin/sh\nprintf '%s|' \"$@\" > '\(notes)'\n", to: script.path)
        let editor = Editor(environment: ["VISUAL": "'\(script.path)' --flag", "EDITOR": "false"])
        #expect(editor.open("a b; $(x).swift", line: 12) == nil)
        #expect(try String(contentsOfFile: notes, encoding: .utf8) == "--flag|+12|a b; $(x).swift|")
        #expect(Editor(environment: ["EDITOR": "false"]).open("a", line: 1) == "false has ended with code 1")
        let missing = Editor(environment: ["EDITOR": "no-such-editor-here"]).open("a", line: 1)
        #expect(missing == "there is no editor no-such-editor-here: set $VISUAL or $EDITOR")
    }
}

#if os(Linux)
    /// A session after the editor.
    struct EditorScreenTests {
        @Test func aScreenThatCannotBeOpenedAgainEndsTheSessionAsAFailure() throws {
            let place = Place()
            let editor = place.path + "/editor"
            // Without a free file descriptor no terminal can be opened.
            try Shell.write("#!/bin/sh\nprlimit --pid $PPID --nofile=3:\n", to: editor)
            try Data().write(to: URL(fileURLWithPath: place.path + "/Stuck.swift"))
            let viewer = try place.view("demo", "stuck", setting: ["VISUAL": editor])
            viewer.type("e")
            #expect(try viewer.terminal.waitForExit() == .exited(74))
            #expect(viewer.text.contains("cannot open the screen again after the editor: "))
        }

        @Test func anInterruptIsTheEditors() throws {
            let place = Place()
            let editor = place.path + "/editor"
            // To all processes in the foreground of the terminal, as ^C.
            let script = "#!/bin/sh\ntrap '' INT QUIT\nkill -INT 0\nkill -QUIT 0\nexit 3\n"
            try Shell.write(script, to: editor)
            try Data().write(to: URL(fileURLWithPath: place.path + "/Stuck.swift"))
            let viewer = try place.view("demo", "stuck", setting: ["VISUAL": editor])
            viewer.type("e")
            try viewer.see("editor has ended with code 3")
            viewer.type("q")
            #expect(try viewer.terminal.waitForExit() == .exited(0))
        }
    }
#endif

// SPDX-License-Identifier: MIT
