// SPDX-License-Identifier: MIT

import ChainEvents

extension Promise {
    /// Recovers from an error with the value that the handler returns; the parent's value is passed on. A throw rejects
    /// the child (A+ 2.2.7, ES6 `catch`).
    ///
    /// If the child is cancelled, the handler runs with ``PromiseCancelledError``, and the value that the handler
    /// returns is dropped (<doc:TheRules>, X3). The same holds for the handlers of `failed`, `anyway`, `finally` and
    /// `ignore`.
    @inlinable @discardableResult
    public final func `catch`(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Value
    ) -> Promise<Value> {
        errorLink(.catch, label, executor, CallSite(fileID: file, line: line), onRejected)
    }

    /// Recovers with a value from errors of one concrete type; for a class, also from errors of its subclasses (`as?`).
    /// Other errors, and the parent's value, are passed on. A throw rejects the child.
    @inlinable @discardableResult
    public final func `catch`<Failure: Error>(
        only type: Failure.Type, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ onRejected: @escaping @Sendable (Failure) throws -> Value
    ) -> Promise<Value> {
        errorLink(.catch, label, executor, CallSite(fileID: file, line: line)) { error in
            guard let failure = error as? Failure else { throw error }
            return try onRejected(failure)
        }
    }

    /// Recovers from an error with another promise, which the child follows; the parent's value is passed on. A throw
    /// rejects the child (PromiseKit).
    ///
    /// A cancellation is passed on, too, so that no new work starts after a cancellation (<doc:TheRules>, X3): clean-up
    /// belongs in `failed`, `anyway` and `finally`.
    ///
    /// - Parameter includingCancellation: Whether the handler runs for ``PromiseCancelledError``, too. If the child
    ///   itself was cancelled, the promise that the handler returns has no consumer and is cancelled (<doc:TheRules>,
    ///   X2).
    @inlinable
    public final func recover<Next: Thenable>(
        includingCancellation: Bool = false, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Next
    ) -> Promise<Value> where Next.Value == Value {
        let wants = includingCancellation ? PromiseState.wantsAnyError : PromiseState.wantsError
        typealias Node = HandlerNode<Value, Value, @Sendable (any Error) throws -> Next>
        return Node.make(
            .recover, of: self, label: label, on: executor, site: CallSite(fileID: file, line: line),
            wants: wants, handler: onRejected
        ) { node, step in
            let node = unsafeDowncast(node, to: Node.self)
            guard case .error(let source) = step else { return node.passOn(step) }
            do {
                node.follow(try node.handler(source.failure).asPromise(), byHandler: true)
                return false
            } catch {
                return node.reject(error, by: .machinery, flags: .handlerEnded)
            }
        }
    }

    /// Calls the handler with an error, and rejects the child with the same error; the parent's value is passed on. A
    /// throw replaces the error (MICAcom). The error counts as handled: it is not reported when its promise is
    /// released.
    @inlinable @discardableResult
    public final func failed(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Void
    ) -> Promise<Value> {
        passThroughLink(.failed, label, executor, CallSite(fileID: file, line: line), wants: PromiseState.wantsAnyError)
        { result in
            if case .failure(let error) = result { try onRejected(error) }
        }
    }

    /// Calls the handler with either outcome, and passes the outcome on. A throw rejects the child (ES6 `finally`,
    /// MICAcom). The child does not wait for a promise that the handler makes; an error that is passed on does not
    /// count as handled.
    @inlinable @discardableResult
    public final func anyway(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onSettled: @escaping @Sendable (Result<Value, any Error>) throws -> Void
    ) -> Promise<Value> {
        passThroughLink(
            .anyway, label, executor, CallSite(fileID: file, line: line),
            wants: PromiseState.wantsValue | PromiseState.wantsAnyError,
            onSettled)
    }

    /// Works as ``anyway(label:on:file:line:_:)``, for a handler that does not need the outcome.
    @inlinable @discardableResult
    public final func finally(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onSettled: @escaping @Sendable () throws -> Void
    ) -> Promise<Value> {
        anyway(label: label, on: executor, file: file, line: line) { _ in try onSettled() }
    }

