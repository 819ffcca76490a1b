import ChainEvents
import ChainInsight
import ChainRows
import Frames
import Testing

@testable import Dashboard

/// Parents of many children fold by themselves, and keys fold all chains to one level.
@Suite struct FoldingTests {
    // MARK: Unimportant nodes

    @Test func unimportantNodesComeAsOneRow() throws {
        var options = State.Options()
        options.unimportant = try Query("kind:all or label:log")
        var screen = Screen(100, 30, options: options)
        var script = Script(time: 10)
        script.make(1, .promise, "order", external: true)
        script.make(2, .all, "checks", by: 1)
        script.make(3, .work, "address", by: 2)
        script.make(4, .work, "charge", by: 1)
        script.make(5, .work, "inside", by: 4)
        script.at(11)
        script.make(10, .promise, "log a line", external: true)
        script.make(11, .work, "write", by: 10)
        screen.feed(script)
        #expect(screen.visibleIDs == [10, 1, 2, 4, 5])
        screen.go(to: 2)
        screen.type("l")
        #expect(screen.visibleIDs == [10, 1, 2, 3, 4, 5])
        screen.type("*")
        #expect(screen.visibleIDs.contains(11))
    }

    /// Returns a screen with order 1: node 2 has `count` children, node 3 follows. Also returns a script for later
    /// events.
    private func order(_ count: UInt64, _ columns: Int = 280) -> (screen: Screen, script: Script) {
        var script = Script()
        script.make(1, .promise, "order", external: true)
        script.make(2, .then, "lines", under: 1)
        script.make(3, .then, "ship", under: 2)
        script.start(2)
        for line in 0..<count { script.make(10 + line, .work, "line \(line)", by: 2) }
        for line in [10, 11, 12] as [UInt64] { script.start(line) }
        if count > 20 { script.reject(13, "no stock") }
        for line in 14..<(10 + count) { script.fulfill(line) }
        var screen = Screen(columns, 20)
        screen.feed(script)
        return (screen, Script(sequence: 2, time: 50))
    }

    @Test func manyChildrenAreOneRowWithTheirStates() {
        var (screen, more) = order(1_204)
        #expect(screen.visibleIDs == [1, 2, 3])
        #expect(screen.text.contains("lines  1,204 children: 3 running, 1 rejected"))
        more.reject(11, "no stock")
        more.make(2_000, .work, "one more", by: 2)
        screen.feed(more)
        #expect(screen.text.contains("lines  1,205 children: 2 running, 2 rejected"))
        #expect(screen.visibleIDs == [1, 2, 3])
    }

    @Test func fulfilledChildrenAreNotInTheSummary() {
        var (screen, more) = order(300)
        for line in [10, 11, 12, 13] as [UInt64] { more.fulfill(line) }
        screen.feed(more)
        #expect(screen.text.contains("300 children: 1 rejected"))
    }

    @Test func whatDoesNotFitBesideTheLabelTakesEmptyCells() {
        func row(_ columns: Int) -> Substring {
            order(1_204, columns).screen.text.split(separator: "\n").first { $0.contains("lines") }!
        }
        #expect(row(140).contains("lines  1,204 children: 3 running, 1 rejected"), "\(row(140))")
        // The rest stands in the column of values, and does not overwrite what did fit.
        #expect(row(120).contains("lines  1,204 children: 3 running  ") && row(120).hasSuffix("  1 rejected"))
        // Without the thread's column there is room.
        #expect(row(90).contains("lines  1,204 children: 3 running, 1 rejected"), "\(row(90))")
        #expect(row(70).hasSuffix("1,204 children: 3 running"))
        #expect(!order(1_204, 45).screen.text.contains("3 run"))
    }

    /// The newest chain is followed in a folded program, or in a folded group.
    @Test(arguments: [true, false]) func detailsScrollWhileTheFollowedChainIsHidden(_ isInProgram: Bool) {
        var screen = isInProgram ? ProgramsTests.both(120, 30) : GoldenTests.checkout(120, 30)
        screen.type(isInProgram ? "ghf" : "tgf")
        #expect(screen.selectedID == nil && screen.state.tree.following == .newest)
        screen.state.detail.rows = 4
        screen.type("iJ")
        screen.act(.resized(Size(columns: 120, rows: 30)))
        #expect(screen.state.detail.top == 1)
        // A newer chain that is not hidden is selected.
        var script = Script(sequence: 9, time: 4_300)
        script.make(900, .promise, "order 19", site: "Shop/Other.swift:1")
        if !isInProgram { screen.type("t") }
        screen.type("*")
        screen.feed(script)
        #expect(screen.selectedID == 900)
    }

