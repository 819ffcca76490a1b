// SPDX-License-Identifier: MIT

import ChainEvents

/// Runs asynchronous code as a node of the tree, with a label, its call site, its timing, and the error that it throws.
///
///     let total = try await withChain("order 17") {
///         async let cover = fetch(1).value
///         let price = try await charge(reserve(order)).value
///         return try await price + cover.count
///     }
///
/// Promises and `withChain` nodes made in `body` stand under the node. The same holds in child tasks, `async let` and
/// `Task { }`, which inherit the scope as a task-local value. A `Task.detached` does not inherit the scope. The scope
/// uses the runtime of the handler or scope around it (``ChainRuntime/current``).
///
/// Cancelling the node cancels the whole task that runs `body`, including the task's code around this call
/// (<doc:TheRules>, X6). A `CancellationError` that leaves `body` shows as *cancelled*. The node changes neither what
/// `body` returns nor what it throws.
///
/// Cost: without a recorder `body` is called and no node is made (under 100 ns). With a recorder: a node, a task-local
/// value and three events, 1.5 µs. A scope that was entered before recording began is not shown.
///
/// - Parameters:
///   - label: The name in the dashboard; empty for none. Evaluated only if a recorder runs.
///   - isolation: The actor on which `body` runs; by default the caller's.
///   - body: Runs once, in the calling task.
/// - Throws: What `body` throws.
@inlinable
public func withChain<Value>(
    _ label: @autoclosure () -> String, isolation: isolated (any Actor)? = #isolation, file: StaticString = #fileID,
    line: UInt = #line, _ body: () async throws -> Value
) async rethrows -> Value {
    // Inlinable, so that the check is in the caller's module, and unrecorded code is called directly.
    let runtime = ChainRuntime.current
    guard runtime.hasRecorder else { return try await body() }
    return try await withRecordedChain(
        label(), of: runtime, isolation: isolation, CallSite(fileID: file, line: line), body)
}

@usableFromInline
func withRecordedChain<Value>(
    _ label: String, of runtime: ChainRuntime, isolation: isolated (any Actor)?, _ site: CallSite,
    _ body: () async throws -> Value
) async rethrows -> Value {
    let task = TaskScope.currentTask
    let isInner = TaskScope.current?.hasNode(in: task, of: runtime) ?? false
    let isFirstInTask = TaskScope.taskNode != .none
    let node = Promise<Void>(
        kind: isInner ? .scope : .task, site: site,
        contextWord: Context.rootWord(label: label, executor: nil))
    let canceller = withUnsafeCurrentTask { TaskCanceller($0) }
    node.register(canceller)
    if node.isRecording {
        node.report(.started)
        if isFirstInTask { TaskNodes.nameRunningTask(label) }
    }
    do {
        let value = try await TaskScope(runtime: runtime, node: node, task: task).run(isolation: isolation, body)
        await canceller.close(isolation: isolation)
        node.endScope(throwing: nil)
        return value
    } catch {
        await canceller.close(isolation: isolation)
        node.endScope(throwing: error)
        throw error
    }
}

extension Promise where Value == Void {
    /// Settles the node of a scope after its code has ended. Marks the error as seen, because the caller receives it.
    final func endScope(throwing error: (any Error)?) {
        guard let error else {
            if !fulfill((), by: .machinery, flags: .handlerEnded) { reportTaskEnded() }
            return
        }
        markErrorSeen()
        rejectTask(with: error)
    }
}

extension AnyPromise {
    /// Rejects the node of asynchronous code with the error that was thrown. A `CancellationError` is replaced by
    /// ``PromiseCancelledError``, so that viewers show the node as cancelled.
    final func rejectTask(with error: any Error) {
        let shown = error is CancellationError ? PromiseCancelledError(reason: "its task was cancelled") : error
        if !reject(shown, by: .machinery, flags: .handlerEnded) { reportTaskEnded() }
    }

    /// Reports that the code of a node has ended after the node was settled.
    final func reportTaskEnded() {
        if isRecording { reportHandlerEnded() }
    }
}
