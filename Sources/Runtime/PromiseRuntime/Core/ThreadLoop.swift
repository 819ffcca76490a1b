// SPDX-License-Identifier: MIT

import CChainRuntime

/// A job of an executor: a promise's handler, or a closure.
public struct PromiseJob: @unchecked Sendable {
    // Sendable: `content` never changes, and may run on any thread, because promises and closures are Sendable and a
    // `GuardedJob` has an atomic flag. The struct has one word, so that a queue is an array of references.
    let content: _Runnable

    init(_ content: _Runnable) { self.content = content }

    /// Wraps a closure.
    public init(_ work: @escaping @Sendable () -> Void) { content = Work(work) }

    /// Runs the job on the calling thread, and then the inline handlers that became ready on that thread
    /// (<doc:TheRules>, E1). Inside a handler this method runs only the job: the inline handlers run after the outer
    /// handler. An executor calls this method once per job, with a clean stack. On Apple's systems each handler has an
    /// autorelease pool of its own.
    public func run() { ThreadLoop.unretained._withUnsafeGuaranteedRef { $0.run(content) } }

    /// Drops the job without running it: its promise, if pending, is abandoned (<doc:TheRules>, S2); a plain closure is
    /// only released. Executors that end while jobs wait call this method. If an executor of the program drops a job
    /// without this call, the job is discarded when its last copy is released.
    public func discard() { content.discard() }

    private final class Work: _Runnable {
        private let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) { self.work = work }

        override func runHandler() { work() }
    }
}

/// A first-in, first-out queue of jobs.
typealias JobQueue = Queue<PromiseJob>

/// The run loop of one thread, for inline handlers and delivery to waiters. Never nested, so handlers have a clean
/// stack and chains may have any length (TheRules, P4, E1). Used by its own thread alone.
final class ThreadLoop {
    // Unchecked, as are the fields below: accessed by one thread alone, and no access lasts during a call of other
    // code.
    @exclusivity(unchecked)
    private var jobs = Queue<_Runnable>()
    // The first job, owned. Kept outside of the queue, because along a chain it is the only job.
    @exclusivity(unchecked)
    private var next: Unmanaged<_Runnable>?
    @exclusivity(unchecked)
    private var deliveries = Queue<AnyPromise>()
    @exclusivity(unchecked)
    private var isDelivering = false
    @exclusivity(unchecked)
    private var isRunning = false
    // The manual executors that are running their jobs on this thread, the innermost last.
    @exclusivity(unchecked)
    private var served: [ObjectIdentifier] = []
    /// The promises of the handlers that run further down the stack, the innermost last, because a handler may run the
    /// jobs of an executor.
    @exclusivity(unchecked)
    private(set) var outerHandlers: [AnyPromise] = []

    static var current: ThreadLoop { unretained.takeUnretainedValue() }

    /// The calling thread's loop, which lives as long as the thread.
    static var unretained: Unmanaged<ThreadLoop> {
        @inline(__always)
        get {
            if let loop = chain_thread_current().pointee.loop { return Unmanaged.fromOpaque(loop) }
            return make()
        }
    }

    @inline(never)
    private static func make() -> Unmanaged<ThreadLoop> {
        let thread = chain_thread_current()!
        let loop = Unmanaged.passRetained(ThreadLoop())
        thread.pointee.loop = loop.toOpaque()
        chain_thread_release_at_exit(loop.toOpaque()) { Unmanaged<ThreadLoop>.fromOpaque($0!).release() }
        return loop
    }

    /// Runs `job`, then all jobs of this loop. Inside a handler, such as one that runs a ManualExecutor's jobs, it runs
    /// only `job`: the outer loop runs the other jobs, because loops are never nested.
    func run(_ job: _Runnable) {
        if isRunning { return runInHandler(job) }
        isRunning = true
        runDraining(job)
        repeat {
            isRunning = true
            while let job = nextJob() { runDraining(job) }
            jobs.shrink(above: 4096)
            isRunning = false
            // Optimised code may release `job` as late as here. That may abandon its promise, and so queue handlers.
        } while hasJobs
    }

    func run(_ job: PromiseJob) { run(job.content) }

    /// Runs `job` inside the handler that runs on this thread.
    @inline(never)
    private func runInHandler(_ job: _Runnable) {
        guard let outer = AnyPromise.running else { return runDraining(job) }
        outerHandlers.append(outer)
        runDraining(job)
        outerHandlers.removeLast()
    }

    /// Runs a job at once, or queues it if the loop is running or delivering.
    func submit(_ job: _Runnable) {
        if !(isRunning || isDelivering) { return run(job) }
        if !hasJobs { next = Unmanaged.passRetained(job) } else { jobs.append(job) }
    }

    /// Calls `body`, which runs jobs of an executor.
    func serve<Result>(_ executor: ManualExecutor, _ body: () -> Result) -> Result {
        served.append(ObjectIdentifier(executor))
        defer { served.removeLast() }
        return body()
    }

    /// Returns whether this thread is in ``serve(_:_:)`` of an executor.
    func serves(_ executor: ManualExecutor) -> Bool { served.contains(ObjectIdentifier(executor)) }

    private var hasJobs: Bool { next != nil || !jobs.isEmpty }

    private func nextJob() -> _Runnable? {
        if let job = next {
            next = nil
            return job.takeRetainedValue()
        }
        return jobs.popFirst()
    }

    /// Runs `job` in an autorelease pool of its own, because a plain thread drains its pool only when it ends.
    @inline(__always)
    private func runDraining(_ job: _Runnable) {
        let pool = chain_autorelease_push()
        job.runHandler()
        chain_autorelease_pop(pool)
    }

    /// Performs the queued deliveries, and moves the queued jobs to an executor, because the calling thread is about to
    /// block (TheRules, C4).
    func moveJobs(to executor: any PromiseExecutor) {
        // These promises were settled inside another delivery, which resumes only after the wait.
        while let promise = deliveries.popFirst() { promise.deliverOutcome() }
        guard hasJobs else { return }
        var waiting: [PromiseJob] = []
        while let job = nextJob() { waiting.append(PromiseJob(job)) }
        // The executor's worker queues the jobs in its own loop, because a job that blocks must be able to move the
        // jobs after it.
        executor.execute { [waiting] in
            let loop = ThreadLoop.current
            for job in waiting { loop.submit(job.content) }
        }
    }

    /// Delivers a promise's outcome to its waiters: now or, inside another delivery, after that delivery.
    func deliver(_ promise: AnyPromise) {
        if isDelivering {
            deliveries.append(promise)
            return
        }
        isDelivering = true
        promise.deliverOutcome()
        finishDelivering()
    }

    /// Runs `delivery`, then the deliveries that it led to, one after another, then the inline handlers that became
    /// ready. Inside another delivery it runs only `delivery`; inside a running loop the loop runs the handlers.
    func deliver(_ delivery: () -> Void) {
        if isDelivering { return delivery() }
        isDelivering = true
        delivery()
        finishDelivering()
    }

    private func finishDelivering() {
        // Each promise leaves the queue before it is released, because the deinit of its value may settle other
        // promises, which join the queue.
        repeat {
            isDelivering = true
            while let promise = deliveries.popFirst() { promise.deliverOutcome() }
            deliveries.shrink(above: 4096)
            isDelivering = false
            // Optimised code may keep the last promise and release it only here, as in run(_:).
        } while !deliveries.isEmpty
        if !isRunning, let job = nextJob() { run(job) }
    }
}
