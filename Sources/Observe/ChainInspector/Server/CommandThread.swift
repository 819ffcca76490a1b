// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem

/// A thread that carries out viewers' commands, one after another; the first command starts it. It is not the server's
/// thread, because a cancellation runs handlers of the inline executor, which may be slow.
final class CommandThread: Sendable {
    struct QueuedCommand: Sendable {
        /// The id of the connection that gets the answer.
        var connection: UInt64
        var command: ViewerCommand
        /// The connection's subscription to batches, if its viewer watches.
        var subscription: BatchSubscription?
    }

    private final class Work: Sendable {
        struct State {
            var commands: [QueuedCommand] = []
            var isStopped = false
        }

        let state = Lock(State())
        let hasCommands = Semaphore()
        let hasEnded = Semaphore()
        let perform: @Sendable (QueuedCommand) -> Void

        init(_ perform: @escaping @Sendable (QueuedCommand) -> Void) { self.perform = perform }

        func run() {
            while !state.withLock({ $0.isStopped }) {
                hasCommands.wait()
                let command = state.withLock { state in
                    state.isStopped || state.commands.isEmpty ? nil : state.commands.removeFirst()
                }
                if let command { SystemThread.runningProgram { perform(command) } }
            }
            hasEnded.signal()
        }
    }

    private let work: Work
    private let thread = Lock<SystemThread?>(nil)

    init(_ perform: @escaping @Sendable (QueuedCommand) -> Void) { work = Work(perform) }

    /// Enqueues a command; returns false where the thread cannot be started.
    func enqueue(_ command: QueuedCommand) -> Bool {
        let isRunning = thread.withLock { thread in
            if thread == nil { thread = SystemThread("chainview-cmd") { [work] in work.run() } }
            return thread != nil
        }
        guard isRunning else { return false }
        work.state.withLock { $0.commands.append(command) }
        work.hasCommands.signal()
        return true
    }

    /// Drops the queued commands and ends the thread after the present command. Waits for the end, but at most `limit`
    /// nanoseconds, because a handler may never return. No command may be enqueued afterwards.
    func stop(limit: UInt64) {
        guard let thread = thread.withLock({ $0.take() }) else { return }
        work.state.withLock { state in
            state.isStopped = true
            state.commands = []
        }
        work.hasCommands.signal()
        thread.join(after: work.hasEnded, limit: limit)
    }
}
