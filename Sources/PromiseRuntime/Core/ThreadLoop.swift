import CChainRuntime

/// What an executor runs: a promise's handler, or a closure.
public struct PromiseJob: @unchecked Sendable {
    // Sendable: it is a promise, which may be used from any thread, or work that never changes. One word, so that a queue
    // is an array of references.
    let content: _Runnable

    init(_ content: _Runnable) { self.content = content }

    /// Wraps a closure.
    public init(_ work: @escaping @Sendable () -> Void) { content = Work(work) }

    /// Runs it, on the calling thread, and then what it made ready on this thread (<doc:TheRules>, E2). For executors,
    /// which call it once, with a clean stack.
    public func run() { ThreadLoop.unretained._withUnsafeGuaranteedRef { $0.run(content) } }

    /// Gives it up instead of running it: its promise, if it is pending, is abandoned (<doc:TheRules>, S2); a plain
    /// closure is only released. For executors that end with jobs left. A job that an executor of the program's own
    /// merely drops is discarded when its last copy is released.
    public func discard() { content.discard() }

    private final class Work: _Runnable {
        private let work: @Sendable () -> Void

        init(_ work: @escaping @Sendable () -> Void) { self.work = work }

        override func runHandler() { work() }
    }
}

/// A first-in, first-out queue of jobs.
typealias JobQueue = Queue<PromiseJob>

/// The run loop of one thread: inline handlers, and the telling of waiters. Never nested, so handlers have a clean
/// stack and no chain is too long (TheRules, P4, E2). Used by its own thread alone.
final class ThreadLoop {
    // Unchecked (each): one thread alone touches them, and no access lasts over a call of anything else.
    @exclusivity(unchecked)
    private var jobs = Queue<_Runnable>()
    // The first of them while it is alone, as along a chain: owned.
    @exclusivity(unchecked)
    private var next: Unmanaged<_Runnable>?
    @exclusivity(unchecked)
    private var deliveries = Queue<AnyPromise>()
    @exclusivity(unchecked)
    private var isDelivering = false
    @exclusivity(unchecked)
    private var isRunning = false

    static var current: ThreadLoop { unretained.takeUnretainedValue() }

    /// The calling thread's, which lives as long as the thread.
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

    /// Runs `job`, then whatever has been left to this loop. Inside a handler (one that serves a ManualExecutor) only
    /// the job: what it leaves is the outer loop's, which is never nested.
    func run(_ job: _Runnable) {
        if isRunning { return job.runHandler() }
        isRunning = true
        job.runHandler()
        while let job = nextJob() { job.runHandler() }
        isRunning = false
    }

    func run(_ job: PromiseJob) { run(job.content) }

    /// Leaves a job to this loop, or runs it now where no loop is under way.
    func submit(_ job: _Runnable) {
        if !(isRunning || isDelivering) { return run(job) }
        if next == nil, jobs.isEmpty { next = Unmanaged.passRetained(job) } else { jobs.append(job) }
    }

    private func nextJob() -> _Runnable? {
        if let job = next {
            next = nil
            return job.takeRetainedValue()
        }
        return jobs.popFirst()
    }

    /// Gives what waits for this loop to another thread's: the calling one is about to block (TheRules, C4).
    func moveJobs(to executor: any PromiseExecutor) {
        guard next != nil || !jobs.isEmpty else { return }
        var waiting: [PromiseJob] = []
        while let job = nextJob() { waiting.append(PromiseJob(job)) }
        executor.execute { [waiting] in waiting.forEach { $0.run() } }
    }

    /// Tells the waiters of a promise that has its outcome, now or, inside another telling, after that.
    func deliver(_ promise: AnyPromise) {
        if isDelivering {
            deliveries.append(promise)
            return
        }
        isDelivering = true
        promise.deliverOutcome()
        finishDelivering()
    }

    /// Runs a telling and those that it leads to, one after the other however many there are, then inline handlers that
    /// became ready, unless a loop is under way that will run them.
    func deliver(_ delivery: () -> Void) {
        if isDelivering { return delivery() }
        isDelivering = true
        delivery()
        finishDelivering()
    }

    private func finishDelivering() {
        // Each leaves the queue before it is released: a value's deinit may settle others, which are told here, too.
        while let promise = deliveries.popFirst() { promise.deliverOutcome() }
        deliveries.shrink(above: 4096)
        isDelivering = false
        if !isRunning, let job = nextJob() { run(job) }
    }
}