    @Test func twoHundredStayOpen() {
        let (screen, _) = order(200)
        #expect(screen.state.tree.rowCount == 203)
        #expect(order(201).screen.state.tree.rowCount == 3)
    }

    @Test func whatTheUserUnfoldsStaysUnfolded() {
        var (screen, more) = order(300)
        screen.go(to: 2)
        screen.type("l")
        #expect(screen.state.tree.rowCount == 303)
        more.make(2_000, .work, "one more", by: 2)
        screen.feed(more)
        screen.tick(5_000)
        #expect(screen.state.tree.rowCount == 304)
        screen.type("h")
        #expect(screen.state.tree.rowCount == 3)
        screen.tick(9_000)
        #expect(screen.state.tree.rowCount == 3)
    }

    @Test func aParentStaysUnfoldedWhileTheSelectionIsInIt() {
        var (screen, more) = order(200)
        screen.go(to: 12)
        more.make(2_000, .work, "one more", by: 2)
        screen.feed(more)
        screen.tick(1_000)
        #expect(screen.selectedID == 12)
        #expect(screen.state.tree.rowCount == 204)
        screen.type("g")
        screen.tick(1_100)
        #expect(screen.visibleIDs == [1, 2, 3])
    }

    @Test func unfoldAllShowsTheManyToo() {
        var (screen, _) = order(300)
        screen.type("*")
        #expect(screen.state.tree.rowCount == 303)
        screen.type("_")
        #expect(screen.visibleIDs == [1])
    }

    // MARK: Levels

    /// Returns a screen with order 1, which node 2 continues. Node 3 is inside 2, 4 inside 3 and 5 inside 4. Node 6 is
    /// another chain.
    private func nested() -> Screen {
        var script = Script()
        script.make(1, .promise, "order", external: true)
        script.make(2, .then, "check", under: 1)
        script.start(2)
        for node in 3...5 as ClosedRange<UInt64> {
            script.make(node, .work, "step", by: node - 1)
            script.start(node)
        }
        script.make(6, .promise, "another", external: true)
        var screen = Screen(100, 20)
        screen.feed(script)
        return screen
    }

    @Test func eachKeyIsALevel() {
        var screen = nested()
        #expect(screen.visibleIDs == [1, 2, 3, 4, 5, 6])
        screen.type("{")
        #expect(screen.visibleIDs == [1, 2, 3, 4, 6])
        #expect(screen.message == "2 levels of every chain; * shows all")
        screen.type("{")
        #expect(screen.visibleIDs == [1, 2, 3, 6])
        #expect(screen.message == "1 level of every chain; * shows all")
        screen.type("{")
        #expect(screen.visibleIDs == [1, 6])
        screen.type("{")
        #expect(screen.visibleIDs == [1, 6])
        #expect(screen.message == "every chain is one row")
        screen.type("}}")
        #expect(screen.visibleIDs == [1, 2, 3, 4, 6])
        screen.type("}}}}")
        #expect(screen.visibleIDs == [1, 2, 3, 4, 5, 6])
        #expect(screen.message == "nothing on the screen is deeper than level 4")
    }

    @Test func aLevelHoldsForNewNodesAndTheUserOverrulesIt() {
        var screen = nested()
        screen.state.callTree { $0.fold(toLevel: 1, &$1) }
        screen.state.updateViewport()
        var more = Script(sequence: 2, time: 50)
        more.make(7, .work, "step", by: 2)
        more.make(8, .work, "step", by: 7)
        screen.feed(more)
        #expect(screen.visibleIDs == [1, 2, 3, 7, 6])
        screen.go(to: 7)
        screen.type("l")
        #expect(screen.visibleIDs == [1, 2, 3, 7, 8, 6])
        screen.type("{")
        #expect(screen.visibleIDs == [1, 6])
    }

    @Test func aFilterHasItsOwnFolds() {
        var screen = nested()
        screen.type("/state:running<Enter>{")
        #expect(screen.message == "a filter unfolds what matches; Esc drops it")
    }

    @Test func aLevelHoldsForLongChainsToo() {
        var script = Script()
        script.make(1, .promise, "order", external: true)
        for node in 2...2_000 as ClosedRange<UInt64> { script.make(node, .work, "step", by: node - 1) }
        var screen = Screen(100, 20)
        screen.feed(script)
        screen.state.callTree { $0.fold(toLevel: 700, &$1) }
        screen.state.updateViewport()
        #expect(screen.state.tree.rowCount == 701)
        screen.type("G")
        #expect(screen.selectedID == 701)
        screen.type("}")
        #expect(screen.state.tree.rowCount == 702)
        screen.type("*")
        #expect(screen.state.tree.rowCount == 2_000)
    }
}

// SPDX-License-Identifier: MIT
