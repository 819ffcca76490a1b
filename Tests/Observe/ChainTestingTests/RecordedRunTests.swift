import ChainEvents
import ChainModel
import ChainTesting
import PromiseRuntime
import Testing

@Suite struct RecordedRunTests {
    private struct Declined: Error, CustomStringConvertible { var description: String { "card expired" } }

    private func order(fails: Bool) -> RecordedRun {
        let run = RecordedRun()
        run.record {
            Promise.delay(.seconds(0.2), label: "reserve")
                .map(label: "charge") { () -> Int in if fails { throw Declined() } else { 42 } }
                .map(label: "double") { $0 * 2 }
                .failed(label: "tell") { _ in }
                .anyway(label: "release") { _ in }
        }
        return run
    }

    @Test func nothingRunsUntilTheRunIsDriven() {
        let run = order(fails: false)
        assertChain(
            run,
            matches: """
                pending delay reserve
                waiting map charge
                waiting map double
                waiting failed tell
                waiting anyway release
                """)
    }

    @Test func aChainThatSucceeds() {
        let run = order(fails: false)
        #expect(run.runUntilIdle())
        assertChain(
            run,
            matches: """
                fulfilled delay reserve · total 0.2s
                fulfilled map charge = 42
                fulfilled map double = 84
                skipped failed tell
                fulfilled anyway release = 84
                """)
    }

    @Test func aChainThatFails() {
        let run = order(fails: true)
        run.runUntilIdle()
        assertChain(
            run,
            matches: """
                fulfilled delay reserve · total 0.2s
                rejected map charge ! card expired
                skipped map double
                rejected failed tell ! card expired
                rejected anyway release ! card expired
                """)
    }

    @Test func aCancellationNamesItsOrigin() {
        let run = order(fails: false)
        run.run(until: .milliseconds(100))
        run.promise(labelled: "reserve")?.cancel("the shop closes", by: .viewer("ada"))
        run.runUntilIdle()
        assertChain(
            run,
            matches: """
                cancelled delay reserve ! cancelled by ada: the shop closes (by a viewer) · total 0.1s
                cancelled map charge ! cancelled by ada: the shop closes (by a viewer)
                cancelled map double ! cancelled by ada: the shop closes (by a viewer)
                cancelled failed tell ! cancelled by ada: the shop closes (by a viewer)
                cancelled anyway release ! cancelled by ada: the shop closes (by a viewer)
                """)
        #expect(run.clock.elapsed == .milliseconds(100))
    }

    @Test func combinatorsAndForks() {
        let run = RecordedRun()
        run.record {
            let members = (1...3).map { step in
                Promise.delay(.seconds(step), label: "step \(step)").map { step }
            }
            let all = Promise.all(members, label: "all three")
            all.done(label: "count") { _ in }
            all.tap(label: "look") { _ in }
        }
        run.runUntilIdle()
        assertChain(
            run,
            matches: """
                fulfilled delay step 1 · total 1s
                fulfilled map = 1
                fulfilled delay step 2 · total 2s
                fulfilled map = 2
                fulfilled delay step 3 · total 3s
                fulfilled map = 3
                fulfilled all all three = [1, 2, 3] · total 3s
                  fulfilled done count
                  fulfilled tap look = [1, 2, 3]
                """)
    }

    @Test func timeIsExact() {
        let run = order(fails: false)
        run.run(until: .milliseconds(199))
        #expect(run.forest.totals.counts[.fulfilled] == 0)
        run.run(until: .milliseconds(200))
        #expect(run.forest.totals.counts.liveCount == 0)
        #expect(run.clock.elapsed == .milliseconds(200))
        run.run(until: .milliseconds(100))
        #expect(run.clock.elapsed == .milliseconds(200), "it does not go back")
    }

    /// The forest rounds the times of steps from 39 hours on.
    @Test func timeIsExactAfterDays() {
        let run = RecordedRun()
        run.record { Promise.delay(.seconds(604_800), label: "weekly").then { Promise.delay(.milliseconds(1)) } }
        #expect(run.runUntilIdle())
        assertChain(
            run,
            matches: """
                fulfilled delay weekly · total 604800s
                fulfilled then · total 0.001s
                  fulfilled delay · total 0.001s @604800s
                """)
    }

    @Test func aRunThatNeverRestsIsBounded() {
        let run = RecordedRun()
        @Sendable func again() -> Promise<Void> { Promise.delay(.seconds(1)).then { again() } }
        run.record { _ = again() }
        #expect(!run.runUntilIdle(limit: 100))
        #expect(run.clock.elapsed > .seconds(10))
        #expect(run.clock.elapsed < .seconds(101))
    }

    @Test func aRunThatNeedsItsWholeLimitBecomesIdle() {
        func run() -> RecordedRun {
            let run = RecordedRun()
            run.record { Promise.delay(.seconds(1)).map { 1 }.map { $0 + 1 } }
            return run
        }
        // A deadline and two handlers.
        #expect(run().runUntilIdle(limit: 3))
        #expect(!run().runUntilIdle(limit: 2), "the second handler is still ready")
        #expect(!run().runUntilIdle(limit: 0), "the timer is still due")
        let (whole, short) = (run(), run())
        #expect(whole.run(until: .seconds(5), limit: 3) && whole.clock.elapsed == .seconds(5))
        #expect(!short.run(until: .seconds(5), limit: 2) && short.clock.elapsed == .seconds(1))
        #expect(run().run(until: .milliseconds(500), limit: 0), "nothing is due by then")
    }

    @Test func theTextOfADeepTreeIsShort() {
        let run = RecordedRun()
        @Sendable func again() -> Promise<Void> { Promise.delay(.seconds(1)).then { again() } }
        run.record { _ = again() }
        #expect(!run.runUntilIdle(limit: 8_000))
        let text = run.text
        #expect(text.utf8.count < 5_000_000)
        let indentation = "\n" + String(repeating: "  ", count: 100)
        #expect(text.contains(indentation + "pending") && text.contains(indentation + "(101) pending"))
    }

    @Test func theSameProgramGivesTheSameEvents() {
        let (first, second) = (order(fails: true), order(fails: true))
        first.runUntilIdle()
        // Takes an id, as other tests may: ids are unique in the process, but a run numbers its nodes itself.
        _ = Promise.resolve(1)
        second.runUntilIdle()
        #expect(first.batch.events == second.batch.events)
        #expect(first.batch.texts == second.batch.texts)
        #expect(first.batch.events.count > 20)
    }

    @Test func numbersThreadsSitesAndExecutorsFromOne() {
        let run = order(fails: false)
        run.runUntilIdle()
        let batch = run.batch
        #expect(batch.threads == [1: "thread-1"])
        #expect(batch.executors == [1: "virtual"])
        #expect(batch.sites.count == 5)
        #expect(batch.sites.values.allSatisfy { $0.fileName == "RecordedRunTests.swift" })
        #expect(batch.events.first?.time == VirtualClock.start.nanoseconds)
        #expect(batch.loss.madeCount == UInt64(batch.events.count))
    }

    @Test func valuesCanBeLeftOut() {
        let run = RecordedRun(capturesValues: false)
        _ = run.record { Promise.resolve("secret").map { $0 } }
        run.runUntilIdle()
        #expect(!run.forest.chainText().contains("secret"))
    }
}

// SPDX-License-Identifier: MIT
