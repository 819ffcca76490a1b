import ChainEvents

extension Promise {
    /// Recovers from an error with a value; a value is passed on. A throw rejects the child.
    @inlinable @discardableResult
    public final func `catch`(
        label: String? = nil, on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Value
    ) -> Promise<Value> {
        errorLink(.catch, label, executor, CallSite(file, line), onRejected)
    }

    /// Recovers with a value from errors of one type; others, and a value, are passed on.
    @inlinable @discardableResult
    public final func `catch`<Failure: Error>(
        only type: Failure.Type, label: String? = nil, on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ onRejected: @escaping @Sendable (Failure) throws -> Value
    ) -> Promise<Value> {
        errorLink(.catch, label, executor, CallSite(file, line)) { error in
            guard let failure = error as? Failure else { throw error }
            return try onRejected(failure)
        }
    }

    /// Recovers from an error with another promise, which the child follows; a value is passed on.
    @inlinable
    public final func recover<Next: Thenable>(
        label: String? = nil, on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Next
    ) -> Promise<Value> where Next.Value == Value {
        HandlerNode<Value, Value, @Sendable (any Error) throws -> Next>(
            .recover, of: self, label: label, on: executor, site: CallSite(file, line),
            wants: PromiseState.wantsError, handler: onRejected
        ) { node, handler, outcome in
            switch outcome {
            case .value(let promise):
                return node.fulfill(promise.stored!, by: .machinery, flags: .skipping)
            case .error(let error):
                do {
                    _ = node.follow(try handler!(error).asPromise(), byHandler: true)
                    return false
                } catch {
                    return node.reject(error, by: .machinery, flags: .handlerEnded)
                }
            }
        }
    }

    /// Looks at an error, which stays one for what follows; a value is passed on. A throw replaces the error.
    @inlinable @discardableResult
    public final func failed(
        label: String? = nil, on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise<Value> {
        lookLink(.failed, label, executor, CallSite(file, line), wants: PromiseState.wantsError) { result in
            if case .failure(let error) = result { try onRejected(error) }
        }
    }

    /// Looks at the outcome, whichever it is, and passes it on unchanged. A throw rejects the child (ES6 `finally`).
    @inlinable @discardableResult
    public final func anyway(
        label: String? = nil, on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onSettled: @escaping @Sendable (Result<Value, any Error>) throws -> Void
    ) -> Promise<Value> {
        lookLink(
            .anyway, label, executor, CallSite(file, line), wants: PromiseState.wantsValue | PromiseState.wantsError,
            onSettled)
    }

    /// As ``anyway(label:on:file:line:_:)``, for a handler that needs not know the outcome.
    @inlinable @discardableResult
    public final func finally(
        label: String? = nil, on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onSettled: @escaping @Sendable () throws -> Void
    ) -> Promise<Value> {
        anyway(label: label, on: executor, file: file, line: line) { _ in try onSettled() }
    }

    /// Runs an action whose failure does not matter: the child is fulfilled with what became of it.
    ///
    /// Not run under an earlier rejection, which goes on; in a cancelled branch it runs, with the cancellation (X3).
    @inlinable @discardableResult
    public final func ignore<NewValue: Sendable>(
        label: String? = nil, on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ action: @escaping @Sendable (Result<Value, any Error>) throws -> NewValue
    ) -> Promise<Result<NewValue, any Error>> {
        HandlerNode<Value, Result<NewValue, any Error>, @Sendable (Result<Value, any Error>) throws -> NewValue>(
            .ignore, of: self, label: label, on: executor, site: CallSite(file, line),
            wants: PromiseState.wantsValue | PromiseState.wantsCancellation, handler: action
        ) { node, handler, outcome in
            let result = Result { try handler!(outcome.result) }
            return node.fulfill(result, by: .machinery, flags: .handlerEnded)
        }
    }

    /// The outcome as a value: the child is always fulfilled.
    @inlinable
    public final func asResult(
        label: String? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Result<Value, any Error>> {
        HandlerNode<Value, Result<Value, any Error>, NoHandler>(
            .asResult, of: self, label: label, on: InlineExecutor.shared, site: CallSite(file, line),
            wants: PromiseState.wantsValue | PromiseState.wantsError, handler: NoHandler()
        ) { node, _, outcome in
            node.fulfill(outcome.result, by: .machinery, flags: .handlerEnded)
        }
    }

    @inlinable
    final func errorLink(
        _ kind: NodeKind, _ label: String?, _ executor: (any PromiseExecutor)?, _ site: CallSite,
        _ handler: @escaping @Sendable (any Error) throws -> Value
    ) -> Promise<Value> {
        HandlerNode<Value, Value, @Sendable (any Error) throws -> Value>(
            kind, of: self, label: label, on: executor, site: site, wants: PromiseState.wantsError, handler: handler
        ) { node, handler, outcome in
            switch outcome {
            case .value(let promise):
                return node.fulfill(promise.stored!, by: .machinery, flags: .skipping)
            case .error(let error):
                do {
                    return node.fulfill(try handler!(error), by: .machinery, flags: .handlerEnded)
                } catch {
                    return node.reject(error, by: .machinery, flags: .handlerEnded)
                }
            }
        }
    }

    @inlinable
    final func lookLink(
        _ kind: NodeKind, _ label: String?, _ executor: (any PromiseExecutor)?, _ site: CallSite, wants: UInt32,
        _ handler: @escaping @Sendable (Result<Value, any Error>) throws -> Void
    ) -> Promise<Value> {
        HandlerNode<Value, Value, @Sendable (Result<Value, any Error>) throws -> Void>(
            kind, of: self, label: label, on: executor, site: site, wants: wants, handler: handler
        ) { node, handler, outcome in
            if let handler {
                do { try handler(outcome.result) } catch {
                    return node.reject(error, by: .machinery, flags: .handlerEnded)
                }
            }
            let flags: EventFlags = handler == nil ? .skipping : .handlerEnded
            switch outcome {
            case .value(let promise):
                return node.fulfill(promise.stored!, by: .machinery, flags: flags)
            case .error(let error):
                // Who looked with `failed` has handled it; `anyway` leaves it to be handled.
                if node.kind == .failed { node.markErrorSeen(handled: true) }
                return node.reject(error, by: .machinery, flags: flags)
            }
        }
    }
}

/// The handler of an operation that has none.
@usableFromInline
struct NoHandler: Sendable {
    @inlinable
    init() {}
}
