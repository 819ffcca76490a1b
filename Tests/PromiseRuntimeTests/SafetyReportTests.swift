import ChainEvents
import Foundation
import PromiseRuntime
import Testing

/// A runtime's reports of abandoned promises and unhandled errors.
private struct Told {
    let isolated = IsolatedRuntime()
    let abandoned = Log<PromiseAbandoned>()
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
        let told = Told()
        let line = UInt(#line + 2)
        told.when {
            let promise = Promise<Int>.pending(label: "order 17").promise
            promise.map(label: "price") { $0 }.done { _ in }
        }
        #expect(told.abandoned.count == 1)
        let error = try #require(told.abandoned.entries.first)
        #expect(error.labels == ["order 17"])
        #expect(error.site.line == UInt32(line) && error.site.fileName == "SafetyReportTests.swift")
    }

    @Test func s2AnAbandonedPromiseIsRejectedOnTheExecutor() throws {
        let told = Told()
        let seen = Log<String>()
        _ = told.isolated.run {
            Promise<Int>.pending(label: "lost").promise.failed { seen.add("\(type(of: $0))") }
        }
        #expect(seen.entries == [])
        told.isolated.runAll()
        #expect(seen.entries == ["PromiseAbandoned"])
        #expect(told.unhandled.entries == [], "it is told as abandoned already")
    }

    @Test func s2SettledFollowingAndKeptPromisesAreNotAbandoned() throws {
        let told = Told()
        let (kept, resolver) = told.isolated.run { Promise<Int>.pending() }
        told.when {
            Promise<Int>.pending().resolver.fulfill(1)
            let (promise, follower) = Promise<Int>.pending()
            follower.resolve(kept)
            promise.done { _ in }
        }
        #expect(told.abandoned.entries == [])
        resolver.fulfill(1)
        told.isolated.runAll()
        #expect(told.abandoned.entries == [])
    }

    @Test func s2LosersAreNotReported() throws {
        let told = Told()
        told.when {
            let (loser, resolver) = Promise<Int>.pending()
            let won = Promise.race([Promise.resolve(1), loser.map { $0 }])
            #expect(won.isSettled)
            withExtendedLifetime(resolver) {}
        }
        #expect(told.abandoned.entries == [])
    }

    @Test func s2TimedOutPromisesAreNotReported() throws {
        let told = Told()
        do {
            let pair = told.isolated.run { Promise<Int>.pending() }
            let limited = pair.promise.map { $0 }.timeout(.seconds(1))
            told.isolated.clock.advance(by: .seconds(1))
            #expect(try error(of: limited) is PromiseTimedOut)
            told.isolated.runAll()
        }
        told.isolated.runAll()
        #expect(told.abandoned.entries == [])
    }

    @Test func s2CancelledChildrenAreNotReported() throws {
        let told = Told()
        told.when {
            let (promise, resolver) = Promise<Int>.pending()
            promise.map { $0 }.done { _ in }.cancel()
            promise.map { $0 }.cancel()
            withExtendedLifetime(resolver) {}
        }
        #expect(told.abandoned.entries == [])
    }

    @Test func s2APromiseWithARemainingConsumerIsReported() throws {
        let told = Told()
        told.when {
            let (promise, resolver) = Promise<Int>.pending()
            promise.map { $0 }.cancel()
            promise.done { _ in }
            withExtendedLifetime(resolver) {}
        }
        #expect(told.abandoned.count == 1)
    }

    @Test func s2RunningTimersAreNotReported() throws {
        let told = Told()
        let ran = Box(0)
        told.when { Promise.delay(.seconds(3)).done { ran.change { $0 += 1 } } }
        #expect(told.abandoned.entries == [] && ran.value == 0)
        told.isolated.clock.advance(by: .seconds(3))
        told.isolated.runAll()
        #expect(ran.value == 1 && told.abandoned.entries == [])
    }

    @Test func s2AnUnneededPromiseStillReportsItsOwnError() throws {
        let told = Told()
        told.when {
            let (promise, resolver) = Promise<Int>.pending(label: "root")
            promise.map { $0 }.cancel()
            resolver.reject(Failure("real"))
        }
        #expect(told.unhandled.entries == ["root real"])
    }

    // MARK: S3

    @Test func s3AnUnhandledErrorIsReportedOncePerBranch() throws {
        let told = Told()
        told.when {
            let root = Promise<Int>.reject(Failure("no"), label: "root")
            root.map(label: "left") { $0 }.done(label: "left end") { _ in }
            root.done(label: "right") { _ in }
            root.catch { _ in 0 }
        }
        #expect(told.unhandled.entries.sorted() == ["left end no", "right no"])
    }

    @Test func s3ARejectionWithoutAHandlerIsReported() throws {
        let told = Told()
        told.when { _ = Promise<Int>.reject(Failure("no"), label: "alone") }
        #expect(told.unhandled.entries == ["alone no"])
    }

    @Test func s3AHandledErrorIsNotReported() throws {
        let told = Told()
        told.when {
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
        #expect(told.unhandled.entries == [])
    }

    @Test func s3AnywayHandlesNothing() throws {
        let told = Told()
        told.when {
            Promise<Int>.reject(Failure("no")).anyway(label: "looked") { _ in }
            Promise<Int>.reject(Failure("why")).catch(only: PromiseTimedOut.self, label: "other") { _ in 1 }
            Promise.all([Promise<Int>.reject(Failure("member"))], label: "all").done(label: "end") { _ in }
        }
        #expect(told.unhandled.entries.sorted() == ["end member", "looked no", "other why"])
    }
}
