import FlyingFox
import FlyingSocks
import Foundation
import PromiseRuntime

/// A small shop that answers JSON over HTTP on this machine's loopback address; each request is a chain of promises.
///
/// The server does not refer to an inspector: a viewer sees its chains through the runtime.
public final class ShopServer: Sendable {
    /// The port on which it listens.
    public let port: UInt16

    private let http: HTTPServer
    private let socketPool: ClosableSocketPool
    private let running: Task<Void, any Error>
    private let desk: Desk

    /// Starts to listen on 127.0.0.1; returns as soon as it listens.
    ///
    /// - Parameters:
    ///   - port: 0 for any free port.
    ///   - runtime: the runtime of its chains.
    ///   - patience: the time that an order waits for an answer before it asks again.
    ///   - hardCase: the time that the fraud bureau takes for every tenth order: 5, 15, 25 and so on.
    /// - Throws: ``CannotListen``.
    public static func start(
        port: UInt16, runtime: ChainRuntime = .shared, patience: Duration = .seconds(1),
        hardCase: Duration = .seconds(3)
    )
        async throws -> ShopServer
    {
        let desk = Desk(runtime: runtime)
        let socketPool = ClosableSocketPool()
        let http = HTTPServer(
            address: try .inet(ip4: "127.0.0.1", port: port), timeout: Desk.limit.seconds, pool: socketPool,
            logger: .disabled
        )
        await Routes(shop: Shop(desk: desk, patience: patience, hardCase: hardCase), desk: desk).add(to: http)

        let listening = Task { try await http.waitUntilListening(timeout: 60) }
        let running = Task {
            do {
                try await http.run()
            } catch {
                listening.cancel()
                throw error
            }
        }
        do {
            try await listening.value
        } catch {
            if case .failure(let reason) = await running.result { throw CannotListen(port: port, reason: reason) }
            throw error
        }
        guard case .ip4(_, let port) = await http.listeningAddress else { throw CannotListen(port: port, reason: nil) }
        desk.port.withLock { $0 = port }
        return ShopServer(port: port, http: http, socketPool: socketPool, running: running, desk: desk)
    }

    private init(
        port: UInt16, http: HTTPServer, socketPool: ClosableSocketPool, running: Task<Void, any Error>, desk: Desk
    ) {
        self.port = port
        self.http = http
        self.socketPool = socketPool
        self.running = running
        self.desk = desk
    }

    /// The number of pending requests.
    public var chainCount: Int { desk.chainCount }

    /// Stops: refuses new requests, cancels pending chains so that their clients are answered, and closes the socket.
    ///
    /// - Parameter grace: the time that a client has to read its answer.
    public func stop(grace: Duration = .seconds(10)) async {
        desk.close()
        socketPool.close()
        await http.stop(timeout: grace.seconds)
        _ = await running.result
    }
}

/// The error of a server that cannot listen.
public struct CannotListen: Error, CustomStringConvertible {
    /// The requested port.
    public let port: UInt16
    /// Whether another program listens on the port.
    public let isTaken: Bool
    private let why: String

    init(port: UInt16, reason: (any Error)?) {
        self.port = port
        switch reason {
        case SocketError.failed(_, EADDRINUSE, _)?:
            isTaken = true
            why = "another program listens there; choose another port with --port, or 0 for any that is free"
        case SocketError.failed(_, EACCES, _)?:
            isTaken = false
            why = "ports below 1024 are for root; choose one above with --port"
        case SocketError.failed(let call, _, let message)?:
            isTaken = false
            why = "\(call): \(message)"
        default:
            isTaken = false
            why = reason.map { "\($0)" } ?? "the socket has no address"
        }
    }

    /// One sentence: what is wrong and what to do.
    public var description: String { "cannot listen on 127.0.0.1:\(port): \(why)" }
}

extension Duration {
    var seconds: Double { self / .seconds(1) }
}

// SPDX-License-Identifier: MIT
