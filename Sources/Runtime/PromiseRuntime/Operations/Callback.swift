// SPDX-License-Identifier: MIT

import ChainEvents

extension Promise {
    /// The write side of a promise as callbacks of the usual shapes, to be passed to a foreign API or called.
    ///
    ///     Promise<Data>.callback { load(path, completion: $0.result) }        // (Result<Data, LoadError>) -> Void
    ///     Promise<Int>.callback { count(words, completion: $0.value) }        // (Int) -> Void
    ///     Promise<Void>.callback { remove(path, completion: $0.error) }       // ((any Error)?) -> Void
    ///     Promise<Data>.callback { fetch(url, completion: $0.valueOrError) }  // (Data?, (any Error)?) -> Void
    ///
    /// Only the first call counts; a later call at most records an event. If the completion is released without a call,
    /// the promise is abandoned (<doc:TheRules>, S2). Other shapes need a closure:
    /// `{ data, response, error in completion.valueOrError(data, error) }`.
    public struct Completion: Sendable {
        /// The write side itself.
        public let resolver: Resolver<Value>

        /// Fulfils: for APIs that call back with a value.
        public func value(_ value: Value) { resolver.fulfill(value) }

        /// Fulfils or rejects: for APIs that call back with a result.
        public func result(_ result: Result<Value, some Error>) {
            switch result {
            case .success(let value): resolver.fulfill(value)
            case .failure(let error): resolver.reject(error)
            }
        }

        /// Fulfils or rejects: for APIs that call back with a value or an error. Rejects if there is an error, with or
        /// without a value. If there is neither, fulfils with nil if the value's type has a nil literal, as optionals
        /// have; otherwise rejects with ``MissingOutcomeError``.
        public func valueOrError(_ value: Value?, _ error: (any Error)?) {
            if let error {
                resolver.reject(error)
            } else if let value = value ?? Self.missingValue {
                resolver.fulfill(value)
            } else {
                resolver.reject(MissingOutcomeError(site: resolver.promise.callSite.site))
            }
        }

        // Looked up at run time, because the compiler converts a nil to an optional of an optional wrongly here.
        private static var missingValue: Value? {
            guard let type = Value.self as? any ExpressibleByNilLiteral.Type else { return nil }
            return type.init(nilLiteral: ()) as? Value
        }

        /// Whether the promise was cancelled, so the work may stop (<doc:TheRules>, X4).
        public var isCancelled: Bool { resolver.isCancelled }

        /// Calls `action` once, on the promise's executor, if a cancellation settles the promise, before this call or
        /// after it (<doc:TheRules>, X4).
        public func onCancel(_ action: @escaping @Sendable () -> Void) { resolver.onCancel(action) }
    }
}

extension Promise.Completion where Value == Void {
    /// Fulfils: for APIs that call back without arguments.
    public func done() { resolver.fulfill(()) }

    /// Rejects with the error, or fulfils if it is nil: for APIs that call back with an error or nil.
    public func error(_ error: (any Error)?) {
        if let error { resolver.reject(error) } else { resolver.fulfill(()) }
    }
}

extension Resolver {
    /// This write side as callbacks of the usual shapes.
    public var completion: Promise<Value>.Completion { .init(resolver: self) }
}

/// The error of a callback that was called with neither a value nor an error.
public struct MissingOutcomeError: Error, Hashable, CustomStringConvertible {
    /// Where the promise was made.
    public var site: CodeLocation

    /// What happened, and where.
    public var description: String { "the callback at \(site) was called with neither a value nor an error" }
}

// One declaration per name (TheRules, P3). Overloads by the callback's shape would be tried for every closure, and
// would be ambiguous where the callback is passed on. So the shape is a member of the closure's argument.
extension Promise {
    /// Makes a promise from an API that calls back: `body` calls the API with a function of the ``Completion``.
    ///
    ///     let data = Promise<Data>.callback { completion in
    ///         let task = fetch(url, completion: completion.valueOrError)
    ///         completion.onCancel { task.cancel() }
    ///     }
    ///
    /// `body` runs later, on the executor (with the inline executor it may run inside this call); a throw rejects the
    /// promise. The API may call back on any thread.
    public static func callback(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ body: @escaping @Sendable (Completion) throws -> Void
    ) -> Promise<Value> {
        let promise = Promise(
            kind: .fromCallback, site: CallSite(fileID: file, line: line),
            contextWord: Context.rootWord(label: label, executor: executor),
            isExternal: true)
        let completion = Completion(resolver: Resolver(promise))
        promise.submitBody {
            do { try body(completion) } catch { completion.resolver.reject(error) }
            return false
        }
        return promise
    }

    /// Continues with an API that calls back: the handler calls the API with the value. The child is settled when its
    /// ``Resolver`` is called, in the handler or later (<doc:TheRules>, P9; the `then_` of MICAiful chains).
    ///
    ///     let image = fetch(url).thenCallback(to: Image.self) { data, resolver in
    ///         decode(data, completion: resolver.completion.result)
    ///     }
    ///
    /// Until the resolver is called the child is pending; its run time is the run time of the handler. A throw rejects
    /// the child. If the resolver is released without a call, the child is abandoned (<doc:TheRules>, S2).
    ///
    /// - Parameter type: The type of the child's value, for closures of several statements, from which the compiler
    ///   does not infer the type.
    @inlinable
    public final func thenCallback<NewValue: Sendable>(
        to type: NewValue.Type = NewValue.self, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ onFulfilled: @escaping @Sendable (Value, Resolver<NewValue>) throws -> Void
    ) -> Promise<NewValue> {
        typealias Node = HandlerNode<Value, NewValue, @Sendable (Value, Resolver<NewValue>) throws -> Void>
        return Node.make(
            .callback, of: self, label: label, on: executor, site: CallSite(fileID: file, line: line),
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
