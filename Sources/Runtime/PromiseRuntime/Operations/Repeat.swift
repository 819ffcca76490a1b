// SPDX-License-Identifier: MIT

import ChainEvents

extension Promise {
    /// Calls `body` and waits for the promise that it returns, again and again, until a value is sufficient. The
    /// returned promise is fulfilled with that value.
    ///
    ///     let done = Promise.repeat(pause: .seconds(1)) {
    ///         fetchStatus(of: job)
    ///     } until: { status in
    ///         status.isFinal
    ///     }
    ///
    /// There is always a first round. A rejection, or a throw of either closure, ends the loop and rejects the returned
    /// promise; ``retry(_:backoff:label:on:file:line:_:onlyIf:)`` continues after errors. Cancelling the returned
    /// promise cancels the current pause or round, and the promise that the body returned, unless that promise has
    /// another consumer. The same rule applies to what that promise waits for (<doc:TheRules>, X2).
    ///
    /// Each round and each pause is a node under the returned promise. Stack and memory do not grow with the number of
    /// rounds, because a round that has ended is released. Rounds whose promises are settled when `body` returns run in
    /// one job, 64 at most; any other round costs a hop to the executor, or two after a pause.
    /// With the inline executor, rounds that are fulfilled at once run before this call returns.
    ///
    /// - Parameters:
    ///   - pause: The time between the end of a round and the next round, by the runtime's clock; a time below 0 counts
    ///     as 0. There is no pause before the first round.
    ///   - executor: Runs both closures, one at a time.
    ///   - body: Makes the promise of one round.
    ///   - isEnough: Returns whether a round's value is sufficient.
    @discardableResult
    public static func `repeat`<Next: Thenable>(
        pause: Duration = .zero, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line, _ body: @escaping @Sendable () throws -> Next,
        until isEnough: @escaping @Sendable (Value) throws -> Bool
    ) -> Promise<Value> where Next.Value == Value {
        RoundsNode(.until(isEnough, pause: pause), label: label, on: executor, site: CallSite(fileID: file, line: line))
        {
            try body().asPromise()
        }
    }
}
