extension Promise {
    /// Runs `body` on the executor, and settles as the promise that it returns: one labelled node around a chain.
    ///
    ///     Promise.scope("order 17") { Promise { try reserve(order) }.then(charge) }
    ///
    /// The promises that `body` makes stand under the node. Cancelling it cancels the promise that `body` returned, too,
    /// unless that has another consumer (<doc:TheRules>, X2). Asynchronous code has ``withChain(_:isolation:file:line:_:)``.
    ///
    /// - Parameters:
    ///   - label: The name in the dashboard; empty for none.
    ///   - executor: Runs the body, and the handlers of the whole chain that name no other; nil for the runtime's.
    ///   - body: Makes the promise; a throw rejects.
    @discardableResult
    public static func scope(
        _ label: String, on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable () throws -> Promise<Value>
    ) -> Promise<Value> {
        Promise(label: label, on: executor, file: file, line: line, resolver: { $0.resolve(try body()) })
    }
}
