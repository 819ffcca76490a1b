import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// The view of events: the time between them, their kinds, and levels.
@Suite struct EventsLevelTests {
    private static func screen(_ columns: Int = 120, _ rows: Int = 30) -> Screen {
        var screen = GoldenTests.checkout(columns, rows)
        screen.type("6")
        return screen
    }

    /// Returns the kinds of the events that are shown.
    private static func words(_ screen: Screen) -> Set<String> {
        let entries = screen.state.events.index.entries
        return Set(
            entries.compactMap { entry in
                guard case .event(let event, _)? = screen.state.events.row(of: entry, screen.seen) else { return nil }
                return "\(event.kind)"
            })
    }

    @Test(arguments: [Size(columns: 80, rows: 24), Size(columns: 120, rows: 40), Size(columns: 200, rows: 60)])
    func levelsLookRight(_ size: Size) {
        var screen = Self.screen(size.columns, size.rows)
        screen.type("V")
        GoldenTests.check(screen, "events/steps-\(size)")
    }

    @Test func levelsHideKindsAndSaySo() {
        var screen = Self.screen()
        let all = Self.words(screen)
        #expect(all.isSuperset(of: ["created", "queued", "started", "rejected"]))
        screen.type("V")
        #expect(screen.message?.hasPrefix("shows runs and settlements; hides made, linked, queued") == true)
        #expect(Self.words(screen).isDisjoint(with: ["created", "linked", "queued", "adopted", "released", "ended"]))
        #expect(Self.words(screen).isSuperset(of: ["started", "fulfilled", "rejected"]))
        #expect(screen.text.contains("runs and settlements"))
        screen.type("V")
        #expect(
            Self.words(screen).isSubset(of: ["rejected", "cancelled", "cancelRequested", "abandoned", "unhandled"]))
        #expect(screen.text.contains("only what went wrong"))
        screen.type("V")
        #expect(Self.words(screen) == all)
        #expect(screen.message == "shows all events")
    }

    @Test func aLossIsShownAtEachLevel() {
        var screen = Self.screen()
        var more = Script(sequence: 9, time: 5_000)
        more.lose(12)
        more.make(500, .promise, "order 19")
        screen.feed(more)
        screen.type("VV")
        #expect(screen.text.contains("12 events lost here"))
    }

    @Test func eventsAreFilteredByKind() {
        var screen = Self.screen()
        screen.type("/event:rejected<Enter>")
        #expect(Self.words(screen) == ["rejected"])
        let rejected = screen.state.events.index.entries.count
        screen.type("/<^U>event:rejected,started<Enter>")
        #expect(Self.words(screen) == ["rejected", "started"])
        screen.type("/<^U>event:rejected event:fulfilled<Enter>")
        #expect(Self.words(screen) == ["rejected", "fulfilled"])
        screen.type("/<^U>kind:then event:rejected<Enter>")
        #expect(Self.words(screen) == ["rejected"])
        #expect(screen.state.events.index.entries.count < rejected)
        #expect(screen.state.filter.text == "kind:then event:rejected")
        screen.type("m")
        #expect(screen.state.events.index.entries.count > rejected, "the others are dimmed")
        screen.type("m<Esc>")
        #expect(Self.words(screen).count > 2)
    }

    @Test func aWrongKindIsExplained() {
        var screen = Self.screen()
        screen.type("/event:reject<Enter>")
        #expect(screen.text.contains("there is no event reject: rejected?"))
        screen.type("<^U>event:")
        #expect(screen.text.contains("event: needs a kind, as in event:rejected"))
        screen.type("<^U>charge event:zzz")
        #expect(screen.text.contains("there is no event zzz: there are abandoned"))
    }

    @Test func kindsAreCompleted() {
        var screen = Self.screen()
        screen.type("/ev<Tab>")
        #expect(screen.state.mode == .filter("event:"))
        screen.type("rej<Tab>")
        #expect(screen.state.mode == .filter("event:rejected"))
        screen.type(",canc<Tab>")
        #expect(screen.state.mode == .filter("event:rejected,cancelling"))
        screen.type("<Tab>")
        #expect(screen.state.mode == .filter("event:rejected,cancelled"))
    }

    @Test func theTimeSinceTheRowBeforeIsShown() {
        var screen = Screen(100, 20)
        var script = Script(time: 1_000)
        script.make(1, .promise, "order 1")
        script.at(1_120)
        script.make(2, .promise, "order 2")
        script.at(3_500)
        script.fulfill(1)
        screen.feed(script)
        screen.type("6")
        func line(_ word: String) -> String { (0..<20).map { screen.frame.rowText($0) }.last { $0.contains(word) }! }
        #expect(line("order 2").contains("+120ms"))
        #expect(line("fulfilled").contains("+2.38s"))
        screen.type("V")
        #expect(!line("fulfilled").contains("+"), "since the previous row that is shown")
    }
}

// SPDX-License-Identifier: MIT
