import TerminalHarness
import Testing

/// The tree and its keys, on a real terminal.
@Suite(.serialized, .onItsOwnThread) struct TreeTests {
    /// Starts `demo stuck` and waits for its last event: three chains, nine nodes.
    private func stuck(_ arguments: String...) throws -> Viewer {
        let viewer = try Viewer(["demo", "stuck"] + arguments)
        try viewer.wait("the abandoned call") { $0.text(row: 8).contains("▸ call back") && $0.contains("5 in flight") }
        return viewer
    }

    @Test func aDemoComesUpAndMoves() throws {
        let viewer = try Viewer.demo("checkout", "--seed", "3")
        try viewer.wait("a chain under way") { $0.contains("running") && $0.contains("waiting") }
        let header = viewer.screen.text(row: 0)
        for part in [
            "checkout \(viewer.terminal.processID)", "● live", "in flight", "running", "failed/min",
        ] {
            #expect(header.contains(part), "\(header)")
        }
        let titles = viewer.screen.text(row: 2)
        for title in ["state", "node", "thread", "wait", "run", "total", "value / error"] {
            #expect(titles.contains(title), "\(titles)")
        }
        let footer = viewer.screen.text(row: 39)
        for hint in ["↑↓ move", "←→ fold", "c cancel", "/ filter", "? help", "q quit"] {
            #expect(footer.contains(hint), "\(footer)")
        }
        #expect(viewer.selectedRow == 3)
        // New chains come, and some settle.
        try viewer.see("order 3")
        try viewer.wait("a value") { $0.contains("✔ fulfilled") }
        try viewer.quit()
    }

    @Test func theTimeOfWhatIsUnderWayGoesOn() throws {
        let viewer = try stuck()
        let row = viewer.row("answer from")
        #expect(row.contains("pending"))
        try viewer.wait("its time to go on") { _ in viewer.row("answer from") != row }
        #expect(viewer.row("answer from").contains("pending"))
        try viewer.quit()
    }

    @Test func theSelectionMoves() throws {
        let viewer = try stuck()
        let steps: [(String, Int)] = [
            ("j", 4), ("\u{1B}OB", 5), ("k", 4), ("\u{1B}OA", 3), ("G", 8), ("g", 3), ("\u{1B}OF", 8),
            ("\u{1B}OH", 3), ("\u{1B}[6~", 8), ("\u{1B}[5~", 3), ("jjjj", 7),
        ]
        for (keys, row) in steps {
            viewer.type(keys)
            try viewer.wait("row \(row) after \(keys.debugDescription)") { _ in viewer.selectedRow == row }
        }
        viewer.type("Gj")
        try viewer.see("this is the last row")
        try viewer.quit()
    }

    @Test func treesFoldAndUnfold() throws {
        let viewer = try stuck()
        try viewer.select("call back")
        viewer.type("h")
        try viewer.wait("the fold") { !$0.contains("forget to") && $0.contains("▸ call back") }
        viewer.press(.right)
        try viewer.see("forget to")
        viewer.type("_")
        try viewer.wait("one row a chain") { !$0.contains("forget to") && !$0.contains("go home") }
        #expect(viewer.screen.text(row: 6).isEmpty && viewer.screen.contains("answer from"))
        viewer.type("*")
        try viewer.wait("all rows") { $0.contains("forget to") && $0.contains("go home") && $0.contains("complain") }
        // Left on a row that cannot be folded goes to the parent.
        try viewer.select("read it")
        viewer.press(.left)
        try viewer.wait("the root") { _ in viewer.selected.contains("answer from") }
        try viewer.quit()
    }

    @Test func detailsOpenAndClose() throws {
        let viewer = try stuck()
        try viewer.select("call back")
        #expect(!viewer.screen.contains("made at"))
        viewer.press(.enter)
        try viewer.see("made at     Demos/Stuck.swift:")
        viewer.type("ljj")
        try viewer.wait("the error in full") {
            $0.contains("was released; keep it until it ") && $0.contains("made by     ◇ forget to")
        }
        viewer.press(.escape)
        try viewer.seeNoMore("made at")
        // On a wide screen the details stand beside the tree.
        viewer.terminal.resize(columns: 160, rows: 40)
        viewer.press(.enter)
        try viewer.wait("both") { $0.contains("made at") && $0.row(containing: "made at").map { $0 < 20 } ?? false }
        try viewer.quit()
    }

    @Test func helpLiesOverTheTree() throws {
        let viewer = try stuck()
        for (open, close) in [("?", "\u{1B}"), ("\u{1B}OP", "q"), ("?", "?")] {
            viewer.type(open)
            try viewer.wait("the help") { $0.contains("In every view") }
            viewer.press(.end)
            try viewer.wait("its end") { $0.contains("In this help") && !$0.contains("In every view") }
            viewer.type(close)
            try viewer.wait("the tree") { !$0.contains("In this help") && $0.contains("answer from") }
        }
        try viewer.quit()
    }

