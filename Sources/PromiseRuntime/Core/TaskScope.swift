import Synchronization

/// The runtime and the creator of promises made in a task. Tasks inherit it, because it is a task-local value; code in
/// a handler has both in its thread's record instead, which takes precedence.
struct TaskScope: Sendable {
    let runtime: ChainRuntime
    /// The node under which promises of the task stand, if it has one.
    let node: AnyPromise?

    @TaskLocal private static var inherited: TaskScope?

    // Set with the first scope of the process, so that programs without one do not read a task-local value for each
    // promise (15 ns).
    private static let isUsed = Atomic(false)

    /// The scope of the calling task; nil for none. One load in a process that never made a scope.
    @inline(__always)
    static var current: TaskScope? { isUsed.load(ordering: .relaxed) ? inherited : nil }

    /// Runs `body` with this scope.
    func run<Value>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
    ) async rethrows -> Value {
        if !Self.isUsed.load(ordering: .relaxed) { Self.isUsed.store(true, ordering: .relaxed) }
        return try await Self.$inherited.withValue(self, operation: body, isolation: isolation)
    }
}
