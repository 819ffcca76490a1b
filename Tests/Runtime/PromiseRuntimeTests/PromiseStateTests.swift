import Testing

@testable import PromiseRuntime

/// The pure transitions behind TheRules, P1, P4, X3, for every combination of the bits that they read.
struct PromiseStateTests {
    /// The bits that transitions read.
    private static let readBits: [UInt32] = [
        PromiseState.settling, PromiseState.settled, PromiseState.resolved, PromiseState.rejected,
        PromiseState.cancelled, PromiseState.queued, PromiseState.handlerClaimed,
    ]
    /// Bits that transitions must keep, set in every state.
    private static let others = PromiseState.loser | PromiseState.followed | PromiseState.wantsError

    static let states: [PromiseState] = (0..<(1 << readBits.count)).map { number in
        PromiseState(
            rawValue: readBits.indices.reduce(others) { $0 | (number >> $1 & 1 == 1 ? readBits[$1] : 0) })
    }
    private static let settlers: [PromiseState.Settler] = [.resolver, .machinery, .release, .cancellation]

    @Test("P1 a promise with an outcome is not settled again, by any settler")
    func settledStays() {
        for before in Self.states where before.hasOutcome {
            for settler in Self.settlers {
                var state = before
                let changes = [
                    state.settle(by: settler, rejected: true, hasWaiters: true), state.follow(byHandler: true),
                ]
                #expect(changes == [false, false] && state == before)
            }
        }
    }

    @Test("P1 resolver and release settle an unresolved promise; machinery and cancellation any pending one")
    func settlers() {
        for before in Self.states where !before.hasOutcome {
            for settler in Self.settlers {
                for rejected in [false, true] {
                    for hasWaiters in [false, true] {
                        var state = before
                        let may =
                            settler == .machinery || settler == .cancellation || !before.has(PromiseState.resolved)
                        let did = state.settle(by: settler, rejected: rejected, hasWaiters: hasWaiters)
                        #expect(did == may)
                        guard may else {
                            #expect(state == before)
                            continue
                        }
                        #expect(state.hasOutcome && state.has(PromiseState.resolved))
                        #expect(state.has(PromiseState.settling) == hasWaiters)
                        #expect(state.has(PromiseState.settled) == !hasWaiters)
                        if rejected { #expect(state.has(PromiseState.rejected)) }
                        if settler == .cancellation { #expect(state.has(PromiseState.cancelled)) }
                        #expect(state.rawValue & Self.others == Self.others)
                    }
                }
            }
        }
    }

    @Test("A+ 2.3.2 following reserves a promise once, except for its own handler")
    func following() {
        for before in Self.states where !before.hasOutcome {
            for byHandler in [false, true] {
                var state = before
                let may = byHandler || !before.has(PromiseState.resolved)
                let did = state.follow(byHandler: byHandler)
                #expect(did == may && state.has(PromiseState.resolved) && !state.hasOutcome)
            }
        }
    }

    @Test("P4 a waiter that registers while settling is queued; afterwards it is delivered to at once")
    func registering() {
        for before in Self.states {
            #expect(before.register() == (before.has(PromiseState.settled) ? .deliver : .wait))
            var state = before
            state.finishSettling()
            #expect(state.register() == .deliver && !state.has(PromiseState.settling))
        }
    }

    @Test("X3 a handler is queued once, and claimed once")
    func handlers() {
        for before in Self.states {
            var state = before
            let queued = [state.queue(), state.queue()]
            #expect(queued == [!before.has(PromiseState.queued), false])
            let taken = [state.claimHandler(), state.claimHandler()]
            #expect(taken == [!before.has(PromiseState.handlerClaimed), false])
        }
    }
}

// SPDX-License-Identifier: MIT
