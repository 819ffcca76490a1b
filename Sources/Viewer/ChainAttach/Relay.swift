// SPDX-License-Identifier: MIT

import ChainSystem

/// The remote half of `ssh:` and `exec:`: copies bytes between a program's socket and two descriptors, on the program's machine.
package enum Relay {
    /// Connects to a process of this machine and copies both ways until one end closes. Bytes that the closed end had
    /// sent are still delivered. Bytes on their way to that end are dropped. Ignores SIGPIPE from now on, in the whole
    /// process, because the relay is for a command that does nothing else.
    ///
    /// - Parameter target: a pid, a name or a Unix socket; other targets are refused.
    package static func run(
        to target: Target, discovery: Discovery = Discovery(), input: Int32 = 0, output: Int32 = 1
    ) throws(AttachError) {
        switch target {
        case .pid, .name, .unix: break
        case .tcp, .ssh, .exec:
            throw AttachError(
                .refused, "A relay reaches processes on its own machine only, and \(target) is on another one")
        }
        signal(SIGPIPE, SIG_IGN)
        let socket = try discovery.resolve(target).open().socket
        let flags = [input, output].map { (descriptor: $0, flags: fcntl($0, F_GETFL)) }
        for (descriptor, flags) in flags { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
        // Restored, because the shell may share these descriptors.
        defer { for (descriptor, flags) in flags { _ = fcntl(descriptor, F_SETFL, flags) } }
        let toProgram = Stream(from: input, to: socket.number)
        let fromProgram = Stream(from: socket.number, to: output)
        // A program that takes no more bytes may have sent some: they are delivered until it has closed, too.
        while fromProgram.end == nil, toProgram.end != .ofSource {
            // Each direction waits to read or, with bytes left, to write. A closed output is noticed in any case.
            var entries = [toProgram.pollEntry, fromProgram.pollEntry, pollfd(fd: output, events: 0, revents: 0)]
            SystemPollClock().poll(&entries, until: nil)
            toProgram.transfer()
            fromProgram.transfer()
            if entries[2].revents != 0 { break }
        }
        withExtendedLifetime(socket) {}
    }

    /// One direction of the relay, with a buffer for one read.
    private final class Stream {
        private let source: Int32
        private let destination: Int32
        private var bytes: [UInt8] = []
        private var start = 0
        /// Which descriptor has closed or failed; nil while bytes can be copied.
        private(set) var end: End?

        enum End { case ofSource, ofDestination }

        init(from source: Int32, to destination: Int32) {
            self.source = source
            self.destination = destination
        }

        var isEmpty: Bool { start == bytes.count }

        /// What the direction waits for: nothing after its end.
        var pollEntry: pollfd {
            guard end == nil else { return pollfd(fd: -1, events: 0, revents: 0) }
            return isEmpty
                ? pollfd(fd: source, events: Int16(POLLIN), revents: 0)
                : pollfd(fd: destination, events: Int16(POLLOUT), revents: 0)
        }

        /// Writes the buffer and reads again, as long as neither blocks; at most 16 times, so that the other direction
        /// has its turn.
        func transfer() {
            for _ in 0..<16 where end == nil {
                if isEmpty {
                    start = 0
                    let source = source
                    bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
                        count = max(0, retryingInterrupts { read(source, buffer.baseAddress, buffer.count) })
                        if count == 0, !isBlocked { end = .ofSource }
                    }
                }
                guard !isEmpty else { return }
                let count = bytes.withUnsafeBytes { bytes in
                    retryingInterrupts { write(destination, bytes.baseAddress! + start, bytes.count - start) }
                }
                guard count > 0 else {
                    if !isBlocked { end = .ofDestination }
                    return
                }
                start += count
            }
        }

        /// Whether the last call failed because it would block.
        private var isBlocked = false

        /// Calls again after EINTR; notes whether the call would block.
        private func retryingInterrupts(_ call: () -> Int) -> Int {
            while true {
                let count = call()
                if count < 0, errno == EINTR { continue }
                isBlocked = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)
                return count
            }
        }
    }
}
