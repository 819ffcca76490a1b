import Foundation

/// The exit codes of sysexits.h that chainview uses (DESIGN §9).
enum ExitStatus: Int32 {
    case usage = 64
    case noInput = 66
    case defect = 70
    case inputOutput = 74
}

/// Why chainview ends: one sentence that says what is wrong and what to do, and an exit code.
struct Failure: Error, CustomStringConvertible {
    var status: ExitStatus
    var message: String

    var description: String { message }

    /// Says it on standard error and ends the process.
    func exit() -> Never {
        Streams.say("chainview: \(message)\n")
        Foundation.exit(status.rawValue)
    }
}

/// Standard output and standard error, past all buffers.
enum Streams {
    /// Gives a standard stream that is closed a descriptor that fails, lest the next file that is opened take its place.
    static func fillClosed() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", mode)
        }
    }

    /// Writes a text to standard output, or throws the failure that says why not.
    static func print(_ text: String) throws {
        // A reader that has gone is told as any other failure.
        signal(SIGPIPE, SIG_IGN)
        guard write(text, to: STDOUT_FILENO) else {
            throw Failure(
                status: .inputOutput, message: "standard output takes no more (\(String(cString: strerror(errno)))).")
        }
    }

    /// Writes to standard error, whatever state it is in.
    static func say(_ text: String) { write(text, to: STDERR_FILENO) }

    /// Writes all of a text to a descriptor; false where that fails, as it does when the reader is gone.
    @discardableResult
    static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                #if canImport(Glibc)
                    let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                #else
                    let count = Darwin.write(descriptor, rest.baseAddress, rest.count)
                #endif
                if count < 0 && errno == EINTR { continue }
                if count < 0 && errno == EAGAIN {
                    // A descriptor shared with a program that made it non-blocking: wait for room, but not for ever.
                    var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    if poll(&wait, 1, 5_000) > 0 { continue }
                    return false
                }
                if count <= 0 { return false }
                rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
            return true
        }
    }
}

/// Signals of this process.
enum Signals {
    /// Started from a thread of Swift's or Dispatch's, a program inherits a blocked signal mask (DESIGN §12).
    static func resetMask() {
        var none = sigset_t()
        sigemptyset(&none)
        sigprocmask(SIG_SETMASK, &none, nil)
    }

    /// Ends the process as the signal would have ended it: who started chainview sees what happened.
    static func raiseAgain(_ signal: Int32) -> Never {
        Foundation.signal(signal, SIG_DFL)
        resetMask()
        raise(signal)
        Foundation.exit(128 + signal)
    }
}
