// SPDX-License-Identifier: MIT

extension Promise where Value == Void {
    /// Makes a fulfilled promise of `Void`, as `resolve(())` does.
    public static func resolve(
        label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Void> { resolve((), label: label, on: executor, file: file, line: line) }
}

// Disfavoured, so that Promise.resolve and Promise.reject have one candidate.
extension Thenable {
    /// Makes a fulfilled promise, for a handler that returns a promise: `recover { _ in .resolve(0) }`.
    @_disfavoredOverload
    public static func resolve<Output>(
        _ value: Output, label: String = "", on executor: (any PromiseExecutor)? = nil, file: StaticString = #fileID,
        line: UInt = #line
    ) -> Promise<Output> where Self == Promise<Output> {
        Promise<Output>.resolve(value, label: label, on: executor, file: file, line: line)
    }

    /// Makes a rejected promise, for a handler that returns a promise: `recover { .reject($0) }`.
    @_disfavoredOverload
    public static func reject<Output>(
        _ error: any Error, label: String = "", on executor: (any PromiseExecutor)? = nil,
        file: StaticString = #fileID, line: UInt = #line
    ) -> Promise<Output> where Self == Promise<Output> {
        Promise<Output>.reject(error, label: label, on: executor, file: file, line: line)
    }
}
