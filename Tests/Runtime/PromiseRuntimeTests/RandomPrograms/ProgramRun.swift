import PromiseRuntime

/// A run of a program with real promises, in a runtime of its own.
final class ProgramRun: Sendable {
    private struct Cell: Sendable {
        var promise: AnyPromise
        var int: Promise<Int>?
        var resolver: Resolver<Int>?
        var outcome: @Sendable () -> Outcome
    }

    private let runtime: ChainRuntime
    private let clock: TestClock
    private let manual: ManualExecutor?
    private let freezes: Bool
    private let cells = Box<[Cell]>([])
    let handled = Log<Handled>()
    let abandoned = Log<PromiseAbandonedError>()

    /// Makes a run with no promises yet. `freezes` is as in the ``ReferenceModel``.
    init(on executor: any PromiseExecutor, freezes: Bool = false) {
        clock = TestClock()
        manual = executor as? ManualExecutor
        self.freezes = freezes
        runtime = ChainRuntime(clock: clock, executor: executor)
        let abandoned = abandoned
        runtime.onAbandoned = { abandoned.add($0.error) }
    }

    var outcomes: [Outcome] { cells.value.map { $0.outcome() } }
    var isAllSettled: Bool { cells.value.allSatisfy { $0.promise.isSettled } }
    /// The runtime, which lives as long as any promise of the program.
    var isolated: ChainRuntime { runtime }

    // MARK: Steps

    func take(_ step: Program.Step) { runtime.run { take(inside: step) } }

    private func take(inside step: Program.Step) {
        let number = cells.value.count
        switch step {
        case .pending:
            let (promise, resolver) = Promise<Int>.pending()
            add(promise, resolver)
        case .resolved(let value): add(.resolve(value))
        case .rejected(let code): add(.reject(Coded(code)))
        case .work(let act):
            add(
                Promise {
                    self.handled.add(Handled(node: number, input: .pending))
                    return try Self.value(of: act, 0)
                })
        case .pause(let time):
            let pause = Promise<Void>.delay(.seconds(time))
            addOther(pause) { _ in [] }
            add(pause.map(handling(number + 1, { .value([]) }) { 0 }))
        case .map(let parent, let act):
            with(parent) { $0.map(self.handling(number) { try Self.value(of: act, $0) }) }
        case .then(let parent, let act):
            let act = frozen(act)
            with(parent) { $0.then(self.handling(number) { try self.promise(of: act, $0) }) }
        case .thenEither(let parent, let act, let other):
            let (act, other) = (frozen(act), frozen(other))
            with(parent) {
                $0.then(
                    self.handling(number) { try self.promise(of: act, $0) },
                    onRejected: self.rejected(number) { try self.promise(of: other, 0) })
            }
        case .tap(let parent, let fails):
            with(parent) { $0.tap(self.handling(number) { _ in if fails { throw Coded(7) } }) }
        case .catch(let parent, let act):
            with(parent) { $0.catch(self.rejected(number) { try Self.value(of: act, 0) }) }
        case .recover(let parent, let act, let including):
            let act = frozen(act)
            with(parent) {
                $0.recover(
                    includingCancellation: including, self.rejected(number) { try self.promise(of: act, 0) })
            }
        case .failed(let parent, let fails):
            with(parent) { $0.failed(self.rejected(number) { if fails { throw Coded(7) } }) }
        case .anyway(let parent, let fails):
            with(parent) { parent in
                parent.anyway { result in
                    self.handled.add(Handled(node: number, input: Outcome(result) { [$0] }))
                    if fails { throw Coded(7) }
                }
            }
        case .delay(let parent, let time): with(parent) { $0.delay(.seconds(time)) }
        case .timeout(let parent, let time): with(parent) { $0.timeout(.seconds(time)) }
        case .gather(let kind, let members, let cancelling): gather(kind, members, cancelling, number)
        case .sequence(let acts, let concurrency):
            let acts = acts.map(frozen)
            let whole = Promise.sequence(0..<acts.count, concurrency: concurrency) { index in
                self.handled.add(Handled(node: number, input: .value([index])))
                return try self.promise(of: acts[index], 0)
            }
            addList(whole, number)
        case .fulfill(let node, let value): resolver(node)?.fulfill(value)
        case .reject(let node, let code): resolver(node)?.reject(Coded(code))
        case .follow(let node, let other): if let other = int(other) { resolver(node)?.resolve(other) }
        case .drop(let node): drop(node)
        case .cancel(let node): cell(node)?.promise.cancel()
        case .advance(let time): clock.advance(by: .seconds(time))
        case .drain(let limit): manual?.runAll(limit: limit)
        }
    }

    func dropAll() { for node in cells.value.indices { drop(node) } }
    func cancelAll() { for cell in cells.value { cell.promise.cancel() } }
    func forget() { cells.replace([]) }

