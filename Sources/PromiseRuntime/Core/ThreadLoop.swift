import CChainRuntime

/// What an executor runs: a promise's handler, or a closure.
public struct Job: Sendable {
    private enum Content: Sendable {
        case handler(AnyPromise)
        case body(AnyPromise, @Sendable () -> Bool)
        case work(@Sendable () -> Void)
    }
    private let content: Content

    init(handlerOf promise: AnyPromise) { content = .handler(promise) }

    init(of promise: AnyPromise, body: @escaping @Sendable () -> Bool) { content = .body(promise, body) }

    /// Wraps a closure.
    public init(_ work: @escaping @Sendable () -> Void) { content = .work(work) }

    /// Runs it, on the calling thread, and then what it made ready on this thread (RUNTIME E2). For executors, which
    /// call it once, with a clean stack.
    public func run() { ThreadLoop.current.run(self) }

    /// Gives it up instead of running it: its promise, if it is pending, is abandoned (RUNTIME S2); a plain closure is
    /// only released. For executors that end with jobs left; a job that is merely dropped leaves its promise pending.
    public func discard() {
        switch content {
        case .handler(let promise), .body(let promise, _): promise.abandon()
        case .work: break
        }
    }

    func runContent() {
        switch content {
        case .handler(let promise): promise.runHandler()
        case .body(let promise, let body): promise.runBody(body)
        case .work(let work): work()
        }
    }
}

/// A first-in, first-out queue of jobs.
typealias JobQueue = Queue<Job>

/// A first-in, first-out queue in a ring that grows. What is taken out is the caller's to release: nothing is released
/// while the queue changes.
struct Queue<Element> {
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[(head + count) & (slots.count - 1)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let element = slots[head].take()
        head = (head + 1) & (slots.count - 1)
        count -= 1
        return element
    }

    /// Gives the room of an empty queue back where a burst has left much of it.
    mutating func shrink(above limit: Int) { if isEmpty, slots.count > limit { slots = [] } }

    private mutating func grow() {
        var larger = [Element?](repeating: nil, count: max(16, slots.count * 2))
        for index in 0..<count { larger[index] = slots[(head + index) & (slots.count - 1)].take() }
        slots = larger
        head = 0
    }
}

/// The run loop of one thread: inline handlers, and the telling of waiters. Never nested, so handlers have a clean stack
/// and no chain is too long (RUNTIME P4, E2). Used by its own thread alone.
final class ThreadLoop {
    // Unchecked (each): one thread alone touches them, and no access lasts over a call of anything else.
    @exclusivity(unchecked)
    private var jobs = JobQueue()
    @exclusivity(unchecked)
    private var deliveries = Queue<AnyPromise>()
    @exclusivity(unchecked)
    private var isDelivering = false
    @exclusivity(unchecked)
    private var isRunning = false
    // The pool that owns this thread, and which of its workers this is.
    private var pool: ObjectIdentifier?
    private var worker: AnyObject?

    func enterPool(_ pool: AnyObject, _ worker: AnyObject) {
        (self.pool, self.worker) = (ObjectIdentifier(pool), worker)
    }
    func leavePool() { (pool, worker) = (nil, nil) }

    /// The pool's worker whose thread this is, or nil.
    func worker(of pool: AnyObject) -> AnyObject? { self.pool == ObjectIdentifier(pool) ? worker : nil }

    static var current: ThreadLoop {
        let thread = chain_thread_current()!
        if let loop = thread.pointee.loop { return Unmanaged<ThreadLoop>.fromOpaque(loop).takeUnretainedValue() }
        let loop = Unmanaged.passRetained(ThreadLoop())
        thread.pointee.loop = loop.toOpaque()
        chain_thread_release_at_exit(loop.toOpaque()) { Unmanaged<ThreadLoop>.fromOpaque($0!).release() }
        return loop.takeUnretainedValue()
    }

    /// Runs `job`, then whatever has been left to this loop. Inside a handler (one that serves a ManualExecutor) only
    /// the job: what it leaves is the outer loop's, which is never nested.
    func run(_ job: Job) {
        if isRunning { return job.runContent() }
        isRunning = true
        job.runContent()
        while let job = jobs.popFirst() { job.runContent() }
        isRunning = false
    }

    /// Leaves a job to this loop, or runs it now where no loop is under way.
    func submit(_ job: Job) {
        if isRunning || isDelivering { jobs.append(job) } else { run(job) }
    }

    /// Tells the waiters of a promise that has its outcome, now or, inside another telling, after that.
    func deliver(_ promise: AnyPromise) {
        if isDelivering {
            deliveries.append(promise)
            return
        }
        deliver { promise.deliverOutcome() }
    }

    /// Runs a telling and those that it leads to, one after the other however many there are, then inline handlers that
    /// became ready, unless a loop is under way that will run them.
    func deliver(_ telling: () -> Void) {
        if isDelivering { return telling() }
        isDelivering = true
        telling()
        // Each leaves the queue before it is released: a value's deinit may settle others, which are told here, too.
        while let promise = deliveries.popFirst() { promise.deliverOutcome() }
        deliveries.shrink(above: 4096)
        isDelivering = false
        if !isRunning, let job = jobs.popFirst() { run(job) }
    }
}
