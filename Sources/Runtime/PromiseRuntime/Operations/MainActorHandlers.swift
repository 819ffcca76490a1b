// SPDX-License-Identifier: MIT

// Handlers on the main actor, which the compiler checks. The parameter `isolation:` has no default, so that the type
// checker drops these candidates at once for a call without that label. Overloads without such a label would cost time
// in every chain (TheRules, P3).
extension Promise {
    /// Works as ``then(label:on:file:line:_:onRejected:)``, with the handler on the main actor.
    @inlinable
    public final func then<Next: Thenable>(
        isolation: MainActor, label: String = "", file: StaticString = #fileID, line: UInt = #line,
        _ onFulfilled: @escaping @MainActor @Sendable (Value) throws -> Next
    ) -> Promise<Next.Value> {
        then(label: label, on: DispatchExecutor.main, file: file, line: line, onMainActor(onFulfilled))
    }

    /// Works as ``map(label:on:file:line:_:)``, with the handler on the main actor.
    @inlinable
    public final func map<NewValue: Sendable>(
        isolation: MainActor, label: String = "", file: StaticString = #fileID, line: UInt = #line,
        _ onFulfilled: @escaping @MainActor @Sendable (Value) throws -> NewValue
    ) -> Promise<NewValue> {
        map(label: label, on: DispatchExecutor.main, file: file, line: line, onMainActor(onFulfilled))
    }

    /// Works as ``done(label:on:file:line:_:)``, with the handler on the main actor: the handler may use the state of
    /// that actor.
    ///
    ///     @MainActor final class Window {
    ///         var title = ""
    ///         func show(_ page: Promise<[String]>) {
    ///             page.done(isolation: MainActor.shared) { self.title = $0.joined() }
    ///         }
    ///     }
    ///
    /// The handler runs on ``DispatchExecutor/main``, never inside the call that attaches it, not even on the main
    /// actor.
    @inlinable @discardableResult
    public final func done(
        isolation: MainActor, label: String = "", file: StaticString = #fileID, line: UInt = #line,
        _ onFulfilled: @escaping @MainActor @Sendable (Value) throws -> Void
    ) -> Promise<Void> {
        done(label: label, on: DispatchExecutor.main, file: file, line: line, onMainActor(onFulfilled))
    }

    /// Works as ``tap(label:on:file:line:_:)``, with the handler on the main actor.
    @inlinable @discardableResult
    public final func tap(
        isolation: MainActor, label: String = "", file: StaticString = #fileID, line: UInt = #line,
        _ onFulfilled: @escaping @MainActor @Sendable (Value) throws -> Void
    ) -> Promise<Value> {
        tap(label: label, on: DispatchExecutor.main, file: file, line: line, onMainActor(onFulfilled))
    }

    /// Works as ``catch(label:on:file:line:_:)``, with the handler on the main actor.
    @inlinable @discardableResult
    public final func `catch`(
        isolation: MainActor, label: String = "", file: StaticString = #fileID, line: UInt = #line,
        _ onRejected: @escaping @MainActor @Sendable (any Error) throws -> Value
    ) -> Promise<Value> {
        `catch`(label: label, on: DispatchExecutor.main, file: file, line: line, onMainActor(onRejected))
    }

    /// Works as ``recover(includingCancellation:label:on:file:line:_:)``, with the handler on the main actor.
    @inlinable
    public final func recover<Next: Thenable>(
        isolation: MainActor, includingCancellation: Bool = false, label: String = "", file: StaticString = #fileID,
        line: UInt = #line, _ onRejected: @escaping @MainActor @Sendable (any Error) throws -> Next
    ) -> Promise<Value> where Next.Value == Value {
        recover(
            includingCancellation: includingCancellation, label: label, on: DispatchExecutor.main, file: file,
            line: line, onMainActor(onRejected))
    }

    /// Works as ``failed(label:on:file:line:_:)``, with the handler on the main actor.
    @inlinable @discardableResult
    public final func failed(
        isolation: MainActor, label: String = "", file: StaticString = #fileID, line: UInt = #line,
        _ onRejected: @escaping @MainActor @Sendable (any Error) throws -> Void
    ) -> Promise<Value> {
        failed(label: label, on: DispatchExecutor.main, file: file, line: line, onMainActor(onRejected))
    }

    /// Works as ``anyway(label:on:file:line:_:)``, with the handler on the main actor.
    @inlinable @discardableResult
    public final func anyway(
        isolation: MainActor, label: String = "", file: StaticString = #fileID, line: UInt = #line,
        _ onSettled: @escaping @MainActor @Sendable (Result<Value, any Error>) throws -> Void
    ) -> Promise<Value> {
        anyway(label: label, on: DispatchExecutor.main, file: file, line: line, onMainActor(onSettled))
    }

    /// Works as ``finally(label:on:file:line:_:)``, with the handler on the main actor.
    @inlinable @discardableResult
    public final func finally(
        isolation: MainActor, label: String = "", file: StaticString = #fileID, line: UInt = #line,
        _ onSettled: @escaping @MainActor @Sendable () throws -> Void
    ) -> Promise<Value> {
        finally(label: label, on: DispatchExecutor.main, file: file, line: line) {
            try MainActor.assumeIsolated { try onSettled() }
        }
    }
}

/// Converts a handler that is isolated to the main actor to one for ``DispatchExecutor/main``.
@inlinable
func onMainActor<Input: Sendable, Output: Sendable>(
    _ handler: @escaping @MainActor @Sendable (Input) throws -> Output
) -> @Sendable (Input) throws -> Output {
    { input in try MainActor.assumeIsolated { try handler(input) } }
}
