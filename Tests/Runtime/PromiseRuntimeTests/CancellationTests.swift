import ChainEvents
import Foundation
import PromiseRuntime
import Testing

@Suite(.nothingLeft) struct CancellationTests {
    private func isCancelled(_ promise: Promise<some Sendable>) -> Bool {
        if case .failure(let error)? = promise.result { return error is PromiseCancelledError }
        return false
    }

    // MARK: X1

    @Test func x1RejectsWithReasonAndOrigin() throws {
        let isolated = IsolatedRuntime()
        let (promise, resolver) = isolated.run { Promise<Int>.pending() }
        promise.cancel("enough", by: .viewer("ada"))
        let error = try #require(error(of: promise) as? PromiseCancelledError)
        #expect(error == PromiseCancelledError(reason: "enough", by: .viewer("ada")))
        #expect("\(error)" == "cancelled by ada: enough")
        #expect("\(PromiseCancelledError())" == "cancelled by program")
        resolver.fulfill(1)
        #expect(isCancelled(promise))
    }

    @Test func x1LeavesParentAndSiblingsAlone() throws {
        let isolated = IsolatedRuntime()
        let (root, resolver) = isolated.run { Promise<Int>.pending() }
        let (left, right) = (root.map { $0 + 1 }, root.map { $0 + 2 })
        let grandchild = left.map { $0 * 10 }
        left.cancel()
        #expect(isCancelled(left) && isCancelled(grandchild))
        #expect(!root.isSettled && !right.isSettled && !root.isCancelled && !right.isCancelled)
        resolver.fulfill(1)
        isolated.runAll()
        #expect(try root.result?.get() == 1)
        #expect(try right.result?.get() == 3)
        #expect(isCancelled(left) && isCancelled(grandchild))
    }

    @Test func x1ReachesQueuedChildrenOfASettledPromise() throws {
        let isolated = IsolatedRuntime()
        let ran = Box(0)
        let root = isolated.run { Promise<Int>.resolve(1) }
        let children = (0..<4).map { index in
            root.map { value in
                ran.change { $0 += 1 }; return value + index
            }
        }
        let last = children[3].done { _ in ran.change { $0 += 1 } }
        #expect(isolated.executor.pendingCount == 4)
        root.cancel()
        #expect(try root.result?.get() == 1)
        #expect(children.allSatisfy(isCancelled) && isCancelled(last))
        isolated.runAll()
        #expect(ran.value == 0)
    }

    @Test func x1ASettledChildPassesNothingDown() throws {
        let isolated = IsolatedRuntime()
        let root = isolated.run { Promise<Int>.resolve(1) }
        let child = root.map { $0 + 1 }
        let grandchild = child.delay(.seconds(60))
        let last = grandchild.map { $0 }
        isolated.runAll()
        #expect(child.isSettled && !grandchild.isSettled)
        root.cancel()
        #expect(!grandchild.isSettled && !last.isSettled)
        child.cancel()
        #expect(isCancelled(grandchild) && isCancelled(last))
    }

    @Test func x1ReachesThePromiseThatAChildOfASettledOneFollows() throws {
        let isolated = IsolatedRuntime()
        let (inner, resolver) = isolated.run { Promise<Int>.pending() }
        let root = isolated.run { Promise<Int>.resolve(1) }
        let child = root.then { _ in inner }
        isolated.runAll()
        #expect(!child.isSettled)
        root.cancel("stop")
        #expect(isCancelled(child) && isCancelled(inner) && resolver.isCancelled)
    }

    @Test func x1ReachesAllDescendantsHoweverMany() throws {
        let isolated = IsolatedRuntime()
        let (root, resolver) = isolated.run { Promise<Int>.pending() }
        var leaves: [Promise<Int>] = []
        for _ in 0..<50 {
            var next = root
            for _ in 0..<50 { next = next.map { $0 + 1 } }
            leaves.append(next)
        }
        root.cancel()
        #expect(leaves.allSatisfy(isCancelled))
        withExtendedLifetime(resolver) {}
    }

