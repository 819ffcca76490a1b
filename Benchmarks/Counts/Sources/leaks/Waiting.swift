// SPDX-License-Identifier: MIT

import Dispatch
import PromiseRuntime

/// Blocks until `promise` is settled.
func waitFor<Value>(_ promise: Promise<Value>) {
    let isOver = DispatchSemaphore(value: 0)
    promise.anyway(on: InlineExecutor.shared) { _ in isOver.signal() }
    isOver.wait()
}

/// Blocks until a task has ended.
func waitForTask(_ body: @escaping @Sendable () async -> Void) {
    let isOver = DispatchSemaphore(value: 0)
    Task.detached {
        await body()
        isOver.signal()
    }
    isOver.wait()
}

/// A sink for results, so that the optimiser does not remove the work.
@inline(never)
func use<Value>(_ value: Value) {}
