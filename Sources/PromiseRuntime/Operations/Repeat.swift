import ChainEvents

extension Promise {
    /// Makes a promise by `body` and waits for it, again and again, until a value is sufficient; fulfilled with that
    /// value.
    ///
    ///     let done = Promise.repeat(pause: .seconds(1)) {
    ///         fetchStatus(of: job)
    ///     } until: { status in
    ///         status.isFinal
    ///     }
    ///
    /// There is always a first round. A rejection, or a throw of either closure, ends the loop and rejects it;
    /// ``retry(_:backoff:label:on:file:line:_:onlyIf:)`` continues after errors. Cancelling it cancels the current
    /// round and what its body returned, up to the source of that work, unless that has another consumer
    /// (<doc:TheRules>, X2).
    ///
    /// Each round is a node under this one. Rounds take neither stack nor memory, because one that has ended is
    /// released; a round costs one hop to the executor. With the inline executor, rounds that are fulfilled at once run
    /// before this call returns.
    ///
    /// - Parameters:
    ///   - pause: The time between the end of a round and the next one, by the runtime's clock; none below 0, and none
    ///     before the first round.
    ///   - executor: Runs both closures, one at a time.
    ///   - body: Makes the promise of one round.
    ///   - isEnough: Returns whether a round's value is the last one.
    @discardableResult
    public static func `repeat`<Next: Thenable>(
        pause: Duration = .zero, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Next,
        until isEnough: @escaping @Sendable (Value) throws -> Bool
    ) -> Promise<Value> where Next.Value == Value {
        RoundsNode(.until(isEnough, pause: pause), label: label, on: executor, site: CallSite(file, line)) {
            try body().asPromise()
        }
    }
}
