import ChainEvents
import ChainInsight
import Frames
import Testing

@testable import Dashboard

/// The warnings of a node in its details, in every view.
@Suite struct DetailWarningTests {
    /// Returns the screen of ``WarningsViewTests`` with the details of a node of the tree.
    private static func screen(_ columns: Int, _ node: UInt64, options: State.Options = .init()) -> Screen {
        var screen = WarningsViewTests.screen(columns, 40, options: options)
        screen.type("1")
        screen.go(to: node)
        if columns < 140 { screen.type("<Enter>") }
        return screen
    }

    private func lines(_ screen: Screen, width: Int = 60) -> [String] {
        DetailText.lines(of: screen.state, width: width).map { $0.parts.map(\.text).joined() }
    }

    /// Returns the lines that begin with a kind of warning.
    private func heads(_ screen: Screen) -> [String] {
        lines(screen).filter { line in WarningKind.allCases.contains { line.hasPrefix($0.rawValue + "  ") } }
    }

    @Test(arguments: [120, 140]) func looksRight(_ columns: Int) {
        GoldenTests.check(Self.screen(columns, 6), "detail/warned-\(columns)x40")
    }

    @Test func looksRightInASCII() {
        GoldenTests.check(
            Self.screen(140, 4, options: State.Options(glyphs: .ascii)), "detail/warned-ascii-140x40")
    }

    @Test func warningsAreListedTheWorstFirst() {
        var screen = Screen(140, 40)
        var script = Script(time: 1_000)
        script.make(1, .pending, "answer", external: true)
        script.reject(1, "no")
        script.settleAgain(1)
        script.at(2_000)
        script.leaveUnhandled(1, "no")
        screen.feed(script)
        #expect(heads(screen).map { $0.prefix { $0 != " " } } == ["unhandled-rejection", "settled-again"])
        #expect(heads(screen).allSatisfy { $0.contains("  at ") })
        let advice = lines(screen).drop { !$0.hasPrefix("settled-again") }.dropFirst().first
        #expect(advice == "  Settle it in one piece of code only.")
        // The view of warnings describes its selected warning itself, and lists the other one as a tree does.
        screen.type("5")
        for _ in 0..<10 {
            if screen.state.warnings.selectedRow?.kind == .settledAgain { break }
            screen.type("j")
        }
        #expect(heads(screen).map { $0.prefix { $0 != " " } } == ["unhandled-rejection"])
        // A warning that is dismissed there is gone here, too.
        screen.type("x1")
        #expect(heads(screen).map { $0.prefix { $0 != " " } } == ["unhandled-rejection"])
    }

    @Test func warningsThatAreOverAreNotShown() {
        var screen = Self.screen(140, 1)
        #expect(heads(screen).map { $0.prefix { $0 != " " } } == ["never-settled"])
        #expect(heads(screen).first?.contains("  since ") == true)
        var script = Script(sequence: 2, time: 73_000)
        script.fulfill(1)
        screen.feed(script)
        #expect(heads(screen).isEmpty)
    }

    @Test(arguments: [ViewID.threads, .timeline, .events]) func warningsAreShownInOtherViews(_ view: ViewID) {
        var screen = Self.screen(140, 6)
        screen.type("\(view.rawValue)")
        #expect(screen.selectedID == 6)
        #expect(screen.text.contains("blocked-worker  since"))
    }

    @Test(arguments: WarningKind.allCases) func adviceIsOneSentence(_ kind: WarningKind) {
        for node in [NodeKind.then, .task] {
            let advice = WarningText.firstAdvice(kind, for: node)
            #expect(kind.advice(for: node).hasPrefix(advice))
            #expect(advice.hasSuffix(".") || advice.hasSuffix("?"))
            #expect(advice.count < 180)
        }
    }

    /// The details are laid out for their scrolling also where the screen is too small to show them.
    @Test(arguments: ViewID.allCases) func noScreenIsTooNarrow(_ view: ViewID) {
        for columns in 1...8 {
            var screen = WarningsViewTests.screen(100, 40)
            screen.type("\(view.rawValue)")
            screen.state.detail.isWanted = true
            screen.type("glj")
            screen.act(.resized(Size(columns: columns, rows: 20)))
            screen.state.detail.isWanted = true
            // Not as keys, which do nothing on a screen of this size.
            let intents: [Intent] = [
                .nextView, .detailDown, .detailUp, .detailDown, .pageDown, .back, .down, .end, .home, .halfDown,
            ]
            for intent in intents { screen.act(.perform(intent)) }
            screen.tick(73_000)
            #expect(screen.frame.size.columns == columns)
        }
    }
}

// SPDX-License-Identifier: MIT
