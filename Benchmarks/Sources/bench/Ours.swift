// SPDX-License-Identifier: MIT

import PromiseRuntime
import Workloads

/// The work as this runtime does it. Each function returns nanoseconds of processor time for a unit.
enum Ours {
    private static let inlineRuntime = ChainRuntime(executor: InlineExecutor.shared)
    private static let oneThread = ChainRuntime(executor: PoolExecutor(name: "delivery", width: 1))

    /// Measures on the thread of the fastest peer, so that both use one heap: glibc gives threads heaps of their own.
    static func inline(_ measure: @escaping @Sendable () -> Double) -> Double {
        NIOPeer.onLoop { _ in inlineRuntime.run(measure) }
    }

    static func threeLinks(_ count: Int) -> Double {
        inline { processNanoseconds(per: count) { Workloads.threeLinks(count) } }
    }

    static func chain(_ length: Int) -> Double {
        inline { processNanoseconds(per: length) { Workloads.chain(length) } }
    }

    /// Makes chains on this thread, which are delivered on another thread, pipelined.
    static func handedOver(_ count: Int) -> Double {
        NIOPeer.onLoop { _ in
            oneThread.run {
                processNanoseconds(per: count) {
                    Ended.expect(count)
                    makeCounted(count)
                    Ended.wait()
                }
            }
        }
    }

    /// Settles a chain with its handlers on the pool.
    static func chainOnPool(_ length: Int) -> Double {
        processNanoseconds(per: length) {
            Ended.expect(1)
            let (root, resolver) = Promise<Int>.pending()
            var last = root
            for _ in 0..<length { last = last.map { $0 &+ 1 } }
            last.done { _ in Ended.one() }
            resolver.fulfill(0)
            Ended.wait()
        }
    }

    static func allOfSettled(_ count: Int) -> Double {
        inline {
            let members = (0..<count).map { Promise.resolve($0) }
            return processNanoseconds(per: count) { Workloads.allOfSettled(members) }
        }
    }

    static func allOfPending(_ count: Int) -> Double {
        inline {
            let members = (0..<count).map { _ in Promise<Int>.pending() }
            return processNanoseconds(per: count) { Workloads.allOfPending(members) }
        }
    }

    /// Makes chains on two threads, each of which delivers its own.
    static func twoThreadsInline(_ count: Int) -> Double {
        processNanoseconds(per: count) {
            Ended.expect(count)
            NIOPeer.onLoops { inlineRuntime.run { makeCounted(count / 2) } }
            Ended.wait()
        }
    }

    /// Makes chains on two threads, which the pool delivers.
    static func twoThreadsOnPool(_ count: Int) -> Double {
        processNanoseconds(per: count) {
            Ended.expect(count)
            onThreads(2) { _ in makeCounted(count / 2) }
            Ended.wait()
        }
    }

    private static func makeCounted(_ count: Int) {
        for _ in 0..<count {
            let (promise, resolver) = Promise<Int>.pending()
            use(promise.map { $0 &+ 1 }.map { $0 &+ 1 }.map { _ in Ended.one() })
            resolver.fulfill(1)
        }
    }
}
