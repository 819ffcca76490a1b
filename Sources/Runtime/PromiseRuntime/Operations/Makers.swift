// SPDX-License-Identifier: MIT

import ChainEvents

// The two types are nested, because a program may have types of these names.
extension Promise {
    /// The first argument of a body: fulfils the body's promise, or makes it follow another (ES6 `resolve`). Only the
    /// first call of `resolve` or `reject` counts; later calls at most record an event. The argument may be kept, and
    /// called from any thread.
    public struct Resolve: Sendable {
        @usableFromInline let resolver: Resolver<Value>

        /// Fulfils with a value. (Disfavoured, so that a promise is followed and never taken for a value.)
        @_disfavoredOverload
        public func callAsFunction(_ value: Value) { resolver.fulfill(value) }

        /// Follows another promise.
        public func callAsFunction(_ other: some Thenable<Value>) { resolver.resolve(other) }
    }

    /// The second argument of a body: rejects the body's promise (ES6 `reject`). Only the first call of `resolve` or
    /// `reject` counts.
    public struct Reject: Sendable {
        @usableFromInline let resolver: Resolver<Value>

        /// Rejects with an error.
        public func callAsFunction(_ error: any Error) { resolver.reject(error) }
    }
}

extension Promise.Resolve where Value == Void {
    /// Fulfils a promise of `Void`.
    public func callAsFunction() { resolver.fulfill(()) }
}

// The initialisers below are makers. Only the two makers of work (`work:` and `async:`) are favoured, and every closure
// parameter has a label (which a trailing closure leaves out). Reason: for a `Promise { … }` inside a chain the
// compiler tries one maker after the other. Before it rejects a maker, it tries thirty overloads of every operator
// (such as `+`) to the left of the `Promise { … }`. So the common forms are tried first, and `Promise(expression)` fits
// one maker only. Without these measures a chain with two makers took 15 s; with them it takes 5 ms (TheRules, P3;
// InferenceTests). The form with `resolve` and `reject` needs its type in a chain: `Promise<Int> { resolve, … }`.
extension Promise {
    /// Runs `body` asynchronously on the executor. `body` settles the promise by calling its arguments, before it
    /// returns or later; a throw rejects the promise (ES6). The promise is not abandoned while either argument is kept.
    ///
    ///     let answer = Promise<Int> { resolve, reject in
    ///         ask { text in
    ///             if let number = Int(text) { resolve(number) } else { reject(NotFound()) }
    ///         }
    ///     }
    ///
    /// If the promise is cancelled before its body begins, the body does not run. Unlike in JavaScript, the body does
    /// not run inside the initialiser, except on the inline executor.
    ///
    /// Inside a longer expression write the type, as above: otherwise the compiler takes very long to infer the type,
    /// or gives up.
    ///
    /// - Parameters:
    ///   - label: The name in the dashboard; empty for none.
    ///   - executor: Runs the body, and the handlers of the whole chain that name no other executor; nil for the
    ///     runtime's executor.
    ///   - body: May keep its arguments. A throw after the promise was resolved is ignored (A+ 2.3.3.3.4).
    @_disfavoredOverload
    public convenience init(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, body: @escaping @Sendable (Resolve, Reject) throws -> Void
    ) {
        self.init(
            label: label, on: executor, file: file, line: line,
            resolver: { resolver in
                try body(Resolve(resolver: resolver), Reject(resolver: resolver))
            })
    }

    /// Runs `body` asynchronously on the executor, with the promise's write side (PromiseKit's `seal`). A throw rejects
    /// the promise.
    ///
    /// Works as the initialiser with `resolve` and `reject`, for bodies that need more of the ``Resolver``:
    /// cancellation, or settling with a `Result`.
    @_disfavoredOverload
    public convenience init(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, resolver body: @escaping @Sendable (Resolver<Value>) throws -> Void
    ) {
        self.init(
            kind: .promise, site: CallSite(fileID: file, line: line),
            contextWord: Context.rootWord(label: label, executor: executor),
            isExternal: true)
        let resolver = Resolver(self)
        submitBody {
            do { try body(resolver) } catch { resolver.reject(error) }
            return false
        }
    }

