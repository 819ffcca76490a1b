import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// What the detail pane shows of a node.
@Suite struct DetailTests {
    private func lines(_ screen: Screen, width: Int = 60) -> [String] {
        DetailText.lines(of: screen.state, width: width).map { $0.parts.map(\.text).joined() }
    }

    /// Returns the texts beside a name. A line without a name belongs to the last name above it.
    private func field(_ name: String, _ screen: Screen, width: Int = 60) -> [String] {
        var found: [String] = []
        var current = ""
        for line in lines(screen, width: width) {
            let head = line.prefix(DetailWriter.nameWidth)
            if line.isEmpty { current = "" }
            if head.contains(where: { $0 != " " }) { current = String(head.reversed().drop { $0 == " " }.reversed()) }
            if current == name { found.append(String(line.dropFirst(DetailWriter.nameWidth))) }
        }
        return found
    }

    @Test(arguments: [Size(columns: 140, rows: 40), Size(columns: 220, rows: 44)])
    func goldenBesideTheRows(_ size: Size) {
        var screen = GoldenTests.checkout(size.columns, size.rows)
        screen.go(to: 302)
        GoldenTests.check(screen, "detail/pending-\(size)")
    }

    @Test func aTaskNamesTheFunctionThatItRuns() {
        var screen = Screen(120, 30)
        var script = Script(time: 10)
        script.make(1, .task, "order 1", site: "closure #1 in order(Int):0")
        screen.feed(script)
        screen.type("<Enter>")
        #expect(field("function", screen) == ["closure #1 in order(Int)"] && field("made at", screen).isEmpty)
    }

    @Test func goldenInASCII() {
        var screen = GoldenTests.checkout(140, 40, options: State.Options(glyphs: .ascii))
        screen.go(to: 205)
        GoldenTests.check(screen, "detail/ascii-140x40")
    }