    @Test func aFilterHidesWhatDoesNotMatch() throws {
        let viewer = try stuck()
        // A query of names alone would keep what is live under a node that matches.
        viewer.type("/kind:work deskq")
        try viewer.see("deskq")
        viewer.press(.backspace)
        try viewer.wait("the match") { $0.contains("1 of 9") && !$0.contains("answer from") }
        viewer.press(.enter)
        try viewer.see("n next")
        #expect(viewer.screen.contains("wait at the desk") && !viewer.screen.contains("go home"))
        viewer.type("m")
        try viewer.see("go home")
        viewer.type("m")
        try viewer.seeNoMore("go home")
        viewer.press(.escape)
        try viewer.wait("everything, and the selection where it was") {
            $0.contains("answer from") && viewer.selected.contains("wait at the")
        }
        viewer.type("/desk\r")
        try viewer.wait("what is live under it, too") { $0.contains("go home") && !$0.contains("answer from") }
        viewer.press(.escape)
        try viewer.wait("everything, and the selection where it was") {
            $0.contains("answer from") && viewer.selected.contains("wait at the")
        }
        viewer.type("/nowhere\r")
        try viewer.see("nothing matches “nowhere”")
        viewer.press(.escape)
        try viewer.see("answer from")
        try viewer.quit()
    }

    @Test func freezingHoldsThePictureWhileTheProgramGoesOn() throws {
        let viewer = try Viewer.demo("checkout", "--speed", "4")
        try viewer.see("order 3")
        viewer.type("p")
        try viewer.see("frozen")
        let before = (1..<39).map { viewer.screen.text(row: $0) }
        func order(_ row: String) -> Int? { row.firstMatch(of: /order (\d+)/).flatMap { Int($0.1) } }
        try viewer.wait("a hundred events to wait") { screen in
            let words = screen.text(row: 0).split(separator: " ")
            return words.firstIndex(of: "waiting").flatMap { Int(words[$0 - 1].filter(\.isNumber)) } ?? 0 > 100
        }
        #expect((1..<39).map { viewer.screen.text(row: $0) } == before)
        // The frozen tree can still be explored.
        viewer.type("jj")
        try viewer.wait("row 5") { _ in viewer.selectedRow == 5 }
        viewer.type("p")
        try viewer.wait("the rest") { $0.contains("● live") }
        viewer.type("g")
        // Live chains stand first, and by now others are live.
        let newest = before.compactMap(order).max() ?? 0
        try viewer.wait("new orders") { screen in
            (1..<39).contains { order(screen.text(row: $0)) ?? 0 > newest }
        }
        try viewer.quit()
    }

    @Test func followingStaysOnTheNewestChain() throws {
        let viewer = try Viewer.demo("checkout", "--speed", "2")
        viewer.type("f")
        // Some may be missed on a busy machine.
        for least in [12, 16] {
            try viewer.wait("order \(least) or a later one") { screen in
                let number = viewer.selected.firstMatch(of: /order (\d+)/).flatMap { Int($0.1) }
                return screen.text(row: 0).contains("following") && number ?? 0 >= least
            }
        }
        viewer.type("k")
        try viewer.wait("the end of that") { !$0.text(row: 0).contains("following") }
        try viewer.quit()
    }

    @Test func whyGoesToWhatHoldsItUp() throws {
        let viewer = try stuck()
        try viewer.select("go home")
        viewer.type("w")
        try viewer.wait("its blocker") { _ in viewer.selected.contains("wait at the") }
        #expect(viewer.screen.text(row: 39).contains("wait at the desk"), "\(viewer.screen.text(row: 39))")
        try viewer.quit()
    }

    @Test func theMouseSelectsFoldsAndScrolls() throws {
        let viewer = try stuck()
        viewer.press(.click(row: 7, column: 30))
        try viewer.wait("the clicked row") { _ in viewer.selectedRow == 7 }
        let row = try #require((3..<8).first { viewer.screen.text(row: $0).contains("answer from") })
        let marker = try #require((0..<60).first { viewer.screen.cell(row, $0).text == "▾" })
        viewer.press(.click(row: row, column: marker))
        try viewer.wait("the fold") { !$0.contains("read it") && viewer.selectedRow == row }
        viewer.press(.click(row: row, column: marker))
        try viewer.see("read it")
        viewer.terminal.resize(columns: 100, rows: 8)
        try viewer.wait("few rows") { $0.contains("quit") && !$0.contains("call back") }
        for _ in 0..<3 { viewer.press(.wheel(up: false, row: 4, column: 20)) }
        try viewer.see("call back")
        for _ in 0..<3 { viewer.press(.wheel(up: true, row: 4, column: 20)) }
        try viewer.wait("the top") { $0.contains("wait at the") && !$0.contains("call back") }
        try viewer.quit()
    }
}

// SPDX-License-Identifier: MIT
