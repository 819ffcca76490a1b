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
    private let clock: () -> ContinuousClock.Instant
    private var socket: Descriptor?

    /// The time limit of connecting to one address, and also of sending a request and receiving its whole answer.
    private static let limit: Duration = .seconds(10)

    /// - Parameters:
    ///   - agent: the name in the header `User-Agent`.
    ///   - clock: returns the present moment.
    init(_ url: CollectorURL, agent: String, clock: @escaping () -> ContinuousClock.Instant = { .now }) {
        self.url = url
        self.agent = agent
        self.clock = clock
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
        guard clock() < deadline else { throw Self.late }
    }

    private func wait(
        for socket: Descriptor, _ events: Int32, until deadline: ContinuousClock.Instant
    ) throws(HTTPFailure) {
        var entry = socket.pollEntry(events)
        while true {
            let left = (deadline - clock()).components
            let milliseconds = left.seconds * 1_000 + left.attoseconds / 1_000_000_000_000_000
            guard milliseconds > 0 else { throw Self.late }
            let count = poll(&entry, 1, Int32(clamping: milliseconds))
            if count > 0 { return }
            if count < 0, errno != EINTR { throw Self.failure(SystemError()) }
        }
    }

    private static var late: HTTPFailure {
        HTTPFailure(description: "it does not answer within \(limit.components.seconds) s", progress: .uncertain)
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
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(url.host, "\(url.port)", &hints, &list)
        guard code == 0 else { throw HTTPFailure(description: String(cString: gai_strerror(code))) }
        defer { freeaddrinfo(list) }
        var last = HTTPFailure(description: "it has no address")
        var next = list
        while let address = next?.pointee {
            do throws(HTTPFailure) { return try connect(to: address) } catch { last = error }
            next = address.ai_next
        }
        throw last
    }

    private func connect(to address: addrinfo) throws(HTTPFailure) -> Descriptor {
        do throws(HTTPFailure) { return try open(address) } catch {
            throw HTTPFailure(description: error.description, progress: .unsent)
        }
    }

    private func open(_ address: addrinfo) throws(HTTPFailure) -> Descriptor {
        let socket: Descriptor
        do { socket = try Descriptor.socket(family: address.ai_family) } catch { throw Self.failure(error) }
        if Foundation.connect(socket.number, address.ai_addr, address.ai_addrlen) == 0 { return socket }
        guard errno == EINPROGRESS || errno == EINTR else { throw Self.failure(SystemError()) }
        try wait(for: socket, POLLOUT, until: clock() + Self.limit)
        if let error = socket.connectionError { throw Self.failure(error) }
        return socket
    }
}
