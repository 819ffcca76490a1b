import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// `:alert QUERY` rings for nodes that come to match: each node rings once, those of one tick ring together.
@Suite struct AlertTests {
    private static func screen() -> Screen {
        var screen = Screen(120, 20)
        var script = Script(time: 10)
        for node in 1...3 as ClosedRange<UInt64> { script.make(node, .work, "order \(node)") }
        script.queue(1)
        script.start(1)
        script.reject(1, "late")
        screen.feed(script)
        return screen
    }

    private static func bells(_ screen: Screen) -> Int { screen.effects.count { $0 == .bell } }

    private static func reject(_ nodes: [UInt64], at time: Double, _ screen: inout Screen) {
        var script = Script(sequence: UInt64(time), time: time)
        for node in nodes {
            script.queue(node)
            script.start(node)
            script.reject(node, "declined $(rm -rf /)")
        }
        screen.feed(script)
    }

    @Test func aNewMatchRingsOnce() {
        var screen = Self.screen()
        screen.type(":alert failed<Enter>")
        screen.tick(50)
        #expect(Self.bells(screen) == 0, "what matched before does not ring")
        Self.reject([2], at: 100, &screen)
        #expect(Self.bells(screen) == 1)
        #expect(screen.message == "alert: order 2: failed")
        for time in 2...9 { screen.tick(Double(time) * 100) }
        #expect(Self.bells(screen) == 1)
        let notices = screen.effects.compactMap { if case .alert(let notice) = $0 { notice.variables } else { nil } }
        #expect(notices.count == 1)
        #expect(notices.first?["CHAINVIEW_ID"] == "2" && notices.first?["CHAINVIEW_LABEL"] == "order 2")
        #expect(notices.first?["CHAINVIEW_SUMMARY"] == "declined $(rm -rf /)", "a variable, and no part of a command")
        let rows = screen.text.split(separator: "\n")
        #expect(rows.contains { $0.contains("order 2") && $0.dropFirst().hasPrefix("!") })
        #expect(!rows.contains { $0.contains("order 1") && $0.dropFirst().hasPrefix("!") })
        screen.type(":alert<Enter>")
        #expect(screen.message?.contains("failed (1)") == true)
    }

    @Test func manyAtOnceRingOnce() {
        var screen = Self.screen()
        screen.type(":alert failed<Enter>")
        screen.tick(50)
        Self.reject([2, 3], at: 100, &screen)
        #expect(Self.bells(screen) == 1 && screen.message == "alert: order 2 and 1 more: failed")
    }

    @Test func timeAloneRings() {
        var screen = Self.screen()
        screen.type(":alert live age>5s<Enter>")
        screen.tick(50)
        screen.tick(4_000)
        #expect(Self.bells(screen) == 0)
        screen.tick(7_000)
        screen.tick(7_100)
        #expect(Self.bells(screen) == 1)
    }

    @Test func alertsAreListedAndDropped() {
        var screen = Self.screen()
        screen.type(":alert<Enter>")
        #expect(screen.message == "no alerts; :alert QUERY sets one")
        screen.type(":alert failed<Enter>:alert failed<Enter>")
        #expect(screen.message == "that alert is set already")
        screen.type(":alert off<Enter>")
        #expect(screen.message == "1 alert dropped" && screen.state.alerts.isEmpty)
        screen.tick(50)
        Self.reject([2], at: 100, &screen)
        #expect(Self.bells(screen) == 0)
        for number in 1...8 { screen.type(":alert a\(number)<Enter>") }
        screen.type(":alert a9<Enter>")
        #expect(screen.state.typing.problem?.text == "there are 8 alerts; :alert off drops them")
    }

    /// An event is over at once, so no node comes to match it.
    @Test func alertsAreNotAboutEvents() {
        var screen = Self.screen()
        for text in ["event:rejected", "event:rejected order"] {
            screen.type(":alert \(text)<Enter>")
            #expect(screen.state.alerts.isEmpty)
            #expect(screen.state.typing.problem?.text == "an alert is about nodes: state:rejected, not events")
            screen.type("<Esc>")
        }
        screen.type("6")
        #expect(screen.state.commandChoices("filter eve").words.contains("event:"))
        #expect(!screen.state.commandChoices("alert eve").words.contains("event:"))
        #expect(screen.state.commandChoices("alert event:rej").words == [])
    }
}
