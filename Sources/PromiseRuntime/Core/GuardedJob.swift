import Synchronization

/// A job for an executor of the program's own, which may drop it: released without having run, it is discarded, so that
/// its promise is abandoned and does not stay pending for ever (TheRules, S2). One object a job.
final class GuardedJob: _Runnable {
    private let content: _Runnable
    private let isOver = Atomic<Bool>(false)

    init(_ content: _Runnable) { self.content = content }

    deinit { discard() }

    override func runHandler() {
        isOver.store(true, ordering: .relaxed)
        content.runHandler()
    }

    override func discard() {
        if !isOver.exchange(true, ordering: .relaxed) { content.discard() }
    }

    /// Whether the executor is one of ours, which run or discard each job.
    static func isNeedless(on executor: any PromiseExecutor) -> Bool {
        let type = ObjectIdentifier(Swift.type(of: executor))
        return type == ObjectIdentifier(PoolExecutor.self) || type == ObjectIdentifier(InlineExecutor.self)
            || type == ObjectIdentifier(DispatchExecutor.self) || type == ObjectIdentifier(ThreadExecutor.self)
            || type == ObjectIdentifier(ManualExecutor.self)
    }
}
