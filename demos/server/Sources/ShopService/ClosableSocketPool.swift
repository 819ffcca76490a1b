import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// FlyingFox's pool of sockets, with a wait for new connections that can be ended.
///
/// FlyingFox stops by closing the listening socket, which does not wake the task that waits for it. Stopping would then
/// always take the whole grace period.
final class ClosableSocketPool: AsyncSocketPool {
    private let pool: any AsyncSocketPool = HTTPServer.defaultPool()
    private let state = Mutex(State())

    private struct State {
        var waiting: Task<Void, any Error>?
        var isClosed = false
    }

    func prepare() async throws { try await pool.prepare() }

    func run() async throws { try await pool.run() }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        guard socket.isListening else { return try await pool.suspendSocket(socket, untilReadyFor: events) }
        let waiting = Task { [pool] in try await pool.suspendSocket(socket, untilReadyFor: events) }
        let isClosed = state.withLock {
            $0.waiting = waiting
            return $0.isClosed
        }
        if isClosed { waiting.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await waiting.value
            } onCancel: {
                waiting.cancel()
            }
        } catch {
            throw state.withLock { $0.isClosed } ? SocketError.disconnected : error
        }
    }

    /// Ends the wait for connections.
    func close() {
        let waiting = state.withLock {
            $0.isClosed = true
            return $0.waiting
        }
        waiting?.cancel()
    }
}

extension Socket {
    fileprivate var isListening: Bool {
        var answer: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(file.rawValue, SOL_SOCKET, SO_ACCEPTCONN, &answer, &size) == 0 && answer != 0
    }
}

// SPDX-License-Identifier: MIT
