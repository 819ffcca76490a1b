import ChainEvents
import ChainInsight
import Frames
import Testing

@testable import Dashboard

/// The filters with a key of their own.
@Suite struct QuickFilterTests {
    private func footer(_ screen: Screen) -> String { screen.frame.rowText(screen.state.size.rows - 1) }

    @Test(arguments: [("A", "live"), ("F", "failed"), ("T", "slow"), ("B", "stuck")])
    func aKeySetsAndDropsItsFilter(key: String, name: String) throws {
        var screen = GoldenTests.checkout(200, 40)
        #expect(footer(screen).contains("\(key) \(name)"), "the footer shows it")
        screen.type(key)
        let text = try #require(SavedQueries.builtIn[name])
        #expect(screen.state.filter.text == text)
        #expect(screen.state.filter.query == (try Query(text)))
        if screen.message == nil { #expect(footer(screen).contains("/\(text.prefix(20))")) }
        screen.type("/")
        #expect(screen.state.mode == .filter(text), "as if typed")
        screen.type("<Enter>\(key)")
        #expect(!screen.state.filter.isActive)
    }

    @Test func liveAndFailedAreInANarrowFooter() {
        let screen = GoldenTests.checkout(80, 24)
        #expect(footer(screen).contains("A live") && footer(screen).contains("F failed"))
    }

    @Test func theConfigurationReplacesAQuery() {
        var screen = GoldenTests.checkout(120, 40, options: State.Options(savedQueries: ["slow": "run>2ms"]))
        screen.type("T")
        #expect(screen.state.filter.text == "run>2ms")
        screen = GoldenTests.checkout(120, 40, options: State.Options(savedQueries: ["slow": "run>"]))
        screen.type("T")
        #expect(screen.message == "the saved query slow cannot be read: run> needs a value")
    }

    @Test func oneQuickFilterReplacesAnother() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("AF")
        #expect(screen.state.filter.text == "failed")
        #expect(screen.visibleIDs.contains(203))
    }

    /// A promise that only a resolver of the program can settle is stuck after ten seconds. A timer is not.
    @Test func stuckFindsWhatNothingWillSettle() {
        var screen = Screen(120, 40)
        var script = Script(time: 10)
        script.make(1, .promise, "answer", external: true)
        script.make(2, .delay, "pause")
        screen.feed(script)
        screen.type("B")
        screen.tick(5_000)
        #expect(screen.state.matchCount == 0)
        screen.tick(12_000)
        #expect(screen.visibleIDs == [1])
    }

    /// A filter by name keeps what its nodes wait for, which has another name, or none.
    @Test func whatIsLiveUnderANamedNodeIsShown() {
        var script = Script()
        script.make(1, .task, "order 3")
        script.make(2, .task, by: 1)
        script.make(3, .promise, "reserve", by: 2, external: true)
        script.make(4, .promise, "charge", by: 1, external: true)
        script.fulfill(4)
        script.make(5, .promise, "order 4", external: true)
        var screen = Screen(100, 24)
        screen.feed(script)
        screen.type("/\"order 3\"<Enter>*")
        for step in 0..<4 { screen.tick(500 + Double(step) * 100) }
        #expect(screen.visibleIDs == [1, 2, 3])
        // It ends with what it waits for.
        var end = Script(sequence: 2, time: 1_000)
        end.fulfill(3)
        screen.feed(end)
        for step in 0..<4 { screen.tick(1_100 + Double(step) * 100) }
        #expect(screen.visibleIDs == [1, 2])
        // A filter by what nodes are shows just these.
        screen.type("/kind:task<Enter>")
        for step in 0..<4 { screen.tick(1_600 + Double(step) * 100) }
        #expect(!screen.visibleIDs.contains(3))
    }

    /// A task that is suspended for a minute is stuck. Its parent is not, because it waits for the task.
    @Test func stuckFindsSuspendedTasks() {
        var screen = Screen(160, 40)
        var script = Script(time: 10)
        script.make(1, .task, "server")
        script.suspend(1)
        script.make(2, .task, "request", under: 1)
        script.suspend(2)
        screen.feed(script)
        screen.type("B")
        for second in 50...59 { screen.tick(Double(second) * 1_000) }
        #expect(screen.state.matchCount == 0)
        for second in 60...64 { screen.tick(Double(second) * 1_000) }
        #expect(screen.state.matchCount == 1)
        #expect(screen.visibleIDs == [1, 2])
        screen.type("jj")
        #expect(screen.text.contains("waits for   what its code awaits for 1m0"))
    }

    /// Its wait grows: in the order, in filters, and in the bars of the timeline and the details.
    @Test func theWaitOfASuspendedTaskGrows() {
        var screen = Screen(160, 40)
        var script = Script(time: 10)
        script.make(1, .work, "queued first")
        script.queue(1)
        script.at(5_000)
        script.make(2, .task, "suspended later")
        script.suspend(2)
        screen.feed(script)
        screen.type(":sort wait<Enter>")
        for second in 6...70 { screen.tick(Double(second) * 1_000) }
        #expect(screen.visibleIDs == [1, 2])
        screen.type("/wait>80s<Enter>")
        #expect(screen.state.matchCount == 0)
        for second in 71...95 { screen.tick(Double(second) * 1_000) }
        #expect(screen.state.matchCount == 2)
        let program = screen.state.programs[0]
        let bar = NodeBar(of: program.forest.index(of: NodeID(2))!, in: program.forest, now: 95_000_000_000)
        #expect(bar.stretches.last?.phase == .pending)
    }

    /// `warning:` follows the warnings, which begin and end without a change of the node.
    @Test func warningsAreFollowed() {
        var screen = Screen(120, 40)
        var script = Script(time: 10)
        script.make(1, .promise, "answer", external: true)
        script.make(2, .promise, "other", external: true)
        screen.feed(script)
        screen.type("/warning:never-settled<Enter>")
        #expect(screen.state.matchCount == 0)
        for second in 60...64 { screen.tick(Double(second) * 1_000) }
        #expect(screen.state.matchCount == 2)
        script = Script(sequence: 2, time: 65_000)
        script.fulfill(1)
        screen.feed(script)
        for second in 66...68 { screen.tick(Double(second) * 1_000) }
        #expect(screen.visibleIDs == [2])
    }

    /// What a node waits for changes when another one settles.
    @Test func waitsAreFollowed() {
        var screen = Screen(120, 40)
        var script = Script(time: 10)
        script.make(1, .promise, "first", external: true)
        script.make(2, .then, "second", under: 1)
        screen.feed(script)
        screen.type("/waits-for:parent<Enter>")
        #expect(screen.state.matchCount == 1)
        script = Script(sequence: 2, time: 20)
        script.fulfill(1)
        screen.feed(script)
        screen.tick(30)
        #expect(screen.state.matchCount == 0)
    }
}

// SPDX-License-Identifier: MIT
