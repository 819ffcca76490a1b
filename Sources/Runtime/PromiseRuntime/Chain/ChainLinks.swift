// SPDX-License-Identifier: MIT

// One declaration per name, as on Promise (TheRules, P3). Each operation makes, at a launch, the promise that the
// operation of the same name on Promise makes.
extension Chain {
    /// Continues with another promise or chain: the node follows what the handler returns. A returned chain is
    /// launched.
    ///
    /// - Parameters:
    ///   - onFulfilled: Called with the value; a throw rejects the node.
    ///   - onRejected: Called with the error; if it is nil, a rejection is passed on.
    public func then<Next: Thenable>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Output) throws -> Next,
        onRejected: (@Sendable (any Error) throws -> Next)? = nil
    ) -> Chain<Input, Next.Value> {
        link {
            $0.then(label: label, on: executor, file: file, line: line, onFulfilled, onRejected: onRejected)
        }
    }

    /// Continues with a value: what the handler returns. A throw rejects the node; an incoming error is passed on.
    public func map<NewValue: Sendable>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Output) throws -> NewValue
    ) -> Chain<Input, NewValue> {
        link { $0.map(label: label, on: executor, file: file, line: line, onFulfilled) }
    }

    /// Calls the handler with the value, and continues with `Void`. A throw rejects the node; an incoming error is
    /// passed on.
    public func done(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Output) throws -> Void
    ) -> Chain<Input, Void> {
        link { $0.done(label: label, on: executor, file: file, line: line, onFulfilled) }
    }

    /// Calls the handler with the value, and passes the value on; a throw rejects the node.
    public func tap(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Output) throws -> Void
    ) -> Chain<Input, Output> {
        link { $0.tap(label: label, on: executor, file: file, line: line, onFulfilled) }
    }

    /// Passes a value on after `duration`, by the clock of the launch's runtime. An error is passed on at once.
    public func delay(
        _ duration: Duration, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Chain<Input, Output> {
        link { $0.delay(duration, label: label, file: file, line: line) }
    }

    /// Rejects with ``PromiseTimeoutError`` if the link before this one has not settled within `limit` after the
    /// launch. That link is then cancelled, because nothing else waits for it (<doc:TheRules>, X2).
    public func timeout(
        _ limit: Duration, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Chain<Input, Output> {
        link { $0.timeout(limit, label: label, file: file, line: line) }
    }

    /// Returns a chain that is one link longer.
    func link<NewValue: Sendable>(
        _ make: @escaping @Sendable (Promise<Output>) -> Promise<NewValue>
    ) -> Chain<Input, NewValue> {
        let link = ChainLink(after: last, nodeCount: 1) { parent, _ in
            make(unsafeDowncast(parent, to: Promise<Output>.self))
        }
        return Chain<Input, NewValue>(head: head, last: link)
    }
}

// MARK: Errors

extension Chain {
    /// Recovers from an error with the value that the handler returns. An incoming value is passed on; a throw rejects
    /// the node.
    public func `catch`(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Output
    ) -> Chain<Input, Output> {
        link { $0.catch(label: label, on: executor, file: file, line: line, onRejected) }
    }

    /// Recovers with a value from errors of one type; other errors, and incoming values, are passed on.
    public func `catch`<Failure: Error>(
        only type: Failure.Type, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ onRejected: @escaping @Sendable (Failure) throws -> Output
    ) -> Chain<Input, Output> {
        link { $0.catch(only: Failure.self, label: label, on: executor, file: file, line: line, onRejected) }
    }

    /// Recovers from an error with another promise or chain, which the node follows. An incoming value is passed on,
    /// and so is a cancellation unless `includingCancellation` is true (<doc:TheRules>, X3).
    public func recover<Next: Thenable>(
        includingCancellation: Bool = false, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Next
    ) -> Chain<Input, Output> where Next.Value == Output {
        link {
            $0.recover(
                includingCancellation: includingCancellation, label: label, on: executor, file: file, line: line,
                onRejected)
        }
    }

    /// Calls the handler with an error, and passes the same error on (<doc:TheRules>, C2); a value is passed on. A
    /// throw replaces the error.
    public func failed(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Void
    ) -> Chain<Input, Output> {
        link { $0.failed(label: label, on: executor, file: file, line: line, onRejected) }
    }

    /// Calls the handler with either outcome, and passes the outcome on (<doc:TheRules>, C2). A throw rejects the node.
    public func anyway(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onSettled: @escaping @Sendable (Result<Output, any Error>) throws -> Void
    ) -> Chain<Input, Output> {
        link { $0.anyway(label: label, on: executor, file: file, line: line, onSettled) }
    }

    /// Works as ``anyway(label:on:file:line:_:)``, for a handler that does not need the outcome.
    public func finally(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onSettled: @escaping @Sendable () throws -> Void
    ) -> Chain<Input, Output> {
        link { $0.finally(label: label, on: executor, file: file, line: line, onSettled) }
    }

    /// Runs an action that may fail: continues with the action's outcome.
    ///
    /// After a rejection the action does not run, and the error is passed on. In a cancelled branch the action runs,
    /// and receives the cancellation (<doc:TheRules>, X3).
    public func ignore<NewValue: Sendable>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ action: @escaping @Sendable (Result<Output, any Error>) throws -> NewValue
    ) -> Chain<Input, Result<NewValue, any Error>> {
        link { $0.ignore(label: label, on: executor, file: file, line: line, action) }
    }

    /// Converts the outcome to a value: the node is always fulfilled, unless it is cancelled itself.
    public func asResult(
        label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Chain<Input, Result<Output, any Error>> {
        link { $0.asResult(label: label, file: file, line: line) }
    }
}
