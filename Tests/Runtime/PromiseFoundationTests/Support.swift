import Foundation
import PromiseRuntime
import TestWaits
import Testing

/// A latch that opens after `count` signals; every wait is bounded.
final class Latch: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)
    private let count: Int

    init(_ count: Int = 1) { self.count = count }

    func open() { semaphore.signal() }

    /// Waits for `count` signals.
    func wait(_ what: String = "what it waits for", sourceLocation: SourceLocation = #_sourceLocation) throws {
        for _ in 0..<count {
            try #require(
                semaphore.waitForSignal(), "\(what) did not come in \(waitLimit)", sourceLocation: sourceLocation)
        }
    }
}

/// A value that can be changed inside `@Sendable` closures.
final class Box<Value: Sendable>: Sendable {
    private let lock = NSLock()
    // Used under `lock` only.
    nonisolated(unsafe) private var stored: Value

    init(_ value: Value) { stored = value }

    var value: Value { lock.withLock { stored } }

    @discardableResult
    func change<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&stored) } }
}

/// Waits for a promise, and returns its value or throws its error.
func value<Value: Sendable>(
    of promise: Promise<Value>, sourceLocation: SourceLocation = #_sourceLocation
) throws -> Value {
    let latch = Latch()
    promise.finally(on: InlineExecutor.shared) { latch.open() }
    try latch.wait("the promise's outcome", sourceLocation: sourceLocation)
    return try promise.result!.get()
}

// SPDX-License-Identifier: MIT
