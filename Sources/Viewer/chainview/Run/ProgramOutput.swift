// SPDX-License-Identifier: MIT

import ChainSystem
import Foundation
import Synchronization

/// The output of a program while the dashboard has the terminal: kept within a limit, shown in the pane, and written to
/// this process's standard output and error when the dashboard closes.
final class ProgramOutput: Sendable {
    /// The stream that bytes came through.
    enum Stream: Int32, Sendable {
        case standard = 1
        case error = 2
    }

    private struct State {
        var kept: BoundedOutput
        var lines = OutputLines()
        var isPassing = false
        var isFinishing = false
    }

    private let state: Mutex<State>
    private let pipes: [(read: Int32, stream: Stream)]
    private let wakePipe: (read: Int32, write: Int32)
    private let isDone = Semaphore()
    private let wake: @Sendable () -> Void

    /// The maximum number of bytes that are kept until the dashboard closes.
    static let limit = 16 << 20
    /// The number of bytes at which reading stops after the program's end: more than the pipes hold. Limited, because a
    /// process that the program left behind may go on writing.
    private static let restLimit = 2 << 20

    /// Opens pipes and starts to read them.
    ///
    /// - Parameter wake: called on another thread when bytes have come.
    /// - Returns: the output, and the ends of the pipes for the program to write to.
    static func open(
        limit: Int = limit, wake: @escaping @Sendable () -> Void
    ) throws -> (ProgramOutput, (standard: Int32, error: Int32)) {
        var opened: [(read: Int32, write: Int32)] = []
        do {
            for _ in 0..<3 { opened.append(try openPipe()) }
        } catch {
            for pair in opened { close(pair.read); close(pair.write) }
            throw error
        }
        let output = ProgramOutput(
            [(opened[0].read, .standard), (opened[1].read, .error)], opened[2], limit: limit, wake: wake)
        return (output, (opened[0].write, opened[1].write))
    }

    /// Opens a pipe with descriptors from 10 on, so that it does not take the number of a closed standard stream.
    private static func openPipe() throws -> (read: Int32, write: Int32) {
        func failure() -> Failure {
            let reason = DisplayText.system()
            return Failure(status: .inputOutput, message: "cannot open a pipe for the program's output (\(reason)).")
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw failure() }
        defer { for end in ends { close(end) } }
        let read = fcntl(ends[0], F_DUPFD_CLOEXEC, 10)
        guard read >= 0 else { throw failure() }
        let write = fcntl(ends[1], F_DUPFD_CLOEXEC, 10)
        guard write >= 0 else {
            let failure = failure()
            close(read)
            throw failure
        }
        return (read, write)
    }

    private init(
        _ pipes: [(read: Int32, stream: Stream)], _ wakePipe: (read: Int32, write: Int32), limit: Int,
        wake: @escaping @Sendable () -> Void
    ) {
        self.pipes = pipes
        self.wakePipe = wakePipe
        self.wake = wake
        state = Mutex(State(kept: BoundedOutput(limit: limit)))
        Signals.startThread("chainview.output") { [self] in read() }
    }

    func lastLines(_ count: Int) -> [OutputLines.Line] { state.withLock { $0.lines.last(count) } }

    var lineCount: Int { state.withLock { $0.lines.count } }
    /// The number of bytes received before ``pass()``.
    var byteCount: UInt64 { state.withLock { $0.lines.byteCount } }

    /// Writes the kept output to this process's streams, and then passes on later output as it comes.
    func pass() { change { $0.isPassing = true } }

    /// Writes the rest of the output after the program's end, and returns when it is written. Later output of processes
    /// that the program started is lost.
    func finish() {
        change { ($0.isPassing, $0.isFinishing) = (true, true) }
        isDone.wait()
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { body(&$0) }
        var byte: UInt8 = 0
        while write(wakePipe.write, &byte, 1) < 0, errno == EINTR {}
    }

    private func read() {
        var open = pipes
        var (isPassing, isFinishing) = (false, false)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var rest = Self.restLimit
        while !(isFinishing && (open.isEmpty || rest <= 0)) {
            var fds = open.map { pollfd(fd: $0.read, events: Int16(POLLIN), revents: 0) }
            fds.append(pollfd(fd: wakePipe.read, events: Int16(POLLIN), revents: 0))
            let ready = poll(&fds, nfds_t(fds.count), isFinishing ? 0 : -1)
            if ready == 0 { break }
            guard ready > 0 else { continue }
            var closed: Set<Int32> = []
            for (index, pipe) in open.enumerated() where fds[index].revents != 0 {
                let count = Foundation.read(pipe.read, &buffer, buffer.count)
                if count > 0 {
                    if isFinishing { rest -= count }
                    receive(buffer[..<count], pipe.stream, isPassing: isPassing)
                } else if count == 0 || errno != EINTR {
                    closed.insert(pipe.read)
                }
            }
            open.removeAll { closed.contains($0.read) }
            if fds[fds.count - 1].revents != 0 {
                _ = Foundation.read(wakePipe.read, &buffer, buffer.count)
                let now = state.withLock { ($0.isPassing, $0.isFinishing) }
                if now.0, !isPassing { replay() }
                (isPassing, isFinishing) = now
            }
        }
        isDone.signal()
    }

    private func receive(_ bytes: ArraySlice<UInt8>, _ stream: Stream, isPassing: Bool) {
        if isPassing {
            Streams.write(bytes, to: stream.rawValue)
            return
        }
        state.withLock { state in
            state.kept.append(bytes, stream)
            state.lines.append(bytes, isError: stream == .error)
        }
        wake()
    }

    private func replay() {
        let kept = state.withLock { state in
            defer { state.kept = BoundedOutput(limit: 0) }
            return state.kept
        }
        for chunk in kept.chunks { Streams.write(chunk.bytes[...], to: chunk.stream.rawValue) }
    }
}
