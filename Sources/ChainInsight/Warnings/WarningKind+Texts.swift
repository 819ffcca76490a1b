// SPDX-License-Identifier: MIT

import ChainModel

extension WarningKind {
    /// The problem in a few words, without a capital letter.
    public var headline: String {
        switch self {
        case .neverSettled: "live for a long time, with nothing under way to settle it"
        case .abandoned: "nothing is left that could settle it"
        case .unhandledRejection: "rejected without a handler for the error"
        case .settledAgain: "settled a second time, without effect"
        case .blockedWorker: "its code blocks a thread that others need"
        case .longHandler: "its code has run for a long time"
        case .awaitedOnOwnExecutor: "tried to wait on the executor that had to do the work"
        case .deadlock: "nodes wait for each other and never settle"
        case .raceLoserRunning: "the race is decided, but this member still runs"
        case .cancellationIgnored: "asked to be cancelled, but still runs"
        case .tooManyThreads: "more threads run handlers than there should be"
        case .longQueueWait: "it has waited in a queue for a long time"
        case .suspendedTask: "a task that has been suspended for a long time"
        case .starvedPool: "more tasks are queued than there are threads that run tasks"
        case .mainActorHeld: "one task holds the main actor, and others wait for it"
        case .deepChain: "a very deep chain"
        case .lostEvents: "events were lost: what is shown may be incomplete"
        }
    }

    /// The meaning, in one to three sentences.
    public var explanation: String {
        switch self {
        case .neverSettled:
            "It has been live for longer than the limit, and it waits for no parent, member, timer or queue: only the "
                + "program's own code can settle it. Everything that waits for it keeps waiting."
        case .abandoned:
            "The last reference to its resolver went away while it was pending, or its executor dropped its job. It was "
                + "rejected with an error that says which. Usually a completion was not stored, or not called on one of "
                + "the exits."
        case .unhandledRejection:
            "It was rejected, and released before any handler saw the error: the program did not notice the failure."
        case .settledAgain:
            "It was settled already, so the later outcome was dropped. The two may differ, and which one came first may "
                + "be chance."
        case .blockedWorker:
            "The thread waits (for a promise, a lock, or the system) instead of returning to its executor. A pool of "
                + "handlers replaces it by another thread, up to a limit; on other executors, past that limit, and on Swift's own "
                + "pool what is ready waits."
        case .longHandler:
            "A handler occupies its thread until it returns, a task until it suspends. What else is to run on that thread, or "
                + "on the same executor, waits."
        case .awaitedOnOwnExecutor:
            "The waiting thread would itself have to run the work that settles the promise, so the wait could never end. "
                + "It was refused with an error."
        case .deadlock:
            "Each of them waits for the next, and the last for the first, so none of them can ever settle."
        case .raceLoserRunning:
            "The outcome of the race is known, so the result of this member is not used; its work still costs time."
        case .cancellationIgnored:
            "A cancellation is a request: handlers and operations have to check for it. This one was asked longer ago than "
                + "the limit and has not settled."
        case .tooManyThreads:
            "Every thread costs memory and switching. So many that run handlers at once usually come from blocked workers "
                + "that had to be replaced, or from an executor for every object."
        case .longQueueWait:
            "It is ready to run and its executor has no thread for it: all are busy or blocked, or the executor is "
                + "suspended."
        case .suspendedTask:
            "It has been suspended for longer than the limit, and nothing under it is alive. Either what it waits for "
                + "takes that long, or a continuation is never resumed."
        case .starvedPool:
            "The tasks that have been queued for longer than the limit outnumber the threads that run tasks. If all threads of "
                + "Swift's pool run tasks (one for each processor, never more), code in them that blocks (a lock, a semaphore, a "
                + "synchronous read) holds up all others. If few run, the tasks need an executor that is busy or blocked, mostly "
                + "the main thread for the main actor."
        case .mainActorHeld:
            "The task has been on the main actor for longer than the limit, without a suspension. All that is to run there "
                + "waits meanwhile: user interfaces and all code marked @MainActor."
        case .deepChain:
            "The chain is deeper than the limit. Mostly a loop without end: each round chains on to the last promise, or "
                + "the handler of then returns the next round. Every round is kept until the loop ends, so memory grows."
        case .lostEvents:
            "The program made events faster than they were read, or the connection was too slow. Missed states are "
                + "corrected from the program's registry; nodes that began and ended meanwhile are not shown."
        }
    }

