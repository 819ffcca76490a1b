import Foundation
import Synchronization
import TerminalHarness

@testable import chainview

/// A server that answers each request with the next of some texts, and keeps the requests. After an empty text, which is no
/// answer, it waits for the other side to close the connection.
final class TestCollector: Sendable {
    let port: UInt16
    private let socket: Int32
    private let state = Mutex(State())

    private struct State {
        var requests: [String] = []
        var answers: [String] = []
    }

    init(answers: [String]) throws {
        #if canImport(Glibc)
            socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let server = socket
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(server, address, size) == 0 && listen(server, 8) == 0 && getsockname(server, address, &size) == 0
            }
        }
        guard isBound else { throw HarnessError(description: "no port: \(errno)") }
        port = UInt16(bigEndian: address.sin_port)
        state.withLock { $0.answers = answers }
        Thread.detachNewThread { [self] in serve() }
    }

    deinit { close(socket) }

    /// The requests so far.
    var requests: [String] { state.withLock { $0.requests } }

    private func serve() {
        while let answer = state.withLock({ $0.answers.first }) {
            let connection = accept(socket, nil, nil)
            guard connection >= 0 else { return }
            answerRequests(connection, answer)
            close(connection)
        }
    }

    /// Answers the requests of a connection until it ends.
    private func answerRequests(_ connection: Int32, _ first: String) {
        var (bytes, answer): ([UInt8], String?) = ([], first)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while let text = answer {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            bytes += buffer[..<count]
            let request = String(decoding: bytes, as: UTF8.self)
            guard let head = request.range(of: "\r\n\r\n"),
                let length = request.firstMatch(of: /Content-Length: (\d+)/).flatMap({ Int($0.1) }),
                request[head.upperBound...].utf8.count >= length
            else { continue }
            answer = state.withLock { state in
                state.requests.append(request)
                state.answers.removeFirst()
                if text.isEmpty { return text }
                return text.contains("Connection: close") ? nil : state.answers.first
            }
            bytes = []
            send(text, connection)
        }
    }

    /// Sends a text without SIGPIPE, because the other side may have closed the connection.
    private func send(_ text: String, _ connection: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            #if canImport(Glibc)
                let count = rest.withUnsafeBytes {
                    Foundation.send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
            #else
                var isOn: Int32 = 1
                setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
                let count = rest.withUnsafeBytes { Foundation.send(connection, $0.baseAddress, $0.count, 0) }
            #endif
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

// SPDX-License-Identifier: MIT
