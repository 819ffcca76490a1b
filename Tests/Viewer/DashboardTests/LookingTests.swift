import ChainEvents
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// What stays while the user reads, and what moves.
@Suite struct LookingTests {
    // MARK: Following

    @Test func aLookAtThreadsEndsNoFollowing() {
        for (keys, following) in [("", .first), ("f", .newest), ("jff", .selected), ("j", .nothing)]
            as [(String, ChainsView.Following)]
        {
            var screen = GoldenTests.checkout(120, 40)
            screen.type(keys)
            let selected = screen.selectedID
            #expect(screen.state.tree.following == following)
            screen.type("21")
            #expect(screen.state.tree.following == following, "\(keys)")
            #expect(screen.selectedID == selected, "\(keys)")
            screen.type("231")
            #expect(screen.state.tree.following == following, "\(keys)")
            var more = Script(sequence: 9, time: 4_300)
            more.make(900, .promise, "order 19")
            screen.feed(more)
            if following == .newest { #expect(screen.selectedID == 900) }
            if following == .selected { #expect(screen.selectedID == selected) }
            // A move in the view of threads changes the tree's selection.
            screen.type("2j1")
            #expect(screen.state.tree.following == .nothing)
        }
    }

    // MARK: Time

    /// Returns a screen with a chain that was made 30 s ago, and a step of it that has just begun.
    private static func lateStep() -> Screen {
        var screen = Screen(120, 12)
        var script = Script(time: 10)
        script.make(1, .promise, "order")
        script.make(2, .then, "charge", under: 1)
        script.make(3, .then, "ship", under: 2)
        script.start(1)
        script.at(30_000)
        script.fulfill(1)
        script.queue(2)
        script.start(2, on: 2)
        screen.feed(script)
        screen.type("*")
        screen.tick(30_050)
        return screen
    }

    @Test func aNewStepOfAnOldChainIsRedrawnEachTenthOfASecond() {
        var screen = Self.lateStep()
        for step in 1...80 {
            let (revision, frame) = (screen.state.revision, screen.frame)
            screen.tick(30_050 + Double(step) * 100)
            #expect(screen.state.revision != revision && screen.frame != frame, "\(step)")
        }
    }

    @Test func whatShowsOnlySecondsIsRedrawnOnceASecond() {
        var screen = Self.lateStep()
        screen.tick(45_050)
        for second in 46...50 {
            screen.tick(Double(second) * 1_000 + 50)
            let (revision, frame) = (screen.state.revision, screen.frame)
            for tenth in 1...9 {
                screen.tick(Double(second) * 1_000 + 50 + Double(tenth) * 100)
                #expect(screen.state.revision == revision && screen.frame == frame)
            }
        }
    }

    // MARK: The pane of details

    @Test func detailsScrollUpAtOnceFromTheirEnd() {
        for size in [(100, 30), (160, 14)] {
            var screen = GoldenTests.checkout(size.0, size.1)
            screen.go(to: 203)
            if Layout(screen.state).detail == nil { screen.type("<Enter>") }
            let area = Layout(screen.state).detail!
            let lines = DetailText.lines(of: screen.state, width: area.columns - 4)
            #expect(lines.count > area.rows)
            for _ in lines { screen.type("J") }
            #expect(screen.state.detail.top == lines.count - (area.rows - 1))
            let end = screen.text
            screen.type("J")
            #expect(screen.text == end)
            screen.type("K")
            #expect(screen.text != end)
        }
    }

    // MARK: Themes

    @Test(arguments: Theme.all) func aMatchIsMarkedOnEveryRow(_ theme: Theme) throws {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("/charge<Enter>")
        let area = Layout(screen.state).content
        let selected = area.row + (screen.state.tree.selectedLine ?? 0)
        var count = 0
        for row in area.row..<area.row + area.rows {
            let text = screen.frame.rowText(row)
            // The root names the rejected node in another column.
            guard text.contains(" then "), let range = text.firstRange(of: "charge card") else { continue }
            let column = text.distance(from: text.startIndex, to: range.lowerBound)
            let (match, rest) = (screen.frame[row, column].style, screen.frame[row, column + 7].style)
            #expect(match.role == .match && rest.role != .match)
            #expect(match.modifiers.contains(.selected) == (row == selected))
            for depth in [ColorDepth.ansi256, .ansi16, .ansi8, .none] {
                #expect(theme.look(match, depth: depth) != theme.look(rest, depth: depth), "\(depth), row \(row)")
            }
            count += 1
        }
        #expect(count > 1)
    }

    // MARK: Pasted text

    @Test func pastedTextDoesNotActAsKeys() {
        var screen = GoldenTests.checkout(120, 40)
        screen.go(to: 300)
        screen.act(.pasted("cat\r"))
        #expect(screen.state.context == .view(.chains) && screen.effects.isEmpty)
        #expect(screen.message == "pasted text goes into a line: press / or : first")
        screen.type("c")
        #expect(screen.state.context == .confirm)
        screen.act(.pasted("y\r"))
        #expect(screen.state.context == .confirm && screen.effects.isEmpty)
    }

    // MARK: Costs

    @Test func executorsAreSortedOnlyAfterOneIsAdded() {
        var screen = ThreadsViewTests.shop(120, 40)
        func names(_ screen: Screen) -> [String] {
            screen.state.threads.rows.compactMap { row in
                guard case .executor(_, let executor) = row else { return nil }
                return screen.state.programs[0].executorName(executor)
            }
        }
        // A sort makes another array. This one is kept, so that its address is not reused.
        let sorted = screen.state.threads.executorOrders[SourceID(0)]!.names
        func isSameStorage(_ screen: Screen) -> Bool {
            let names = screen.state.threads.executorOrders[SourceID(0)]!.names
            return names.withUnsafeBufferPointer(\.baseAddress) == sorted.withUnsafeBufferPointer(\.baseAddress)
        }
        #expect(names(screen) == ["main", "pool"] && isSameStorage(screen))
        for number in 0..<20 as Range<UInt64> {
            var more = TimedScript(sequence: 2 + number)
            more.run(100 + number, "more", from: 9_300 + Double(number), to: 9_301 + Double(number), on: 1)
            screen.act(.received(SourceID(0), more.batch))
            screen.tick(9_302 + Double(number))
            screen.type("jk")
        }
        #expect(isSameStorage(screen))
        var more = TimedScript(sequence: 30)
        more.batch.executors = [1: "a pool"]
        more.make(200, at: 9_400)
        screen.act(.received(SourceID(0), more.batch))
        screen.tick(9_410)
        #expect(names(screen) == ["a pool", "main"])
        #expect(!isSameStorage(screen))
    }
}

// SPDX-License-Identifier: MIT
