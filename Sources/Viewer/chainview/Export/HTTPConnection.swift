// SPDX-License-Identifier: MIT

import ChainSystem
import Foundation

/// The reason why a request got no answer.
struct HTTPFailure: Error, Hashable, CustomStringConvertible {
    /// How far the request came.
    enum Progress {
        /// No connection was made.
        case unsent
        /// The server closed the connection before the first byte of an answer.
        case closed
        /// The server may have processed the request.
        case uncertain
    }

    var description: String
    var progress = Progress.unsent
}

/// A connection to a server, which is kept between requests. Requests are sent one at a time.
final class HTTPConnection {
    private let url: CollectorURL
    private let agent: String
    private let limit: SendLimit
    private let clock: () -> ContinuousClock.Instant
    private let search: @Sendable () -> NameLookup.Found
    private var socket: Descriptor?
    /// The search for the server's addresses, while one is made.
    private var lookup: NameLookup?

    /// The time limit of looking up the server's name, of connecting to one address, and also of sending a request and
    /// receiving its whole answer.
    private static let limit: Duration = .seconds(10)
    /// The longest wait without a look at ``SendLimit``, which a signal changes.
    private static let slice: Duration = .milliseconds(100)

    /// - Parameters:
    ///   - agent: the name in the header `User-Agent`.
    ///   - limit: ends every wait.
    ///   - clock: returns the present moment.
    ///   - search: returns the server's addresses; called on another thread.
    init(
        _ url: CollectorURL, agent: String, limit: SendLimit,
        clock: @escaping () -> ContinuousClock.Instant = { .now },
        search: (@Sendable () -> NameLookup.Found)? = nil
    ) {
        self.url = url
        self.agent = agent
        self.limit = limit
        self.clock = clock
        self.search = search ?? { NameLookup.search(url.host, port: url.port) }
    }

    /// Posts JSON; returns the answer, whatever its status.
    func post(_ text: String) throws(HTTPFailure) -> HTTPReply {
        let head =
            "POST \(url.path) HTTP/1.1\r\nHost: \(url.authority)\r\nUser-Agent: \(agent)\r\nConnection: keep-alive\r\n"
            + "Content-Type: application/json\r\nContent-Length: \(text.utf8.count)\r\n\r\n"
        let request = Array((head + text).utf8)
        if let kept = socket {
            do throws(HTTPFailure) { return try exchange(request, over: kept) } catch {
                // The request is sent again only if the server has closed the idle connection. Otherwise the server may
                // have processed the request.
                guard error.progress == .closed else { throw error }
            }
        }
        return try exchange(request, over: try connect())
    }

    /// Sends a request, and reads its answer. The connection is kept only after a whole answer that does not end it.
    private func exchange(_ request: [UInt8], over connection: Descriptor) throws(HTTPFailure) -> HTTPReply {
        socket = nil
        let deadline = clock() + Self.limit
        try send(request, over: connection, until: deadline)
        let reply = try receive(over: connection, until: deadline)
        if !reply.endsConnection { socket = connection }
        return reply
    }

    private func send(
        _ request: [UInt8], over socket: Descriptor, until deadline: ContinuousClock.Instant
    ) throws(HTTPFailure) {
        var sent = 0
        while sent < request.count {
            try check(deadline)
            switch request.withUnsafeBytes({ socket.send(UnsafeRawBufferPointer(rebasing: $0[sent...])) }) {
            case .moved(let count): sent += count
            case .wouldBlock: try wait(for: socket, POLLOUT, until: deadline)
            case .end: throw Self.closed(.closed)
            case .failed(let error): throw Self.failure(error)
            }
        }
    }

    private func receive(
        over socket: Descriptor, until deadline: ContinuousClock.Instant
    ) throws(HTTPFailure) -> HTTPReply {
        var reader = HTTPReplyReader()
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while true {
            // The deadline is checked before each read, because a server may send without end.
            try check(deadline)
            switch buffer.withUnsafeMutableBytes({ socket.receive(into: $0) }) {
            case .moved(let count):
                try reader.append(buffer[..<count])
                if let reply = reader.reply { return reply }
            case .wouldBlock: try wait(for: socket, POLLIN, until: deadline)
            case .end:
                reader.end()
                guard let reply = reader.reply else { throw Self.closed(reader.isEmpty ? .closed : .uncertain) }
                return reply
            case .failed(let error):
                var failure = Self.failure(error)
                if !reader.isEmpty { failure.progress = .uncertain }
                throw failure
            }
        }
    }

    private func check(_ deadline: ContinuousClock.Instant) throws(HTTPFailure) {
        let now = clock()
        guard now < deadline else {
            throw HTTPFailure(
                description: "it does not answer within \(Self.limit.components.seconds) s", progress: .uncertain)
        }
        guard now < limit.deadline else {
            throw HTTPFailure(description: "it did not answer before the end", progress: .uncertain)
        }
    }

    private func wait(
        for socket: Descriptor, _ events: Int32, until deadline: ContinuousClock.Instant
    ) throws(HTTPFailure) {
        var entry = socket.pollEntry(events)
        while true {
            try check(deadline)
            let left = min(Self.slice, deadline - clock()).clampedNanoseconds
            // Rounded up, because a limit of zero would spin through the last millisecond.
            let count = poll(&entry, 1, Int32(clamping: left / 1_000_000 + 1))
            if count > 0 { return }
            if count < 0, errno != EINTR { throw Self.failure(SystemError()) }
        }
    }

    private static func closed(_ progress: HTTPFailure.Progress) -> HTTPFailure {
        HTTPFailure(description: "it closed the connection", progress: progress)
    }

    private static func failure(_ error: SystemError) -> HTTPFailure {
        let isClosed = [EPIPE, ECONNRESET].contains(error.code)
        return HTTPFailure(
            description: DisplayText.system(error.code), progress: isClosed ? .closed : .uncertain)
    }

    // MARK: Connecting

    private func connect() throws(HTTPFailure) -> Descriptor {
        var last = HTTPFailure(description: "it has no address")
        for address in try addresses() {
            do throws(HTTPFailure) { return try open(address) } catch { last.description = error.description }
        }
        throw last
    }

    /// Returns the addresses of the server. A lookup that was late is continued by the next call.
    private func addresses() throws(HTTPFailure) -> [ServerAddress] {
        let lookup: NameLookup
        if let pending = self.lookup {
            lookup = pending
        } else {
            guard let begun = NameLookup(search) else {
                throw HTTPFailure(description: "the system has no thread left to look up its name")
            }
            lookup = begun
        }
        self.lookup = lookup
        let deadline = clock() + Self.limit
        repeat {
            guard let found = lookup.wait(for: Self.slice) else { continue }
            self.lookup = nil
            return try found.get()
        } while clock() < min(deadline, limit.deadline)
        throw HTTPFailure(description: "no name server answers for \(DisplayText.shown(url.host))")
    }

    private func open(_ address: ServerAddress) throws(HTTPFailure) -> Descriptor {
        let socket: Descriptor
        do { socket = try Descriptor.socket(family: address.family) } catch { throw Self.failure(error) }
        let isConnected = address.bytes.withUnsafeBytes { bytes in
            let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self)
            return Foundation.connect(socket.number, pointer, socklen_t(bytes.count)) == 0
        }
        if isConnected { return socket }
        guard errno == EINPROGRESS || errno == EINTR else { throw Self.failure(SystemError()) }
        try wait(for: socket, POLLOUT, until: clock() + Self.limit)
        if let error = socket.connectionError { throw Self.failure(error) }
        return socket
    }
}
