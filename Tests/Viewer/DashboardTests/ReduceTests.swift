import ChainEvents
import ChainRows
import Frames
import Testing

@testable import Dashboard

@Suite struct ReduceTests {
    // MARK: Moving

    @Test func movesByRowsPagesAndEnds() {
        var screen = GoldenTests.checkout(80, 12)
        #expect(screen.selectedID == 400)
        screen.type("j")
        #expect(screen.selectedID == 401)
        screen.type("<Down><Down>k")
        #expect(screen.selectedID == 402)
        screen.type("G")
        #expect(screen.selectedID == 100)
        screen.type("<PgUp>")
        #expect(screen.selectedID != 100)
        screen.type("g")
        #expect(screen.selectedID == 400)
        screen.type("<PgDn>")
        let page = screen.state.tree.window.count - 1
        #expect(screen.state.tree.selectedRow == page)
        screen.type("<Home>k")
        #expect(screen.message == "this is the first row")
        screen.type("<End>j")
        #expect(screen.message == "this is the last row")
    }

    @Test func leftFoldsThenLeavesRightUnfoldsThenEnters() {
        var screen = GoldenTests.checkout(120, 60)
        screen.go(to: 302)
        screen.type("<Left>")
        #expect(screen.selectedID == 302)
        #expect(!screen.visibleIDs.contains(313))
        screen.type("h")
        #expect(screen.selectedID == 300, "what goes on from a root is left towards the root")
        screen.type("h")
        #expect(!screen.visibleIDs.contains(301))
        screen.type("h")
        #expect(screen.message == "this is the top of its chain")
        screen.type("l")
        #expect(screen.visibleIDs.contains(301))
        #expect(!screen.visibleIDs.contains(313), "folds inside stay")
        screen.type("jj<Right>l")
        #expect(screen.selectedID == 313)
        screen.type("lll")
        #expect(screen.message == "nothing is folded in here")
    }

