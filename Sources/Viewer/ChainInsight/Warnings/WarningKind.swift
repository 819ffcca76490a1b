// SPDX-License-Identifier: MIT

import ChainModel

/// A set of warning kinds, with one bit for each kind, so that a test of a node's warnings is one operation.
package typealias WarningBits = UInt32

/// The kinds of warnings. The raw value is the name in options and the configuration. ``WarningBits`` has room for 32.
package enum WarningKind: String, Hashable, Sendable, CaseIterable {
    /// A node that waits for no other node, timer or queue has been live for longer than the limit.
    case neverSettled = "never-settled"
    /// A node's resolver was released, or its job dropped, so that nothing is left that could settle the node.
    case abandoned
    /// A node was rejected, and released without a handler for the error.
    case unhandledRejection = "unhandled-rejection"
    /// A node was settled a second time, without effect.
    case settledAgain = "settled-again"
    /// A handler or a Swift task has blocked its thread for longer than the limit: it waits for a promise, a lock or the
    /// system.
    case blockedWorker = "blocked-worker"
    /// A handler, or a Swift task between two suspensions, runs for longer than the limit.
    case longHandler = "long-handler"
    /// A node was awaited on the executor that has to settle it.
    case awaitedOnOwnExecutor = "awaited-on-own-executor"
    /// Nodes and threads wait for each other.
    case deadlock = "deadlock"
    /// A race is decided and a member of it still runs.
    case raceLoserRunning = "race-loser-running"
    /// A node was asked to be cancelled, and has not settled for longer than the limit.
    case cancellationIgnored = "cancellation-ignored"
    /// More threads run handlers than there should be.
    case tooManyThreads = "too-many-threads"
    /// A node has been queued for longer than the limit.
    case longQueueWait = "long-queue-wait"
    /// A Swift task is suspended for longer than the limit.
    case suspendedTask = "suspended-task"
    /// The Swift tasks that have been queued for longer than the limit outnumber the threads that run tasks.
    case starvedPool = "starved-pool"
    /// A Swift task has held the main actor for longer than the limit, and others wait for it.
    case mainActorHeld = "main-actor-held"
    /// A chain is deeper than the limit.
    case deepChain = "deep-chain"
    /// Events were lost: what is shown may be incomplete.
    case lostEvents = "lost-events"

    /// What is fixed about a kind.
    private struct Facts {
        var severity: WarningSeverity
        /// Of the kinds of one severity, the kind with the greatest weight is the worst.
        var weight: Int
        var isFault = false
        var headline: String
        var explanation: String
        var advice: String
        /// What to do about a problem of an asynchronous function; nil where the advice for promises is right for it, too.
        var taskAdvice: String?
    }

    /// What is fixed about each kind, by ``index``. Made once, because the texts are joined from parts.
    private static let facts = all.map(\.ownFacts)
    private var facts: Facts { Self.facts[index] }

    private var ownFacts: Facts {
        switch self {
        case .neverSettled:
            Facts(
                severity: .high, weight: 10, headline: "live for a long time, with nothing under way to settle it",
                explanation: "It has been live for longer than the limit, and it waits for no parent, member, timer "
                    + "or queue: only the program's own code can settle it. Everything that waits for it keeps "
                    + "waiting.",
                advice: "Look at its call site: what holds the resolver, and does every exit of that code use it? A "
                    + "timeout in the chain turns endless waiting into an error.")
        case .abandoned:
            Facts(
                severity: .high, weight: 20, isFault: true, headline: "nothing is left that could settle it",
                explanation: "The last reference to its resolver went away while it was pending, or its executor "
                    + "dropped its job. It was rejected with an error that says which. Usually a completion was not "
                    + "stored, or not called on one of the exits.",
                advice: "If its resolver was released, keep the resolver until it was used: hand it to the code that "
                    + "calls back, and settle it on errors and early returns, too. If its job was dropped, look for "
                    + "what empties its executor.")
        case .unhandledRejection:
            Facts(
                severity: .medium, weight: 60, isFault: true, headline: "rejected without a handler for the error",
                explanation: "It was rejected, and released before any handler saw the error: the program did not "
                    + "notice the failure.",
                advice: "End the chain with catch, recover or failed; or return its promise to code that does. If the "
                    + "error does not matter, say so: failed { _ in }.")
        case .settledAgain:
            Facts(
                severity: .low, weight: 30, isFault: true, headline: "settled a second time, without effect",
                explanation: "It was settled already, so the later outcome was dropped. The two may differ, and which "
                    + "one came first may be chance.",
                advice: "Settle it in one piece of code only. Where several callbacks may come first, give each a "
                    + "promise of its own, and race these.")
        case .blockedWorker:
            Facts(
                severity: .high, weight: 50, headline: "its code blocks a thread that others need",
                explanation: "The thread waits (for a promise, a lock, or the system) instead of returning to its "
                    + "executor. A pool of handlers replaces it by another thread, up to a limit; on other executors, "
                    + "past that limit, and on Swift's own pool what is ready waits.",
                advice: "Return a promise instead of waiting for it (then), or move what has to block to an executor "
                    + "of its own with threads to spare.",
                taskAdvice: "Await instead of blocking: guard state by an actor, and wait by a continuation or a "
                    + "stream. Move what has to block to a queue or thread of its own, which resumes a continuation "
                    + "when it is done.")
        case .longHandler:
            Facts(
                severity: .medium, weight: 40, headline: "its code has run for a long time",
                explanation: "A handler occupies its thread until it returns, a task until it suspends. What else is "
                    + "to run on that thread, or on the same executor, waits.",
                advice: "Cut the work into steps, move it to an executor that is meant for long work, or, if that is "
                    + "how long it takes, raise the limit in the configuration (long-handler-after).",
                taskAdvice: "Call await Task.yield() now and then, move long work to a queue of its own, or, if that "
                    + "is how long it takes, raise the limit in the configuration (long-handler-after).")
        case .awaitedOnOwnExecutor:
            Facts(
                severity: .high, weight: 60, isFault: true,
                headline: "tried to wait on the executor that had to do the work",
                explanation: "The waiting thread would itself have to run the work that settles the promise, so the "
                    + "wait could never end. It was refused with an error.",
                advice: "Chain on with then instead of waiting, or wait on a thread that belongs to no executor.")
        case .deadlock:
            Facts(
                severity: .high, weight: 70, headline: "nodes wait for each other and never settle",
                explanation: "Each of them waits for the next, and the last for the first, so none of them can ever "
                    + "settle.",
                advice: "Cancel one of them, which releases the others. Then find the code that adopts or awaits the "
                    + "promise that it has to settle itself.")
        case .raceLoserRunning:
            Facts(
                severity: .low, weight: 40, headline: "the race is decided, but this member still runs",
                explanation: "The outcome of the race is known, so the result of this member is not used; its work "
                    + "still costs time.",
                advice: "Race with cancellingLosers: true, and let the members check for cancellation. If the loser "
                    + "is needed all the same, chain something on it.")
        case .cancellationIgnored:
            Facts(
                severity: .medium, weight: 50, headline: "asked to be cancelled, but still runs",
                explanation: "A cancellation is a request: handlers and operations have to check for it. This one was "
                    + "asked longer ago than the limit and has not settled.",
                advice: "Check ChainRuntime.isCancelled in long loops, pass the cancellation on to started "
                    + "operations, and settle the promise when it is noticed.",
                taskAdvice: "Check Task.isCancelled or call Task.checkCancellation() in loops, and end waits that do "
                    + "not notice a cancellation by themselves with withTaskCancellationHandler.")
        case .tooManyThreads:
            Facts(
                severity: .medium, weight: 10, headline: "more threads run handlers than there should be",
                explanation: "Every thread costs memory and switching. So many that run handlers at once usually come "
                    + "from blocked workers that had to be replaced, or from an executor for every object.",
                advice: "Look for blocked threads in the view of threads, share executors, and bound the width of "
                    + "pools.")
        case .longQueueWait:
            Facts(
                severity: .medium, weight: 20, headline: "it has waited in a queue for a long time",
                explanation: "It is ready to run and its executor has no thread for it: all are busy or blocked, or "
                    + "the executor is suspended.",
                advice: "See in the view of threads what keeps the executor busy; give it more threads, or long work "
                    + "an executor of its own.")
        case .suspendedTask:
            Facts(
                severity: .medium, weight: 30, headline: "a task that has been suspended for a long time",
                explanation: "It has been suspended for longer than the limit, and nothing under it is alive. Either "
                    + "what it waits for takes that long, or a continuation is never resumed.",
                advice: "Its details show the functions in which it is suspended: the innermost awaits what does not "
                    + "come. If waiting is its purpose, raise the limit in the configuration (suspended-task-after).")
        case .starvedPool:
            Facts(
                severity: .high, weight: 30, headline: "more tasks are queued than there are threads that run tasks",
                explanation: "The tasks that have been queued for longer than the limit outnumber the threads that "
                    + "run tasks. If all threads of Swift's pool run tasks (one for each processor, never more), code "
                    + "in them that blocks (a lock, a semaphore, a synchronous read) holds up all others. If few run, "
                    + "the tasks need an executor that is busy or blocked, mostly the main thread for the main actor.",
                advice: "See in the view of threads what runs on the main thread and the pool's threads; move what "
                    + "blocks to a queue of its own, and await it through a continuation.")
        case .mainActorHeld:
            Facts(
                severity: .high, weight: 40, headline: "one task holds the main actor, and others wait for it",
                explanation: "The task has been on the main actor for longer than the limit, without a suspension. "
                    + "All that is to run there waits meanwhile: user interfaces and all code marked @MainActor.",
                advice: "See in the details of the task where it is. Move long work and what blocks off the main "
                    + "actor: into a nonisolated asynchronous function, an actor of its own, or a queue.")
        case .deepChain:
            Facts(
                severity: .low, weight: 20, headline: "a very deep chain",
                explanation: "The chain is deeper than the limit. Mostly a loop without end: each round chains on to "
                    + "the last promise, or the handler of then returns the next round. Every round is kept until the "
                    + "loop ends, so memory grows.",
                advice: "Write the loop with repeat or retry, which keep one round, or keep only the last promise's "
                    + "value.")
        case .lostEvents:
            Facts(
                severity: .low, weight: 10, isFault: true,
                headline: "events were lost: what is shown may be incomplete",
                explanation: "The program made events faster than they were read, or the connection was too slow. "
                    + "Missed states are corrected from the program's registry; nodes that began and ended meanwhile "
                    + "are not shown.",
                advice: "Record less (the inspector can narrow what it records), give its buffers more room, or "
                    + "attach from the same machine.")
        }
    }

    /// How bad the problem is in the worst case.
    package var severity: WarningSeverity { facts.severity }

    /// Whether a warning of this kind records a single event, and so holds until it is dismissed. Other warnings end
    /// when their condition ends.
    package var isFault: Bool { facts.isFault }

    /// The problem in a few words, without a capital letter.
    package var headline: String { facts.headline }

    /// The meaning, in one to three sentences.
    package var explanation: String { facts.explanation }

    /// Returns what to do about the problem with a node of that kind: for an asynchronous function in the words of
    /// Swift's concurrency, else in those of promises. Names no keys of the dashboard, because exported pages have this
    /// text, too.
    package func advice(for node: NodeKind) -> String {
        let facts = facts
        return node.runsInTask ? facts.taskAdvice ?? facts.advice : facts.advice
    }

    /// The limit of the kind; nil if it has none.
    package var limit: WarningLimit? { WarningLimit.all.first { $0.kinds.contains(self) } }

    /// All kinds in an array that is made once.
    static let all = allCases

    /// All kinds, the worst first.
    package static let byWeight = all.sorted { ($0.severity, $0.facts.weight) > ($1.severity, $1.facts.weight) }

    /// The kind's index, from 0. An enum without payloads is stored as the number of its case.
    var index: Int { Int(unsafeBitCast(self, to: UInt8.self)) }

    /// The kind's bit.
    var bit: WarningBits { 1 << WarningBits(index) }
}

