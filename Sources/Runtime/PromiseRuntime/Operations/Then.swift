// SPDX-License-Identifier: MIT

import ChainEvents

/// The two handlers of ``Promise/then(label:on:file:line:_:onRejected:)``.
@usableFromInline
struct ThenHandlers<Input: Sendable, Next: Thenable>: Sendable {
    @usableFromInline let onFulfilled: @Sendable (Input) throws -> Next
    @usableFromInline let onRejected: (@Sendable (any Error) throws -> Next)?

    @inlinable
    init(
        _ onFulfilled: @escaping @Sendable (Input) throws -> Next,
        _ onRejected: (@Sendable (any Error) throws -> Next)?
    ) {
        self.onFulfilled = onFulfilled
        self.onRejected = onRejected
    }
}

extension Promise {
    /// Continues with another promise: the child follows the promise that the handler returns (Promises/A+ 2.2, 2.3.2).
    ///
    ///     let receipt = Promise { try reserve(order) }.then { charge($0) }
    ///
    /// Cancelling the child also cancels the promise that the handler returned, unless that promise has another
    /// consumer. The same rule applies to what that promise waits for (<doc:TheRules>, X2). Cost of this and of every
    /// operation with a handler: one object, and the captures of the closure; no hop if parent and child have the same
    /// executor.
    ///
    /// - Parameters:
    ///   - onFulfilled: Called with the value; a throw rejects the child (A+ 2.2.7.2).
    ///   - onRejected: Called with the error; if it is nil, a rejection is passed on (2.2.7.4).
    @inlinable
    public final func then<Next: Thenable>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Value) throws -> Next,
        onRejected: (@Sendable (any Error) throws -> Next)? = nil
    ) -> Promise<Next.Value> {
        let wants = PromiseState.wantsValue | (onRejected == nil ? 0 : PromiseState.wantsAnyError)
        typealias Node = HandlerNode<Value, Next.Value, ThenHandlers<Value, Next>>
        return Node.make(
            .then, of: self, label: label, on: executor, site: CallSite(fileID: file, line: line), wants: wants,
            handler: ThenHandlers(onFulfilled, onRejected)
        ) { node, step in
            let node = unsafeDowncast(node, to: Node.self)
            do {
                let next: Next
                switch step {
                case .value(let parent): next = try node.handler.onFulfilled(parent.value(Value.self))
                case .error(let source): next = try node.handler.onRejected!(source.failure)
                case .pass, .drop: return node.dropHandler()
                }
                let promise = next.asPromise()
                // A cancelled node follows nothing: the returned promise loses its consumer (TheRules, X3).
                node.follow(promise, byHandler: true)
                return false
            } catch {
                return node.reject(error, by: .machinery, flags: .handlerEnded)
            }
        }
    }

    /// Continues with a value: the child is fulfilled with what the handler returns (A+ 2.2.7.1). A throw rejects the
    /// child; the parent's error is passed on. A returned promise counts as a value: to follow that promise use `then`.
    @inlinable
    public final func map<NewValue: Sendable>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Value) throws -> NewValue
    ) -> Promise<NewValue> {
        valueLink(.map, label, executor, CallSite(fileID: file, line: line), onFulfilled)
    }

    /// Calls the handler with the value, and fulfils the child with `Void` (PromiseKit). A throw rejects the child. The
    /// parent's error is passed on, and reported if no handler receives it.
    @inlinable @discardableResult
    public final func done(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Value) throws -> Void
    ) -> Promise<Void> {
        valueLink(.done, label, executor, CallSite(fileID: file, line: line), onFulfilled)
    }

    /// Calls the handler with the value, and passes the value on (PromiseKit's `get`). A throw rejects the child; the
    /// parent's error is passed on.
    @inlinable @discardableResult
    public final func tap(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Value) throws -> Void
    ) -> Promise<Value> {
        valueLink(.tap, label, executor, CallSite(fileID: file, line: line)) { value in
            try onFulfilled(value)
            return value
        }
    }

    @inlinable
    final func valueLink<NewValue: Sendable>(
        _ kind: NodeKind, _ label: String, _ executor: (any PromiseExecutor)?, _ site: CallSite,
        _ handler: @escaping @Sendable (Value) throws -> NewValue
    ) -> Promise<NewValue> {
        typealias Node = HandlerNode<Value, NewValue, @Sendable (Value) throws -> NewValue>
        return Node.make(
            kind, of: self, label: label, on: executor, site: site, wants: PromiseState.wantsValue, handler: handler
        ) { node, step in
            let node = unsafeDowncast(node, to: Node.self)
            guard case .value(let parent) = step else { return node.dropHandler() }
            do {
                return node.fulfill(try node.handler(parent.value(Value.self)), by: .machinery, flags: .handlerEnded)
            } catch {
                return node.reject(error, by: .machinery, flags: .handlerEnded)
            }
        }
    }
}
