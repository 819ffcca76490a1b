import ChainEvents
import ChainModel
import ChainRows
import Frames
import Testing

@testable import Dashboard

/// What all views have in common: when they are redrawn, and what keys and commands of other views do.
@Suite struct ViewTests {
    /// The caption of a demo has a line of its own, and says when the demo is over.
    @Test func theCaptionIsBelowTheRows() {
        var options = State.Options()
        options.caption = State.Caption(texts: ["two steps: try w", "try w"], endings: ["the demo is over", "over"])
        var screen = Screen(80, 24, options: options)
        #expect(screen.frame.rowText(22).contains("two steps: try w"))
        var script = Script()
        for node in UInt64(1)...30 { script.make(node, .promise, "step \(node)") }
        screen.feed(script)
        screen.type("G")
        #expect(screen.frame.rowText(22).contains("two steps: try w") && screen.frame.rowText(21).contains("step "))
        var end = Script(sequence: 2, time: 2_000)
        for node in UInt64(1)...30 { end.fulfill(node) }
        screen.feed(end)
        #expect(screen.frame.rowText(22).contains("the demo is over"))
        screen.act(.resized(Size(columns: 80, rows: 17)))
        #expect(!screen.text.contains("the demo is over"))
    }

    /// On a narrow screen the caption is shortened rather than cut.
    @Test(arguments: [(58, "what there is to see: try w (why), 5 (warnings)"), (40, "try w (why), 5 (warnings)")])
    func theCaptionFits(columns: Int, expected: String) {
        var options = State.Options()
        options.caption = State.Caption(
            texts: ["what there is to see: try w (why), 5 (warnings)", "try w (why), 5 (warnings)", "try w, 5"],
            endings: nil)
        let screen = Screen(columns, 24, options: options)
        #expect(screen.frame.rowText(22).contains(" " + expected))
    }

    static let others = ViewID.allCases.filter { $0 != .chains }

    /// Checks that a screen is redrawn once a second, and not in between.
    private func expectSeconds(_ screen: Screen, _ what: String) {
        var screen = screen
        screen.tick(20_000)
        screen.tick(21_050)
        let (revision, text) = (screen.state.revision, screen.text)
        screen.tick(21_400)
        #expect(screen.state.revision == revision, "\(what) is drawn more than once a second")
        screen.tick(22_050)
        #expect(screen.state.revision != revision, "\(what) stands still")
        #expect(screen.text != text)
    }

    // MARK: Time

    @Test(arguments: ViewID.allCases) func theHeaderShowsHowLongAConnectionIsLost(_ view: ViewID) {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("\(view.rawValue)")
        screen.act(
            .reconnecting(
                SourceID(0), since: Screen.wall(4_000), reason: "gone", attempt: 2, nextAttempt: Screen.wall(900_000)))
        expectSeconds(screen, "the header in \(view)")
    }

    @Test(arguments: ViewID.allCases) func theHeaderShowsHowLongAgoAProgramRestarted(_ view: ViewID) {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("\(view.rawValue)")
        var again = Script.process
        again.key = ProcessKey(rawValue: 43)
        again.pid = 4_300
        screen.act(.connected(SourceID(0), again))
        expectSeconds(screen, "the header in \(view)")
    }

    @Test(arguments: [ViewID.chains, .threads, .timeline]) func theDetailsOfAProgramShowItsAge(_ view: ViewID) {
        var screen = Screen(160, 40)
        screen.act(.connected(SourceID(1), Script.billing))
        screen.tick(1_000)
        screen.type("\(view.rawValue)G")
        #expect(screen.state.selection == RowID(source: SourceID(1)))
        expectSeconds(screen, "the details in \(view)")
    }

    @Test(arguments: ViewID.allCases) func aViewWithoutChangesIsNotRedrawn(_ view: ViewID) {
        var screen = Screen(160, 40)
        screen.type("\(view.rawValue)")
        screen.tick(20_000)
        let (revision, body) = (screen.state.revision, screen.body)
        for step in 0..<40 { screen.tick(20_100 + Double(step) * 100) }
        #expect(screen.state.revision == revision + 4, "the seconds of the header's clock")
        #expect(screen.body == body)
    }

    /// Whether the passing of time alone may change the details that are shown.
    private static func redrawsDetail(_ screen: Screen) -> Bool {
        let context = ViewContext(screen.state)
        return screen.state.views[screen.state.view].describesSelection(in: context) && context.detailRedrawKey != 0
    }

