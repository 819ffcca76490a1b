// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents

extension AnyPromise {
    /// Runs code of the program as this node's handler: promises made in that code have this node as their creator, and
    /// inherit the node's runtime. `body` returns whether the settlement reported the end of the handler.
    final func runAsCurrent(_ body: () -> Bool) {
        runAsCreator {
            if isRecording { report(.started) }
            let isEndReported = body()
            if !isEndReported, isRecording { reportHandlerEnded() }
        }
    }

    /// Reports that the handler returned without settling the node; ``snapshot()`` contains that fact from then on.
    final func reportHandlerEnded() {
        var state = lock()
        state.set(PromiseState.handlerEnded)
        unlock(state)
        report(.ended)
    }

    /// Runs code that makes promises with this node as their creator.
    final func runAsCreator(_ body: () -> Void) {
        let outer = pushCurrent()
        body()
        popCurrent(to: outer)
    }

    /// Makes this node the creator of promises made on this thread, until ``popCurrent(to:)``; returns the previous
    /// creator.
    @inline(__always)
    final func pushCurrent() -> ScopeSnapshot {
        let thread = chain_thread_current()!
        let outer = ScopeSnapshot(
            thread: thread, node: thread.pointee.node, runtime: thread.pointee.runtime, id: thread.pointee.node_id)
        thread.pointee.node = Unmanaged.passUnretained(self).toOpaque()
        thread.pointee.runtime = UnsafeMutableRawPointer(
            mutating: contextReference._withUnsafeGuaranteedRef { $0.runtimeReference })
        chain_thread_set_node_id(thread, id.rawValue)
        return outer
    }

    /// Restores the creator that ``pushCurrent()`` replaced, on the same thread.
    @inline(__always)
    final func popCurrent(to outer: ScopeSnapshot) {
        outer.thread.pointee.node = outer.node
        outer.thread.pointee.runtime = outer.runtime
        chain_thread_set_node_id(outer.thread, outer.id)
    }

    /// The creator and the runtime of promises made on a thread.
    struct ScopeSnapshot {
        let thread: UnsafeMutablePointer<chain_thread>
        let node: UnsafeMutableRawPointer?
        let runtime: UnsafeMutableRawPointer?
        let id: UInt64
    }

    /// Queues the body of a promise without a parent; the body does not run if the promise is cancelled before the body
    /// begins.
    @usableFromInline
    final func submitBody(_ body: @escaping @Sendable () -> Bool) {
        var state = lock()
        state.set(PromiseState.queued)
        unlock(state)
        if isRecording { report(.queued, detail: context.executor.identity.id) }
        context.submit(Body(of: self, body))
    }

    /// Submits internal work of this node, which is no handler. If the executor drops the work, the node is abandoned.
    final func submitStep(_ step: @escaping @Sendable () -> Void) { context.submit(Step(of: self, step)) }
}

/// A queued step of a node that starts other promises.
private final class Step: _Runnable {
    private let promise: AnyPromise
    private let step: @Sendable () -> Void

    init(of promise: AnyPromise, _ step: @escaping @Sendable () -> Void) {
        self.promise = promise
        self.step = step
    }

    override func runHandler() { step() }
    override func discard() { promise.discard() }
}

/// The queued body of a promise without a parent.
private final class Body: _Runnable {
    private let promise: AnyPromise
    private let body: @Sendable () -> Bool

    init(of promise: AnyPromise, _ body: @escaping @Sendable () -> Bool) {
        self.promise = promise
        self.body = body
    }

    override func runHandler() {
        var state = promise.lock()
        let mayRun = !state.hasOutcome && state.claimHandler()
        promise.unlock(state)
        if mayRun { promise.runAsCurrent(body) }
    }

    override func discard() { promise.discard() }
}