    @Test func whereAnErrorBegan() {
        var screen = GoldenTests.checkout(100, 60)
        screen.go(to: 206)
        #expect(
            field("root cause", screen) == [
                "✖ charge card #203, 3 nodes up", "CardError.declined: the card has expired (06/25)",
            ])
        screen.go(to: 203)
        #expect(field("root cause", screen).isEmpty)
    }

    @Test func theWaitOfANodeThatWaitsForNothing() {
        var screen = Screen(100, 60)
        var script = Script(time: 1_000)
        script.make(2, .all, "checks")
        script.make(3, .retry, "charge")
        script.make(4, .promise, "fraud", external: true)
        script.make(1, .then, "order", under: 4)
        script.link(2, 4)
        script.link(3, 4)
        script.fulfill(4)
        screen.feed(script)
        screen.type("*")
        for (node, words) in [
            (1, "nothing: it is about to be queued"), (2, "nothing: it is about to settle"),
            (3, "nothing: it is between two of its members"),
        ] {
            screen.go(to: UInt64(node))
            #expect(field("waits for", screen) == [words])
        }
    }

    @Test func anErrorOfAMemberAndOfWhatIsFollowed() {
        var screen = Screen(100, 60)
        var script = Script(time: 1_000)
        script.make(1, .work, "order")
        script.queue(1)
        script.start(1)
        script.make(2, .all, "checks", by: 1)
        script.make(3, .work, "fraud", by: 1)
        script.make(4, .work, "address", by: 1)
        script.link(2, 3)
        script.link(2, 4)
        script.end(1)
        script.adopt(1, 2)
        script.fulfill(3)
        script.at(1_010)
        script.reject(4, "no such street")
        script.reject(2, "no such street")
        script.reject(1, "no such street")
        script.make(5, .catch, "apologise", under: 1)
        script.start(5)
        script.at(1_020)
        script.reject(5, "mail is down")
        screen.feed(script)
        screen.type("*")
        screen.go(to: 1)
        #expect(field("root cause", screen) == ["✖ address #4, 2 nodes up"])
        #expect(field("follows", screen) == ["✖ checks #2"])
        screen.go(to: 2)
        #expect(field("member", screen) == ["✔ fraud #3", "✖ address #4"])
        #expect(field("followed by", screen) == ["✖ order #1"])
        screen.go(to: 4)
        #expect(field("member of", screen) == ["✖ checks #2"])
        // The error of node 5 is that of its own handler.
        screen.go(to: 5)
        #expect(field("root cause", screen).isEmpty)
    }

    @Test func aCancellationShowsItsActorAndTime() {
        var screen = Screen(100, 60)
        var script = Script(time: 1_000)
        script.make(1, .work, "order")
        script.start(1)
        script.at(1_250)
        script.requestCancel(1, "ann")
        screen.feed(script)
        #expect(field("cancel", screen) == ["asked for by ann at 14:13:21.250"])
        #expect(lines(screen)[0] == "● running  cancel requested")
    }

    @Test func theHistoryIsATableWithWhatLiesBetween() {
        var screen = GoldenTests.checkout(100, 60)
        screen.go(to: 310)
        let table = lines(screen).drop { !$0.contains("when") }
        #expect(
            Array(table) == [
                "        when    after  step",
                "14:13:23.232           created",
                "      +0.0ms    0.0ms  queued on pool",
                "      +1.0ms    1.0ms  started on worker-1",
                "      +208ms    207ms  handler ended",
                "      +208ms    0.0ms  fulfilled",
            ])
    }

    @Test func barsLieWhereTheirTimesDo() {
        var screen = Screen(100, 60)
        var script = Script(time: 1_000)
        script.make(1, .work, "order")
        script.queue(1)
        script.at(1_100)
        script.start(1)
        script.at(1_200)
        script.fulfill(1)
        screen.feed(script)
        let bars = lines(screen, width: 34).filter { $0.contains("▄") }
        // 20 cells for 200 ms.
        let half = String(repeating: "▄", count: 10)
        let blank = String(repeating: " ", count: 10)
        #expect(
            bars == [
                "wait  " + half + blank + "   100ms", "run   " + blank + half + "   100ms",
                "total " + half + half + "   200ms",
            ])
    }

    @Test func nodesFromTheSameCallSiteAreCompared() throws {
        var screen = Screen(160, 40)
        var script = Script(time: 1_000)
        for node in 1...4 as ClosedRange<UInt64> {
            script.make(node, .work, "order \(node)", site: "A/Order.swift:7")
            script.queue(node)
            script.start(node)
            // Runs of 2, 4 and 6 ms, then one of 200 ms.
            script.at(script.time + (node == 4 ? 200 : Double(node) * 2))
            node == 3 ? script.reject(node, "declined") : script.fulfill(node)
        }
        screen.feed(script)
        screen.go(to: 4)
        for step in 0..<5 { screen.tick(3_000 + Double(step) * 1_100) }
        let shown = lines(screen)
        #expect(shown.contains("call site   4 nodes, 1 rejected"))
        let index = try #require(shown.firstIndex { $0.hasPrefix("all runs    p50 4.0ms, p99 2") }, "\(shown)")
        #expect(shown[index].hasSuffix("ms, this is slower than 75%"))
        #expect(shown[index + 1] == "            1.0ms ▄█  ▄ 200ms")
        let parts = DetailText.lines(of: screen.state, width: 60)[index + 1].parts
        let own = try #require(parts.last { $0.text == "▄" }?.style)
        #expect(own != .number)
        // A full block shows only the text colour, which is black in styles with a background.
        for theme in Theme.all {
            #expect(theme.look(own, depth: .ansi256).background == theme.look(.number, depth: .ansi256).background)
        }
        #expect(parts.first { $0.text == "▄" }?.style == .number)
    }

    @Test func whatALiveNodeWaitsFor() {
        var screen = GoldenTests.checkout(100, 60)
        screen.go(to: 303)
        #expect(field("waits for", screen) == ["◍ checks #302, its parent"])
        screen.go(to: 313)
        #expect(field("waits for", screen) == ["● address lookup #311, 2 of 3 left"])
        screen.go(to: 311)
        #expect(field("waits for", screen).isEmpty)
    }

    @Test func aPaneOfOneSelectedLiveNodeMovesWithTime() {
        var screen = GoldenTests.checkout(160, 40)
        screen.go(to: 401)
        screen.type("6")
        let before = screen.state.revision
        screen.tick(4_241)
        #expect(screen.state.revision == before)
        screen.tick(4_441)
        #expect(screen.state.revision > before)
    }

    @Test func everyWidthFits() {
        var screen = GoldenTests.checkout(220, 60)
        for node in [203, 205, 302, 313, 401, 403] as [UInt64] {
            screen.go(to: node)
            for width in 13...130 {
                for line in DetailText.lines(of: screen.state, width: width) {
                    let used = line.parts.reduce(0) { $0 + TextWidth.of($1.text) }
                    #expect(used <= max(width, 34), "\(node) at \(width)")
                }
            }
        }
    }
}

// SPDX-License-Identifier: MIT
