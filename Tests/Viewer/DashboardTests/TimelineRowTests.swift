import ChainEvents
import ChainModel
import ChainRows
import Frames
import SeededNumbers
import Testing

@testable import Dashboard

/// The rows of the timeline, and their cost, which depends on what is on the screen.
@Suite struct TimelineRowTests {
    // MARK: Rows

    @Test func movingSelectsNodesInTheirOrder() {
        var screen = TimelineTests.order(16, 120, 40)
        screen.type("g")
        let expected = [200, 201, 202, 213, 210, 211, 212, 203, 204, 205, 206] as [UInt64]
        for id in expected {
            #expect(screen.selectedID == id)
            screen.type("j")
        }
        #expect(screen.message == "this is the last row")
        screen.type("<Home>")
        #expect(screen.selectedID == 200)
        screen.type("G")
        #expect(screen.selectedID == 206)
    }

    @Test func aClickSelectsAndADoubleClickGoesThere() {
        var screen = TimelineTests.order(16, 120, 40)
        let row = Layout(screen.state).content.row + 2
        screen.act(.mouse(Mouse(.press, .left, row: row, column: 60)))
        #expect(screen.selectedID == 202)
        screen.act(.mouse(Mouse(.press, .left, row: row, column: 60, clickCount: 2)))
        #expect(screen.state.view == .chains)
        #expect(screen.selectedID == 202)
        // A click below the rows selects nothing.
        screen.type("3")
        let area = Layout(screen.state).content
        screen.act(.mouse(Mouse(.press, .left, row: area.row + area.rows - 1, column: 60)))
        #expect(screen.selectedID == 202)
    }

    @Test func anotherChainIsShownWhole() {
        var screen = TimelineTests.order(16, 120, 40)
        screen.type("+++h1")
        screen.go(to: 301)
        screen.type("3")
        #expect(screen.state.timeline.scale == nil && screen.state.timeline.left == nil)
        #expect(screen.text.contains("order 17"))
        #expect(!screen.text.contains("order 16"))
    }

    @Test func enterGoesIntoAChain() {
        var screen = TimelineTests.order(17, 120, 40)
        screen.type("ak")
        #expect(screen.selectedID == 200)
        screen.type("<Enter>")
        #expect(screen.state.timeline.scope == .chain)
        #expect(screen.text.contains("charge card"))
        screen.type("<Enter>")
        #expect(Layout(screen.state).detail != nil)
    }

    @Test func aChainIsShownThoughNoneIsSelected() {
        var screen = ThreadsViewTests.shop(120, 40)
        screen.type("g")
        #expect(screen.selectedID == nil)
        screen.type("3")
        #expect(screen.state.timeline.shownChain(screen.seen) != nil)
        #expect(screen.selectedID != nil)
    }

    @Test func taggingMovesToTheNextRow() {
        var screen = TimelineTests.order(16, 120, 40)
        screen.type("g  ")
        #expect(screen.taggedIDs == [200, 201])
        #expect(screen.selectedID == 202)
        screen.type("G ")
        #expect(screen.taggedIDs == [200, 201, 206])
        #expect(screen.selectedID == 206)
    }

    @Test func whenASelectedLeafIsEvictedItsParentIsSelected() {
        var options = State.Options()
        options.limits.settledLeafLimit = 2
        var screen = Screen(120, 40, options: options)
        var script = Script(time: 10)
        script.make(1, .promise, "server")
        for node in 2...9 as ClosedRange<UInt64> { script.make(node, .work, "request", by: 1) }
        screen.feed(script)
        screen.go(to: 3)
        screen.type("3")
        var more = Script(sequence: 2, time: 20)
        for node in 2...9 as ClosedRange<UInt64> { more.fulfill(node) }
        screen.feed(more)
        for step in 1...50 { screen.tick(30 + Double(step) * 1_000) }
        #expect(screen.state.forest?.index(of: NodeID(3)) == nil, "the leaf is evicted")
        #expect(screen.selectedID == 1)
        #expect(screen.state.timeline.shownChain(screen.seen) != nil)
    }

    @Test func aWheelScrollsRows() {
        var screen = TimelineTests.order(16, 120, 12)
        screen.type("g")
        screen.act(.mouse(Mouse(.wheelDown, row: 6, column: 60)))
        let top = screen.frame.rowText(Layout(screen.state).content.row)
        #expect(top.contains("3 checks"))
        #expect(screen.selectedID == 200)
    }