    /// The rows of the tree are drawn at least as often as the details need, while the selected row is in sight.
    @Test func detailsAreNotDrawnOftenerThanTheTree() {
        var screen = GoldenTests.checkout(160, 40)
        screen.go(to: 311)
        #expect(Self.redrawsDetail(screen) && screen.state.tree.redrawKeyCoversDetail)
        var pictures = 0
        for _ in 1...100 {
            let before = screen.state.revision
            screen.tick(screen.milliseconds + 10)
            if screen.state.revision != before { pictures += 1 }
        }
        #expect(pictures < 15, "ten in a second, and a few for what else changes")
    }

    @Test func detailsOfARowThatIsNoNodeAreNotRedrawnWithTime() {
        var screen = GoldenTests.checkout(160, 40)
        screen.go(to: 311)
        #expect(Self.redrawsDetail(screen))
        screen.type("4")
        #expect(screen.state.selectedIndex != nil)
        #expect(!Self.redrawsDetail(screen))
        // A row of several nodes.
        screen = WarningsViewTests.screen(160, 40)
        screen.type("1")
        screen.go(to: 6)
        #expect(Self.redrawsDetail(screen))
        screen.type("5")
        WarningsViewTests.go(&screen, to: .longQueueWait)
        #expect(screen.state.warnings.selectedNode(screen.seen) == nil)
        #expect(!Self.redrawsDetail(screen))
    }

    // MARK: Keys of the tree