    private func drop(_ node: Int) {
        // Released here, outside of the lock.
        let resolver = cells.change { $0.indices.contains(node) ? $0[node].resolver.take() : nil }
        withExtendedLifetime(resolver) {}
    }

    // MARK: Nodes by number

    private func cell(_ node: Int) -> Cell? { cells.change { $0.indices.contains(node) ? $0[node] : nil } }
    private func int(_ node: Int) -> Promise<Int>? { cell(node)?.int }
    private func resolver(_ node: Int) -> Resolver<Int>? { cell(node)?.resolver }

    private func add(_ promise: Promise<Int>, _ resolver: Resolver<Int>? = nil) {
        let cell = Cell(promise: promise, int: promise, resolver: resolver) { Outcome(promise.result) { [$0] } }
        cells.change { $0.append(cell) }
    }

    private func addOther<Value>(_ promise: Promise<Value>, _ list: @escaping @Sendable (Value) -> [Int]) {
        let cell = Cell(promise: promise) { Outcome(promise.result, list) }
        cells.change { $0.append(cell) }
    }

    private func addList(_ promise: Promise<[Int]>, _ number: Int) {
        addOther(promise) { $0 }
        add(
            promise.map { values in
                self.handled.add(Handled(node: number + 1, input: .value(values)))
                return values.reduce(0, &+)
            })
    }

    private func with(_ parent: Int, _ make: (Promise<Int>) -> Promise<Int>) {
        if let parent = int(parent) { add(make(parent)) }
    }

    private func gather(_ kind: Program.Gather, _ numbers: [Int], _ cancelling: Bool, _ number: Int) {
        let members = numbers.compactMap(int)
        switch kind {
        case .all: addList(.all(members, cancellingLosers: cancelling), number)
        case .allSettled:
            let whole = Promise.allSettled(members)
            addOther(whole) { $0.map { Outcome($0) { [$0] }.number } }
            add(
                whole.map { results in
                    let numbers = results.map { Outcome($0) { [$0] }.number }
                    self.handled.add(Handled(node: number + 1, input: .value(numbers)))
                    return numbers.reduce(0, &+)
                })
        case .any, .race:
            let whole: Promise<Int> =
                kind == .any
                ? .any(members, cancellingLosers: cancelling) : .race(members, cancellingLosers: cancelling)
            add(whole)
            add(whole.map(handling(number + 1) { $0 }))
        }
    }

    // MARK: Handlers

    private func handling<Result>(
        _ node: Int, _ body: @escaping @Sendable (Int) throws -> Result
    ) -> @Sendable (Int) throws -> Result {
        { value in
            self.handled.add(Handled(node: node, input: .value([value])))
            return try body(value)
        }
    }

    private func handling(
        _ node: Int, _ input: @escaping @Sendable () -> Outcome, _ body: @escaping @Sendable () -> Int
    ) -> @Sendable (()) throws -> Int {
        { _ in
            self.handled.add(Handled(node: node, input: input()))
            return body()
        }
    }

    private func rejected<Result>(
        _ node: Int, _ body: @escaping @Sendable () throws -> Result
    ) -> @Sendable (any Error) throws -> Result {
        { error in
            self.handled.add(Handled(node: node, input: .error(Outcome.Cause(error))))
            return try body()
        }
    }

    private func frozen(_ act: Program.Act) -> Program.Act {
        guard freezes, case .node(let other) = act, int(other) == nil else { return act }
        return .fail(9)
    }

    private static func value(of act: Program.Act, _ given: Int) throws -> Int {
        switch act {
        case .add(let more): given &+ more
        case .fail(let code): throw Coded(code)
        case .node: throw Coded(9)
        }
    }

    private func promise(of act: Program.Act, _ given: Int) throws -> Promise<Int> {
        guard case .node(let other) = act else { return .resolve(try Self.value(of: act, given)) }
        guard let promise = int(other) else { throw Coded(9) }
        return promise
    }
}

/// An error with a number.
struct Coded: Error {
    let code: Int

    init(_ code: Int) { self.code = code }
}

extension Outcome {
    init<Value>(_ result: Result<Value, any Error>?, _ list: (Value) -> [Int]) {
        switch result {
        case nil: self = .pending
        case .success(let value): self = .value(list(value))
        case .failure(let error): self = .error(Cause(error))
        }
    }
}

extension Outcome.Cause {
    init(_ error: any Error) {
        switch error {
        case let coded as Coded: self = .failure(coded.code)
        case is PromiseCancelledError: self = .cancelled
        case is PromiseAbandonedError: self = .abandoned
        case is PromiseTimeoutError: self = .timedOut
        case is PromiseCycleError: self = .cycle
        case let all as AllRejectedError: self = .all(all.errors.map(Self.init))
        default: self = .failure(-1)
        }
    }
}

// SPDX-License-Identifier: MIT
