import Foundation
import PromiseRuntime
import Testing

/// A combination of when a promise is settled, where it is used, and which executor runs its handlers. Most clauses are
/// tested with each.
struct Case: Sendable, CustomStringConvertible {
    enum Timing: CaseIterable { case already, atOnce, later }
    enum Place: CaseIterable { case outside, inHandler }
    enum Runner: CaseIterable { case pool, serialQueue, inline }

    var timing: Timing
    var place: Place
    var runner: Runner

    static let all = Timing.allCases.flatMap { timing in
        Place.allCases.flatMap { place in
            Runner.allCases.map { Case(timing: timing, place: place, runner: $0) }
        }
    }

    var description: String { "\(timing) \(place) \(runner)" }

    var executor: any PromiseExecutor {
        switch runner {
        case .pool: PoolExecutor.shared
        case .serialQueue: DispatchExecutor(label: "case")
        case .inline: InlineExecutor.shared
        }
    }

    /// Calls `use` with a promise that `settle` settles when and where the case specifies, in a runtime of its own.
    func with<Value: Sendable>(
        _ type: Value.Type = Value.self, settle: @escaping @Sendable (Resolver<Value>) -> Void,
        use: @escaping @Sendable (Promise<Value>) throws -> Void
    ) throws {
        let executor = executor
        let runtime = ChainRuntime(executor: executor)
        NothingLeft.watch(runtime)
        let latch = Latch()
        let thrown = Box<(any Error)?>(nil)
        let act: @Sendable () -> Void = {
            let (promise, resolver) = Promise<Value>.pending(on: executor)
            do {
                switch timing {
                case .already:
                    settle(resolver)
                    try use(promise)
                case .atOnce:
                    try use(promise)
                    settle(resolver)
                case .later:
                    try use(promise)
                    Thread { settle(resolver) }.start()
                }
            } catch { thrown.value = error }
            latch.open()
        }
        switch place {
        case .outside: runtime.run(act)
        case .inHandler: _ = runtime.run { Promise<Int>.resolve(0).done { _ in act() } }
        }
        try latch.wait("the case's promise")
        if let error = thrown.value { throw error }
    }

    /// Calls `use` with a promise that is fulfilled when and where the case specifies.
    func fulfilled<Value: Sendable>(
        _ value: Value, use: @escaping @Sendable (Promise<Value>) throws -> Void
    ) throws {
        try with(settle: { $0.fulfill(value) }, use: use)
    }

    /// Calls `use` with a promise that is rejected when and where the case specifies.
    func rejected<Value: Sendable>(
        _ type: Value.Type, _ error: any Error, use: @escaping @Sendable (Promise<Value>) throws -> Void
    ) throws {
        try with(type, settle: { $0.reject(error) }, use: use)
    }
}

// SPDX-License-Identifier: MIT
