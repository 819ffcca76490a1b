// SPDX-License-Identifier: MIT

import Synchronization

/// A job for an executor of the program, which may drop the job. A job released without having run is discarded, so
/// that its promise is abandoned instead of staying pending (TheRules, S2). Costs one object per job.
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

    /// Returns whether the executor's type belongs to this module: executors of this module run or discard every job.
    static func neverDropsJobs(_ executor: any PromiseExecutor) -> Bool {
        let type = ObjectIdentifier(Swift.type(of: executor))
        return type == ObjectIdentifier(PoolExecutor.self) || type == ObjectIdentifier(InlineExecutor.self)
            || type == ObjectIdentifier(DispatchExecutor.self) || type == ObjectIdentifier(ThreadExecutor.self)
            || type == ObjectIdentifier(ManualExecutor.self)
    }
}
