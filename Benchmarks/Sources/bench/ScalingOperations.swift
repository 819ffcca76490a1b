// SPDX-License-Identifier: MIT

import ChainTesting
import PromiseRuntime
import Workloads

private struct Failure: Error {}

/// All operations, grouped by what grows. The clock is virtual and handlers run inline, so that only the runtime's own
/// work is measured.
let scalings = links + membersOfOne + groups + rounds + cancellations + chains + waits

/// Returns the processor time of `work` in nanoseconds.
private func timed(_ work: () -> Void) -> Double { processNanoseconds(per: 1, work) }

/// Makes a runtime with the inline executor and a virtual clock.
private func isolatedRuntime() -> (runtime: ChainRuntime, clock: VirtualClock) {
    let clock = VirtualClock()
    return (ChainRuntime(clock: clock, executor: InlineExecutor.shared), clock)
}

/// Returns a scaling that times everything, from making the promises to their release.
func whole(_ name: String, _ work: @escaping @Sendable (_ size: Int, _ clock: VirtualClock) -> Void) -> Scaling {
    Scaling(name) { size in
        let (runtime, clock) = isolatedRuntime()
        return timed { runtime.run { work(size, clock) } }
    }
}

/// Returns a scaling that times `work` alone; `prepare` makes the promises for it.
func step<Prepared>(
    _ name: String, _ prepare: @escaping @Sendable (_ size: Int) -> Prepared,
    _ work: @escaping @Sendable (Prepared) -> Void
) -> Scaling {
    Scaling(name) { size in
        let (runtime, clock) = isolatedRuntime()
        return withExtendedLifetime(clock) {
            runtime.run {
                let prepared = prepare(size)
                return timed { work(prepared) }
            }
        }
    }
}

typealias Pair = (promise: Promise<Int>, resolver: Resolver<Int>)

private func pending(_ size: Int) -> [Pair] { (0..<size).map { _ in Promise<Int>.pending() } }

private let links = [
    whole("links") { size, _ in Workloads.chain(size) },
    whole("links.of-settled") { size, _ in
        var last = Promise.resolve(0)
        for _ in 0..<size { last = last.map { $0 &+ 1 } }
    },
    whole("links.rejected") { size, _ in
        let (root, resolver) = Promise<Int>.pending()
        var last = root
        for _ in 0..<size { last = last.map { $0 &+ 1 } }
        resolver.reject(Failure())
    },
    whole("links.abandoned") { size, _ in
        var last = Promise<Int>.pending().promise
        for _ in 0..<size { last = last.map { $0 &+ 1 } }
    },
    whole("adoptions") { size, _ in
        let (root, resolver) = Promise<Int>.pending()
        var last = root
        for _ in 0..<size {
            let before = last
            last = Promise.resolve(1).then { _ in before }
        }
        resolver.fulfill(1)
    },
    step("release.of-settled-links", { Workloads.keptChain($0) }) { kept in
        kept.resolver.fulfill(0)
    },
]

private let membersOfOne = [
    whole("handlers-of-one") { size, _ in
        let (promise, resolver) = Promise<Int>.pending()
        for _ in 0..<size { promise.done { _ in } }
        resolver.fulfill(1)
    },
    whole("followers-of-one") { size, _ in
        let (promise, resolver) = Promise<Int>.pending()
        let followers = (0..<size).map { _ in Promise.resolve(1).then { _ in promise } }
        resolver.fulfill(1)
        use(followers)
    },
    whole("timeouts-of-one.over") { size, clock in
        let (promise, resolver) = Promise<Int>.pending()
        let timeouts = (0..<size).map { promise.timeout(.milliseconds($0 + 1)) }
        clock.advance(by: .milliseconds(size + 1))
        use(timeouts)
        resolver.fulfill(1)
    },
    whole("timeouts-of-one.in-time") { size, _ in
        let (promise, resolver) = Promise<Int>.pending()
        let timeouts = (0..<size).map { promise.timeout(.milliseconds($0 + 1)) }
        resolver.fulfill(1)
        use(timeouts)
    },
    whole("on-cancel-of-one") { size, _ in
        let (promise, resolver) = Promise<Int>.pending()
        for _ in 0..<size { resolver.onCancel {} }
        promise.cancel()
    },
]

private let groups = [
    step("all", pending) { Workloads.allOfPending($0) },
    step("all.rejected", pending) { pairs in
        let whole = Promise.all(pairs.map(\.promise))
        for pair in pairs.reversed() { pair.resolver.reject(Failure()) }
        use(whole)
    },
    step("all.cancelling-losers", pending) { pairs in
        let whole = Promise.all(pairs.map(\.promise), cancellingLosers: true)
        pairs[pairs.count / 2].resolver.reject(Failure())
        use(whole)
    },
    step("all-settled", pending) { pairs in
        let whole = Promise.allSettled(pairs.map(\.promise))
        for pair in pairs { pair.resolver.fulfill(1) }
        use(whole)
    },
    step("any.rejected", pending) { pairs in
        let whole = Promise.any(pairs.map(\.promise))
        for pair in pairs { pair.resolver.reject(Failure()) }
        use(whole)
    },
    step("race", pending) { pairs in
        let whole = Promise.race(pairs.map(\.promise))
        for pair in pairs.reversed() { pair.resolver.fulfill(1) }
        use(whole)
    },
    step("race.cancelling-losers", pending) { pairs in
        let whole = Promise.race(pairs.map(\.promise), cancellingLosers: true)
        pairs[pairs.count / 2].resolver.fulfill(1)
        use(whole)
    },
    whole("groups-of-one-member") { size, _ in
        let (promise, resolver) = Promise<Int>.pending()
        let groups = (0..<size).map { _ in Promise.race([promise]) }
        for group in groups { group.cancel() }
        resolver.fulfill(1)
    },
]

private let rounds = [
    whole("sequence") { size, _ in use(Promise.sequence(0..<size) { Promise.resolve($0) }) },
    whole("sequence.concurrent") { size, _ in
        use(Promise.sequence(0..<size, concurrency: 16) { Promise.resolve($0) })
    },
    whole("for-each") { size, _ in use(Promise.forEach(0..<size) { Promise.resolve($0) }) },
    whole("repeat") { size, _ in
        let count = Sum()
        use(
            Promise.repeat {
                Promise.resolve(count.value.add(1, ordering: .relaxed).newValue)
            } until: {
                $0 == size
            })
    },
    whole("retry") { size, _ in use(Promise<Int>.retry(size) { Promise<Int>.reject(Failure()) }) },
    whole("retry.with-backoff") { size, clock in
        let result = Promise<Int>.retry(size, backoff: .constant(.milliseconds(1))) { Promise<Int>.reject(Failure()) }
        while clock.advanceToNextTimer() {}
        use(result)
    },
]
