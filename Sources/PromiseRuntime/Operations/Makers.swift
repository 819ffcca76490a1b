import ChainEvents

/// Fulfils the promise whose body it was given to, or makes it follow another (ES6 `resolve`). The first call of it or of
/// its ``Reject`` counts; later ones do nothing, but an event. May be kept, and called from any thread.
public struct Resolve<Value: Sendable>: Sendable {
    @usableFromInline let resolver: Resolver<Value>

    /// Fulfils with a value. (Disfavoured, so that a promise is followed and never taken for a value.)
    @_disfavoredOverload
    public func callAsFunction(_ value: Value) { resolver.fulfill(value) }

    /// Follows another promise.
    public func callAsFunction(_ other: some Thenable<Value>) { resolver.resolve(other) }
}

extension Resolve where Value == Void {
    /// Fulfils a promise of nothing.
    public func callAsFunction() { resolver.fulfill(()) }
}

/// Rejects the promise whose body it was given to (ES6 `reject`). The first call of it or of its ``Resolve`` counts.
public struct Reject<Value: Sendable>: Sendable {
    @usableFromInline let resolver: Resolver<Value>

    /// Rejects with an error.
    public func callAsFunction(_ error: any Error) { resolver.reject(error) }
}

// One maker alone is favoured, and every closure has a label (which a trailing closure leaves out). Why: a `Promise { …
// }` inside a closure of a chain is tried as one maker after the other, and one that does not fit is found out only
// after every operator before it was tried as each of its thirty overloads. So the common form is tried first, what it
// leaves is not tried again, and `Promise(expression)` fits one maker only: a chain with two makers took 15 s, now 5 ms
// (TheRules, P3; InferenceTests). The form with `resolve` and `reject` wants its type named in a chain: `Promise<Int> {
// resolve, … }`.
extension Promise {
    /// Runs `body` asynchronously on the executor; it settles the promise by calling what it is given, then or later. A
    /// throw rejects (ES6). Both of its arguments keep the promise from being abandoned.
    ///
    ///     let answer = Promise<Int> { resolve, reject in
    ///         ask { text in
    ///             if let number = Int(text) { resolve(number) } else { reject(NotFound()) }
    ///         }
    ///     }
    ///
    /// A promise that is cancelled before its body has begun never runs it. That the body of JavaScript's runs before the
    /// initialiser returns is not so here.
    ///
    /// Inside a longer expression name the type, as here: the compiler needs very long to infer it there, or gives up.
    ///
    /// - Parameters:
    ///   - label: What the dashboard calls it; empty for none.
    ///   - executor: Runs the body, and the handlers of the whole chain where they name no other; nil for the runtime's.
    ///   - body: May keep what it is given. A throw after the promise was resolved is ignored (A+ 2.3.3.3.4).
    @_disfavoredOverload
    public convenience init(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, body: @escaping @Sendable (Resolve<Value>, Reject<Value>) throws -> Void
    ) {
        self.init(
            label: label, on: executor, file: file, line: line,
            resolver: { resolver in
                try body(Resolve(resolver: resolver), Reject(resolver: resolver))
            })
    }

    /// Runs `body` asynchronously on the executor, with the promise's write side (PromiseKit's `seal`). A throw rejects.
    ///
    /// As the initialiser that is given `resolve` and `reject`, for bodies that want more of the ``Resolver``: to be told of
    /// a cancellation, or to settle with a `Result`.
    @_disfavoredOverload
    public convenience init(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, resolver body: @escaping @Sendable (Resolver<Value>) throws -> Void
    ) {
        self.init(
            kind: .promise, site: CallSite(file, line), contextWord: Context.rootWord(label: label, executor: executor),
            isExternal: true)
        let resolver = Resolver(self)
        submitBody {
            do { try body(resolver) } catch { resolver.reject(error) }
            return false
        }
    }

    /// Runs `work` asynchronously on the executor and settles as it ends: with what it returns, or what it throws.
    /// `Promise { try parse(data) }`, or `Promise(work: parse)`.
    ///
    /// Work that was cancelled before it began does not run; work that runs already is not interrupted, can look at
    /// ``Runtime/isCancelled``, and its result is dropped. It may block, on an executor that allows it.
    public convenience init(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, work: @escaping @Sendable () throws -> Value
    ) {
        self.init(
            kind: .work, site: CallSite(file, line), contextWord: Context.rootWord(label: label, executor: executor))
        submitBody { [self] in
            do {
                return fulfill(try work(), by: .machinery, flags: .handlerEnded)
            } catch {
                return reject(error, by: .machinery, flags: .handlerEnded)
            }
        }
    }

    /// Evaluates an expression asynchronously on the executor: `Promise(try parse(data))`. As `Promise { … }`.
    ///
    /// For expressions, not for closures: `Promise { … }` and `Promise(work: f)` are the forms for those.
    @_disfavoredOverload
    public convenience init(
        _ expression: @autoclosure @escaping @Sendable () throws -> Value, label: String = "",
        on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) {
        self.init(label: label, on: executor, file: file, line: line, work: { try expression() })
    }

    /// Runs asynchronous work in a task, at once; cancelling the promise cancels the task (<doc:TheRules>, X4).
    ///
    /// The task runs where Swift's tasks run, not on `executor`: that is for the handlers of the chain. Promises that the
    /// work makes are in the tree only by what they are linked to: a task changes threads.
    @_disfavoredOverload
    public convenience init(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, async work: @escaping @Sendable () async throws -> Value
    ) {
        self.init(
            kind: .task, site: CallSite(file, line), contextWord: Context.rootWord(label: label, executor: executor))
        startTask(work)
    }

    /// A promise that is fulfilled already (ES6). Its handlers run later all the same. To follow a promise, return it, or
    /// use a ``Resolver``.
    @inlinable
    public static func resolve(
        _ value: Value, label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Value> {
        let promise = Promise(
            kind: .resolved, site: CallSite(file, line), contextWord: Context.rootWord(label: label, executor: executor)
        )
        _ = promise.fulfill(value, by: .machinery)
        return promise
    }

    /// A promise that is rejected already (ES6). If nobody handles the error it is reported at the promise's release.
    @inlinable
    public static func reject(
        _ error: any Error, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Value> {
        let promise = Promise(
            kind: .rejected, site: CallSite(file, line), contextWord: Context.rootWord(label: label, executor: executor)
        )
        _ = promise.reject(error, by: .machinery)
        return promise
    }

    /// A pending promise and its write side (ES6 `withResolvers`, PromiseKit, RXPromise). Whoever releases the ``Resolver``
    /// without settling abandons the promise.
    ///
    /// Cost: two objects; a label or an executor of its own takes another.
    @inlinable
    public static func pending(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) -> (promise: Promise<Value>, resolver: Resolver<Value>) {
        let promise = Promise(
            kind: .pending, site: CallSite(file, line), contextWord: Context.rootWord(label: label, executor: executor),
            isExternal: true)
        return (promise, Resolver(promise))
    }

    private func startTask(_ work: @escaping @Sendable () async throws -> Value) {
        let task = Task { [self] in
            if isRecording { report(.started) }
            do {
                let value = try await work()
                if !fulfill(value, by: .machinery, flags: .handlerEnded) { reportEnded() }
            } catch {
                if !reject(error, by: .machinery, flags: .handlerEnded) { reportEnded() }
            }
        }
        register(CancelWaiter(InlineExecutor.shared) { task.cancel() })
    }

    private func reportEnded() {
        if isRecording { reportHandlerEnded() }
    }
}
