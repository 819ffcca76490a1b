import ChainEvents
import Foundation
import PromiseRuntime
import Testing

/// Checks whether promises were released, without keeping them.
private final class ReleaseWatch {
    private struct Entry { weak var promise: AnyPromise? }
    private var entries: [Entry] = []

    func add(_ promises: AnyPromise...) { entries += promises.map { Entry(promise: $0) } }
    var aliveCount: Int { entries.filter { $0.promise != nil }.count }
    var watchedCount: Int { entries.count }
}

/// The lives of a chain. After each, nothing is left of the chain once it is unreferenced (TheRules, S2).
enum LeakCase: CaseIterable, Sendable {
    case settled, rejected, cancelledPending, cancelledQueued, cancelledDeep, timedOut, inTime, raced, racedCancelling
    case all, sequence, sequenceCancelled, sequenceFailed, adopted, adoptedCancelled, ring, abandoned, onCancel
    case delayCancelled, cleanUp
}

@Suite(.nothingLeft) struct SafetyLeakTests {
    @Test(arguments: LeakCase.allCases)
    func s2NothingIsLeft(leakCase: LeakCase) throws {
        let alive = Box(0)
        let watch = ReleaseWatch()
        let isolated = IsolatedRuntime()
        isolated.run { build(leakCase, isolated, alive, watch) }
        isolated.runAll()
        isolated.clock.advance(by: .seconds(100))
        isolated.runAll()
        #expect(watch.watchedCount > 0)
        #expect(watch.aliveCount == 0)
        #expect(alive.value == 0)
    }

    private func build(_ leakCase: LeakCase, _ isolated: IsolatedRuntime, _ alive: Box<Int>, _ watch: ReleaseWatch) {
        let (root, resolver) = Promise<Canary>.pending()
        let (other, otherResolver) = Promise<Canary>.pending()
        let captured = Canary(alive)
        func watchedLink(_ promise: Promise<Canary>) -> Promise<Canary> {
            let link = promise.map { value in
                captured.touch(); return value
            }
            watch.add(promise, link)
            return link
        }
        let link = watchedLink(root)
        switch leakCase {
        case .settled: resolver.fulfill(Canary(alive))
        case .rejected: resolver.reject(Failure())
        case .cancelledPending: root.cancel()
        case .cancelledQueued:
            resolver.fulfill(Canary(alive))
            root.cancel()
        case .cancelledDeep:
            var next = link
            for _ in 0..<100 { next = watchedLink(next) }
            link.cancel()
            resolver.fulfill(Canary(alive))
        case .timedOut: watch.add(link.timeout(.seconds(1)))
        case .inTime:
            watch.add(link.timeout(.seconds(50)))
            resolver.fulfill(Canary(alive))
        case .raced, .racedCancelling:
            let isCancelling = leakCase == .racedCancelling
            watch.add(Promise.race([link, watchedLink(other)], cancellingLosers: isCancelling))
            resolver.fulfill(Canary(alive))
        case .all:
            watch.add(Promise.all([link, watchedLink(other)]))
            resolver.fulfill(Canary(alive))
            otherResolver.fulfill(Canary(alive))
        case .sequence, .sequenceCancelled, .sequenceFailed:
            let value = Canary(alive)
            let whole = Promise.sequence(0..<5, concurrency: 2) { (index: Int) -> Promise<Canary> in
                captured.touch()
                return index == 1 && leakCase == .sequenceFailed
                    ? .reject(Failure()) : index == 0 ? other : .resolve(value)
            }
            watch.add(whole)
            isolated.runAll()
            if leakCase == .sequence { otherResolver.fulfill(Canary(alive)) }
            if leakCase == .sequenceCancelled { whole.cancel() }
        case .adopted, .adoptedCancelled:
            let outer = Promise<Int>.resolve(0).then { _ in
                captured.touch(); return other
            }
            watch.add(outer, other)
            isolated.runAll()
            if leakCase == .adopted { otherResolver.fulfill(Canary(alive)) } else { outer.cancel() }
        case .ring:
            resolver.resolve(other)
            otherResolver.resolve(root)
        case .abandoned: break
        case .onCancel:
            resolver.onCancel { captured.touch() }
            root.cancel()
        case .delayCancelled:
            let delay = Promise<Void>.delay(.seconds(1000))
            watch.add(delay, delay.done { captured.touch() })
            delay.cancel()
        case .cleanUp:
            let value = Canary(alive)
            watch.add(
                root.catch { _ in
                    captured.touch(); return value
                }, link.anyway { _ in captured.touch() })
            root.cancel()
        }
    }

