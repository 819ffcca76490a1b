import ChainEvents
import ChainModel
import ChainWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

private let systemPoll = poll

/// A viewer on a blocking connection. A read or write that takes over four minutes fails.
public final class TestViewer {
    /// The program has closed the connection, or has sent nothing for four minutes.
    public struct Ended: Error {
        /// The program's farewell, if it sent one.
        public let farewell: Goodbye?
        /// Whether the connection is open, but nothing came in time.
        public let isSilent: Bool
    }

    /// No program listens, or the viewer may not attach.
    public struct NotConnected: Error {
        /// The `errno` of `connect`.
        public let errorNumber: Int32
    }

    /// The viewer's end of the connection.
    public let descriptor: Int32
    private var reader = MessageReader(limit: Wire.programMessageLimit)
    /// The program's hello, once it was read.
    public private(set) var hello: Hello?
    /// The program's chains, from the batches read so far; nil before the hello.
    public private(set) var forest: ChainForest?
    /// The replies to the viewer's commands, in order.
    public private(set) var replies: [CommandReply] = []
    private var goodbye: Goodbye?
    /// The number of batches read so far.
    public private(set) var batchCount = 0

    /// Connects to an inspector's address: `unix:PATH` or `tcp:HOST:PORT`.
    public init(_ address: String) throws {
        let (family, rest) =
            address.hasPrefix("unix:") ? (AF_UNIX, address.dropFirst(5)) : (AF_INET, address.dropFirst(4))
        #if canImport(Darwin)
            descriptor = socket(family, SOCK_STREAM, 0)
        #else
            descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var limit = timeval(tv_sec: 240, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let result =
            family == AF_UNIX ? open(unix: String(rest)) : open(tcp: rest.split(separator: ":").map(String.init))
        guard result == 0 else { throw NotConnected(errorNumber: errno) }
    }

    deinit { close(descriptor) }

    private func open(unix path: String) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private func open(tcp hostAndPort: [String]) -> Int32 {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(hostAndPort[1])!.bigEndian
        inet_pton(AF_INET, hostAndPort[0], &address.sin_addr)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    // MARK: Sending

    /// Sends bytes, all of them unless the connection ends.
    public func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { Self.send(descriptor, $0) }
            guard count > 0 else { return }
            sent += Int(count)
        }
    }

    private static func send(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.send(socket, bytes.baseAddress!, bytes.count, 0)
        #else
            Glibc.send(socket, bytes.baseAddress!, bytes.count, Int32(MSG_NOSIGNAL))
        #endif
    }

    /// Sends a message, with the preamble of a stream before it if `preamble` is true.
    public func say(_ message: Message, preamble: Bool = false) throws {
        var writer = MessageWriter()
        if preamble { writer.writePreamble() }
        try writer.write(message)
        send(writer.bytes)
    }

    /// Sends the viewer's hello, and reads until the program's comes.
    @discardableResult
    public func greet(_ greeting: ClientHello = ClientHello(purpose: .watch)) throws -> Hello {
        try say(.greeting(greeting), preamble: true)
        while hello == nil { _ = try next() }
        return hello!
    }

    /// Sends a command, and reads until its reply comes.
    @discardableResult
    public func ask(_ request: ViewerCommand.Request, id: UInt64 = 1, process: ProcessKey? = nil) throws
        -> CommandReply.Outcome
    {
        try say(.command(ViewerCommand(id: id, process: process ?? hello!.process.key, request: request)))
        while true {
            if let reply = replies.first(where: { $0.command == id }) { return reply.outcome }
            _ = try next()
        }
    }

    /// Closes the sending half of the connection.
    public func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    // MARK: Receiving

    /// Whether nothing can be read now: neither bytes nor the end of the connection.
    public var isSilent: Bool {
        var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return systemPoll(&poll, 1, 0) == 0
    }

    /// Returns the next message, with its batch applied or its reply kept. Throws ``Ended`` at the end.
    public func next() throws -> Message {
        while true {
            if let message = try reader.next() {
                take(message)
                return message
            }
            var bytes = [UInt8](repeating: 0, count: 64 << 10)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            // The system does not restart a call with a time limit after a signal's handler.
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw Ended(farewell: goodbye, isSilent: count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            }
            bytes.withUnsafeBytes { reader.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
    }

    private func take(_ message: Message) {
        switch message {
        case .hello(let hello):
            self.hello = hello
            forest = ChainForest(process: hello.process.key)
        case .batch(let batch):
            batchCount += 1
            forest?.apply(batch)
        case .reply(let reply): replies.append(reply)
        case .farewell(let farewell): goodbye = farewell
        default: break
        }
    }

    /// Reads until the forest satisfies the condition.
    public func watch(until condition: (ChainForest) -> Bool) throws {
        while forest.map({ !condition($0) }) ?? true { _ = try next() }
    }

    /// Reads to the end of the connection, and returns the farewell, or nil without one.
    public func farewell() -> Goodbye? {
        while (try? next()) != nil {}
        return goodbye
    }
}

// SPDX-License-Identifier: MIT
