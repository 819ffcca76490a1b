import ChainTesting
import Foundation
import PromiseRuntime
import Testing

/// TheRules, X2: promises that an operation started end with it, for sequence, forEach, repeat and retry; at any depth.
struct StartedTests {
    enum Operation: CaseIterable, Sendable {
        case sequence, forEach, repeating, retry

        /// Returns a promise that starts the promises of `make`, one at a time.
        func start<Member: Sendable>(
            _ type: Member.Type = Member.self, _ make: @escaping @Sendable () throws -> Promise<Member>
        ) -> Promise<Void> {
            switch self {
            case .sequence: Promise<[Member]>.sequence(0..<3) { _ in try make() }.done { _ in }
            case .forEach: Promise.forEach(0..<3) { _ in try make() }
            case .repeating:
                Promise.repeat {
                    try make().done { _ in }
                } until: { _ in
                    false
                }
            case .retry: Promise.retry(3) { try make().done { _ in } }
            }
        }
    }

    /// Returns operations that are nested `depth` deep around the promise `bottom`. They are made without recursion,
    /// because the executor runs each.
    private func nested(
        _ operations: [Operation], _ depth: Int, _ bottom: Promise<Void>
    ) -> Promise<Void> {
        if depth == 0 { return bottom }
        let below: @Sendable () -> Promise<Void> = { [self] in nested(operations, depth - 1, bottom) }
        switch operations[depth % operations.count] {
        case .sequence, .forEach: return Promise.forEach(0..<1) { _ in below() }
        case .repeating: return Promise.repeat(below) { true }
        case .retry: return Promise.retry(1, below)
        }
    }

    // Recursion needs hundreds of bytes at each level, so the stack would overflow.
    #if TSAN
        private static let depth = 2_500
    #else
        private static let depth = 10_000
    #endif

    private static let mixes: [[Operation]] = [[.forEach], [.repeating], [.retry], [.forEach, .repeating, .retry]]

    @Test(
        "X1, X2, S4 nested deep: cancelled from the top with a small stack, the reason arrives at the bottom",
        arguments: mixes)
    func deepCancellation(_ mix: [Operation]) throws {
        try onThreads(1) { _ in
            let isolated = IsolatedRuntime()
            let (bottom, resolver) = isolated.run { Promise<Void>.pending() }
            do {
                let top = isolated.run { nested(mix, Self.depth, bottom) }
                isolated.runAll()
                top.cancel("enough", by: .viewer("ada"))
                let expected = PromiseCancelledError(reason: "enough", by: .viewer("ada"))
                #expect(resolver.isCancelled)
                #expect((try? error(of: bottom)) as? PromiseCancelledError == expected)
                #expect((try? error(of: top)) as? PromiseCancelledError == expected)
            }
            isolated.runAll()
        }
    }

    @Test("S4 nested deep: settled from the bottom and released with a small stack", arguments: mixes)
    func deepSettling(_ mix: [Operation]) throws {
        for isFulfilled in [true, false] {
            try onThreads(1) { _ in
                let isolated = IsolatedRuntime()
                let (bottom, resolver) = isolated.run { Promise<Void>.pending() }
                let top = isolated.run { nested(mix, Self.depth, bottom) }
                isolated.runAll()
                if isFulfilled { resolver.fulfill(()) } else { resolver.reject(Failure("deep")) }
                isolated.runAll()
                guard let result = top.result else { return #expect(Bool(false), "it is pending") }
                switch result {
                case .success: #expect(isFulfilled)
                case .failure(let error): #expect(!isFulfilled && error as? Failure == Failure("deep"))
                }
            }
        }
    }

    @Test("X2 the event of each cancellation names the node that it came from", arguments: Operation.allCases)
    func origins(_ operation: Operation) throws {
        let run = RecordedRun()
        let kept = Log<Resolver<Int>>()
        let promise = run.record {
            Promise.forEach(0..<2, label: "outer") { _ in
                operation.start {
                    let (promise, resolver) = Promise<Int>.pending(label: "bottom")
                    kept.add(resolver)
                    return promise
                }
            }
        }
        promise.catch { _ in }
        run.runUntilIdle()
        promise.cancel("enough", by: .viewer("ada"))
        run.runUntilIdle()
        #expect(kept.count == 1)
        let forest = run.forest
        let requests = run.batch.events.filter { $0.kind == .cancelRequested }
        #expect(requests.count >= 3)
        #expect(requests.filter { $0.other == .none }.count == 1, "one was asked for, the others followed from it")
        for request in requests {
            #expect(request.flags.contains(.byViewer))
            #expect(forest.index(of: request.node).map { forest.state(of: $0) } == .cancelled)
        }
    }

    @Test("X2 the other running members are cancelled once one fails, with a reason; a node of a cycle fails at once")
    func failing() throws {
        let isolated = IsolatedRuntime()
        let made = Log<(promise: Promise<Int>, resolver: Resolver<Int>)>()
        let promise = isolated.run {
            Promise<[Int]>.sequence(0..<9, concurrency: 3) { _ in
                let pair = Promise<Int>.pending()
                made.add(pair)
                return pair.promise
            }
        }
        isolated.runAll()
        made.entries[0].resolver.reject(Failure("first"))
        #expect(try error(of: promise) as? Failure == Failure("first"))
        for index in 1...2 {
            #expect(
                try error(of: made.entries[index].promise) as? PromiseCancelledError
                    == PromiseCancelledError(reason: "the operation that started it has ended"))
        }

        let own = Box<Promise<Void>?>(nil)
        own.value = isolated.run { Promise.forEach(0..<1) { _ in own.value! } }
        isolated.runAll()
        #expect(try error(of: own.replace(nil)!) is PromiseCycleError)
    }

    @Test(
        "S2 an operation that has ended keeps neither its inputs nor its closures", arguments: Operation.allCases,
        [false, true])
    func keepsNothing(_ operation: Operation, _ isCancelled: Bool) {
        if operation == .sequence {
            // Without the `done` of `start`: its cancellation would leave its parent, the sequence, pending (X1).
            keepsNothing(isCancelled) { make in Promise<[Int]>.sequence(0..<3) { _ in try make() } }
        } else {
            keepsNothing(isCancelled) { operation.start(Int.self, $0) }
        }
    }

    private func keepsNothing<Value: Sendable>(
        _ isCancelled: Bool, _ start: (@escaping @Sendable () throws -> Promise<Int>) -> Promise<Value>
    ) {
        let isolated = IsolatedRuntime()
        let alive = Box(0)
        func make() -> Promise<Value> {
            let canary = Canary(alive)
            return start { () -> Promise<Int> in
                canary.touch()
                return isCancelled ? Promise.delay(.seconds(1)).map { 0 } : .reject(Failure())
            }
        }
        let promise = isolated.run(make)
        isolated.runAll()
        if isCancelled {
            #expect(alive.value == 1)
            promise.runtime.run { promise.cancel() }
        }
        isolated.runAll()
        #expect(promise.isSettled)
        #expect(alive.value == 0)
        promise.failed { _ in }
    }

    @Test("E2 members that settle at once leave room for others on the same executor")
    func fairness() {
        let isolated = IsolatedRuntime()
        let order = Log<String>()
        isolated.run {
            Promise.forEach(0..<1_000) { number in
                if number == 999 { order.add("last") }
                return Promise.resolve(number)
            }
            isolated.executor.execute { order.add("other") }
        }
        isolated.runAll()
        #expect(order.entries == ["other", "last"])
    }
}

// SPDX-License-Identifier: MIT
