import Foundation

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
        signal(SIGPIPE, SIG_IGN)
        guard !write(text, to: STDOUT_FILENO) else { return }
        // A reader that has seen enough (`head`) ends chainview as it ends other commands: without a word.
        if errno == EPIPE { Signals.raiseAgain(SIGPIPE) }
        throw Failure(
            status: .inputOutput, message: "standard output takes no more (\(DisplayText.system())).")
    }

    /// Writes to standard error, whatever state it is in.
    static func say(_ text: String) { write(text, to: STDERR_FILENO) }

    /// Says a sentence of chainview's on standard error. What other programs and users wrote may be in it.
    static func complain(_ sentence: String) { say("chainview: \(DisplayText.shown(sentence))\n") }

    /// Writes all of a text to a descriptor; false where that fails, as it does when the reader is gone.
    @discardableResult
    static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    /// Writes bytes to a descriptor; false where that fails.
    @discardableResult
    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { write($0, to: descriptor) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes
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
