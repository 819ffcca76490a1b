import ChainEvents
import Frames
import Testing

@testable import ChainRows
@testable import Dashboard

@Suite struct ReduceTests {
    // MARK: Moving

    @Test func movesByRowsPagesAndEnds() {
        var screen = GoldenTests.checkout(80, 12)
        #expect(screen.selectedID == 100)
        screen.type("j")
        #expect(screen.selectedID == 101)
        screen.type("<Down><Down>k")
        #expect(screen.selectedID == 102)
        screen.type("G")
        #expect(screen.selectedID == 406)
        screen.type("<PgUp>")
        #expect(screen.selectedID != 406)
        screen.type("g")
        #expect(screen.selectedID == 100)
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
        screen.type("j")
        screen.type("j<Left>")
        #expect(screen.selectedID == 102)
        #expect(!screen.visibleIDs.contains(113))
        screen.type("h")
        #expect(screen.selectedID == 100, "what goes on from a root is left towards the root")
        screen.type("h")
        #expect(!screen.visibleIDs.contains(101))
        screen.type("h")
        #expect(screen.message == "this is the top of its chain")
        screen.type("l")
        #expect(screen.visibleIDs.contains(101))
        #expect(!screen.visibleIDs.contains(113), "folds inside stay")
        screen.type("jj<Right>l")
        #expect(screen.selectedID == 113)
        screen.type("lll")
        #expect(screen.message == "nothing is folded in here")
    }

    @Test func foldAllAndUnfoldAll() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("_")
        #expect(screen.visibleIDs == [100, 200, 300, 400])
        screen.type("*")
        #expect(screen.visibleIDs.count == 40)
    }

    @Test func selectionStaysOnItsNodeAndLineWhileChainsComeAndGo() {
        var screen = GoldenTests.checkout(120, 20)
        screen.type("<End>kkk")
        let id = screen.selectedID
        let line = screen.state.tree.selectedLine
        #expect(id == 403)
        // Orders 15 and 16 fold and go below: 20 rows above the selection disappear.
        screen.tick(30_000)
        #expect(screen.selectedID == id)
        #expect(screen.state.tree.selectedLine != nil)
        #expect(screen.visibleIDs[screen.state.tree.selectedLine!] == id)
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

    @Test func newChainsArriveBelowAndMoveNothing() {
        var screen = GoldenTests.checkout(120, 60)
        let before = screen.visibleIDs
        var more = Script(sequence: 9, time: 4_300)
        more.make(900, .promise, "order 19")
        screen.feed(more)
        #expect(screen.visibleIDs == before + [900])
    }

    @Test func settledChainsFoldByThemselvesButNotUnderTheUser() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("j")
        screen.tick(60_000)
        #expect(screen.visibleIDs.contains(101), "the user is in it")
        #expect(!screen.visibleIDs.contains(201))
        screen.type("G")
        screen.tick(62_000)
        #expect(!screen.visibleIDs.contains(101))
        #expect(screen.state.rowModel.rowCount == 20)
    }

    @Test func explicitFoldsWin() {
        var screen = GoldenTests.checkout(120, 60)
        // Unfold order 15 explicitly: fold, unfold.
        screen.type("<Home>hl")
        screen.type("G")
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
        var screen = Screen(120, 40, options: options)
        for batch in Demo.checkout() { screen.feed(batch) }
        screen.type("jj")
        #expect(screen.selectedID == 102)
        screen.type("G")
        screen.tick(5_000)
        screen.type("g")
        screen.tick(60_000)
        #expect(screen.state.selectedIndex != nil)
        #expect(screen.state.tree.selectedLine != nil)
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

    // MARK: Freezing

    @Test func freezingHoldsBatchesAndGoesOn() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("p")
        var more = Script(sequence: 9, time: 5_000)
        more.make(900, .promise, "order 19")
        screen.feed(more)
        screen.tick(20_000)
        #expect(!screen.visibleIDs.contains(900))
        #expect(screen.text.contains("frozen, 1 wait"))
        screen.type("<End>k")
        #expect(screen.selectedID == 405, "it can be explored")
        screen.type("p")
        #expect(screen.visibleIDs.contains(900))
        #expect(screen.effects.isEmpty)
    }

    @Test func pastTheLimitAFreshStateIsAskedFor() {
        var options = State.Options()
        options.frozenLimit = 10
        var screen = GoldenTests.checkout(120, 60, options: options)
        screen.type("p")
        for number in 0..<20 {
            var more = Script(sequence: UInt64(9 + number), time: 5_000)
            more.make(900 + UInt64(number), .promise, "late", site: "A/B.swift:\(number)")
            screen.feed(more)
        }
        #expect(screen.text.contains("too many"))
        screen.type("p")
        #expect(screen.effects == [.requestSnapshot(SourceID(0))])
        #expect(screen.state.forest?.index(of: NodeID(900)) == nil)
        #expect(screen.state.forest?.sites.count ?? 0 >= 20, "names are not told again, so they are kept")
    }
}
