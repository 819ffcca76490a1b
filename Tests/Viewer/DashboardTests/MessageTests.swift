import ChainEvents
import ChainRows
import Frames
import Testing

@testable import Dashboard

/// How long messages stay, and the message about restored settings.
@Suite struct MessageTests {
    @Test func theAnswerToWhyStaysUntilTheNextKey() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("<End>w")
        let sentence = screen.message
        #expect(sentence?.isEmpty == false)
        screen.tick(90_000)
        #expect(screen.message == sentence)
        screen.type("j")
        #expect(screen.message != sentence)
    }

    @Test func aMessageGoesWithTheViewAndWithTheNextKey() {
        var screen = GoldenTests.checkout(120, 40)
        screen.type("t")
        #expect(screen.message != nil)
        screen.type("2")
        #expect(screen.message == nil)
        screen.type("1t")
        #expect(screen.message != nil)
        screen.type("g")
        #expect(screen.message == nil)
        screen.state.notify("a warning", .warning)
        screen.type("j")
        #expect(screen.message == "a warning", "a warning stays for its time")
        screen.type("3")
        #expect(screen.message == nil)
    }

    @Test(arguments: [true, false]) func aClockThatIsSetBackKeepsNoMessage(_ isWarning: Bool) {
        var screen = Screen(120, 40)
        screen.tick(1_000)
        screen.state.notify("something", isWarning ? .warning : .plain)
        screen.tickSetBack(1_100)
        #expect(screen.message == "something")
        screen.tickSetBack(7_200)
        #expect(screen.message == nil)
        screen.state.notify("the answer", isSticky: true)
        screen.tickSetBack(60_000)
        #expect(screen.message == "the answer")
    }

    @Test func restoredSettingsAreNamedAndCanBeReset() {
        var old = ViewSettings()
        (old.view, old.order, old.filter) = (.events, TreeOrder(column: .run, isInverted: true), "card")
        var screen = Screen(160, 40, connected: false)
        screen.act(.restore(ViewSettings()))
        screen.act(.connected(SourceID(0), Script.process))
        screen.act(.resume(old))
        // There is no clock before the first tick, so the message's time begins there.
        screen.tick(10)
        #expect(
            screen.message
                == "as you left it: Events, sorted by run, reversed, filter “card”; :reset for the defaults")
        screen.tick(9_000)
        #expect(screen.message == nil)
        screen.type(":reset<Enter>")
        #expect(screen.message == "back to the defaults")
        #expect(
            screen.state.view == .chains && screen.state.tree.order == TreeOrder() && screen.state.filter.text == "")
        screen.type(":reset<Enter>")
        #expect(screen.message == "everything is as by default")
    }

    @Test func theDefaultSettingsGiveNoMessage() {
        var screen = Screen(160, 40)
        screen.act(.resume(screen.state.viewSettings))
        #expect(screen.message == nil)
    }
}

// SPDX-License-Identifier: MIT
