import ChainEvents
import Frames
import Testing

@testable import Dashboard

/// `w`: where it goes, and what it says of the way, of a deadlock, and of what can be done.
@Suite struct WhyTests {
    /// Tells a story, goes to a node and asks.
    private func ask(
        _ node: UInt64, at time: Double = 5_000, options: State.Options = .init(), _ write: (inout Script) -> Void
    ) -> Screen {
        var screen = Screen(160, 40, options: options)
        var script = Script(time: 1_000)
        write(&script)
        screen.feed(script)
        screen.tick(time)
        screen.type("*")
        screen.go(to: node)
        #expect(screen.selectedID == node)
        screen.type("w")
        return screen
    }

    /// The code of a task waits for what it made last.
    @Test func whyGoesIntoATask() {
        let screen = ask(1) { script in
            script.make(1, .task, "order 17")
            script.make(2, .span, "GET", by: 1)
            script.make(3, .pending, "answer", by: 2, external: true)
            script.make(4, .scope, "done before", by: 2)
            for node in [1, 2, 4] as [UInt64] { script.start(node) }
            script.fulfill(4)
        }
        #expect(screen.selectedID == 3)
        #expect(screen.text.contains("order 17 → GET → answer: waits"), "\(screen.text)")
    }

    @Test func aThreadThatIsBlockedInTheSystemIsNamedEverywhere() {
        var screen = ask(1, at: 13_000) { script in
            script.make(1, .work, "book", site: "Shop/Ledger.swift:9")
            script.queue(1)
            script.start(1, on: 2)
            script.stall(1, on: 2)
        }
        #expect(
            screen.message == "book is blocked in futex wait for 12s on worker-2; e opens Ledger.swift:9, c cancels it")
        let details = DetailText.lines(of: screen.state, width: 80).map { $0.parts.map(\.text).joined() }
            .joined(separator: "\n")
        #expect(details.contains("the system, blocked in futex wait for 12s"), "\(details)")
        // Without the details there is room for the whole value.
        screen.type("<Enter>")
        let row = screen.text.split(separator: "\n").first { $0.contains("worker-2") }!
        #expect(row.contains("blocked in futex wait 12s") && !row.contains("running"), "\(row)")
        screen.type("5")
        #expect(screen.text.contains("blocked-worker"), "\(screen.text)")
    }

    @Test func aShortBlockIsNoStateOfItsOwn() {
        let screen = ask(1, at: 1_900) { script in
            script.make(1, .work, "book")
            script.queue(1)
            script.start(1, on: 2)
            script.stall(1, on: 2)
        }
        let row = screen.text.split(separator: "\n").first { $0.contains("worker-2") }!
        #expect(row.contains("running") && !row.contains("blocked"), "\(row)")
    }

    @Test func whyGoesToTheBlockerAndShowsThePath() {
        var screen = GoldenTests.checkout(120, 60)
        screen.go(to: 406)
        screen.type("w")
        #expect(screen.selectedID == 401)
        #expect(
            screen.message
                == "failed at Checkout.swift:48 → release stock → 2 more → checks → reserve stock: "
                + "runs on worker-2 for 0.3s")
        screen.type("w")
        #expect(
            screen.message == "reserve stock runs on worker-2 for 0.3s; e opens Checkout.swift:33, c cancels it")
        screen.type("G")
        screen.type("w")
        #expect(screen.message == "order 15 waits for nothing: it is fulfilled")
    }

    @Test func itUnfoldsTheWay() {
        var screen = GoldenTests.checkout(120, 60)
        screen.type("_")
        screen.type("j")
        #expect(screen.selectedID == 300)
        screen.type("l")
        // With a kind, so that what is live below does not match, too.
        screen.type("/kind:map receipt<Enter>")
        screen.type("gnn")
        #expect(screen.selectedID == 304)
        screen.type("<Esc>w")
        #expect([311, 312].contains(screen.selectedID))
        #expect(screen.state.tree.selectedLine != nil)
        #expect(screen.message?.contains("checks → 3 checks (2 of 3 left) → address lookup: runs on") == true)
    }

    @Test(arguments: [(NodeKind.race, "the first of 3"), (.any, "any of 3 left"), (.all, "3 of 3 left")])
    func membersAreCounted(_ kind: NodeKind, _ words: String) {
        let screen = ask(1) { script in
            script.make(1, kind, "winner")
            for member in 2...4 as ClosedRange<UInt64> {
                script.make(member, .promise, "runner \(member)", external: true)
                script.link(1, member)
            }
        }
        #expect(screen.message == "winner (\(words)) → runner 2: waits for 4.0s for the program to settle it")
        #expect(screen.selectedID == 2)
    }

    @Test func aWaitOfAThreadIsFollowedIntoAnotherChain() {
        let screen = ask(1) { script in
            script.make(1, .work, "import")
            script.queue(1)
            script.start(1, on: 1)
            script.make(10, .work, "load config")
            script.queue(10)
            script.start(10, on: 2)
            script.block(1, for: 10, on: 1)
        }
        #expect(screen.message == "import, which blocks worker-1 for load config: runs on worker-2 for 4.0s")
        #expect(screen.selectedID == 10)
    }

    @Test func aBlockedQueueLeadsToTheNodeThatBlocksItsWorker() {
        let screen = ask(2) { script in
            script.make(1, .work, "import")
            script.queue(1)
            script.start(1, on: 1)
            script.make(10, .promise, "answer", external: true)
            script.block(1, for: 10, on: 1)
            script.make(2, .work, "parse")
            script.queue(2)
        }
        #expect(
            screen.message
                == "parse, queued: worker-1 is blocked by import, which blocks worker-1 for answer: "
                + "waits for 4.0s for the program to settle it")
        #expect(screen.selectedID == 10)
    }

    @Test func aQueueThatMovesIsCounted() {
        var screen = ask(3) { script in
            for node in 1...4 as ClosedRange<UInt64> {
                script.make(node, .work, "parse \(node)", site: "Import/Parse.swift:7")
                script.queue(node)
            }
            script.start(1, on: 1)
            script.make(10, .promise, "answer", external: true)
            script.start(2, on: 2)
            script.block(1, for: 10, on: 1)
        }
        // One of the two that run there goes on, so the queue does.
        #expect(
            screen.message
                == "parse 3 is queued on pool for 4.0s (2 queued, 2 running there); 2 shows what runs there, "
                + "c cancels it")
        #expect(screen.selectedID == 3)
        screen.type("w")
        #expect(screen.selectedID == 3)
    }

    @Test func aCycleOfAdoptionIsShownAsOne() {
        let screen = ask(1) { script in
            script.make(1, .promise, "hen")
            script.make(2, .promise, "egg")
            script.adopt(1, 2)
            script.adopt(2, 1)
        }
        #expect(
            screen.message == "deadlock: hen → egg → hen; c cancels one of them, which ends it")
        #expect(screen.selectedID == 1)
    }

    @Test func aHandlerThatAwaitsItsOwnQueueIsARing() {
        let screen = ask(1) { script in
            script.make(1, .work, "import")
            script.queue(1)
            script.start(1, on: 1)
            script.make(2, .work, "parse")
            script.queue(2)
            script.block(1, for: 2, on: 1)
        }
        #expect(
            screen.message
                == "deadlock: import, which blocks worker-1 for parse, queued: worker-1 is blocked by import; "
                + "c cancels one of them, which ends it")
    }

    @Test func cancellingIsNotAdvisedWhereItIsOff() {
        let screen = ask(1, options: State.Options(isReadOnly: true)) { script in
            script.make(1, .promise, "order 17", site: "A/Order.swift:3", external: true)
        }
        #expect(screen.message == "order 17 waits for 4.0s for the program to settle it; e opens Order.swift:3")
    }

    @Test func aLongWayIsShortened() {
        let screen = ask(400) { script in
            script.make(1, .work, "first")
            script.queue(1)
            script.start(1, on: 1)
            for node in 2...400 as ClosedRange<UInt64> { script.make(node, .then, "step \(node)", under: node - 1) }
        }
        #expect(screen.message == "step 400 → step 399 → 396 more → step 2 → first: runs on worker-1 for 4.0s")
    }
}

// SPDX-License-Identifier: MIT
