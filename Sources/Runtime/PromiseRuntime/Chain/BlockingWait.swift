// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import Dispatch
import Synchronization

/// A blocking wait for a promise: what `Awaiter.await` and `Promise.get` share.
struct BlockingWait {
    /// The call site of the wait.
    let site: CallSite
    /// The call site of the launch or promise that is awaited.
    let launchSite: CallSite
    /// Serial executors that the launch is known to need.
    let executors: [any PromiseExecutor]

    func result<Value>(of promise: Promise<Value>, timeout: Duration?) -> Result<Value, any Error> {
        if !promise.isSettled {
            if let timeout, timeout <= .zero { return .failure(PromiseTimeoutError(limit: timeout)) }
            var needed = Needed()
            if let reason = misuse(promise, &needed) { return .failure(refuse(promise, reason)) }
            let isSettled =
                needed.poolName == nil
                ? PoolExecutor.blocking { block(for: promise, timeout) }
                : PoolExecutor.blockingUnlessLast { block(for: promise, timeout) }
            guard let isSettled else { return .failure(refuse(promise, .exhaustedPool(needed.poolName!))) }
            if !isSettled, !promise.isSettled { return .failure(PromiseTimeoutError(limit: timeout!)) }
        }
        promise.markErrorSeen(handled: true)
        return promise.result!
    }

    /// Sleeps until the promise has its outcome or the timeout comes; false if the timeout came first. If the thread is
    /// a pool's worker, the caller has counted it as blocked.
    private func block(for promise: AnyPromise, _ timeout: Duration?) -> Bool {
        let runtime = promise.context.runtime
        if promise.isRecording { promise.report(.awaited, other: AnyPromise.running?.id ?? .none) }
        let waiter = ThreadWaiter()
        promise.register(waiter)
        let timer = timeout.map { timeout in
            runtime.clock.schedule(after: timeout) { waiter.timeOut() }
        }
        // The promise may depend on inline handlers that are queued on this thread.
        ThreadLoop.current.moveJobs(to: PoolExecutor.shared)
        let isSettled = waiter.wait()
        timer?.cancel()
        if !isSettled { promise.waiterIsDone() }
        if promise.isRecording { promise.report(.awaitEnded, other: AnyPromise.running?.id ?? .none) }
        return isSettled
    }

    // MARK: Misuse

    /// What the promise needs, as `misuse` found.
    private struct Needed {
        /// The name of the calling worker's pool, if an awaited promise uses that pool.
        var poolName: String?
    }

    /// Returns the reason to refuse the wait; nil to allow it.
    private func misuse(_ promise: AnyPromise, _ needed: inout Needed) -> RefusedWaitError.Reason? {
        if SystemThread.isMain || DispatchExecutor.main.isServedHere { return .mainThread }
        if SystemClock.isTimerThread { return .timerThread }
        var handlers = ThreadLoop.current.outerHandlers
        if let running = AnyPromise.running { handlers.append(running) }
        var found: RefusedWaitError.Reason?
        for executor in executors where found == nil { found = refusal(of: executor, handlers) }
        promise.forEachPendingSource { source in
            if handlers.contains(where: { $0 === source }) { found = .ownHandler }
            let executor = source.context.executor
            if found == nil { found = refusal(of: executor, handlers) }
            if let pool = executor as? PoolExecutor, pool.isServedHere { needed.poolName = executor.identity.name }
            return found == nil
        }
        // Tasks are checked last, because the other reasons are more specific.
        return found ?? (isInTask ? .task : nil)
    }

    /// Whether the calling code runs in a task, on one of the few threads that all tasks share.
    private var isInTask: Bool { withUnsafeCurrentTask { $0 != nil } }

    /// Returns the reason to refuse the wait if this executor could run nothing while this thread waits in `handlers`.
    private func refusal(of executor: any PromiseExecutor, _ handlers: [AnyPromise]) -> RefusedWaitError.Reason? {
        guard executor.isSerial else { return nil }
        let isHere = handlers.contains { $0.context.executor === executor } || executor.isServedHere
        return isHere ? .serialExecutor(executor.identity.name) : nil
    }

    private func refuse(_ promise: AnyPromise, _ reason: RefusedWaitError.Reason) -> RefusedWaitError {
        let error = RefusedWaitError(reason: reason, site: site.site, awaitedSite: launchSite.site)
        if promise.isRecording, let sink = promise.context.runtime.sink {
            let other = AnyPromise.running?.id ?? .none
            sink.sink.record(
                EventRecord(.awaitMisused, node: promise.id, other: other, site: site), text: error.description)
        }
        return error
    }
}

extension AnyPromise {
    /// Visits this promise and the pending promises that it waits for, through parents, followed promises and members
    /// of combinators. Stops when `visit` returns false. O(visited promises).
    fileprivate func forEachPendingSource(_ visit: (AnyPromise) -> Bool) {
        var unvisited: [AnyPromise] = [self]
        var known: Set<NodeID> = []
        while let promise = unvisited.popLast() {
            guard known.insert(promise.id).inserted, !promise.isSettled else { continue }
            guard visit(promise) else { return }
            let (parent, followed) = promise.waitsFor
            if let parent { unvisited.append(parent) }
            if let followed { unvisited.append(followed) }
            unvisited += promise.pendingMembers
        }
    }
}

/// A waiter for a thread that sleeps until a promise settles.
final class ThreadWaiter: _Waiter, @unchecked Sendable {
    // Sendable: `hasSettled` is accessed only under the lock of `condition`, and `isOver` changes only under that lock.
    /// The sleeping thread.
    let thread = chain_thread_id()
    /// The node of the handler that the thread runs, or none.
    let node = AnyPromise.running?.id ?? .none
    private let condition = Condition()
    private var hasSettled = false
    private let isOver = Atomic(false)

    override func settled(_ promise: AnyPromise) { finish(settled: true) }

    /// Ends the wait without an outcome.
    func timeOut() { finish(settled: false) }

    private func finish(settled: Bool) {
        condition.withLock {
            guard !isDone else { return }
            hasSettled = settled
            isOver.store(true, ordering: .releasing)
            condition.signal()
        }
    }

    /// Sleeps; true if the promise settled, false if the timeout came first.
    func wait() -> Bool {
        condition.withLock {
            while !isDone { condition.wait() }
            return hasSettled
        }
    }

    override var isDone: Bool { isOver.load(ordering: .acquiring) }
}

extension Promise {
    /// Blocks the calling thread until the promise is settled; returns the promise's value or throws its error
    /// (<doc:TheRules>, P8).
    ///
    /// A wait that could not end, or would stop other work, is refused at once with ``RefusedWaitError``.
    /// ``RefusedWaitError/Reason`` lists the cases, and <doc:TheRules>, C4 explains them. The check looks at the serial
    /// executors of this promise and of all that it waits for: parents, followed promises and members. If a wait on a
    /// pool's worker is allowed, another thread runs the pool's jobs during the wait. In asynchronous code use
    /// ``value``.
    ///
    /// Cost: a load if the promise is settled; otherwise some 10 µs for switching threads.
    ///
    /// - Parameter timeout: The longest wait, by the clock of the promise's runtime; nil for no limit. If the promise
    ///   is still pending by then, the call throws ``PromiseTimeoutError``, and the promise stays as it is. With a
    ///   limit of zero or less the call does not wait.
    @available(*, noasync, message: "it blocks a thread that all tasks share: use try await value")
    public final func get(
        timeout: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) throws -> Value {
        try BlockingWait(site: CallSite(fileID: file, line: line), launchSite: callSite, executors: [])
            .result(of: self, timeout: timeout).get()
    }
}
