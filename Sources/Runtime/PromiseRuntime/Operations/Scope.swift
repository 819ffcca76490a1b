// SPDX-License-Identifier: MIT

extension Promise {
    /// Runs `body` on the executor, and settles as the promise that `body` returns: one labelled node around a chain.
    ///
    ///     Promise.scope("order 17") { Promise { try reserve(order) }.then(charge) }
    ///
    /// The promises that `body` makes stand under the node. Cancelling the node also cancels the promise that `body`
    /// returned, unless that promise has another consumer (<doc:TheRules>, X2). For asynchronous code there is
    /// ``withChain(_:isolation:file:line:_:)``.
    ///
    /// - Parameters:
    ///   - label: The name in the dashboard; empty for none.
    ///   - executor: Runs the body, and the handlers of the whole chain that name no other executor; nil for the
    ///     runtime's executor.
    ///   - body: Makes the promise; a throw rejects the node.
    @discardableResult
    public static func scope(
        _ label: String, on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable () throws -> Promise<Value>
    ) -> Promise<Value> {
        Promise(label: label, on: executor, file: file, line: line, resolver: { $0.resolve(try body()) })
    }
}
