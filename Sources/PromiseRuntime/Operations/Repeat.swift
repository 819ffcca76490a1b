import ChainEvents

extension Promise {
    /// Makes a promise, waits for it, and again, until its value is enough; fulfilled with that value.
    ///
    ///     let done = Promise.repeat(pause: .seconds(1)) {
    ///         fetchStatus(of: job)
    ///     } until: { status in
    ///         status.isFinal
    ///     }
    ///
    /// There is always a first round. A rejection, or a throw of either closure, ends it and is what it is rejected
    /// with; for more than that see ``retry(_:backoff:label:on:file:line:_:onlyIf:)``. Cancelling it cancels the round
    /// under way and what its body returned, up to the source of that work, unless it has another consumer
    /// (<doc:TheRules>, X2).
    ///
    /// Each round is a node of its own under this one. Any number of rounds takes neither stack nor memory, since one
    /// that has ended is released; a round costs one hop to the executor. With the inline executor, rounds that are
    /// fulfilled at once run before this returns.
    ///
    /// - Parameters:
    ///   - pause: between the end of a round and the next one, by the runtime's clock; none below 0. No pause is made
    ///     before the first round.
    ///   - executor: runs both closures, one at a time.
    ///   - body: makes the promise of one round.
    ///   - isEnough: tells of a round's value whether it is the last one.
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