    @Test func x1SecondCancelChangesNothing() throws {
        let isolated = IsolatedRuntime()
        let cleanUps = Box(0)
        let (root, resolver) = isolated.run { Promise<Int>.pending() }
        let child = root.anyway { _ in cleanUps.change { $0 += 1 } }
        root.cancel("first")
        root.cancel("second")
        child.cancel("third")
        isolated.runAll()
        root.cancel("fourth")
        isolated.runAll()
        #expect(cleanUps.value == 1)
        #expect(try error(of: child) as? PromiseCancelledError == PromiseCancelledError(reason: "first"))
        withExtendedLifetime(resolver) {}
    }

    @Test func x1NeverWaitsForARunningHandler() throws {
        let pool = PoolExecutor(name: "x1", width: 1)
        let (started, resume) = (Latch(), Latch())
        let work = Promise<Int>(on: pool) {
            started.open()
            try? resume.wait("the test")
            return 1
        }
        try started.wait()
        work.cancel()
        #expect(isCancelled(work))
        resume.open()
        #expect(try error(of: work) is PromiseCancelledError)
    }

    // MARK: X2

    @Test func x2FollowerCancelsTheFollowedAsItsOnlyConsumer() throws {
        let isolated = IsolatedRuntime()
        let (inner, resolver) = isolated.run { Promise<Int>.pending() }
        let outer = isolated.run { Promise<Int>.resolve(0) }.then { _ in inner }
        isolated.runAll()
        outer.cancel()
        #expect(isCancelled(inner))
        withExtendedLifetime(resolver) {}
    }

    @Test func x2AFollowedPromiseWithAnotherConsumerGoesOn() throws {
        let isolated = IsolatedRuntime()
        let (inner, resolver) = isolated.run { Promise<Int>.pending() }
        let other = inner.map { $0 + 1 }
        let outer = isolated.run { Promise<Int>.resolve(0) }.then { _ in inner }
        let second = isolated.run { Promise<Int>.resolve(0) }.then { _ in inner }
        isolated.runAll()
        outer.cancel()
        #expect(!inner.isSettled && !second.isSettled)
        resolver.fulfill(1)
        isolated.runAll()
        #expect(try other.result?.get() == 2 && second.result?.get() == 1)
    }

    @Test func x2LastOfManyFollowersCancels() throws {
        let isolated = IsolatedRuntime()
        let (inner, resolver) = isolated.run { Promise<Int>.pending() }
        let outers = (0..<3).map { _ in isolated.run { Promise<Int>.resolve(0) }.then { _ in inner } }
        isolated.runAll()
        outers[0].cancel()
        outers[1].cancel()
        #expect(!inner.isSettled)
        outers[2].cancel()
        #expect(isCancelled(inner))
        withExtendedLifetime(resolver) {}
    }

    @Test func x2ReachesAChainOfFollowers() throws {
        let isolated = IsolatedRuntime()
        let (inner, resolver) = isolated.run { Promise<Int>.pending() }
        var next = inner
        for _ in 0..<100 {
            let followed = next
            next = isolated.run { Promise<Int>.resolve(0) }.then { _ in followed }
        }
        isolated.runAll()
        next.cancel("all of them")
        #expect(try error(of: inner) as? PromiseCancelledError == PromiseCancelledError(reason: "all of them"))
        withExtendedLifetime(resolver) {}
    }

    @Test func x2CancelsThePromiseThatAHandlerReturnsAfterTheCancellation() throws {
        let isolated = IsolatedRuntime()
        let (inner, resolver) = isolated.run { Promise<Int>.pending() }
        let itself = Box<Promise<Int>?>(nil)
        let outer = isolated.run { Promise<Int>.resolve(0) }.then { _ in
            itself.value?.cancel("meanwhile")
            return inner
        }
        itself.value = outer
        isolated.runAll()
        #expect(isCancelled(outer) && isCancelled(inner))
        itself.value = nil
        withExtendedLifetime(resolver) {}
    }

    @Test(arguments: [1, 3]) func x2SequenceCancelsTheMembersThatItStarted(concurrency: Int) throws {
        let isolated = IsolatedRuntime()
        let members = (0..<5).map { _ in isolated.run { Promise<Int>.pending() } }
        let made = Box(0)
        let whole = isolated.run {
            Promise.sequence(members.map(\.promise), concurrency: concurrency) { (member: Promise<Int>) in
                made.change { $0 += 1 }
                return member
            }
        }
        isolated.runAll()
        #expect(made.value == concurrency)
        whole.cancel("no more", by: .viewer("bob"))
        isolated.runAll()
        let expected = PromiseCancelledError(reason: "no more", by: .viewer("bob"))
        for (index, member) in members.enumerated() {
            if index < concurrency {
                #expect(try error(of: member.promise) as? PromiseCancelledError == expected)
            } else {
                #expect(!member.promise.isSettled)
            }
        }
        #expect(made.value == concurrency)
    }

