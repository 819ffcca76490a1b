// SPDX-License-Identifier: MIT

import ChainSystem

/// A child process that carries bytes: its standard input and output are one socket, its standard error another.
/// Killed and reaped by ``end()``, or when it is released.
final class ChildProcess: Sendable {
    let socket: Descriptor
    private let errors: Descriptor
    private let pid: pid_t
    /// The last bytes of its standard error.
    private let tail = Lock<[UInt8]>([])
    /// How the process ended, once it was reaped.
    private let ending = Lock<ProgramEnding?>(nil)

    /// The maximum number of bytes in ``tail``.
    private static let tailLimit = 4096

    /// Starts a program: a path, or a name that is looked up in `PATH`. The process has a session of its own, so that
    /// it neither reads from the terminal nor prompts there.
    init(_ program: String, _ arguments: [String]) throws(AttachError) {
        let (theirSocket, theirErrors): (Descriptor, Descriptor)
        do {
            (socket, theirSocket) = try Descriptor.pair()
            (errors, theirErrors) = try Descriptor.pair()
        } catch { throw AttachError.system("open a pair of sockets", error) }
        // Made blocking, because the program may not expect descriptors that never block.
        for end in [theirSocket.number, theirErrors.number] {
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) & ~O_NONBLOCK)
        }
        var start = ProgramStart(program, arguments: [program] + arguments)
        start.searchesPath = true
        start.group = .session
        start.descriptors = [(theirSocket.number, 0), (theirSocket.number, 1), (theirErrors.number, 2)]
        do {
            pid = try start.run()
        } catch { throw AttachError(.system, "\(program) cannot be started: \(error)") }
        withExtendedLifetime((theirSocket, theirErrors)) {}
    }

    deinit { _ = end() }

    /// The entry of its standard error for `poll`.
    var pollEntry: pollfd { errors.pollEntry() }

    /// Reads the available bytes of its standard error; returns false once the standard error has ended.
    func readErrors() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Self.tailLimit, alignment: 1) { buffer in
            while true {
                switch errors.receive(into: buffer) {
                case .moved(let count):
                    tail.withLock { tail in
                        tail += buffer[..<count]
                        tail.removeFirst(max(0, tail.count - Self.tailLimit))
                    }
                case .wouldBlock: return true
                case .end, .failed: return false
                }
            }
        }
    }

    /// The last line of its standard error that chainview wrote, else the last one that is not empty. Commands such as
    /// `kubectl exec` add a line with the exit code.
    var lastLine: String? {
        _ = readErrors()
        let lines = tail.withLock { String(decoding: $0, as: UTF8.self) }.split(whereSeparator: \.isNewline)
        return (lines.last { $0.hasPrefix("chainview: ") } ?? lines.last { !$0.allSatisfy(\.isWhitespace) })
            .map(String.init)
    }

    /// Kills its process group, and waits for its end. Returns its exit code, or nil if a signal ended it or the
    /// ending is unknown. A process that is exiting already keeps its exit code.
    func end() -> Int32? {
        let ending = ending.withLock { known in
            if let known { return known }
            kill(-pid, SIGKILL)
            let ending = ProgramEnding.wait(for: pid)
            known = ending
            return ending
        }
        return if case .exited(let code) = ending { code } else { nil }
    }
}
