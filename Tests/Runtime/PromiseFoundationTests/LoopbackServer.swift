import Foundation

#if canImport(Glibc)
    import Glibc
    private let stream = Int32(SOCK_STREAM.rawValue)
#else
    import Darwin
    private let stream = SOCK_STREAM
#endif

/// A request to the server.
struct ServerRequest: Sendable {
    var method = ""
    var path = ""
    var headers: [String: String] = [:]
    var body = Data()
}

/// An answer of the server.
struct ServerAnswer: Sendable {
    var status = 200
    var headers: [String: String] = [:]
    var body = Data()

    init(_ status: Int = 200, _ body: String = "", headers: [String: String] = [:]) {
        self.status = status
        self.body = Data(body.utf8)
        self.headers = headers
    }
}

/// A small HTTP/1.1 server on the loopback interface: a thread per connection, one request each.
final class LoopbackServer: Sendable {
    let port: UInt16
    /// Opens for each request that gets no answer.
    let unansweredRequest = Latch()
    /// Opens when a client closes the connection of a request without an answer.
    let unansweredClose = Latch()
    private let listener: Int32
    private let isStopped = Box(false)
    private let answer: @Sendable (ServerRequest) -> ServerAnswer?

    /// Starts a server. With `refuses` it has a port, but does not listen, so that connections are refused. It sends
    /// no answer to requests for which `answer` returns nil.
    init(refuses: Bool = false, _ answer: @escaping @Sendable (ServerRequest) -> ServerAnswer?) throws {
        self.answer = answer
        listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && (refuses || listen(listener, 16) == 0)
                    && getsockname(listener, address, &size) == 0
            }
        }
        guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
        port = UInt16(bigEndian: address.sin_port)
        if !refuses { Thread { [self] in serve() }.start() }
    }

    func url(_ path: String) -> URL { URL(string: "http://127.0.0.1:\(port)\(path)")! }

    /// Ends the listening thread, which then closes the socket.
    func stop() {
        isStopped.change { $0 = true }
        // A connection, because on some systems a shutdown does not wake the thread.
        shutdown(listener, Int32(SHUT_RDWR))
        let waker = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = connect(waker, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        close(waker)
    }

    private func serve() {
        while true {
            let connection = accept(listener, nil, nil)
            if connection < 0 || isStopped.value {
                if connection >= 0 { close(connection) }
                close(listener)
                return
            }
            Thread { [self] in
                serve(connection)
                close(connection)
            }.start()
        }
    }

    private func serve(_ connection: Int32) {
        guard let request = read(connection) else { return }
        guard let answered = answer(request) else {
            unansweredRequest.open()
            // Until the client closes the connection.
            var byte: UInt8 = 0
            while recv(connection, &byte, 1, 0) > 0 {}
            return unansweredClose.open()
        }
        var head = "HTTP/1.1 \(answered.status) Said\r\nConnection: close\r\nContent-Length: \(answered.body.count)\r\n"
        for (name, value) in answered.headers { head += "\(name): \(value)\r\n" }
        let bytes = [UInt8](Data((head + "\r\n").utf8) + answered.body)
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { send(connection, $0.baseAddress! + sent, bytes.count - sent, noSignal) }
            if count <= 0 { return }
            sent += count
        }
    }

    #if canImport(Glibc)
        private var noSignal: Int32 { Int32(MSG_NOSIGNAL) }
    #else
        private var noSignal: Int32 { 0 }
    #endif

    /// Returns the request of a connection, or nil if the connection ends before.
    private func read(_ connection: Int32) -> ServerRequest? {
        var received = Data()
        var buffer = [UInt8](repeating: 0, count: 4096)
        func more() -> Bool {
            let count = recv(connection, &buffer, buffer.count, 0)
            if count > 0 { received.append(contentsOf: buffer[..<count]) }
            return count > 0
        }
        var end: Range<Data.Index>?
        while end == nil {
            guard more() else { return nil }
            end = received.range(of: Data("\r\n\r\n".utf8))
        }
        let lines = String(decoding: received[..<end!.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        var request = ServerRequest()
        (request.method, request.path) = (String(words[0]), String(words[1]))
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            request.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let length = Int(request.headers["content-length"] ?? "") ?? 0
        while received.count - end!.upperBound < length { guard more() else { return nil } }
        request.body = received[end!.upperBound...]
        return request
    }
}

// SPDX-License-Identifier: MIT