    /// Runs an action that may fail: the child is fulfilled with the action's outcome (MICAcom).
    ///
    /// After a cancellation the action runs with the ``PromiseCancelledError``, which is then passed on
    /// (<doc:TheRules>, X3). After any other rejection the action does not run, and the error is passed on.
    @inlinable @discardableResult
    public final func ignore<NewValue: Sendable>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ action: @escaping @Sendable (Result<Value, any Error>) throws -> NewValue
    ) -> Promise<Result<NewValue, any Error>> {
        typealias Action = @Sendable (Result<Value, any Error>) throws -> NewValue
        typealias Node = HandlerNode<Value, Result<NewValue, any Error>, Action>
        return Node.make(
            .ignore, of: self, label: label, on: executor, site: CallSite(fileID: file, line: line),
            wants: PromiseState.wantsValue | PromiseState.wantsCancellation, handler: action
        ) { node, step in
            let node = unsafeDowncast(node, to: Node.self)
            guard let outcome = step.result(Value.self) else { return node.dropHandler() }
            let result = Result { try node.handler(outcome) }
            // The error is a cancellation, because the node wants no other error: the action was clean-up.
            if case .error(let source) = step {
                return node.reject(source.failure, by: .machinery, flags: .handlerEnded)
            }
            return node.fulfill(result, by: .machinery, flags: .handlerEnded)
        }
    }

    /// Converts the outcome to a value: the child is always fulfilled, unless it is cancelled itself. An error counts
    /// as handled.
    @inlinable
    public final func asResult(
        label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Result<Value, any Error>> {
        typealias Node = HandlerNode<Value, Result<Value, any Error>, NoHandler>
        return Node.make(
            .asResult, of: self, label: label, on: InlineExecutor.shared, site: CallSite(fileID: file, line: line),
            wants: PromiseState.wantsValue | PromiseState.wantsAnyError, handler: NoHandler()
        ) { node, step in
            let node = unsafeDowncast(node, to: Node.self)
            guard let outcome = step.result(Value.self) else { return node.dropHandler() }
            return node.fulfill(outcome, by: .machinery, flags: .handlerEnded)
        }
    }

    @inlinable
    final func errorLink(
        _ kind: NodeKind, _ label: String, _ executor: (any PromiseExecutor)?, _ site: CallSite,
        _ handler: @escaping @Sendable (any Error) throws -> Value
    ) -> Promise<Value> {
        typealias Node = HandlerNode<Value, Value, @Sendable (any Error) throws -> Value>
        return Node.make(
            kind, of: self, label: label, on: executor, site: site, wants: PromiseState.wantsAnyError, handler: handler
        ) { node, step in
            let node = unsafeDowncast(node, to: Node.self)
            guard case .error(let source) = step else { return node.passOn(step) }
            do {
                return node.fulfill(try node.handler(source.failure), by: .machinery, flags: .handlerEnded)
            } catch {
                return node.reject(error, by: .machinery, flags: .handlerEnded)
            }
        }
    }

    @inlinable
    final func passThroughLink(
        _ kind: NodeKind, _ label: String, _ executor: (any PromiseExecutor)?, _ site: CallSite, wants: UInt32,
        _ handler: @escaping @Sendable (Result<Value, any Error>) throws -> Void
    ) -> Promise<Value> {
        typealias Node = HandlerNode<Value, Value, @Sendable (Result<Value, any Error>) throws -> Void>
        return Node.make(
            kind, of: self, label: label, on: executor, site: site, wants: wants, handler: handler
        ) { node, step in
            let node = unsafeDowncast(node, to: Node.self)
            guard let outcome = step.result(Value.self) else { return node.passOn(step) }
            do { try node.handler(outcome) } catch {
                return node.reject(error, by: .machinery, flags: .handlerEnded)
            }
            switch outcome {
            case .success(let value):
                return node.fulfill(value, by: .machinery, flags: .handlerEnded)
            case .failure(let error):
                // `failed` handles the error; after `anyway` the error is handled only if it was handled before.
                if node.kind == .failed || node.isParentsErrorHandled { node.markErrorSeen(handled: true) }
                return node.reject(error, by: .machinery, flags: .handlerEnded)
            }
        }
    }
}

extension HandlerNode where Input == Output {
    /// Passes the parent's value on if the step is `pass`; otherwise drops the handler.
    @inlinable
    final func passOn(_ step: HandlerStep) -> Bool {
        if case .pass(let parent) = step {
            return fulfill(parent.value(Input.self), by: .machinery, flags: .skipping)
        }
        return dropHandler()
    }
}

/// A placeholder for the handler of `asResult`, which takes no handler.
@usableFromInline
struct NoHandler: Sendable {
    @inlinable
    init() {}
}
