// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainSystem
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The destination of the dumps that a signal requests.
public enum DumpTarget: Hashable, Sendable {
    /// The program's standard error.
    case standardError
    /// A descriptor of the program's, which it keeps open until the inspector has stopped.
    case descriptor(Int32)
    /// A file to which each dump is appended; a missing one is created with mode 0600.
    case file(String)
}

/// A thread that writes a dump after a signal; the signal handler only wakes the thread. Up to 64 signals that arrive
/// during a dump cause one more dump together.
final class DumpSignalThread: Sendable {
    private final class Work: Sendable {
        let signal: Int32
        let target: DumpTarget
        let isStopped = Atomic<Bool>(false)
        /// Returns the text to write; nil if there is no text, or if the closure has written the dump itself.
        let dump: @Sendable () -> String?

        init(_ signal: Int32, _ target: DumpTarget, _ dump: @escaping @Sendable () -> String?) {
            self.signal = signal
            self.target = target
            self.dump = dump
        }

        func run() {
            while chain_signal_wait(signal) == 0 {
                guard let text = dump() else { continue }
                write(text)
            }
        }

        private func write(_ text: String) {
            let isOver = { self.isStopped.load(ordering: .relaxed) }
            switch target {
            case .standardError: _ = writeAll(text, to: 2, until: isOver)
            case .descriptor(let descriptor): _ = writeAll(text, to: descriptor, until: isOver)
            case .file(let path):
                // Opened without waiting for the reader of a FIFO.
                let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
                let descriptor = open(path, flags, 0o600)
                let isWritten = descriptor >= 0 && writeAll(text, to: descriptor, until: isOver)
                let failure = ServerFailure("chainview: a dump could not be written to \(path)", SystemError())
                if descriptor >= 0 { close(descriptor) }
                if !isWritten { _ = writeAll(failure.sentence + "\n", to: 2, until: isOver) }
            }
        }
    }

    private let work: Work
    private let thread: SystemThread
    private let generation = chain_fork_generation()

    /// Watches for the signal until ``stop()``. `dump` is called on a thread that blocks all signals.
    init(_ signal: Int32, target: DumpTarget, dump: @escaping @Sendable () -> String?) throws(InspectorError) {
        let failure = chain_signal_watch(signal)
        guard failure == 0 else { throw .dumpSignal(signal, errorNumber: failure) }
        let work = Work(signal, target, dump)
        guard let thread = SystemThread("chain-dump", { work.run() }) else {
            chain_signal_end(signal)
            chain_signal_close(signal)
            throw .noThread
        }
        self.work = work
        self.thread = thread
    }

    /// Restores the signal's action, ends the thread and waits for it. A dump under way is completed while its reader
    /// reads; once the reader stops, the wait ends within a fifth of a second. In a child of a fork, which has no
    /// such thread, it does not wait. To be called once.
    func stop() {
        work.isStopped.store(true, ordering: .relaxed)
        chain_signal_end(work.signal)
        guard generation == chain_fork_generation() else { return }
        thread.join()
        chain_signal_close(work.signal)
    }
}

/// Writes a text in pieces of 4,096 bytes, which a pipe that is ready takes without blocking. Returns false, with
/// `errno` set, after an error, or after 5 s without progress. Once `isOver` returns true, 100 ms without progress
/// suffice.
private func writeAll(_ text: String, to descriptor: Int32, until isOver: () -> Bool) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
        var (written, timeouts) = (0, 0)
        while written < bytes.count {
            var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            let count = poll(&ready, 1, 100)
            if count < 0, errno != EINTR { return false }
            guard count > 0 else {
                timeouts += 1
                guard timeouts < 50, !isOver() else {
                    errno = EAGAIN
                    return false
                }
                continue
            }
            let result = write(descriptor, bytes.baseAddress! + written, min(bytes.count - written, 4096))
            if result < 0, errno != EINTR, errno != EAGAIN { return false }
            if result > 0 { (written, timeouts) = (written + result, 0) }
        }
        return true
    }
}
