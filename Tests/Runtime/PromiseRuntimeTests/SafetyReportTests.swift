import ChainEvents
import Foundation
import PromiseRuntime
import Testing

/// A runtime's reports of abandoned promises and unhandled errors.
private struct Reports {
    let isolated = IsolatedRuntime()
    let abandoned = Log<PromiseAbandonedError>()
    let unhandled = Log<String>()

    init() {
        let (abandoned, unhandled) = (abandoned, unhandled)
        isolated.runtime.onAbandoned = { abandoned.add($0.error) }
        isolated.runtime.onUnhandled = { unhandled.add("\($0.label ?? "") \($0.error)") }
    }

    /// Runs `body` in the runtime, then all ready handlers; the objects of `body` are released by then.
    func when(_ body: () -> Void) {
        isolated.run(body)
        isolated.runAll()
    }
}

@Suite(.nothingLeft) struct SafetyReportTests {
    // MARK: S2

    @Test func s2AnAbandonedPromiseIsReportedOnceWithSiteAndLabels() throws {
        let reports = Reports()
        let line = UInt(#line + 2)
        reports.when {
            let promise = Promise<Int>.pending(label: "order 17").promise
            promise.map(label: "price") { $0 }.done { _ in }
        }
        #expect(reports.abandoned.count == 1)
        let error = try #require(reports.abandoned.entries.first)
        #expect(error.labels == ["order 17"])
        #expect(error.site.line == UInt32(line) && error.site.fileName == "SafetyReportTests.swift")
    }

    @Test func s2AnAbandonedPromiseIsRejectedOnTheExecutor() throws {
        let reports = Reports()
        let seen = Log<String>()
        _ = reports.isolated.run {
            Promise<Int>.pending(label: "lost").promise.failed { seen.add("\(type(of: $0))") }
        }
        #expect(seen.entries == [])
        reports.isolated.runAll()
        #expect(seen.entries == ["PromiseAbandonedError"])
        #expect(reports.unhandled.entries == [], "it is reported as abandoned already")
    }

    @Test func s2SettledFollowingAndKeptPromisesAreNotAbandoned() throws {
        let reports = Reports()
        let (kept, resolver) = reports.isolated.run { Promise<Int>.pending() }
        reports.when {
            Promise<Int>.pending().resolver.fulfill(1)
            let (promise, follower) = Promise<Int>.pending()
            follower.resolve(kept)
            promise.done { _ in }
        }
        #expect(reports.abandoned.entries == [])
        resolver.fulfill(1)
        reports.isolated.runAll()
        #expect(reports.abandoned.entries == [])
    }

    @Test func s2LosersAreNotReported() throws {
        let reports = Reports()
        reports.when {
            let (loser, resolver) = Promise<Int>.pending()
            let won = Promise.race([Promise.resolve(1), loser.map { $0 }])
            #expect(won.isSettled)
            withExtendedLifetime(resolver) {}
        }
        #expect(reports.abandoned.entries == [])
    }

    @Test func s2TimedOutPromisesAreNotReported() throws {
        let reports = Reports()
        do {
            let pair = reports.isolated.run { Promise<Int>.pending() }
            let limited = pair.promise.map { $0 }.timeout(.seconds(1))
            reports.isolated.clock.advance(by: .seconds(1))
            #expect(try error(of: limited) is PromiseTimeoutError)
            reports.isolated.runAll()
        }
        reports.isolated.runAll()
        #expect(reports.abandoned.entries == [])
    }

    @Test func s2CancelledChildrenAreNotReported() throws {
        let reports = Reports()
        reports.when {
            let (promise, resolver) = Promise<Int>.pending()
            promise.map { $0 }.done { _ in }.cancel()
            promise.map { $0 }.cancel()
            withExtendedLifetime(resolver) {}
        }
        #expect(reports.abandoned.entries == [])
    }

    @Test func s2APromiseWithARemainingConsumerIsReported() throws {
        let reports = Reports()
        reports.when {
            let (promise, resolver) = Promise<Int>.pending()
            promise.map { $0 }.cancel()
            promise.done { _ in }
            withExtendedLifetime(resolver) {}
        }
        #expect(reports.abandoned.count == 1)
    }

    @Test func s2RunningTimersAreNotReported() throws {
        let reports = Reports()
        let ran = Box(0)
        reports.when { Promise.delay(.seconds(3)).done { ran.change { $0 += 1 } } }
        #expect(reports.abandoned.entries == [] && ran.value == 0)
        reports.isolated.clock.advance(by: .seconds(3))
        reports.isolated.runAll()
        #expect(ran.value == 1 && reports.abandoned.entries == [])
    }

    @Test func s2AnUnneededPromiseStillReportsItsOwnError() throws {
        let reports = Reports()
        reports.when {
            let (promise, resolver) = Promise<Int>.pending(label: "root")
            promise.map { $0 }.cancel()
            resolver.reject(Failure("real"))
        }
        #expect(reports.unhandled.entries == ["root real"])
    }

    // MARK: S3

    @Test func s3AnUnhandledErrorIsReportedOncePerBranch() throws {
        let reports = Reports()
        reports.when {
            let root = Promise<Int>.reject(Failure("no"), label: "root")
            root.map(label: "left") { $0 }.done(label: "left end") { _ in }
            root.done(label: "right") { _ in }
            root.catch { _ in 0 }
        }
        #expect(reports.unhandled.entries.sorted() == ["left end no", "right no"])
    }

    @Test func s3ARejectionWithoutAHandlerIsReported() throws {
        let reports = Reports()
        reports.when { _ = Promise<Int>.reject(Failure("no"), label: "alone") }
        #expect(reports.unhandled.entries == ["alone no"])
    }

    @Test func s3AHandledErrorIsNotReported() throws {
        let reports = Reports()
        reports.when {
            func no() -> Promise<Int> { .reject(Failure("no")) }
            no().catch { _ in 1 }
            no().failed { _ in }
            _ = no().recover { _ in Promise<Int>.resolve(1) }
            _ = no().asResult()
            _ = no().then({ Promise<Int>.resolve($0) }) { _ in .resolve(1) }
            no().map { $0 }.tap { _ in }.catch { _ in 1 }
            no().failed { _ in }.anyway { _ in }
            _ = Promise.allSettled([no(), no()])
            Promise.any([no(), Promise.resolve(1)]).done { _ in }
            Promise.race([Promise.resolve(1), no()]).done { _ in }
        }
        #expect(reports.unhandled.entries == [])
    }

    @Test func s3AnErrorThatACancelledTaskGetsIsHandled() async throws {
        let reports = Reports()
        let isolated = reports.isolated
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await isolated.run { Promise<Int>.reject(Failure("no")) }.value
        }
        await #expect(throws: Failure("no")) { try await task.value }
        isolated.runAll()
        #expect(reports.unhandled.entries == [])
    }

    @Test func s3AnywayHandlesNothing() throws {
        let reports = Reports()
        reports.when {
            Promise<Int>.reject(Failure("no")).anyway(label: "looked") { _ in }
            Promise<Int>.reject(Failure("why")).catch(only: PromiseTimeoutError.self, label: "other") { _ in 1 }
            Promise.all([Promise<Int>.reject(Failure("member"))], label: "all").done(label: "end") { _ in }
        }
        #expect(reports.unhandled.entries.sorted() == ["end member", "looked no", "other why"])
    }
}

// SPDX-License-Identifier: MIT
