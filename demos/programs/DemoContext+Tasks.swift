import PromiseRuntime

extension DemoContext {
    /// Returns a promise of asynchronous work; cancelling it cancels the work's task. Under a virtual clock the task runs
    /// on the runtime's executor.
    func task<Value>(
        label: String, file: StaticString = #fileID, line: UInt = #line,
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Promise<Value> {
        if isRealTime { return Promise(label: label, file: file, line: line, async: work) }
        let executor = TaskRunner(executor: runtime.executor)
        return Promise(
            label: label, file: file, line: line,
            resolver: { resolver in
                let task = Task(executorPreference: executor) {
                    do { resolver.fulfill(try await work()) } catch { resolver.reject(error) }
                }
                resolver.onCancel { task.cancel() }
            })
    }

    /// Suspends the task for some seconds, as a request to another machine would. No promise of it is recorded.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(_ seconds: Double) async throws {
        let unrecorded = ChainRuntime(clock: runtime.clock, executor: runtime.executor)
        try await unrecorded.run { Promise.delay(paced(seconds)) }.value
    }
}

/// Runs tasks on an executor of promises.
private final class TaskRunner: TaskExecutor {
    private let executor: any PromiseExecutor

    init(executor: any PromiseExecutor) { self.executor = executor }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        executor.execute { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}

// SPDX-License-Identifier: MIT
