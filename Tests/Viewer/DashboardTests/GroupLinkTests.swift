import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// The requests of a server are chains, which are linked with the task in whose group they are.
@Suite struct GroupLinkTests {
    /// Returns a screen with a server, two requests in its group, and a promise in the first request.
    private func server() -> Screen {
        var script = Script()
        script.make(1, .task, "server")
        script.make(2, .task, "order 1", by: 1, separate: true)
        script.make(3, .promise, "charge", by: 2, external: true)
        script.make(4, .task, "order 2", by: 1, separate: true)
        for node in [1, 2, 4] as [UInt64] { script.suspend(node) }
        var screen = Screen(120, 40)
        screen.feed(script)
        return screen
    }

    private func details(_ screen: Screen) -> [String] {
        DetailText.lines(of: screen.state, width: 60).map { $0.parts.map(\.text).joined() }
    }

    @Test func eachRequestIsAChain() {
        let screen = server()
        #expect(screen.state.forest?.totals.chainCount == 3)
        #expect(Set(screen.visibleIDs).isSuperset(of: [1, 2, 4]))
    }

    @Test func theDetailsLinkBothWays() throws {
        var screen = server()
        screen.go(to: 2)
        #expect(
            details(screen).contains { $0.hasPrefix("in group of ") && $0.contains("server #1") }, "\(details(screen))")
        screen.go(to: 1)
        let lines = details(screen)
        #expect(lines.contains { $0.hasPrefix("group") && $0.contains("2 chains, 2 in flight") }, "\(lines)")
        #expect(lines.contains { $0.contains("order 1 #2") } && lines.contains { $0.contains("order 2 #4") })
    }

    @Test func cancellingTheOwnersChainCancelsItsGroups() {
        var screen = server()
        screen.go(to: 1)
        screen.type("C")
        guard case .confirm(let question) = screen.state.mode else {
            Issue.record("no question")
            return
        }
        #expect(question.count == 4)
        #expect(question.what == "the whole chain of server and 2 chains in its groups")
        #expect(question.parts.map(\.scope) == [.chain(NodeID(1))])
    }

    @Test func cancellingARequestStopsThere() {
        var screen = server()
        screen.go(to: 2)
        screen.type("C")
        guard case .confirm(let question) = screen.state.mode else {
            Issue.record("no question")
            return
        }
        #expect(question.count == 2 && question.what == "the whole chain of order 1")
        #expect(question.parts.map(\.scope) == [.chain(NodeID(2))])
    }
}

// SPDX-License-Identifier: MIT
