// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import Synchronization

/// The runtime and the creator of promises made in a task. Tasks inherit a scope, because it is a task-local value.
/// Code in a handler finds its runtime and creator in the record of its thread instead; that record takes precedence.
struct TaskScope: Sendable {
    let runtime: ChainRuntime
    /// The node under which promises of the task stand; nil for none.
    let node: AnyPromise?
    /// The span in which the scope began, or none. If the task's span is another span, that span began inside the
    /// scope.
    private let span: NodeID
    /// The node of the task in which the scope began, if tasks are observed; 0 for none.
    private let taskNode: UInt64
    /// The hash of the task that runs the node's code. Tasks made in that code inherit the scope, but have another
    /// hash.
    let task: Int?

    @TaskLocal private static var inherited: TaskScope?

    // Set with the first scope of the process, or by a tracer. So programs without scopes and tracers do not read a
    // task-local value for each promise (15 ns).
    private static let isUsed = Atomic(false)

    init(runtime: ChainRuntime, node: AnyPromise?, task: Int? = nil) {
        self.runtime = runtime
        self.node = node
        self.task = task
        span = SpanNode.current?.id ?? .none
        taskNode = chain_thread_current().pointee.task_node
    }

    /// The node of the running task, if tasks are observed and no scope or span began in it.
    @inline(__always)
    static var taskNode: NodeID {
        let task = chain_thread_current().pointee.task_node
        return task == 0 || (isUsed.load(ordering: .relaxed) && beganHere(task)) ? .none : NodeID(task)
    }

    /// Returns whether a scope or span began in the task with this node.
    @inline(never)
    private static func beganHere(_ task: UInt64) -> Bool {
        inherited?.taskNode == task || SpanNode.current?.taskNode == task
    }

    /// The scope of the calling task; nil for none. One load in a process that has neither made a scope nor installed a
    /// tracer.
    @inline(__always)
    static var current: TaskScope? { mayExist ? inherited : nil }

    /// The node under which promises of the calling task stand: the task's scope or the task's span, whichever began
    /// later. One load in a process that has neither made a scope nor installed a tracer.
    @inline(__always)
    static var creator: AnyPromise? { mayExist ? innermost(of: SpanNode.current) : nil }

    /// Returns the node of the task's scope, or the given span if the span began later.
    static func innermost(of span: SpanNode?) -> AnyPromise? {
        let scope = inherited
        guard let span, span.id != scope?.span else { return scope?.node }
        return span
    }

    /// Whether a scope was made or a tracer installed since the process began.
    @inline(__always) static var mayExist: Bool { isUsed.load(ordering: .relaxed) }

    /// Makes promises look for a scope or span from now on.
    static func use() { if !mayExist { isUsed.store(true, ordering: .relaxed) } }

    /// The hash of the calling task. A later task at the same address has the same hash, so the hash may decide what is
    /// shown, and nothing else.
    static var currentTask: Int? { withUnsafeCurrentTask { $0?.hashValue } }

    /// Returns whether the scope's node runs in the task with the hash `task`, and belongs to `runtime`.
    func hasNode(in task: Int?, of runtime: ChainRuntime) -> Bool {
        task != nil && task == self.task && node?.context.runtime === runtime
    }

    /// Runs `body` with this scope.
    func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        Self.use()
        return try await Self.$inherited.withValue(self, operation: body, isolation: isolation)
    }
}
