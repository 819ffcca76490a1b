// SPDX-License-Identifier: MIT

import CHeap
import NIOCore
import NIOPosix

/// The same work with SwiftNIO's futures. *Inline* is on their event loop, where they need no hop; from another thread
/// each link goes through the loop's queue.
enum NIOPeer {
    private static let loops = Array(MultiThreadedEventLoopGroup(numberOfThreads: 2).makeIterator())
    private static var loop: any EventLoop { loops[0] }

    /// Runs `body` on the thread of the first loop.
    static func onLoop<Value: Sendable>(_ body: @escaping @Sendable (any EventLoop) -> Value) -> Value {
        let loop = loop
        do { return try loop.submit { body(loop) }.wait() } catch { fatalError("\(error)") }
    }

    /// Starts `body` on the threads of both loops.
    static func onLoops(_ body: @escaping @Sendable () -> Void) {
        for loop in loops { loop.execute(body) }
    }

    static func threeLinks(_ count: Int) -> Double {
        onLoop { loop in
            processNanoseconds(per: count) {
                for _ in 0..<count {
                    use(loop.makeSucceededFuture(1).map { $0 &+ 1 }.map { $0 &+ 1 }.map { $0 &+ 1 })
                }
            }
        }
    }

    static func chain(_ length: Int) -> Double {
        onLoop { loop in
            processNanoseconds(per: length) {
                settledChain(length, loop).whenSuccess { precondition($0 == length) }
            }
        }
    }

    static func chainFromOutside(_ length: Int) -> Double {
        processNanoseconds(per: length) { precondition((try? settledChain(length, loop).wait()) == length) }
    }

    private static func settledChain(_ length: Int, _ loop: any EventLoop) -> EventLoopFuture<Int> {
        let promise = loop.makePromise(of: Int.self)
        var last = promise.futureResult
        for _ in 0..<length { last = last.map { $0 &+ 1 } }
        promise.succeed(0)
        return last
    }

    static func allOfSettled(_ count: Int) -> Double {
        onLoop { loop in
            let members = (0..<count).map { loop.makeSucceededFuture($0) }
            return processNanoseconds(per: count) { use(EventLoopFuture.whenAllSucceed(members, on: loop)) }
        }
    }

    static func allOfPending(_ count: Int) -> Double {
        onLoop { loop in
            let members = (0..<count).map { _ in loop.makePromise(of: Int.self) }
            return processNanoseconds(per: count) {
                let whole = EventLoopFuture.whenAllSucceed(members.map(\.futureResult), on: loop)
                for member in members { member.succeed(1) }
                use(whole)
            }
        }
    }

    static func handedOver(_ count: Int) -> Double {
        processNanoseconds(per: count) {
            Ended.expect(count)
            makeCounted(count, loop)
            Ended.wait()
        }
    }

    static func twoThreadsInline(_ count: Int) -> Double {
        processNanoseconds(per: count) {
            Ended.expect(count)
            for loop in loops { loop.execute { makeCounted(count / 2, loop) } }
            Ended.wait()
        }
    }

    static func twoThreadsQueued(_ count: Int) -> Double {
        processNanoseconds(per: count) {
            Ended.expect(count)
            onThreads(2) { makeCounted(count / 2, loops[$0]) }
            Ended.wait()
        }
    }

    private static func makeCounted(_ count: Int, _ loop: any EventLoop) {
        for _ in 0..<count {
            let promise = loop.makePromise(of: Int.self)
            use(promise.futureResult.map { $0 &+ 1 }.map { $0 &+ 1 }.map { _ in Ended.one() })
            promise.succeed(1)
        }
    }

    // MARK: Memory

    static var bytesOfPending: Double { bytes { _, loop in loop.makePromise(of: Int.self) } }

    static var bytesOfPendingWithHandler: Double {
        bytes { _, loop in
            let promise = loop.makePromise(of: Int.self)
            use(promise.futureResult.map { _ in })
            return promise
        }
    }

    static var bytesOfPendingWithCapturingHandler: Double {
        bytes { number, loop in
            let promise = loop.makePromise(of: Int.self)
            use(promise.futureResult.map { use($0 &+ number) })
            return promise
        }
    }

    private static func bytes(
        _ make: @escaping @Sendable (_ number: Int, _ loop: any EventLoop) -> EventLoopPromise<Int>
    ) -> Double {
        onLoop { loop in
            bytesEach(100_000) {
                make($0, loop)
            } finish: {
                $0.succeed(0)
            }
        }
    }
}