    /// Returns what to do about the problem with a node of that kind: for an asynchronous function in the words of
    /// Swift's concurrency, else in those of promises. Names no keys of the dashboard, because exported pages have this
    /// text, too.
    public func advice(for node: NodeKind) -> String {
        if node.runsInTask, let advice = adviceForTasks { return advice }
        return switch self {
        case .neverSettled:
            "Look at its call site: what holds the resolver, and does every exit of that code use it? A timeout in "
                + "the chain turns endless waiting into an error."
        case .abandoned:
            "If its resolver was released, keep the resolver until it was used: hand it to the code that calls back, and "
                + "settle it on errors and early returns, too. If its job was dropped, look for what empties its executor."
        case .unhandledRejection:
            "End the chain with catch, recover or failed; or return its promise to code that does. If the error does "
                + "not matter, say so: failed { _ in }."
        case .settledAgain:
            "Settle it in one piece of code only. Where several callbacks may come first, give each a promise of its own, and "
                + "race these."
        case .blockedWorker:
            "Return a promise instead of waiting for it (then), or move what has to block to an executor of its own with "
                + "threads to spare."
        case .longHandler:
            "Cut the work into steps, move it to an executor that is meant for long work, or, if that is how long it "
                + "takes, raise the limit in the configuration (long-handler-after)."
        case .awaitedOnOwnExecutor:
            "Chain on with then instead of waiting, or wait on a thread that belongs to no executor."
        case .deadlock:
            "Cancel one of them, which releases the others. Then find the code that adopts or awaits the promise that "
                + "it has to settle itself."
        case .raceLoserRunning:
            "Race with cancellingLosers: true, and let the members check for cancellation. If the loser is needed all "
                + "the same, chain something on it."
        case .cancellationIgnored:
            "Check ChainRuntime.isCancelled in long loops, pass the cancellation on to started operations, and settle "
                + "the promise when it is noticed."
        case .tooManyThreads:
            "Look for blocked threads in the view of threads, share executors, and bound the width of pools."
        case .longQueueWait:
            "See in the view of threads what keeps the executor busy; give it more threads, or long work an executor "
                + "of its own."
        case .suspendedTask:
            "Its details show the functions in which it is suspended: the innermost awaits what does not come. If waiting "
                + "is its purpose, raise the limit in the configuration (suspended-task-after)."
        case .starvedPool:
            "See in the view of threads what runs on the main thread and the pool's threads; move what blocks to a queue of "
                + "its own, and await it through a continuation."
        case .mainActorHeld:
            "See in the details of the task where it is. Move long work and what blocks off the main actor: into a "
                + "nonisolated asynchronous function, an actor of its own, or a queue."
        case .deepChain:
            "Write the loop with repeat or retry, which keep one round, or keep only the last promise's value."
        case .lostEvents:
            "Record less (the inspector can narrow what it records), give its buffers more room, or attach from the same "
                + "machine."
        }
    }

    /// What to do about a problem of an asynchronous function; nil where the advice for promises is right for it, too.
    private var adviceForTasks: String? {
        switch self {
        case .blockedWorker:
            "Await instead of blocking: guard state by an actor, and wait by a continuation or a stream. Move what has to "
                + "block to a queue or thread of its own, which resumes a continuation when it is done."
        case .longHandler:
            "Call await Task.yield() now and then, move long work to a queue of its own, or, if that is how long it takes, "
                + "raise the limit in the configuration (long-handler-after)."
        case .cancellationIgnored:
            "Check Task.isCancelled or call Task.checkCancellation() in loops, and end waits that do not notice a "
                + "cancellation by themselves with withTaskCancellationHandler."
        default: nil
        }
    }
}