/// A limit beyond which a condition is reported.
package struct WarningLimit: Sendable {
    /// What a limit measures.
    package enum Unit: Sendable {
        /// A duration, in nanoseconds.
        case nanoseconds
        /// A number of things, by their name in the plural; the configuration sets it to `from` at least.
        case count(of: String, from: Int)
    }

    /// The name in the configuration.
    package let name: String
    /// The usual limit.
    package let usual: UInt64
    /// What the limit measures.
    package let unit: Unit
    /// What it is a limit of, in a sentence.
    package let meaning: String
    /// The kinds that have the limit.
    package let kinds: [WarningKind]

    private static func seconds(
        _ usual: UInt64, _ name: String, _ meaning: String, _ kinds: WarningKind...
    ) -> WarningLimit {
        WarningLimit(name: name, usual: usual * 1_000_000_000, unit: .nanoseconds, meaning: meaning, kinds: kinds)
    }

    private static func count(
        _ usual: UInt64, of things: String, from least: Int, _ name: String, _ meaning: String, _ kinds: WarningKind...
    ) -> WarningLimit {
        WarningLimit(name: name, usual: usual, unit: .count(of: things, from: least), meaning: meaning, kinds: kinds)
    }

    /// All limits, in the order of the configuration.
    package static let all: [WarningLimit] = [
        seconds(60, "never-settled-after", "Warn of a node that is not settled for longer.", .neverSettled),
        seconds(1, "long-handler-after", "Warn of a handler that runs for longer.", .longHandler),
        seconds(
            2, "cancellation-ignored-after",
            "Warn of a node that is not settled for longer after its cancellation was requested.",
            .cancellationIgnored),
        seconds(
            1, "long-queue-wait-after", "Warn of a handler or task that is queued for longer.", .longQueueWait,
            .starvedPool),
        seconds(60, "suspended-task-after", "Warn of a Swift task that is suspended for longer.", .suspendedTask),
        seconds(
            1, "blocked-worker-after", "Warn of a pool thread that waits for a promise for longer.", .blockedWorker),
        seconds(
            1, "main-actor-held-after", "Warn of a Swift task that holds the main actor for longer while others wait.",
            .mainActorHeld),
        count(
            1_000, of: "nodes", from: 2, "deep-chain-from",
            "Warn of a chain with more nodes from its root to a leaf.", .deepChain),
        count(
            64, of: "threads", from: 1, "too-many-threads-from", "Warn if more threads run handlers.", .tooManyThreads),
    ]
}

/// The enabled warnings and their limits.
package struct WarningOptions: Hashable, Sendable {
    /// The kinds that are reported.
    package var enabled = Set(WarningKind.allCases)
    /// By ``WarningKind/index``.
    private var limits = WarningKind.all.map { $0.limit?.usual ?? .max }

    /// Sets the usual limits and enables everything.
    package init() {}

    /// The limit of a kind, in the unit of ``WarningKind/limit``; the greatest number for a kind without a limit. Setting it
    /// sets it for all kinds of that limit.
    package subscript(kind: WarningKind) -> UInt64 {
        get { limits[kind.index] }
        set { for other in kind.limit?.kinds ?? [] { limits[other.index] = newValue } }
    }
}