    @Test func s2LongLivedPromiseDoesNotKeepCancelledChildren() throws {
        let isolated = IsolatedRuntime()
        let alive = Box(0)
        let (root, resolver) = isolated.run { Promise<Int>.pending() }
        var most = 0
        for _ in 0..<10_000 {
            let canary = Canary(alive)
            root.map {
                canary.touch(); return $0
            }.cancel()
            most = max(most, alive.value)
        }
        #expect(most <= 4, "\(most) closures were kept at a time")
        let watch = ReleaseWatch()
        for _ in 0..<1_000 {
            let child = root.catch { _ in 0 }
            watch.add(child)
            child.cancel()
            isolated.runAll()
        }
        #expect(watch.aliveCount <= 4)
        withExtendedLifetime(resolver) {}
    }

    @Test func s2LongLivedPromiseDoesNotKeepRacesAndTimeouts() throws {
        let isolated = IsolatedRuntime()
        let watch = ReleaseWatch()
        let (root, resolver) = isolated.run { Promise<Int>.pending() }
        let keeper = root.done { _ in }
        for _ in 0..<1_000 {
            isolated.run {
                watch.add(Promise.race([root, .resolve(1)]), root.timeout(.seconds(1)))
                let follower = Promise<Int>.resolve(0).then { _ in root }
                watch.add(follower)
                isolated.runAll()
                follower.cancel()
            }
            isolated.clock.advance(by: .seconds(2))
            isolated.runAll()
        }
        #expect(watch.aliveCount <= 8)
        #expect(!keeper.isSettled && !root.isSettled)
        withExtendedLifetime(resolver) {}
    }

    @Test func s2ACombinatorOfPendingMembersIsReleasedWithThem() throws {
        let isolated = IsolatedRuntime()
        let alive = Box(0)
        let watch = ReleaseWatch()
        let reported = Log<String>()
        isolated.runtime.onAbandoned = { reported.add("\($0.error)") }
        isolated.run {
            let canary = Canary(alive)
            let members = (0..<3).map { _ in Promise<Int>.pending() }
            let all = Promise.all(members.map(\.promise))
            watch.add(all, all.anyway { _ in canary.touch() }, members[0].promise)
            // Kept, because an optimised build releases the resolvers after their last use.
            withExtendedLifetime(members) { all.cancel() }
        }
        isolated.runAll()
        #expect(watch.aliveCount == 0 && alive.value == 0)
        #expect(reported.entries == [], "nothing waits for the members of a cancelled combinator")
    }

    @Test func s2ARuntimeIsReleasedWithItsPromises() throws {
        weak var runtime: ChainRuntime?
        do {
            let isolated = IsolatedRuntime()
            runtime = isolated.runtime
            _ = isolated.run { Promise<Int>.resolve(1).map { $0 + 1 }.done { _ in } }
            isolated.runAll()
        }
        #expect(runtime == nil)
    }

    @Test func s2LongChainIsReleasedWithoutRecursion() throws {
        try onThreads(1) { _ in
            let isolated = IsolatedRuntime()
            let alive = Box(0)
            do {
                let (root, resolver) = isolated.run { Promise<Int>.pending() }
                var last = root
                let canary = Canary(alive)
                for _ in 0..<100_000 {
                    last = last.map {
                        canary.touch(); return $0
                    }
                }
                withExtendedLifetime(resolver) {}
            }
            isolated.runAll()
            if alive.value != 0 { Issue.record("\(alive.value) left of an unsettled chain") }
        }
    }
}

// SPDX-License-Identifier: MIT