    @Test(arguments: [ViewID.timeline, .events], ["s", "I", "t", "{"])
    func theTreeIsNotSortedFromAnotherView(_ view: ViewID, _ key: String) {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("\(view.rawValue)\(key)")
        #expect(screen.state.tree.order == TreeOrder())
        let sorts = "sI".contains(key)
        #expect(
            screen.message
                == (sorts
                    ? "only Chains, Threads, Sites, Profile and Overview do that; 1, 2, 4, 7 and 8 show them"
                    : "only Chains does that; 1 shows it"))
    }

    /// The message names exactly the views that act on the key.
    @Test(
        arguments: [
            .left, .right, .unfoldAll, .foldAll, .foldLess, .foldMore, .group, .sort, .invertSort, .follow,
            .previousChain, .nextChain,
        ] as [Intent])
    func theMessageNamesTheViewsThatAct(on intent: Intent) {
        let words = ViewID.words(forViewsWith: intent)
        for view in ViewID.allCases {
            var screen = GoldenTests.checkout(120, 40)
            screen.type("\(view.rawValue)")
            screen.act(.perform(intent))
            // Warnings have a fixed order, and say so.
            if view == .warnings, [.sort, .invertSort].contains(intent) { continue }
            #expect((screen.message == words) == !words.contains(view.title), "\(intent) in \(view.name)")
        }
    }

    /// A key that only other views bind names these views.
    @Test(arguments: [ViewID.chains, .overview], ["W", "a", "Z", "V", "x", "X", "E", "=", "+", "-"])
    func aKeyOfOtherViewsIsNotCalledUnbound(_ view: ViewID, _ key: String) {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("\(view.rawValue)\(key)")
        let words = [
            "V": "only Events does that; 6 shows it", "=": "only Sites and Profile do that; 4 and 7 show them",
            "a": "only Timeline and Events do that; 3 and 6 show them",
        ]
        let view = "xXE".contains(key) ? "Warnings does that; 5" : "Timeline does that; 3"
        #expect(screen.message == words[key] ?? "only \(view) shows it")
    }

    @Test func keysOfOtherViewsSayWhichOneTheyAreOf() {
        var screen = GoldenTests.checkout(120, 40)
        for (view, intent, words) in [
            ("1", .own("dismiss"), "only Warnings does that; 5 shows it"),
            ("4", .own("level"), "only Events does that; 6 shows it"),
            ("2", .own("longest"), "only Timeline does that; 3 shows it"),
            ("5", .own("scope"), "only Timeline and Events do that; 3 and 6 show them"),
            ("4", .previousChain, "only Chains and Timeline do that; 1 and 3 show them"),
        ] as [(String, Intent, String)] {
            screen.type(view)
            screen.act(.perform(intent))
            #expect(screen.message == words, "\(intent)")
        }
    }

    @Test func sitesAndWarningsHaveAnOrderOfTheirOwn() {
        var screen = WarningsViewTests.screen(120, 40)
        screen.type("4s")
        let column = screen.state.sites.sort.column
        #expect(column != SiteSort().column)
        screen.type("I")
        #expect(screen.state.sites.sort == SiteSort(column: column, isInverted: true))
        screen.type("5s")
        #expect(screen.message == "sorted by severity, then by when they were last seen")
        #expect(screen.state.tree.order == TreeOrder())
    }

    // MARK: Commands

    @Test(arguments: others) func commandsOfTheTreeShowTheTree(_ view: ViewID) {
        for command in ["fold 0", "group", "sort total"] {
            var screen = GoldenTests.checkout(120, 40)
            screen.type("\(view.rawValue):\(command)<Enter>")
            #expect(screen.state.view == .chains, "\(command)")
        }
        for mistake in ["fold many", "group all", "sort nothing"] {
            var screen = GoldenTests.checkout(120, 40)
            screen.type("\(view.rawValue):\(mistake)<Enter>")
            #expect(screen.state.view == view, "\(mistake)")
        }
    }

    @Test func foldingIncludesChainsThatTheTreeHasNotShownYet() {
        var screen = Screen(120, 40)
        screen.type("2")
        for batch in Demo.checkout() { screen.feed(batch) }
        screen.type(":fold 0<Enter>")
        #expect(screen.message?.hasPrefix("every chain is one row") == true)
        #expect(screen.visibleIDs.count == 4)
    }

    // MARK: Copying

    private func copied(_ screen: Screen) -> String? {
        guard case .copy(let text)? = screen.effects.last else { return nil }
        return text
    }

    @Test func theTreeOfAWarningsNodeIsCopied() {
        var screen = WarningsViewTests.screen(120, 40)
        screen.type("g")
        for _ in 0..<40 where screen.state.warnings.selectedNode(screen.seen)?.id != NodeID(1) { screen.type("j") }
        screen.type("Y")
        let lines = copied(screen)?.split(separator: "\n") ?? []
        #expect(lines.count == 2)
        #expect(lines.first?.contains("answer from the other office") == true)
        #expect(lines.last?.contains("read it") == true)
    }

    @Test(arguments: [
        "Y", "y", ":copy tree<Enter>", ":copy<Enter>", "c", ":cancel<Enter>", ":cancel chain<Enter>", "P",
    ])
    func aRowOfSeveralWarningsHasNoNodeToActOn(_ keys: String) {
        var screen = GoldenTests.checkout(120, 40)
        screen.go(to: 311)
        screen.feed(WarningsViewTests.trouble())
        for time in [70_100.0, 72_000, 72_600] { screen.tick(time) }
        screen.type("5")
        WarningsViewTests.go(&screen, to: .longQueueWait)
        screen.type(keys)
        #expect(copied(screen) == nil)
        #expect(screen.state.context == .view(.warnings))
        #expect(screen.message == "these are several nodes; Enter unfolds them")
    }

    @Test(arguments: ["Y", ":copy tree<Enter>"]) func aCallSiteHasNoTree(_ keys: String) {
        var screen = GoldenTests.checkout(120, 40)
        screen.go(to: 311)
        screen.type("4" + keys)
        #expect(copied(screen) == nil)
        #expect(screen.message == "a call site has no tree; y copies its figures, Enter shows its nodes")
    }

    @Test func aCallSitesFiguresAreCopiedByNameToo() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("4:copy<Enter>")
        #expect(copied(screen)?.contains(" live of ") == true)
        screen.type(":cancel<Enter>")
        #expect(screen.state.context == .view(.sites))
    }

    @Test func aLongPathHasOneEllipsis() throws {
        var screen = Screen(150, 40)
        var script = Script()
        for node in 1...16 as ClosedRange<UInt64> { script.make(node, .work, "step \(node)", by: node - 1) }
        screen.feed(script)
        screen.go(to: 16)
        #expect(screen.selectedID == 16)
        let line = screen.frame.rowText(try #require(Layout(screen.state).tabs).row)
        #expect(line.contains("… › step") && line.contains("› step 16"), "\(line)")
        #expect(line.count { $0 == "…" } == 1, "\(line)")
    }
}

// SPDX-License-Identifier: MIT
