import ChainEvents

/// What a foreign API calls once it is done: the write side of a promise as functions of the usual shapes, to be passed
/// on as they are or called.
///
///     Promise<Data>.callback { load(path, completion: $0.result) }             // (Result<Data, LoadError>) -> Void
///     Promise<Int>.callback { count(words, completion: $0.value) }             // (Int) -> Void
///     Promise<Void>.callback { remove(path, completion: $0.error) }            // ((any Error)?) -> Void
///     Promise<Data>.callback { fetch(url, completion: $0.valueOrError) }       // (Data?, (any Error)?) -> Void
///
/// Only the first call counts; a later one does nothing and is reported as an event. Released without a call, it
/// abandons the promise (<doc:TheRules>, S2). For shapes that are not here there is a closure: `{ data, response, error
/// in completion.valueOrError(data, error) }`.
public struct Completion<Value: Sendable>: Sendable {
    /// The write side itself.
    public let resolver: Resolver<Value>

    /// For those who call with a value: fulfils.
    public func value(_ value: Value) { resolver.fulfill(value) }

    /// For those who call with a result: fulfils or rejects by it.
    public func result(_ result: Result<Value, some Error>) {
        switch result {
        case .success(let value): resolver.fulfill(value)
        case .failure(let error): resolver.reject(error)
        }
    }

    /// For those who call with a value or an error: rejects if there is an error, whether or not there is a value;
    /// where there is neither, it fulfils with nil if the promise is one of an optional, else it rejects with
    /// ``CallbackWithoutOutcome``.
    public func valueOrError(_ value: Value?, _ error: (any Error)?) {
        if let error {
            resolver.reject(error)
        } else if let value = value ?? Self.missingValue {
            resolver.fulfill(value)
        } else {
            resolver.reject(CallbackWithoutOutcome(site: resolver.promise.callSite.site))
        }
    }

    // Where a function of optionals is taken for one of optionals of optionals, the compiler makes nil of a nil in it.
    private static var missingValue: Value? {
        guard let type = Value.self as? any ExpressibleByNilLiteral.Type else { return nil }
        return type.init(nilLiteral: ()) as? Value
    }

    /// Whether the promise was cancelled: the work may stop (<doc:TheRules>, X4).
    public var isCancelled: Bool { resolver.isCancelled }

    /// Calls `action` once, on the promise's executor, if the promise is cancelled while pending, or has been
    /// (<doc:TheRules>, X4).
    public func onCancel(_ action: @escaping @Sendable () -> Void) { resolver.onCancel(action) }
}

extension Completion where Value == Void {
    /// For those who call with nothing: fulfils.
    public func done() { resolver.fulfill(()) }

    /// For those who call with an error or nothing: rejects with an error, fulfils without.
    public func error(_ error: (any Error)?) {
        if let error { resolver.reject(error) } else { resolver.fulfill(()) }
    }
}

extension Resolver {
    /// This write side as functions of the usual shapes of callbacks.
    public var completion: Completion<Value> { Completion(resolver: self) }
}

/// The error of a callback that was called with neither a value nor an error.
public struct CallbackWithoutOutcome: Error, Hashable, CustomStringConvertible {
    /// Where the promise was made.
    public var site: CodeLocation

    /// What happened, and where.
    public var description: String { "the callback at \(site) was called with neither a value nor an error" }
}

// One declaration a name (TheRules, P3): overloads by the shape of the callback would each be tried for every closure,
// and could not be told apart where it is passed on. The shape is a member of what the closure is given instead.
extension Promise {
    /// Wraps an API that calls back: `body` starts it, and hands it a function of the ``Completion``.
    ///
    ///     let data = Promise<Data>.callback { completion in
    ///         let task = fetch(url, completion: completion.valueOrError)
    ///         completion.onCancel { task.cancel() }
    ///     }
    ///
    /// `body` runs asynchronously on the executor; a throw rejects. Which thread calls back does not matter.
    public static func callback(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ body: @escaping @Sendable (Completion<Value>) throws -> Void
    ) -> Promise<Value> {
        let promise = Promise(
            kind: .fromCallback, site: CallSite(file, line),
            contextWord: Context.rootWord(label: label, executor: executor),
            isExternal: true)
        let completion = Completion(resolver: Resolver(promise))
        promise.submitBody {
            do { try body(completion) } catch { completion.resolver.reject(error) }
            return false
        }
        return promise
    }

    /// Goes on with an API that calls back: the handler starts it with the value, and the child ends as its
    /// ``Resolver`` is called, then or later (<doc:TheRules>, P9; the `then_` of MICAiful chains).
    ///
    ///     let image = fetch(url).thenCallback(to: Image.self) { data, resolver in
    ///         decode(data, completion: resolver.completion.result)
    ///     }
    ///
    /// Until then the child is pending; its run is the handler's. A throw rejects. A resolver that is released without
    /// a call abandons the child (<doc:TheRules>, S2).
    ///
    /// - Parameter type: for closures of several statements, in which the compiler finds no value's type by itself.
    @inlinable
    public final func thenCallback<NewValue: Sendable>(
        to type: NewValue.Type = NewValue.self, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ onFulfilled: @escaping @Sendable (Value, Resolver<NewValue>) throws -> Void
    ) -> Promise<NewValue> {
        typealias Node = HandlerNode<Value, NewValue, @Sendable (Value, Resolver<NewValue>) throws -> Void>
        return Node.make(
            .callback, of: self, label: label, on: executor, site: CallSite(file, line),
            wants: PromiseState.wantsValue, handler: onFulfilled
        ) { node, step in
            let node = unsafeDowncast(node, to: Node.self)
            guard case .value(let parent) = step else { return node.dropHandler() }
            let resolver = Resolver(node)
            do {
                try node.handler(parent.value(Value.self), resolver)
            } catch {
                resolver.reject(error)
            }
            return false
        }
    }
}