    /// Order and depth are those of the tree with nothing folded, in both directions, from anywhere.
    @Test(arguments: 1...12) func stepsAreThoseOfTheWalk(_ seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var script = Script(time: 10)
        script.make(1, .promise)
        for node in 2...(60 + UInt64(seed) * 10) as ClosedRange<UInt64> {
            let other = seed % 3 == 0 ? node - 1 : 1 + random.next() % (node - 1)
            switch random.next() % 3 {
            case 0: script.make(node, .work, by: other)
            case 1: script.make(node, .then, under: other)
            default:
                script.make(node, .promise)
                script.link(other, node)
            }
            script.at(10 + Double(node))
        }
        var forest = ChainForest(process: Script.process.key)
        forest.apply(script.batch)
        let root = forest.index(of: NodeID(1))!
        let rows = ChainWalk.rows(of: root, in: forest)
        var depth = 0
        for (number, row) in rows.enumerated() {
            #expect(PreorderSteps.number(of: row.node, within: root, limit: 1_000, in: forest) == number)
            #expect(PreorderSteps.depth(of: row.node, within: root, in: forest) == Int(row.depth))
            let next = PreorderSteps.next(after: row.node, within: root, in: forest)
            depth += next?.levels ?? 0
            if number + 1 < rows.count {
                #expect(next?.node == rows[number + 1].node)
                #expect(depth == Int(rows[number + 1].depth))
                #expect(PreorderSteps.previous(before: rows[number + 1].node, within: root, in: forest) == row.node)
            } else {
                #expect(next == nil)
                #expect(PreorderSteps.last(under: root, in: forest) == row.node)
            }
        }
        let step = PreorderSteps.step(from: rows[5].node, by: 1_000, within: root, in: forest)
        #expect(step.node == rows[rows.count - 1].node && step.rows == rows.count - 6)
    }

    // MARK: Costs

    @Test func aLongChainIsNotWalkedWhole() {
        for isWide in [false, true] {
            var screen = Screen(120, 40)
            var script = Script(time: 10)
            script.make(1, .promise, "long")
            for node in 2...20_000 as ClosedRange<UInt64> {
                isWide ? script.make(node, .work, by: 1) : script.make(node, .then, under: node - 1)
            }
            screen.feed(script)
            screen.type("g3")
            for (number, keys) in ["j", "<PgDn>", "G", "k", "<PgUp>", "g", "+", "l", "h", "-"].enumerated() {
                let before = screen.state.timeline.walkedCount
                screen.type(keys)
                var more = Script(sequence: UInt64(number) + 2, time: 100 + Double(number))
                more.start(10_000)
                screen.feed(more)
                #expect(screen.state.timeline.walkedCount - before < 100, "\(keys), wide: \(isWide)")
                #expect(screen.state.timeline.cursor.count == 20_000)
            }
            screen.type("G")
            #expect(screen.state.timeline.cursor.selected == 19_999)
            #expect(screen.selectedID == 20_000)
            #expect(screen.frame.rowText(Layout(screen.state).content.row + viewHeight(screen) - 1).hasPrefix("›"))
        }
    }

    private func viewHeight(_ screen: Screen) -> Int { screen.state.timeline.height(in: screen.seen) }

    @Test func ofManyChainsOnlyThoseOnTheScreenAreWalked() {
        var screen = Screen(120, 40)
        var script = Script(time: 10)
        for root in 0..<20_000 as Range<UInt64> {
            script.at(10 + Double(root))
            script.make(root + 1, .promise)
        }
        screen.feed(script)
        screen.type("g3aG")
        #expect(screen.selectedID == 20_000)
        // The axis begins with the first chain that is shown.
        let axis = TimelineTests.axis(screen)
        #expect(axis.left == Screen.wall(10 + 20_000 - Double(screen.state.timeline.height(in: screen.seen))))
        screen.type("g<PgDn>")
        #expect(screen.selectedID == UInt64(screen.state.timeline.height(in: screen.seen)))
        #expect(screen.state.timeline.walkedCount < 10)
    }
}

// SPDX-License-Identifier: MIT
