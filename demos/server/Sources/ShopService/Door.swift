import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// FlyingFox's pool of sockets, in which the wait for the next connection can be ended.
///
/// FlyingFox closes the listening socket to stop, which wakes nobody who waits for it: stopping would always take all the
/// time that it is given to answer its clients.
final class Door: AsyncSocketPool {
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

    /// No more connections are waited for.
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
