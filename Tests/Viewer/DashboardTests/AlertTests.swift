import ChainEvents
import ChainModel
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

    /// The state of a program that is reached, in parts: first without nodes, then with order 3, which failed.
    private static func connect(_ screen: inout Screen, _ program: ProcessDescription, at time: Double) {
        screen.act(.connected(SourceID(1), program))
        screen.tick(time)
        var old = Script(time: time - 5, of: program)
        old.make(3, .work, "order 3")
        old.reject(3, "late")
        var forest = ChainForest(process: program.key)
        forest.apply(old.batch)
        for part in 1...3 as ClosedRange<UInt64> {
            var script = Script(sequence: part, time: time, of: program)
            if part == 1 { script.resync(.begin(epoch: 1)) }
            if part == 3 { script.resync(.end(epoch: 1)) }
            var batch = script.batch
            if part == 2 { batch.nodes = forest.snapshot(limit: .max).nodes }
            screen.act(.received(SourceID(1), batch))
            screen.tick(time + Double(part) * 100)
        }
    }

    /// Nodes that failed before the program was reached do not ring; those that fail from then on do.
    @Test func aProgramThatIsReachedLaterRingsForWhatFollows() {
        var screen = Self.screen()
        screen.type(":alert failed<Enter>")
        screen.tick(50)
        let restarted = ProcessDescription(
            key: ProcessKey(rawValue: 78), pid: 5151, name: "billing", wallOffset: Script.billing.wallOffset)
        for (index, program) in [Script.billing, restarted].enumerated() {
            let time = Double(index + 1) * 20_000
            Self.connect(&screen, program, at: time)
            let forest = screen.state.programs[1].forest
            #expect(forest.index(of: NodeID(3)).map { forest.state(of: $0) } == .rejected)
            #expect(Self.bells(screen) == index)
            var script = Script(sequence: 9, time: time + 1_000, of: program)
            script.make(4, .work, "order 4")
            script.reject(4, "declined")
            screen.act(.received(SourceID(1), script.batch))
            screen.tick(time + 1_000)
            #expect(Self.bells(screen) == index + 1 && screen.message == "alert: order 4: failed")
        }
    }

    /// A source that sends no state, and nothing for a while.
    @Test func aStateIsNotAwaitedForEver() {
        var screen = Screen(120, 20, connected: false)
        screen.act(.connected(SourceID(0), Script.process))
        screen.type(":alert failed<Enter>")
        for second in 0...10 { screen.tick(Double(second) * 1_000 + 1) }
        var script = Script(sequence: 2, time: 11_000)
        script.make(1, .work, "order 1")
        script.reject(1, "declined")
        screen.feed(script)
        #expect(Self.bells(screen) == 1)
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
        #expect(screen.message == "1 alert dropped" && screen.state.alerts.all.isEmpty)
        screen.tick(50)
        Self.reject([2], at: 100, &screen)
        #expect(Self.bells(screen) == 0)
        for number in 1...8 { screen.type(":alert a\(number)<Enter>") }
        screen.type(":alert a9<Enter>")
        #expect(screen.state.typing.problem?.text == "there are 8 alerts; :alert off removes them")
    }

    /// A node that matched before the alert was set, and becomes a member of a combinator.
    @Test func aMatchThatMovesDoesNotRing() {
        var screen = Self.screen()
        screen.type(":alert failed<Enter>")
        screen.tick(50)
        var script = Script(sequence: 2, time: 100)
        script.make(9, .all, "both")
        script.link(9, 1)
        screen.feed(script)
        screen.tick(150)
        #expect(screen.text.contains("both") && Self.bells(screen) == 0)
    }

    /// An event is over at once, so no node comes to match it.
    @Test func alertsAreNotAboutEvents() {
        var screen = Self.screen()
        for text in ["event:rejected", "event:rejected order"] {
            screen.type(":alert \(text)<Enter>")
            #expect(screen.state.alerts.all.isEmpty)
            #expect(screen.state.typing.problem?.text == "an alert is about nodes: state:rejected, not events")
            screen.type("<Esc>")
        }
        screen.type("6")
        #expect(screen.state.commandChoices("filter eve", marks: []).words.contains("event:"))
        #expect(!screen.state.commandChoices("alert eve", marks: []).words.contains("event:"))
        #expect(screen.state.commandChoices("alert event:rej", marks: []).words == [])
    }
}

// SPDX-License-Identifier: MIT
