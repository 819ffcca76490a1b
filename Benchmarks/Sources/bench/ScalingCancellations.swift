// SPDX-License-Identifier: MIT

import Dispatch
import PromiseRuntime
import Workloads

extension Scaling {
    /// Returns the scaling of cancelling all followers of one pending promise in an order.
    fileprivate static func followers(
        _ name: String, _ order: @escaping @Sendable ([Promise<Int>]) -> [Promise<Int>]
    ) -> Scaling {
        step("cancel.followers.\(name)") { size in
            let (promise, resolver) = Promise<Int>.pending()
            return (resolver, order((0..<size).map { _ in Promise.resolve(1).then { _ in promise } }))
        } _: { prepared in
            for follower in prepared.1 { follower.cancel() }
        }
    }
}

/// Returns every third promise, then the other two thirds: an order that follows a list from neither end.
private func interleaved(_ promises: [Promise<Int>]) -> [Promise<Int>] {
    (0..<3).flatMap { first in stride(from: first, to: promises.count, by: 3).map { promises[$0] } }
}

let cancellations = [
    Scaling.followers("oldest-first") { $0 },
    Scaling.followers("newest-first") { $0.reversed() },
    Scaling.followers("mixed", interleaved),
    step("cancel.children") { size in
        let (promise, resolver) = Promise<Int>.pending()
        return (resolver, (0..<size).map { _ in promise.map { $0 } })
    } _: { prepared in
        for child in prepared.1 { child.cancel() }
    },
    step("cancel.wide-tree") { size in
        let (promise, resolver) = Promise<Int>.pending()
        return (promise, resolver, (0..<size).map { _ in promise.map { $0 } })
    } _: { prepared in
        prepared.0.cancel()
    },
    step("cancel.deep-tree", { Workloads.keptChain($0) }) { kept in kept.nodes[0].cancel() },
    // Cancels from the last link up to the source, which has no other consumer.
    step("cancel.up") { size in
        let kept = Workloads.keptChain(size)
        return (kept, Promise.race([kept.nodes[size]], cancellingLosers: true))
    } _: { prepared in
        prepared.1.cancel()
    },
    step("cancel.each-of-a-chain", { Workloads.keptChain($0) }) { kept in
        for node in kept.nodes.reversed() { node.cancel() }
    },
]

let chains = [
    whole("chain.links") { size, _ in
        var chain = Chain().map { 0 }
        for _ in 0..<size { chain = chain.map { $0 &+ 1 } }
        chain.launch()
    },
    whole("chain.launches") { size, _ in
        let chain = Chain().map { 0 }.map { $0 &+ 1 }
        for _ in 0..<size { chain.launch() }
    },
    whole("chain.all") { size, _ in Chain().all((0..<size).map { number in Chain().map { number } }).launch() },
    whole("chain.race") { size, _ in Chain().race((0..<size).map { number in Chain().map { number } }).launch() },
    whole("chain.seq") { size, _ in Chain().seq((0..<size).map { number in Chain().map { number } }).launch() },
]

let waits = [
    whole("get") { size, _ in
        let promise = Promise.resolve(1)
        for _ in 0..<size { use(try? promise.get()) }
    },
    whole("value.of-settled") { size, _ in
        waitFor {
            let promise = Promise.resolve(1)
            for _ in 0..<size { use(try? await promise.value) }
        }
    },
    // Times the runtime's part in resuming many tasks; running them is the work of Swift's own pool.
    Scaling("value.of-one") { size in
        let (promise, resolver) = Promise<Int>.pending()
        let isOver = DispatchSemaphore(value: 0)
        Ended.expect(size)
        for _ in 0..<size {
            Task.detached {
                Ended.one()
                if (try? await promise.value) == nil { fatalError("it is fulfilled") }
                isOver.signal()
            }
        }
        Ended.wait()
        let nanoseconds = nanosecondsEach(1) { resolver.fulfill(1) }
        for _ in 0..<size { isOver.wait() }
        return nanoseconds
    },
]
