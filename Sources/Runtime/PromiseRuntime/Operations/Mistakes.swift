// SPDX-License-Identifier: MIT

// Declarations for common mistakes, each with a message that names the right operation. All are disfavoured, so that
// code without the mistake is inferred as fast as without these declarations (InferenceTests); MessageTests pins the
// messages.
extension Promise {
    /// Unavailable: a handler that returns a plain value belongs to ``map(label:on:file:line:_:)``.
    @available(*, unavailable, message: "then { } wants a promise; for a value use map { }, for nothing done { }")
    @_disfavoredOverload
    public final func then<NewValue: Sendable>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Value) throws -> NewValue,
        onRejected: (@Sendable (any Error) throws -> NewValue)? = nil
    ) -> Promise<NewValue> { fatalError("unavailable") }

    /// Unavailable: a handler that returns a plain value belongs to ``catch(label:on:file:line:_:)``.
    @available(*, unavailable, message: "recover { } wants a promise; for a value use catch { }")
    @_disfavoredOverload
    public final func recover(
        includingCancellation: Bool = false, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Value
    ) -> Promise<Value> { fatalError("unavailable") }

    /// Unavailable: a handler that returns a promise belongs to
    /// ``recover(includingCancellation:label:on:file:line:_:)``.
    @available(*, unavailable, message: "catch { } wants a value; for a promise use recover { }")
    @_disfavoredOverload
    public final func `catch`<Next: Thenable>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Next
    ) -> Promise<Value> where Next.Value == Value { fatalError("unavailable") }

    /// Unavailable: a handler that returns a promise belongs to ``then(label:on:file:line:_:onRejected:)``.
    @available(*, unavailable, message: "map { } wants a value; for a promise use then { }")
    @_disfavoredOverload
    public final func map<NewValue>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Value) throws -> Promise<NewValue>
    ) -> Promise<NewValue> { fatalError("unavailable") }

    /// Unavailable: a number is no duration.
    @available(*, unavailable, message: "a duration needs its unit, as in timeout(.seconds(5))")
    @_disfavoredOverload
    public final func timeout(
        _ limit: some Numeric, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Value> { fatalError("unavailable") }

    /// Unavailable: a number is no duration.
    @available(*, unavailable, message: "a duration needs its unit, as in delay(.seconds(5))")
    @_disfavoredOverload
    public final func delay(
        _ duration: some Numeric, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Value> { fatalError("unavailable") }

    /// Unavailable: the API that calls back gets a function of the ``Completion``, not the completion itself.
    @available(
        *, unavailable,
        message:
            "callback { } passes a completion: hand on its valueOrError, result, value or error, as in $0.valueOrError"
    )
    @_disfavoredOverload
    public static func callback<each Argument>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line,
        _ body: @escaping @Sendable (@escaping @Sendable (repeat each Argument) -> Void) throws -> Void
    ) -> Promise<Value> { fatalError("unavailable") }
}

extension Promise where Value == Void {
    /// Unavailable: a number is no duration.
    @available(*, unavailable, message: "a duration needs its unit, as in delay(.seconds(5))")
    @_disfavoredOverload
    public static func delay(
        _ duration: some Numeric, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Void> { fatalError("unavailable") }
}

extension Chain {
    /// Unavailable: a handler that returns a plain value belongs to ``map(label:on:file:line:_:)``.
    @available(*, unavailable, message: "then { } wants a promise; for a value use map { }, for nothing done { }")
    @_disfavoredOverload
    public func then<NewValue: Sendable>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Output) throws -> NewValue,
        onRejected: (@Sendable (any Error) throws -> NewValue)? = nil
    ) -> Chain<Input, NewValue> { fatalError("unavailable") }

    /// Unavailable: a handler that returns a plain value belongs to ``catch(label:on:file:line:_:)``.
    @available(*, unavailable, message: "recover { } wants a promise; for a value use catch { }")
    @_disfavoredOverload
    public func recover(
        includingCancellation: Bool = false, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Output
    ) -> Chain<Input, Output> { fatalError("unavailable") }

    /// Unavailable: a handler that returns a promise belongs to
    /// ``recover(includingCancellation:label:on:file:line:_:)``.
    @available(*, unavailable, message: "catch { } wants a value; for a promise use recover { }")
    @_disfavoredOverload
    public func `catch`<Next: Thenable>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Next
    ) -> Chain<Input, Output> where Next.Value == Output { fatalError("unavailable") }

    /// Unavailable: a handler that returns a promise belongs to ``then(label:on:file:line:_:onRejected:)``.
    @available(*, unavailable, message: "map { } wants a value; for a promise use then { }")
    @_disfavoredOverload
    public func map<NewValue>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Output) throws -> Promise<NewValue>
    ) -> Chain<Input, NewValue> { fatalError("unavailable") }

    /// Unavailable: a number is no duration.
    @available(*, unavailable, message: "a duration needs its unit, as in timeout(.seconds(5))")
    @_disfavoredOverload
    public func timeout(
        _ limit: some Numeric, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Chain<Input, Output> { fatalError("unavailable") }

    /// Unavailable: a number is no duration.
    @available(*, unavailable, message: "a duration needs its unit, as in delay(.seconds(5))")
    @_disfavoredOverload
    public func delay(
        _ duration: some Numeric, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Chain<Input, Output> { fatalError("unavailable") }
}
