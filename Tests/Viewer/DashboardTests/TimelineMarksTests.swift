import ChainEvents
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// The timeline: durations, legend, critical path, strip, folding, and the longest bars.
@Suite struct TimelineMarksTests {
    private static func lines(_ screen: Screen) -> [String] {
        (0..<screen.frame.size.rows).map { screen.frame.rowText($0) }
    }

    private static func line(_ text: String, _ screen: Screen) -> String {
        lines(screen).first { $0.contains(text) } ?? ""
    }

    // MARK: Bars

    @Test func aBarEndsInItsDuration() {
        let screen = TimelineTests.order(16, 160, 40)
        for (label, duration) in [("reserve stock", "210ms"), ("charge card", "300ms"), ("3 checks", "288ms")] {
            #expect(Self.line(label, screen).contains(duration), "\(label)")
        }
    }

    @Test func aLiveBarGrowsByItsDuration() {
        var screen = TimelineTests.order(17, 120, 40)
        let before = Self.line("address lookup", screen)
        screen.tick(9_000)
        #expect(Self.line("address lookup", screen) != before)
        #expect(Self.line("address lookup", screen).contains(/[0-9.]+s/))
    }

    @Test(arguments: [80, 120, 200]) func aSettledChainFillsTheWidth(_ columns: Int) {
        let screen = TimelineTests.order(16, columns, 40)
        let axis = TimelineTests.axis(screen)
        let span = screen.state.timeline.chain!.span
        let used = axis.column(of: span.upperBound) + DurationColumns.count
        #expect(used <= axis.columns && used >= axis.columns - 2, "\(used) of \(axis.columns)")
    }

    /// The columns that the duration takes beside a bar.
    private enum DurationColumns { static let count = 10 }

    @Test func aLiveChainUsesMostOfTheWidthAsItGrows() {
        var screen = TimelineTests.order(17, 120, 40)
        var scales: Set<UInt64> = []
        for second in 5..<65 {
            screen.tick(Double(second) * 1_000)
            let axis = TimelineTests.axis(screen)
            let used = axis.column(of: Screen.wall(Double(second) * 1_000))
            #expect(used <= axis.columns - 8 && used * 5 >= (axis.columns - 10) * 4, "\(used) of \(axis.columns)")
            scales.insert(axis.scale)
        }
        #expect(scales.count < 45, "the scale stands still in between")
    }

    @Test func theSignsAreExplainedWhereThereIsRoom() {
        #expect(TimelineTests.order(16, 120, 40).text.contains("█ runs"))
        #expect(TimelineTests.order(16, 120, 40, options: State.Options(glyphs: .ascii)).text.contains("# runs"))
        #expect(!TimelineTests.order(16, 120, 12).text.contains("█ runs"))
    }

    // MARK: The critical path

    @Test func theCriticalPathIsMarked() {
        var screen = Screen(120, 40)
        var script = Script(time: 100)
        script.make(1, .all, "checks")
        for (node, label) in [(2, "fast"), (3, "slow")] as [(UInt64, String)] {
            script.make(node, .work, label, by: 1)
            script.link(1, node)
            script.queue(node)
            script.start(node, on: ThreadID(node))
        }
        script.make(4, .then, "pay", under: 1)
        script.at(200)
        script.fulfill(2)
        script.at(900)
        script.fulfill(3)
        script.fulfill(1)
        script.queue(4)
        script.start(4)
        script.at(1_000)
        script.fulfill(4)
        screen.feed(script)
        screen.type("3")
        #expect(Self.line("slow", screen).contains("┃"))
        #expect(Self.line("pay", screen).contains("┃"))
        #expect(!Self.line("fast", screen).contains("┃"))
        #expect(screen.text.contains("┃ critical path"))
        GoldenTests.check(screen, "timeline/critical-120x40")
    }

    /// The root has been live for so long that its settlement is rounded; that of the node it follows is exact.
    @Test func theCriticalPathOfAnOldChainHasItsRoot() throws {
        var screen = Screen(120, 40)
        var script = Script(time: 100)
        script.make(1, .work, "order")
        script.at(144_000_000)
        script.make(2, .work, "fast", by: 1)
        script.make(3, .work, "slow", by: 1)
        script.adopt(1, 3)
        script.at(144_000_001)
        script.fulfill(2)
        script.at(144_000_002.05)
        script.fulfill(3)
        script.at(144_000_002.051)
        script.fulfill(1)
        screen.feed(script)
        screen.type("3")
        let critical = try #require(screen.state.timeline.chain).critical
        #expect(Set(critical.map { screen.state.programs[0].forest.id(of: $0).rawValue }) == [1, 3])
    }

    // MARK: The strip

