import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// While the detail pane is open, the program is asked to describe the selected node.
@Suite struct DescriptionTests {
    private static let one = SourceID(0)

    /// Returns the nodes that a program was asked to describe, in order.
    private func asked(_ screen: Screen) -> [UInt64] {
        screen.effects.compactMap {
            guard case .send(_, let command) = $0, case .describe(let id) = command.request else { return nil }
            return id.rawValue
        }
    }

    /// Answers the last command.
    private func answer(_ screen: inout Screen, _ outcome: CommandReply.Outcome) {
        guard case .send(let source, let command)? = screen.effects.last else { return }
        screen.act(.replied(source, CommandReply(command: command.id, outcome: outcome)))
    }

    /// Answers the last question with a description.
    private func answer(_ screen: inout Screen, _ entries: [(String, String)]) {
        guard case .send(_, let command)? = screen.effects.last, case .describe(let id) = command.request else {
            return
        }
        answer(&screen, .described(NodeDetail(node: id, entries: entries.map { .init(name: $0.0, text: $0.1) })))
    }

    /// Returns a screen that has just opened the details of node 401, which is pending.
    private func open(_ columns: Int = 100, _ rows: Int = 40) -> Screen {
        var screen = GoldenTests.checkout(columns, rows)
        screen.go(to: 401)
        // On a wide screen the details of other nodes were open on the way.
        screen.effects = []
        if Layout(screen.state).detail == nil { screen.type("<Enter>") }
        screen.tick(4_250)
        return screen
    }

    @Test func aValueDoesNotLookLikeAnError() throws {
        var script = Script()
        script.make(1, .promise, "order 17", external: true)
        script.fulfill(1, "54 euros")
        script.make(2, .promise, "order 18", external: true)
        script.reject(2, "declined")
        var screen = Screen(100, 40)
        screen.feed(script)
        for (node, text, style) in [(1, "54 euros", Style.normal), (2, "declined", .error)] {
            screen.go(to: UInt64(node))
            let parts = DetailText.lines(of: screen.state, width: 60).flatMap(\.parts)
            #expect(try #require(parts.first { $0.text == text }).style == style)
        }
    }

    @Test func nothingIsAskedWhileThePaneIsClosed() {
        var screen = GoldenTests.checkout(100, 40)
        screen.go(to: 401)
        for step in 0..<20 { screen.tick(4_250 + Double(step) * 50) }
        #expect(asked(screen).isEmpty)
    }

    @Test func asksOnceThePaneRests() {
        var screen = open()
        #expect(asked(screen).isEmpty)
        #expect(!screen.state.isIdle, "it is about to ask")
        screen.tick(4_390)
        #expect(asked(screen).isEmpty)
        screen.tick(4_401)
        #expect(asked(screen) == [401])
        for step in 0..<20 { screen.tick(4_500 + Double(step) * 50) }
        #expect(asked(screen) == [401], "one question at a time")
    }

    @Test func movingOnAsksNothing() {
        var screen = open()
        var time = 4_250.0
        for _ in 0..<8 {
            screen.type("j")
            time += 100
            screen.tick(time)
        }
        #expect(asked(screen).isEmpty)
        let id = screen.selectedID!
        screen.tick(time + 150)
        #expect(asked(screen) == [id])
    }

    @Test func showsWhatIsAnswered() {
        var screen = open()
        screen.tick(4_401)
        answer(
            &screen,
            [
                ("error", "URLError.timedOut: https://stock.example.org/reserve?order=18 did not answer in 5 s"),
                ("waiting handlers", "3: #402, #403, #404"),
                ("value", "Order {\n  number: 18\n  lines: 2\n}"),
            ])
        for _ in 0..<9 { screen.type("J") }
        GoldenTests.check(screen, "detail/described-100x40")
    }

    @Test func anAnswerStaysAndIsShownOnComingBack() {
        var screen = open()
        screen.tick(4_401)
        answer(&screen, [("note", "told")])
        screen.act(.resized(Size(columns: 160, rows: 50)))
        #expect(screen.text.contains("told"))
        screen.type("j")
        #expect(!screen.text.contains("told"))
        screen.type("k")
        screen.tick(4_600)
        screen.tick(4_800)
        #expect(screen.text.contains("told"))
        #expect(asked(screen) == [401], "nothing changed since")
    }

