import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// The functions in which suspended tasks continue are read for the rows on the screen, and for all tasks if the filter
/// asks for them.
@Suite struct FrameTests {
    private static let one = SourceID(0)

    /// Returns a screen with a task and two tasks in it, all suspended.
    private func tasks(_ columns: Int = 120) -> Screen {
        var script = Script()
        script.make(1, .task, "server")
        script.make(2, .task, "order 1", by: 1)
        script.make(3, .task, by: 1)
        for node in 1...3 as ClosedRange<UInt64> { script.suspend(node) }
        var screen = Screen(columns, 24)
        screen.feed(script)
        return screen
    }

    /// Returns the scopes of the requests for frames, in order.
    private func asked(_ screen: Screen) -> [FrameScope] {
        screen.effects.compactMap {
            guard case .send(_, let command) = $0, case .frames(let scope) = command.request else { return nil }
            return scope
        }
    }

    /// Answers the last request for frames: node 2 is in `stack`.
    private func answer(
        _ screen: inout Screen, _ stack: String, partCount: UInt32 = 1, readCount: UInt32 = 3, taskCount: UInt32 = 3
    ) {
        let reading = FrameReading(
            time: UInt64(screen.milliseconds * 1_000_000) + 1, taskCount: taskCount, partCount: partCount,
            readCount: readCount, stacks: [stack], entries: [FrameReading.Entry(node: NodeID(2), stack: 0)])
        reply(&screen, .frames(reading))
    }

    private func reply(_ screen: inout Screen, _ outcome: CommandReply.Outcome) {
        let last = screen.effects.last {
            if case .send(_, let command) = $0, case .frames = command.request { true } else { false }
        }
        guard case .send(let source, let command)? = last else { return }
        screen.act(.replied(source, CommandReply(command: command.id, outcome: outcome)))
        screen.tick(screen.milliseconds + 50)
    }

    private func row(_ name: String, _ screen: Screen) -> Substring? {
        screen.text.split(separator: "\n").first { $0.contains(name) && !$0.contains("filter") }
    }

    @Test func aRowShowsWhereItsTaskIsSuspended() throws {
        var screen = tasks()
        screen.tick(300)
        guard case .nodes(let nodes)? = asked(screen).first else {
            Issue.record("nothing was asked")
            return
        }
        #expect(Set(nodes.map(\.rawValue)) == [1, 2, 3])
        answer(&screen, "Stock.reserve(Int)\norder(Int)")
        let shown = try #require(row("order 1", screen))
        #expect(shown.contains("in Stock.reserve(Int)") && !shown.contains("in order"), "\(screen.text)")
    }

    @Test func oneRequestIsOpenAtATime() {
        var screen = tasks()
        for step in 0..<40 { screen.tick(300 + Double(step) * 50) }
        #expect(asked(screen).count == 1)
        answer(&screen, "Stock.reserve(Int)")
        for step in 0..<8 { screen.tick(2_400 + Double(step) * 50) }
        #expect(asked(screen).count == 2, "two of the tasks have no frames yet")
    }

    @Test func aProgramThatRefusesIsAskedOnce() {
        var screen = tasks()
        screen.tick(300)
        reply(&screen, .refused("There is no such request"))
        for step in 0..<100 { screen.tick(400 + Double(step) * 100) }
        #expect(asked(screen).count == 1)
        screen.act(.connected(Self.one, Script.process))
        screen.tick(11_000)
        #expect(asked(screen).count == 2, "it may have another version now")
    }

    @Test func aFrozenOrReadPictureAsksNothing() {
        var screen = tasks()
        answer(&screen, "Stock.reserve(Int)")
        let count = asked(screen).count
        screen.type("p")
        for step in 0..<20 { screen.tick(500 + Double(step) * 200) }
        #expect(asked(screen).count == count)
        screen.type("p")
        screen.tick(5_000)
        #expect(asked(screen).count == count + 1, "two of the tasks have no frames yet")
    }

    @Test func aQueryForFramesReadsThoseOfAllTasksInParts() throws {
        var screen = tasks()
        func parts() -> [FrameScope] { asked(screen).filter { if case .part = $0 { true } else { false } } }
        screen.tick(300)
        screen.type("/in:reserve<Enter>")
        // The request for the tasks on the screen is still open, and one is open at a time.
        screen.tick(400)
        #expect(asked(screen).count == 1)
        answer(&screen, "")
        #expect(asked(screen).last == .part(0))
        answer(&screen, "Stock.reserve(Int)", partCount: 3, readCount: 12_000, taskCount: 100_003)
        #expect(screen.text.contains("frames 12,000 of 100,003"), "\(screen.text)")
        #expect(row("order 1", screen) != nil)
        #expect(asked(screen).last == .part(1))
        answer(&screen, "Stock.reserve(Int)", partCount: 3, readCount: 44_000, taskCount: 100_003)
        #expect(screen.text.contains("frames 56,000 of 100,003"))
        answer(&screen, "Stock.reserve(Int)", partCount: 3, readCount: 44_003, taskCount: 100_003)
        #expect(!screen.text.contains(" of 100,003"), "all were read")
        #expect(parts() == [.part(0), .part(1), .part(2)])
        // Between two rounds, the tasks on the screen are asked for again.
        screen.tick(screen.milliseconds + 1_000)
        answer(&screen, "", taskCount: 100_003)
        #expect(parts().count == 3, "a round begins two seconds after the last")
        screen.tick(screen.milliseconds + 1_000)
        answer(&screen, "", taskCount: 100_003)
        #expect(asked(screen).last == .part(0), "another round")
    }

    @Test func aTextIsSearchedForInTheFramesThatWereRead() throws {
        var screen = tasks(160)
        screen.tick(300)
        answer(&screen, "Stock.reserve(Int)", taskCount: 100_003)
        screen.type("/stock<Enter>")
        screen.tick(500)
        #expect(screen.state.matchCount == 1 && row("order 1", screen) != nil)
        #expect(screen.text.contains("frames searched: 1 of 100,003"), "\(screen.text)")
        #expect(!asked(screen).contains { if case .part = $0 { true } else { false } })
        // It goes on, and is no longer in that function.
        var script = Script(sequence: 2, time: 600)
        script.start(2)
        script.fulfill(2)
        screen.feed(script)
        #expect(screen.state.matchCount == 0)
    }

    @Test func aFunctionIsNoFileInDetails() {
        #expect(CodeLocation(fileID: "order(Int)", line: 0).place == "order(Int)")
        #expect(CodeLocation(fileID: "Shop/Order.swift", line: 4).place == "Shop/Order.swift:4")
    }
}

// SPDX-License-Identifier: MIT
