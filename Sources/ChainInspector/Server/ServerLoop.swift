import CChainRuntime
import ChainEvents
import ChainSystem
import ChainWire
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// What the server's thread does: waits until something can be read, written or accepted, or is due.
final class ServerLoop {
    let shared: AttachServer.Shared
    let options: ServerOptions
    let commands: CommandThread
    var connections: [Connection] = []
    var lastConnection: UInt64 = 0
    /// Commands that were not answered yet, those of viewers that are gone among them.
    var commandCount = 0
    /// Until when nothing is accepted.
    var pausedUntil: UInt64 = 0
    /// Until when later connections of a user that showed wrong tokens are not listened to.
    var peerPauses: [Peer: UInt64] = [:]
    var hasComplained = false

    private var polled: [pollfd] = []
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    init(_ shared: AttachServer.Shared) {
        self.shared = shared
        options = shared.options
        commands = CommandThread { order in
            let reply = shared.inspector.perform(order.command, for: order.subscription.map { [$0] } ?? [])
            shared.replies.withLock { $0.append((order.connection, reply)) }
            shared.waker.wake()
        }
    }

    deinit { buffer.deallocate() }

    func run() {
        while !shared.isStopping.load(ordering: .acquiring) { turn() }
        end()
    }

    // MARK: One turn

    private func turn() {
        let now = options.now()
        let accepting = shared.listeners.map { isAccepting($0, now) }
        wait(accepting, now)
        if polled[0].revents != 0 { shared.waker.clear() }
        takeReplies()
        for (index, connection) in connections.enumerated() {
            serve(connection, polled[1 + shared.listeners.count + index].revents)
        }
        letGo(options.now())
        for (index, listener) in shared.listeners.enumerated() where polled[1 + index].revents != 0 {
            accept(at: listener)
        }
        let strangerCount = connections.count { $0.phase == .greeting }
        shared.connectionCounts.store(connections.count << 32 | strangerCount, ordering: .releasing)
    }

    private func isAccepting(_ listener: Listener, _ now: UInt64) -> Bool {
        // Some more than may watch: single commands, and viewers beyond the limit, which get an answer that says so.
        // Connections that have shown no token have places of their own.
        now >= pausedUntil
            && connections.count { $0.isKnown || $0.token == nil } < options.viewerLimit + options.visitorLimit + 8
    }

    private func wait(_ accepting: [Bool], _ now: UInt64) {
        polled.removeAll(keepingCapacity: true)
        polled.append(shared.waker.entry)
        for (listener, isAccepting) in zip(shared.listeners, accepting) {
            polled.append(listener.descriptor.entry())
            // `poll` skips negative numbers.
            if !isAccepting { polled[polled.count - 1].fd = -1 }
        }
        var deadline: UInt64?
        for connection in connections {
            var events: Int32 = 0
            if takesMessages(connection, now) { events |= POLLIN }
            if connection.unsentCount > 0 { events |= POLLOUT }
            polled.append(connection.descriptor.entry(events))
            if connection.hasBatches { deadline = now }
            for other in [connection.deadline, connection.stallTime].compactMap({ $0 }) {
                deadline = min(deadline ?? other, other)
            }
            if connection.begin > now { deadline = min(deadline ?? connection.begin, connection.begin) }
        }
        if pausedUntil > now { deadline = min(deadline ?? pausedUntil, pausedUntil) }
        // Rounded up, so that it does not wake just before.
        let timeout = deadline.map { $0 <= now ? 0 : Int32(clamping: ($0 - now + 999_999) / 1_000_000) } ?? -1
        if poll(&polled, nfds_t(polled.count), timeout) < 0 {
            let failure = errno
            for index in polled.indices { polled[index].revents = 0 }
            // Such as more descriptors than the process may have had since its limit was lowered.
            if failure != EINTR { poll(nil, 0, 100) }
        }
    }

    private func takesMessages(_ connection: Connection, _ now: UInt64) -> Bool {
        connection.takesMessages && now >= connection.begin
            && (connection.phase != .attached || commandCount < options.totalCommandLimit)
    }

    /// Receives what came, obeys it, and sends what there is.
    func serve(_ connection: Connection, _ events: Int16) {
        let events = Int32(events)
        if events & POLLIN != 0 {
            _ = connection.receive(buffer)
        } else if events & (POLLHUP | POLLERR | POLLNVAL) != 0 {
            connection.isGone = true
        }
        // Also what came earlier, and could not be taken then.
        takeMessages(of: connection)
        connection.pump()
    }

    private func takeMessages(of connection: Connection) {
        while !connection.isGone, connection.phase != .leaving, takesMessages(connection, options.now()) {
            do throws(WireError) {
                guard let message = try connection.nextMessage() else { return }
                take(message, of: connection)
            } catch {
                return connection.leave(.misunderstood, error.description)
            }
        }
    }

    private func takeReplies() {
        let replies = shared.replies.withLock { replies in
            defer { replies = [] }
            return replies
        }
        for (id, reply) in replies {
            commandCount -= 1
            guard let connection = connections.first(where: { $0.id == id }), connection.phase == .attached else {
                continue
            }
            connection.commandCount -= 1
            connection.say(.reply(reply))
        }
    }

    private func letGo(_ now: UInt64) {
        for connection in connections {
            // It misses what follows, and is sent the whole state when it attaches again.
            if let time = connection.stallTime, now >= time { connection.isGone = true }
            guard let deadline = connection.deadline, now >= deadline else { continue }
            if connection.phase == .greeting {
                connection.leave(.refused, "The viewer did not introduce itself in time")
                connection.pump()
            } else {
                connection.isGone = true
            }
        }
        closeGone()
    }

    /// Closes the connections that are over.
    func closeGone() {
        for connection in connections where connection.isGone { connection.close() }
        connections.removeAll(where: \.isGone)
    }

    // MARK: The end

    /// Tells everybody what is left and that it is over.
    private func end() {
        for listener in shared.listeners { listener.close() }
        for connection in connections where connection.phase == .greeting { connection.isGone = true }
        // In real time: nobody moves the clock of a test while the program waits for its end.
        let deadline = chain_monotonic_ns() + options.flushLimit
        while true {
            for connection in connections where !connection.isGone { finish(connection) }
            letGo(0)
            let now = chain_monotonic_ns()
            guard now < deadline, !connections.isEmpty else { break }
            var polled = connections.map { $0.descriptor.entry(POLLOUT) }
            poll(&polled, nfds_t(polled.count), Int32((deadline - now) / 1_000_000 + 1))
        }
        for connection in connections { connection.close() }
        connections = []
        let now = chain_monotonic_ns()
        commands.stop(limit: deadline - min(now, deadline))
        shared.waker.close()
    }

    private func finish(_ connection: Connection) {
        connection.pump()
        if connection.phase == .attached, connection.unsentCount == 0, !connection.hasBatches {
            connection.leave(.stopped, "The program has stopped its inspector")
            connection.pump()
        }
        if connection.phase == .leaving, connection.unsentCount == 0 { connection.isGone = true }
    }
}