    @Test func asksAgainWhenTheNodeChanged() {
        var screen = open()
        screen.tick(4_401)
        answer(&screen, [("note", "told")])
        screen.act(.resized(Size(columns: 160, rows: 50)))
        var more = Script(sequence: 9, time: 4_500)
        more.fulfill(401, "2 × sku-9")
        screen.feed(more)
        screen.tick(4_600)
        #expect(asked(screen) == [401, 401])
        #expect(screen.text.contains("told"), "until the answer comes the old one is shown")
        answer(&screen, [("note", "told anew")])
        #expect(screen.text.contains("told anew"))
    }

    @Test func aRefusalIsOneDimLine() {
        var screen = open(160, 50)
        screen.tick(4_401)
        answer(&screen, .refused("#401 has ended and was forgotten"))
        let row = screen.text.split(separator: "\n").first { $0.contains("has ended and was forgotten") }
        #expect(row != nil)
        #expect(screen.message == nil)
        for step in 0..<20 { screen.tick(4_500 + Double(step) * 50) }
        #expect(asked(screen) == [401])
    }

    @Test func aReconnectedProgramIsAskedAgain() {
        var screen = open(160, 50)
        screen.tick(4_401)
        screen.act(
            .reconnecting(
                Self.one, since: Screen.wall(4_401), reason: "gone", attempt: 1, nextAttempt: Screen.wall(5_000)))
        answer(&screen, .refused("not connected"))
        for step in 0..<20 { screen.tick(4_500 + Double(step) * 50) }
        #expect(asked(screen) == [401], "there is no program to ask")
        screen.act(.connected(Self.one, Script.process))
        screen.tick(6_000)
        screen.tick(6_200)
        #expect(asked(screen) == [401, 401])
    }

    @Test func anAnswerOfAnotherNodeIsNotShown() {
        var screen = open(160, 50)
        screen.tick(4_401)
        answer(&screen, .described(NodeDetail(node: NodeID(7), entries: [.init(name: "note", text: "secret")])))
        #expect(!screen.text.contains("secret"))
        #expect(screen.text.contains("the program answered something else"))
    }

    @Test func theProgramOfTheNodeIsAsked() {
        var screen = ProgramsTests.both(160, 60)
        screen.go(to: 21)
        #expect(screen.selectedID == 21)
        screen.tick(4_300)
        screen.tick(4_500)
        #expect(
            screen.effects.last
                == .send(
                    ProgramsTests.billing,
                    ViewerCommand(id: 1, process: Script.billing.key, request: .describe(NodeID(21)))))
        screen.type("g")
        screen.tick(4_600)
        screen.tick(4_800)
        #expect(asked(screen) == [21], "a program's row asks nothing")
    }

    @Test func hostileAnswersAreHarmlessAndScrolled() {
        var screen = open(160, 24)
        screen.tick(4_401)
        answer(
            &screen,
            [
                ("\u{1b}]0;title\u{7}\u{202e}name", "\u{1b}[2J\u{9b}31m\r\nline\u{2028}\u{2066}bidi"),
                (String(repeating: "n", count: 5_000), String(repeating: "x\n", count: 5_000)),
                ("漢字漢字漢字漢字漢字漢字", String(repeating: "漢", count: 2_000)), ("", ""),
            ])
        for _ in 0..<12 {
            for scalar in screen.text.unicodeScalars {
                let isFine = scalar == "\n" || scalar.value >= 0x20 && !(0x7f...0x9f).contains(scalar.value)
                let isBidi = (0x202a...0x202e).contains(scalar.value) || (0x2028...0x2029).contains(scalar.value)
                #expect(isFine && !isBidi && !(0x2066...0x2069).contains(scalar.value))
            }
            for _ in 0..<9 { screen.type("J") }
        }
        #expect(screen.state.detail.top > 90)
    }
}

// SPDX-License-Identifier: MIT