    @Test func aStripShowsTheWholeChainWhileZoomedIn() {
        var screen = TimelineTests.order(16, 120, 40)
        #expect(!screen.text.contains("whole chain"))
        screen.type("++")
        #expect(screen.text.contains("whole chain, "))
        let row = Layout(screen.state).content.row + 3
        screen.act(.mouse(Mouse(.press, .left, row: row, column: 60)))
        #expect(screen.selectedID == 202, "rows begin below the strip")
        screen.act(.mouse(Mouse(.press, .left, row: Layout(screen.state).content.row, column: 60)))
        #expect(screen.selectedID == 202)
        screen.type("--")
        #expect(!screen.text.contains("whole chain"))
    }

    // MARK: Folding

    @Test func aKeyFoldsWhatIsUnderANode() {
        var screen = TimelineTests.order(16, 120, 40)
        screen.go(to: 202)
        let count = screen.state.timeline.cursor.count
        screen.type("Z")
        #expect(screen.state.timeline.cursor.count < count)
        #expect(screen.selectedID == 202)
        #expect(Self.line("▸", screen).contains("+\(count - screen.state.timeline.cursor.count)"))
        screen.type("Z")
        #expect(screen.state.timeline.cursor.count == count)
        screen.type("GZ")
        #expect(screen.message == "there is nothing under this node")
        screen.type("_")
        #expect(screen.state.timeline.cursor.count < count)
        screen.type("*")
        #expect(screen.state.timeline.cursor.count == count)
    }

    @Test func goingToANodeInsideUnfoldsIt() {
        var screen = TimelineTests.order(16, 120, 40)
        screen.go(to: 202)
        screen.type("Z:goto #210<Enter>3")
        #expect(screen.selectedID == 210)
        #expect(Self.lines(screen).contains { $0.hasPrefix("›") })
    }

    // MARK: The longest

    @Test func aKeyGoesToTheLongestBars() {
        var screen = TimelineTests.order(16, 120, 40)
        screen.type("gW")
        let first = screen.selectedID
        #expect(screen.message?.hasPrefix("the longest bar: ") == true)
        screen.type("W")
        #expect(screen.selectedID != first)
        #expect(screen.message?.hasPrefix("number 2 of the longest: ") == true)
        screen.type("aW")
        #expect(screen.message?.hasPrefix("the longest chain: ") == true || screen.message?.contains("longest") == true)
    }

    @Test func theLongestChainIsFoundBelowTheScreen() {
        var screen = Screen(120, 20)
        var script = Script(time: 10)
        for node in UInt64(1)...200 {
            script.at(Double(node) * 100)
            script.make(node, .work, "order \(node)", site: "A/A.swift:1")
            script.at(Double(node) * 100 + (node == 150 ? 90 : 10))
            script.fulfill(node)
        }
        screen.feed(script)
        screen.type("3ag")
        #expect(screen.state.timeline.cursor.count == 200)
        screen.type("W")
        #expect(screen.selectedID == 150)
        #expect(screen.message == "the longest chain: 90ms")
    }

    /// The chain has more nodes than the timeline walks at once.
    @Test func aLongChainCannotBeFoldedButItsLongestBarIsFound() {
        var screen = Screen(120, 20)
        var script = Script(time: 10)
        script.make(1, .all, "batch", site: "A/A.swift:1")
        for node in UInt64(2)...3_000 {
            script.make(node, .work, "row \(node)", by: 1, site: "A/A.swift:2")
            script.queue(node)
            script.start(node)
            script.at(script.time + (node == 2_500 ? 5 : 0.1))
            script.fulfill(node)
        }
        screen.feed(script)
        screen.type("3g")
        for key in ["Z", "_", "*"] {
            screen.type(key)
            #expect(screen.message == "this chain is too long to fold: it has more than 2,048 nodes", "\(key)")
        }
        screen.type("W")
        #expect(screen.selectedID == 2_500)
        #expect(screen.message == "the longest bar: 5.0ms")
    }

    // MARK: Chains

    @Test func bracketsGoFromChainToChain() {
        var screen = GoldenTests.checkout(120, 40)
        func root() -> NodeIndex? { screen.state.selectedIndex.flatMap { screen.state.forest?.root(of: $0) } }
        screen.type("gj3")
        let first = root()
        screen.type("]")
        let second = root()
        #expect(second != nil && second != first)
        #expect(screen.state.view == .timeline && screen.state.timeline.scope == .chain)
        screen.type("[")
        #expect(root() == first, "\(screen.message ?? "")")
        screen.type("ag")
        for (key, row) in [("]", 1), ("]", 2), ("[", 1), ("[", 0), ("[", 0)] {
            screen.type(key)
            #expect(screen.state.timeline.cursor.selected == row, "\(key)")
        }
        #expect(screen.message == "this is the first chain")
    }
}

// SPDX-License-Identifier: MIT