    @Test func x2ForEachCancelsTheRunningMember() throws {
        let isolated = IsolatedRuntime()
        let (member, resolver) = isolated.run { Promise<Int>.pending() }
        let whole = isolated.run { Promise.forEach([1, 2]) { _ in member } }
        isolated.runAll()
        whole.cancel()
        #expect(isCancelled(member))
        withExtendedLifetime(resolver) {}
    }

    @Test func x2TimeoutCancelsItsPromise() throws {
        let isolated = IsolatedRuntime()
        let (slow, resolver) = isolated.run { Promise<Int>.pending() }
        let limited = slow.timeout(.seconds(1))
        isolated.clock.advance(by: .seconds(1))
        #expect(try error(of: limited) is PromiseTimeoutError)
        #expect(isCancelled(slow) && resolver.isCancelled)
    }

    @Test func x2TimeoutOfAPromiseWithAnotherConsumerLeavesItRunning() throws {
        let isolated = IsolatedRuntime()
        let (slow, resolver) = isolated.run { Promise<Int>.pending() }
        let other = slow.map { $0 }
        let limited = slow.timeout(.seconds(1))
        isolated.clock.advance(by: .seconds(1))
        #expect(limited.isSettled && !slow.isSettled)
        resolver.fulfill(7)
        isolated.runAll()
        #expect(try other.result?.get() == 7)
    }

    @Test func x2CancelledDelayDropsItsTimer() throws {
        let isolated = IsolatedRuntime()
        let delay = isolated.run { Promise.delay(.seconds(5)) }
        #expect(!isolated.clock.isIdle)
        delay.cancel()
        #expect(isolated.clock.isIdle)
    }

    @Test func x2HotCombinatorsLeaveTheirMembersAlone() throws {
        let isolated = IsolatedRuntime()
        let pairs = (0..<3).map { _ in isolated.run { Promise<Int>.pending() } }
        let members = pairs.map(\.promise)
        isolated.run { Promise.all(members) }.cancel()
        isolated.run { Promise.any(members) }.cancel()
        isolated.run { Promise.race(members) }.cancel()
        isolated.run { Promise.allSettled(members) }.cancel()
        #expect(members.allSatisfy { !$0.isSettled && !$0.isCancelled })
        pairs[1].resolver.fulfill(4)
        #expect(try members[1].result?.get() == 4)
    }

    @Test func x2ACancelledCombinatorThatCancelsLosersEndsItsInterest() throws {
        let isolated = IsolatedRuntime()
        let pairs = (0..<3).map { _ in isolated.run { Promise<Int>.pending() } }
        let other = pairs[2].promise.map { $0 }
        isolated.run { Promise.race(pairs.map(\.promise), cancellingLosers: true) }.cancel("enough")
        for member in pairs[0..<2].map(\.promise) {
            #expect(try error(of: member) as? PromiseCancelledError == PromiseCancelledError(reason: "enough"))
        }
        #expect(!pairs[2].promise.isSettled && !other.isSettled)
        withExtendedLifetime(pairs) {}
    }

    @Test func x2LosersAreCancelledOnlyOnRequest() throws {
        let isolated = IsolatedRuntime()
        let pairs = (0..<2).map { _ in isolated.run { Promise<Int>.pending() } }
        let spared = isolated.run { Promise.race(pairs.map(\.promise)) }
        pairs[0].resolver.fulfill(1)
        #expect(spared.isSettled && !pairs[1].promise.isCancelled)
        let more = (0..<2).map { _ in isolated.run { Promise<Int>.pending() } }
        let strict = isolated.run { Promise.race(more.map(\.promise), cancellingLosers: true) }
        more[1].resolver.fulfill(2)
        #expect(try value(of: strict) == 2)
        #expect(isCancelled(more[0].promise))
    }
}

// SPDX-License-Identifier: MIT