    /// Runs `work` asynchronously on the executor, and settles with what it returns or throws:
    /// `Promise { try parse(data) }`, or `Promise(work: parse)`.
    ///
    /// Work that was cancelled before it began does not run. Running work is not interrupted; it can check
    /// ``ChainRuntime/isCancelled``, and its result is dropped. Work may block on an executor that allows it.
    public convenience init(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, work: @escaping @Sendable () throws -> Value
    ) {
        self.init(
            kind: .work, site: CallSite(fileID: file, line: line),
            contextWord: Context.rootWord(label: label, executor: executor))
        submitBody { [self] in
            do {
                return fulfill(try work(), by: .machinery, flags: .handlerEnded)
            } catch {
                return reject(error, by: .machinery, flags: .handlerEnded)
            }
        }
    }

    /// Evaluates an expression asynchronously on the executor: `Promise(try parse(data))`. Otherwise it works as
    /// `Promise { … }`.
    ///
    /// This form is for expressions, not for closures: for closures use `Promise { … }` and `Promise(work: f)`.
    @_disfavoredOverload
    public convenience init(
        _ expression: @autoclosure @escaping @Sendable () throws -> Value, label: String = "",
        on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(label: label, on: executor, file: file, line: line, work: { try expression() })
    }

    /// Makes a task that runs asynchronous work: `Promise { try await fetch(url) }`. Cancelling the promise cancels the
    /// task (<doc:TheRules>, X4).
    ///
    /// In a chain with another maker write the label, `Promise(async: { try await fetch(url) })`: otherwise the
    /// compiler takes very long to infer the chain, or gives up.
    ///
    /// The task runs on Swift's executors, not on `executor`, which is for the handlers of the chain. Promises made in
    /// the task, and in tasks that inherit its task-local values, have this promise as their creator and belong to its
    /// runtime. A `CancellationError` that leaves `work` rejects the promise with ``PromiseCancelledError``, as
    /// following a cancelled promise does: viewers show it as cancelled, `isCancelled` stays false, and a `catch`
    /// recovers.
    public convenience init(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, async work: @escaping @Sendable () async throws -> Value
    ) {
        self.init(
            kind: .task, site: CallSite(fileID: file, line: line),
            contextWord: Context.rootWord(label: label, executor: executor))
        startTask(work)
    }

    /// Makes a fulfilled promise (ES6). Its handlers still run later, except on the inline executor. To follow a
    /// promise, return that promise from a handler, or use a ``Resolver``.
    @inlinable
    public static func resolve(
        _ value: Value, label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        let promise = Promise(
            kind: .resolved, site: CallSite(fileID: file, line: line),
            contextWord: Context.rootWord(label: label, executor: executor)
        )
        _ = promise.fulfill(value, by: .machinery)
        return promise
    }

    /// Makes a rejected promise (ES6). If no handler receives the error, it is reported when the promise is released.
    @inlinable
    public static func reject(
        _ error: any Error, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Value> {
        let promise = Promise(
            kind: .rejected, site: CallSite(fileID: file, line: line),
            contextWord: Context.rootWord(label: label, executor: executor)
        )
        _ = promise.reject(error, by: .machinery)
        return promise
    }

    /// Makes a pending promise and its write side (ES6 `withResolvers`, PromiseKit, RXPromise). Releasing the
    /// ``Resolver`` without settling abandons the promise.
    ///
    /// Cost: two objects; a label and an executor take one more object each.
    @inlinable
    public static func pending(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) -> (promise: Promise<Value>, resolver: Resolver<Value>) {
        let promise = Promise(
            kind: .pending, site: CallSite(fileID: file, line: line),
            contextWord: Context.rootWord(label: label, executor: executor),
            isExternal: true)
        return (promise, Resolver(promise))
    }

    private func startTask(_ work: @escaping @Sendable () async throws -> Value) {
        let task = TaskNodes.withTaskPromise(self) { makeTask(work) }
        register(WorkCanceller(task))
    }

    private func makeTask(_ work: @escaping @Sendable () async throws -> Value) -> Task<Void, Never> {
        Task { [self] in
            if isRecording { report(.started) }
            do {
                let value = try await TaskScope(
                    runtime: context.runtime, node: self, task: isRecording ? TaskScope.currentTask : nil
                ).run(work)
                if !fulfill(value, by: .machinery, flags: .handlerEnded) { reportTaskEnded() }
            } catch {
                rejectTask(with: error)
            }
        }
    }
}
