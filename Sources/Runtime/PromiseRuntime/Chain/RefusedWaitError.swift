// SPDX-License-Identifier: MIT

import ChainEvents

/// The error of a blocking wait that was refused at once, because the wait could never end or would stop other work
/// (<doc:TheRules>, C4).
public struct RefusedWaitError: Error, Hashable, CustomStringConvertible {
    /// Why a wait was refused.
    public enum Reason: Hashable, Sendable {
        /// The wait was on the main thread.
        case mainThread
        /// The wait was on the serial executor of that name, which the awaited chain needs.
        case serialExecutor(String)
        /// The wait was in a handler that the awaited chain itself waits for.
        case ownHandler
        /// The wait was in a task, and all tasks share a few threads.
        case task
        /// The wait was on the thread that fires all timers, in a handler on the inline executor.
        case timerThread
        /// The wait was on the last thread that could run jobs of the pool of that name, and the awaited chain needs
        /// the pool.
        case exhaustedPool(String)
        /// The wait was on the only thread that delivers the outcome, such as that of a session's `delegateQueue`.
        case deliveryThread
    }

    /// Why the wait was refused.
    public var reason: Reason
    /// The call site of the wait.
    public var site: CodeLocation
    /// The call site of the launch or of the promise that was to be awaited; for a wait without a promise, its own.
    public var awaitedSite: CodeLocation
    /// What was to be awaited, such as `GET host/path`; nil for a promise.
    public var awaitedName: String?

    /// Describes a refused wait.
    public init(reason: Reason, site: CodeLocation, awaitedSite: CodeLocation) {
        self.reason = reason
        self.site = site
        self.awaitedSite = awaitedSite
    }

    /// Describes a refused wait for something that is not a promise.
    package init(_ reason: Reason, awaiting name: String, file: StaticString, line: UInt) {
        let site = CallSite(fileID: file, line: line).site
        self.init(reason: reason, site: site, awaitedSite: site)
        awaitedName = name
    }

    /// What happened, what it means, and what to do instead.
    public var description: String { "\(whatHappened) \(whatItMeans) \(whatToDo)" }

    private var whatHappened: String {
        let thread =
            switch reason {
            case .mainThread: "on the main thread"
            case .serialExecutor(let name): "on the serial executor \"\(name)\""
            case .ownHandler: "inside a handler that it waits for itself"
            case .task: "in a task"
            case .timerThread: "on the thread that fires all timers"
            case .exhaustedPool(let name): "on the last thread of the pool \"\(name)\" that does not wait already"
            case .deliveryThread: "on the only thread that delivers the outcome"
            }
        let awaited = awaitedName ?? "what was started at \(awaitedSite)"
        return "The wait at \(site) for \(awaited) was refused: it is \(thread)."
    }

    private var whatItMeans: String {
        switch reason {
        case .mainThread:
            "Until the outcome comes nothing else could run there, neither the user interface nor main-queue handlers."
        case .serialExecutor:
            "The awaited chain needs that executor, which runs one handler at a time: a deadlock."
        case .ownHandler:
            "The outcome needs the end of the handler, which would wait for the outcome: a deadlock."
        case .task:
            "All tasks share as many threads as there are processors: if those are blocked, no task runs."
        case .timerThread:
            "An inline handler of a timer runs there, and no other timer fires until it returns."
        case .exhaustedPool:
            "The awaited chain needs a thread of the pool, which has its maximum of threads, and all others wait."
        case .deliveryThread:
            "The outcome could not be delivered while the thread waits: a deadlock."
        }
    }

    private var whatToDo: String {
        switch reason {
        case .mainThread:
            "Instead use onCompletion { } or then { }, `try await value` in a task, or wait on another thread."
        case .serialExecutor:
            "Instead return the promise or chain from the handler, use onCompletion { }, or wait on another executor."
        case .ownHandler:
            "Instead return the value from the handler, and wait outside of the chain."
        case .task:
            awaitedName == nil ? "Instead use `try await value`." : "Instead `try await` the value of a promise."
        case .timerThread:
            "Instead return the promise from the handler, or run the handler on another executor (on:)."
        case .exhaustedPool:
            "Instead return the promise from the handler, without a nested wait."
        case .deliveryThread:
            "Instead use a promise, or wait on another thread."
        }
    }
}
