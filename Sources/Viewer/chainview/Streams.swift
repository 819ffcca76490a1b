// SPDX-License-Identifier: MIT

import Foundation

/// Unbuffered standard output and standard error.
enum Streams {
    /// Opens closed standard streams so that reading and writing them fails, and no later file gets their numbers.
    static func fillClosed() {
        for (descriptor, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where fcntl(descriptor, F_GETFD) < 0 {
            _ = open("/dev/null", mode)
        }
    }

    /// Writes a text to standard output. Ends the process by SIGPIPE if the reader has closed the pipe.
    static func print(_ text: String) throws {
        signal(SIGPIPE, SIG_IGN)
        guard !write(text, to: STDOUT_FILENO) else { return }
        // Ends silently, as other commands do when a reader such as `head` closes the pipe.
        if errno == EPIPE { Signals.raiseAgain(SIGPIPE) }
        throw Failure(
            status: .inputOutput, message: "cannot write to standard output (\(DisplayText.system())).")
    }

    /// Writes a sentence to standard error, escaped, because texts of other programs may be in it.
    static func printError(_ sentence: String) {
        write("chainview: \(DisplayText.shown(sentence))\n", to: STDERR_FILENO)
    }

    /// Writes a whole text to a descriptor. Returns false if that fails, as when the reader is gone.
    @discardableResult
    static func write(_ text: String, to descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { write(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    /// Writes bytes to a descriptor. Returns false if that fails.
    @discardableResult
    static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { write($0, to: descriptor) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN {
                // A program that shares the descriptor may have made it non-blocking: waits at most 5 s for room.
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

/// A buffer for standard output, written in pieces of some 64 KiB, because a tree may have a million lines.
struct OutputBuffer {
    private var buffered = ""

    /// Appends a text, and writes the buffered text once it exceeds 64 KiB.
    mutating func add(_ text: String) throws {
        buffered += text
        if buffered.utf8.count > 1 << 16 { try flush() }
    }

    /// Writes the buffered text.
    mutating func flush() throws {
        guard !buffered.isEmpty else { return }
        try Streams.print(buffered)
        buffered = ""
    }
}
