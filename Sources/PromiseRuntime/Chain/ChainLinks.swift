import ChainEvents

// One declaration a name, as on Promise and for the same reason (TheRules, P3); each makes the same promise at a launch
// that the operation of the same name makes there.
extension Chain {
    /// Goes on with another promise or chain, which is launched then: the node follows what the handler returns.
    ///
    /// - Parameters:
    ///   - onFulfilled: is called with the value; a throw rejects.
    ///   - onRejected: is called with the error instead, where given; without it a rejection is passed on.
    public func then<Next: Thenable>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Output) throws -> Next,
        onRejected: (@Sendable (any Error) throws -> Next)? = nil
    ) -> Chain<Input, Next.Value> {
        link {
            $0.then(label: label, on: executor, file: file, line: line, onFulfilled, onRejected: onRejected)
        }
    }

    /// Goes on with a value: what the handler returns. A throw rejects; an error is passed on.
    public func map<NewValue: Sendable>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Output) throws -> NewValue
    ) -> Chain<Input, NewValue> {
        link { $0.map(label: label, on: executor, file: file, line: line, onFulfilled) }
    }

    /// Ends with the value: goes on with nothing. A throw rejects; an error is passed on.
    public func done(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Output) throws -> Void
    ) -> Chain<Input, Void> {
        link { $0.done(label: label, on: executor, file: file, line: line, onFulfilled) }
    }

    /// Looks at the value and passes it on; a throw rejects.
    public func tap(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onFulfilled: @escaping @Sendable (Output) throws -> Void
    ) -> Chain<Input, Output> {
        link { $0.tap(label: label, on: executor, file: file, line: line, onFulfilled) }
    }

    /// Passes the value on `duration` later, by the clock of the runtime that it is launched in; an error at once.
    public func delay(
        _ duration: Duration, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Chain<Input, Output> {
        link { $0.delay(duration, label: label, file: file, line: line) }
    }

    /// Gives the link before it so much time, from the launch on: then the node is rejected with ``PromiseTimedOut``
    /// and that link, as nobody else waits for it, cancelled (<doc:TheRules>, X2).
    public func timeout(
        _ limit: Duration, label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Chain<Input, Output> {
        link { $0.timeout(limit, label: label, file: file, line: line) }
    }

    /// Adds a link.
    func link<NewValue: Sendable>(
        _ make: @escaping @Sendable (Promise<Output>) -> Promise<NewValue>
    ) -> Chain<Input, NewValue> {
        let step = ChainStep(after: last, nodeCount: 1) { parent, _ in
            make(unsafeDowncast(parent, to: Promise<Output>.self))
        }
        return Chain<Input, NewValue>(head: head, last: step)
    }
}

// MARK: Errors

extension Chain {
    /// Recovers from an error with a value; a value is passed on. A throw rejects.
    public func `catch`(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Output
    ) -> Chain<Input, Output> {
        link { $0.catch(label: label, on: executor, file: file, line: line, onRejected) }
    }

    /// Recovers with a value from errors of one type; others, and a value, are passed on.
    public func `catch`<Failure: Error>(
        only type: Failure.Type, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line,
        _ onRejected: @escaping @Sendable (Failure) throws -> Output
    ) -> Chain<Input, Output> {
        link { $0.catch(only: Failure.self, label: label, on: executor, file: file, line: line, onRejected) }
    }

    /// Recovers from an error with another promise or chain, which the node follows; a value is passed on, and so is a
    /// cancellation unless `includingCancellation` (<doc:TheRules>, X3).
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

    /// Looks at an error, which stays one for what follows (<doc:TheRules>, C2); a value is passed on. A throw replaces
    /// the error.
    public func failed(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onRejected: @escaping @Sendable (any Error) throws -> Void
    ) -> Chain<Input, Output> {
        link { $0.failed(label: label, on: executor, file: file, line: line, onRejected) }
    }

    /// Looks at the outcome, whichever it is, and passes it on unchanged (<doc:TheRules>, C2). A throw rejects.
    public func anyway(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onSettled: @escaping @Sendable (Result<Output, any Error>) throws -> Void
    ) -> Chain<Input, Output> {
        link { $0.anyway(label: label, on: executor, file: file, line: line, onSettled) }
    }

    /// As ``anyway(label:on:file:line:_:)``, for a handler that needs not know the outcome.
    public func finally(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ onSettled: @escaping @Sendable () throws -> Void
    ) -> Chain<Input, Output> {
        link { $0.finally(label: label, on: executor, file: file, line: line, onSettled) }
    }

    /// Runs an action whose failure does not matter: goes on with what became of it.
    ///
    /// Not run under an earlier rejection, which goes on; in a cancelled branch it runs, with the cancellation
    /// (<doc:TheRules>, X3).
    public func ignore<NewValue: Sendable>(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line, _ action: @escaping @Sendable (Result<Output, any Error>) throws -> NewValue
    ) -> Chain<Input, Result<NewValue, any Error>> {
        link { $0.ignore(label: label, on: executor, file: file, line: line, action) }
    }

    /// The outcome as a value: always fulfilled.
    public func asResult(
        label: String = "", file: StaticString = #fileID, line: UInt = #line
    ) -> Chain<Input, Result<Output, any Error>> {
        link { $0.asResult(label: label, file: file, line: line) }
    }
}
