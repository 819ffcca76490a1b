import PromiseRuntime

extension Promise {
    /// Runs `body` on the executor and settles as the promise that it returns: one labelled node around a chain.
    static func scope(
        _ label: String, on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line,
        _ body: @escaping @Sendable () throws -> Promise<Value>
    ) -> Promise<Value> {
        Promise(label: label, on: executor, file: file, line: line) { resolve, _ in resolve(try body()) }
    }
}