    @Test func foldAllAndUnfoldAll() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("_")
        #expect(screen.visibleIDs == [400, 300, 200, 100])
        screen.type("*")
        #expect(screen.visibleIDs.count == 40)
    }

    @Test func selectionStaysOnItsNodeAndLineWhileChainsComeAndGo() {
        var screen = GoldenTests.checkout(120, 20)
        screen.go(to: 303)
        let line = screen.state.tree.selectedLine
        // Order 19 comes above the selection.
        var more = Script(sequence: 9, time: 4_300)
        more.make(900, .promise, "order 19", external: true)
        for id in 901..<907 as Range<UInt64> { more.make(id, .then, under: id - 1) }
        screen.feed(more)
        #expect(screen.selectedID == 303 && screen.state.tree.selectedLine == line)
        // Order 18 folds and goes below: 7 rows above the selection disappear.
        var end = Script(sequence: 10, time: 4_400)
        for id in 401...406 as ClosedRange<UInt64> { end.fulfill(id) }
        screen.feed(end)
        screen.tick(30_000)
        #expect(screen.selectedID == 303)
        #expect(screen.visibleIDs[screen.state.tree.selectedLine!] == 303)
        #expect(screen.state.tree.selectedLine == line || screen.state.tree.top == 0)
    }

    @Test func resizingKeepsTheSelectionInSight() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("<End>")
        for size in [Size(columns: 80, rows: 10), Size(columns: 30, rows: 8), Size(columns: 200, rows: 60)] {
            screen.act(.resized(size))
            #expect(screen.state.tree.selectedLine != nil, "\(size)")
            #expect(screen.frame.size == size)
        }
        for rows in 0..<9 {
            for columns in [0, 1, 5, 20, 29, 30, 31] {
                screen.act(.resized(Size(columns: columns, rows: rows)))
                _ = screen.frame
            }
        }
    }

    @Test func newChainsArriveOnTop() {
        var screen = GoldenTests.checkout(120, 60)
        let before = screen.visibleIDs
        var more = Script(sequence: 9, time: 4_300)
        more.make(900, .promise, "order 19")
        screen.feed(more)
        #expect(screen.visibleIDs == [900] + before)
    }

    @Test func settledChainsFoldByThemselvesButNotUnderTheUser() {
        var screen = GoldenTests.checkout(120, 60)
        screen.go(to: 303)
        var end = Script(sequence: 9, time: 5_000)
        for id in [311, 312, 313, 302, 303, 304, 305, 306] as [UInt64] { end.fulfill(id) }
        screen.feed(end)
        screen.tick(60_000)
        #expect(screen.visibleIDs.contains(303), "the user is in it")
        #expect(!screen.visibleIDs.contains(201))
        screen.type("g")
        screen.tick(62_000)
        #expect(!screen.visibleIDs.contains(303))
        #expect(screen.state.outline.rowCount == 10)
    }

    @Test func whatTheUserUnfoldsDoesNotFoldByItself() {
        var screen = GoldenTests.checkout(120, 60)
        // Order 15, which settled.
        screen.type("<End>l")
        screen.type("g")
        screen.tick(60_000)
        #expect(screen.visibleIDs.contains(101))
        #expect(!screen.visibleIDs.contains(201))
    }

    @Test func followsTheNewest() {
        var screen = GoldenTests.checkout(120, 20)
        screen.type("f")
        #expect(screen.selectedID == 400)
        var more = Script(sequence: 9, time: 4_300)
        more.make(900, .promise, "order 19")
        screen.feed(more)
        #expect(screen.selectedID == 900)
        screen.type("k")
        let id = screen.selectedID
        var last = Script(sequence: 10, time: 4_400)
        last.make(901, .promise, "order 20")
        screen.feed(last)
        #expect(screen.selectedID == id)
    }

    @Test func anEvictedSelectionGoesToANearOne() {
        var options = State.Options()
        options.limits.ageLimit = 5_000_000_000
        options.limits.failedChainLimit = 0
        var screen = Screen(120, 40, options: options)
        for batch in Demo.checkout() { screen.feed(batch) }
        screen.go(to: 102)
        #expect(screen.selectedID == 102)
        screen.tick(5_000)
        #expect(screen.selectedID == 102 && screen.visibleIDs.contains(200))
        // The chains 100 and 200 are evicted, and nothing is below them: the nearest row above is the last of chain 300.
        screen.tick(60_000)
        #expect(screen.state.forest?.index(of: NodeID(102)) == nil)
        #expect(screen.visibleIDs.last == 306)
        #expect(screen.selectedID == 306 && screen.state.selectedIndex != nil)
        #expect(screen.state.tree.selectedLine == screen.visibleIDs.count - 1)
    }

    // MARK: Time

    @Test func nothingIsDrawnWhenNothingChanges() {
        var screen = GoldenTests.checkout(120, 40)
        screen.tick(60_000)
        var script = Script(sequence: 9, time: 61_000)
        for id in [311, 312, 313, 302, 303, 304, 305, 306, 401, 402, 403, 404, 405, 406] { script.fulfill(UInt64(id)) }
        screen.feed(script)
        screen.tick(90_000)
        let revision = screen.state.revision
        for step in 0..<20 { screen.tick(90_000 + Double(step) * 100) }
        #expect(screen.state.revision == revision + 1, "the second of the header's clock")
        #expect(screen.state.isIdle)
    }

    @Test func runningTimesChangeOnceATenthThenOnceASecond() {
        var screen = GoldenTests.checkout(120, 60)
        func frames(from: Double, to: Double) -> Int {
            var count = 0
            var revision = screen.state.revision
            for step in stride(from: from, through: to, by: 10) {
                screen.tick(step)
                if screen.state.revision != revision { count += 1 }
                revision = screen.state.revision
            }
            return count
        }
        screen.tick(6_000)
        #expect(frames(from: 6_010, to: 7_000) <= 12)
        screen.tick(100_000)
        #expect(frames(from: 100_010, to: 102_000) <= 3)
    }

    @Test func statusLinesGoAway() {
        var screen = GoldenTests.checkout(80, 24)
        screen.type("U")
        #expect(screen.message == "nothing is tagged; Space tags")
        screen.tick(30_000)
        #expect(screen.message == nil)
    }

    @Test func messagesFromBeforeTheFirstTickStayAsLongAsOthers() {
        for (action, seconds) in [(Action.report("late"), 6.0), (.message("early"), 5.0)] {
            var screen = Screen(80, 24)
            screen.act(action)
            screen.tick(0)
            screen.tick(seconds * 1_000 - 1)
            #expect(screen.message != nil)
            screen.tick(seconds * 1_000 + 1)
            #expect(screen.message == nil)
        }
    }

    // MARK: Freezing

    @Test func freezingHoldsBatchesUntilItEnds() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("p")
        var more = Script(sequence: 9, time: 5_000)
        more.make(900, .promise, "order 19")
        screen.feed(more)
        screen.tick(20_000)
        #expect(!screen.visibleIDs.contains(900))
        #expect(screen.text.contains("frozen, 1 wait"))
        screen.type("<Home>j")
        #expect(screen.selectedID == 401, "it can be explored")
        screen.type("p")
        #expect(screen.visibleIDs.contains(900))
        #expect(screen.effects.isEmpty)
    }

    @Test func pastTheLimitASnapshotIsAskedFor() {
        var options = State.Options()
        options.frozenLimit = 10
        var screen = GoldenTests.checkout(120, 60, options: options)
        screen.type("p")
        for number in 0..<20 {
            var more = Script(sequence: UInt64(9 + number), time: 5_000)
            more.make(900 + UInt64(number), .promise, "late", site: "A/B.swift:\(number)")
            screen.feed(more)
        }
        #expect(screen.text.contains(" dropped"))
        screen.type("p")
        #expect(screen.effects == [.requestSnapshot(SourceID(0))])
        #expect(screen.state.forest?.index(of: NodeID(900)) == nil)
        #expect(screen.state.forest?.sites.count ?? 0 >= 20, "names are sent once, so they are kept")
    }
}

// SPDX-License-Identifier: MIT
