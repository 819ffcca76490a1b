import Dispatch
import Testing

/// Runs each test of a suite on a thread of its own, because the test waits for programs and the pool has no more
/// threads than processors.
public struct OwnThread: SuiteTrait, TestTrait, TestScoping {
    /// Applies to each test of the suite.
    public var isRecursive: Bool { true }

    private final class Executor: TaskExecutor {
        private let queue = DispatchQueue(label: "test")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Runs the test with an executor of its own.
    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(Executor()) { try await function() }
    }
}

extension Trait where Self == OwnThread {
    /// See ``OwnThread``.
    public static var onItsOwnThread: Self { OwnThread() }
}

// SPDX-License-Identifier: MIT
