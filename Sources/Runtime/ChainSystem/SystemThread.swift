// SPDX-License-Identifier: MIT

import CChainRuntime

/// A started thread, to be joined or detached once.
package struct SystemThread: Sendable {
    /// The signals that are handled on a thread.
    package enum Signals: Sendable {
        /// Only faults, because the thread runs only code of this package, except in
        /// ``SystemThread/runningProgram(_:)``.
        case blocked
        /// The signals of the starting thread, because the new thread runs code of the program. If the starting thread
        /// is ``blocked``, the signals of the program's thread that started the starting thread, directly or through
        /// other threads.
        case inherited
    }

    private let handle: UInt

    /// Starts a thread; nil if the system has no thread left.
    ///
    /// - Parameters:
    ///   - name: at most 15 bytes are used.
    ///   - signals: which signals are handled on the thread, from its first instruction on.
    package init?(_ name: String, signals: Signals = .blocked, _ body: @escaping @Sendable () -> Void) {
        final class Start {
            let body: @Sendable () -> Void
            init(_ body: @escaping @Sendable () -> Void) { self.body = body }
        }
        let start = Unmanaged.passRetained(Start(body))
        var handle: UInt = 0
        let isStarted = chain_thread_start(
            name, signals == .blocked,
            { context in Unmanaged<Start>.fromOpaque(context!).takeRetainedValue().body() }, start.toOpaque(), &handle)
        guard isStarted else {
            start.release()
            return nil
        }
        self.handle = handle
    }

    /// Starts a detached thread; returns false if the system has no thread left.
    package static func detached(
        _ name: String, signals: Signals = .blocked, _ body: @escaping @Sendable () -> Void
    ) -> Bool {
        guard let thread = SystemThread(name, signals: signals, body) else { return false }
        thread.detach()
        return true
    }

    /// Returns whether the system can start so many threads now. Starts them, and waits for their end.
    package static func canStart(_ count: Int) -> Bool {
        let gate = Semaphore()
        var threads: [SystemThread] = []
        while threads.count < count, let thread = SystemThread("chain-try", { gate.wait() }) { threads.append(thread) }
        for _ in threads { gate.signal() }
        for thread in threads { thread.join() }
        return threads.count == count
    }

    /// Calls `start`, which starts a thread, until it returns true, because the system may have no thread left for a
    /// while. Blocks for at most five seconds, then returns false. Returns false earlier if the thread is no longer
    /// needed.
    package static func retryStarting(while isNeeded: () -> Bool = { true }, _ start: () -> Bool) -> Bool {
        for _ in 0..<50 {
            if start() { return true }
            guard isNeeded() else { return false }
            sleep(nanoseconds: 100_000_000)
        }
        return false
    }

    /// Whether this is the calling thread.
    package var isCurrent: Bool { chain_thread_is(handle) }

    /// Waits for the end of the thread; on the thread itself, only detaches it.
    package func join() {
        if isCurrent { detach() } else { chain_thread_join(handle) }
    }

    /// Detaches the thread: its memory is freed when it ends.
    package func detach() { chain_thread_detach(handle) }

    // MARK: The calling thread

    /// Runs `body`, which may call code of the program. On a ``Signals/blocked`` thread, the signals of an
    /// ``Signals/inherited`` thread are handled while `body` runs, because programs that `body` starts inherit the
    /// mask.
    package static func runningProgram<Result>(_ body: () throws -> Result) rethrows -> Result {
        let isChanged = chain_thread_begin_program()
        defer { if isChanged { chain_thread_end_program() } }
        return try body()
    }

    /// Yields the processor to another thread.
    package static func yield() { sched_yield() }

    /// Suspends the calling thread for a time of less than a second, or until a signal is handled.
    package static func sleep(nanoseconds: Int) {
        var time = timespec(tv_sec: 0, tv_nsec: nanoseconds)
        nanosleep(&time, nil)
    }

    /// Whether the calling thread is the one that the process began with.
    package static var isMain: Bool {
        #if os(Linux)
            chain_thread_id() == UInt32(bitPattern: getpid())
        #else
            pthread_main_np() != 0
        #endif
    }

    /// How many processors the calling thread may use, at least 1. Under `taskset`, or in a container with a set of
    /// processors, the number is less than the machine's.
    package static var processorCount: Int { max(1, Int(chain_processor_count())) }
}
