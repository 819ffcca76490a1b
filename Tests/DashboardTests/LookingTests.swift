import ChainEvents
import ChainModel
import Frames
import Testing

@testable import Dashboard

/// What stays as it was for who looks at the dashboard, and what moves when it should.
@Suite struct LookingTests {
    // MARK: Following

    @Test func aLookAtThreadsEndsNoFollowing() {
        for (keys, following) in [("", .first), ("f", .newest), ("jff", .selected), ("j", .nobody)]
            as [(String, State.Following)]
        {
            var screen = GoldenTests.checkout(120, 40)
            screen.type(keys)
            let selected = screen.selectedID
            #expect(screen.state.following == following)
            screen.type("21")
            #expect(screen.state.following == following, "\(keys)")
            #expect(screen.selectedID == selected, "\(keys)")
            screen.type("231")
            #expect(screen.state.following == following, "\(keys)")
            var more = Script(sequence: 9, time: 4_300)
            more.make(900, .promise, "order 19")
            screen.feed(more)
            if following == .newest { #expect(screen.selectedID == 900) }
            if following == .selected { #expect(screen.selectedID == selected) }
            // Whoever goes somewhere there is followed to.
            screen.type("2j1")
            #expect(screen.state.following == .nobody)
        }
    }
}
