// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import ChainWire
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The event loop of the server's thread: it waits until a descriptor is ready or a deadline is past.
final class ServerLoop {
    let shared: AttachServer.Shared
    let options: ServerOptions
    let commands: CommandThread
    /// The listeners, in the order of the endpoints.
    private var listeners: [(listener: Listener, endpoint: InspectorEndpoint)]
    /// The connections, in the order in which they were accepted.
    var connections: [ViewerConnection] = []
    /// The id of the last accepted connection.
    var lastConnection: UInt64 = 0
    /// Unanswered commands, including commands of closed connections.
    var commandCount = 0
    /// The time before which no connection is accepted.
    var pausedUntil: UInt64 = 0
    /// For each user that sent wrong tokens, the time before which messages of the user's new connections are not read.
    var peerPauses: [Peer: UInt64] = [:]
    /// When the listeners' files are touched next.
    private var touchTime: UInt64
    /// When it is checked next that the listeners' files are there.
    private var fileCheckTime: UInt64
    /// Whether a failure to restore them was logged.
    private var hasLoggedLoss = false
    /// Whether a failure to accept was logged; only the first failure is logged.
    var hasLogged = false

    private var polled: [pollfd] = []
    /// Whether the descriptors no longer belong to the server.
    private var hasLostDescriptors = false
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    init(_ shared: AttachServer.Shared) {
        self.shared = shared
        options = shared.options
        listeners = shared.listeners
        touchTime = options.now().addingClamped(OwnFile.touchInterval)
        fileCheckTime = options.now().addingClamped(options.fileCheckInterval)
        commands = CommandThread { queued in
            let answer = shared.inspector.answer(to: queued.command, queued.subscription.map { [$0] } ?? [])
            shared.replies.withLock { $0.append((queued.connection, answer)) }
            shared.waker.wake()
        }
    }

    deinit { buffer.deallocate() }

    func run() {
        while !shared.isStopping.load(ordering: .acquiring) { turn() }
        if !hasLostDescriptors { end() }
    }

    // MARK: One turn

    private func turn() {
        let now = options.now()
        let isAccepting = now >= pausedUntil && hasRoom
        wait(isAccepting, now)
        if polled[0].revents & Int16(POLLNVAL) != 0 { return loseDescriptors() }
        if polled[0].revents != 0 { shared.waker.clear() }
        sendReplies()
        for (index, connection) in connections.enumerated() {
            serve(connection, polled[1 + listeners.count + index].revents)
        }
        closeOverdue(options.now())
        touchFiles(options.now())
        for (index, (listener, _)) in listeners.enumerated() where polled[1 + index].revents != 0 {
            accept(at: listener)
        }
        checkFiles(options.now())
        let handshakeCount = connections.count { $0.phase == .handshake }
        shared.connectionCounts.store(connections.count << 32 | handshakeCount, ordering: .releasing)
    }

    /// Ends the server without closing anything. The program has closed the server's descriptors (`closefrom`), and the
    /// program's files may have the same numbers by now.
    private func loseDescriptors() {
        chain_log("chainview: the program has closed the inspector's descriptors: it cannot be attached to any more.\n")
        hasLostDescriptors = true
        // The loop is kept for ever, because its release would close the descriptors.
        _ = Unmanaged.passRetained(self)
        shared.isStopping.store(true, ordering: .releasing)
    }

    private var hasRoom: Bool {
        // More connections than `viewerLimit` are accepted: one-shot viewers (for single commands or one state) attach,
        // too, and viewers past the limit get a refusal. Connections that have sent no greeting have limits of their
        // own.
        connections.count { $0.phase != .handshake } < options.viewerLimit + options.oneShotLimit + 8
    }

    private func wait(_ isAccepting: Bool, _ now: UInt64) {
        polled.removeAll(keepingCapacity: true)
        polled.append(shared.waker.pollEntry)
        for (listener, _) in listeners {
            polled.append(listener.descriptor.pollEntry())
            // `poll` skips negative numbers.
            if !isAccepting { polled[polled.count - 1].fd = -1 }
        }
        var deadline = min(touchTime, fileCheckTime)
        for connection in connections {
            var events: Int32 = 0
            if acceptsMessages(connection, now) { events |= POLLIN }
            if connection.unsentCount > 0 { events |= POLLOUT }
            polled.append(connection.descriptor.pollEntry(events))
            if connection.hasBatches { deadline = now }
            for other in [connection.deadline, connection.stallTime].compactMap({ $0 }) {
                deadline = min(deadline, other)
            }
            if connection.readStartTime > now { deadline = min(deadline, connection.readStartTime) }
        }
        if pausedUntil > now { deadline = min(deadline, pausedUntil) }
        // Rounded up, because a loop that wakes just before the deadline would spin until the deadline.
        let timeout = deadline <= now ? 0 : Int32(clamping: (deadline - now).addingClamped(999_999) / 1_000_000)
        if poll(&polled, nfds_t(polled.count), timeout) < 0 {
            let failure = errno
            for index in polled.indices { polled[index].revents = 0 }
            // Waits, so that the loop does not spin while `poll` keeps failing, as it does once the limit of
            // descriptors was lowered.
            if failure != EINTR { poll(nil, 0, 100) }
        }
    }

    private func acceptsMessages(_ connection: ViewerConnection, _ now: UInt64) -> Bool {
        connection.acceptsMessages && now >= connection.readStartTime
            && (connection.phase != .attached || commandCount < options.totalCommandLimit)
    }

    /// Receives, handles the messages, and sends.
    func serve(_ connection: ViewerConnection, _ events: Int16) {
        let events = Int32(events)
        if events & POLLIN != 0 {
            _ = connection.receive(buffer)
        } else if events & (POLLHUP | POLLERR | POLLNVAL) != 0 {
            connection.isGone = true
        }
        // This also reads messages that were received in an earlier turn, and could not be read in that turn.
        readMessages(of: connection)
        connection.pump()
        // Messages are read again, because the bytes that were just sent may have kept messages from being read before.
        readMessages(of: connection)
    }

    private func readMessages(of connection: ViewerConnection) {
        while !connection.isGone, connection.phase != .closing, acceptsMessages(connection, options.now()) {
            do throws(WireError) {
                guard let message = try connection.nextMessage() else { return }
                handle(message, of: connection)
            } catch {
                return connection.close(.misunderstood, error.description)
            }
        }
    }

    private func sendReplies() {
        let replies = shared.replies.withLock { replies in
            defer { replies = [] }
            return replies
        }
        for (id, answer) in replies {
            commandCount -= 1
            guard let connection = connections.first(where: { $0.id == id }), connection.phase == .attached else {
                continue
            }
            connection.commandCount -= 1
            switch answer {
            case .reply(let reply): connection.enqueue(.reply(reply))
            case .dump(let sending): connection.enqueue(sending)
            }
        }
    }

    private func touchFiles(_ now: UInt64) {
        guard now >= touchTime else { return }
        touchTime = now.addingClamped(OwnFile.touchInterval)
        for (listener, _) in listeners { listener.touch() }
    }

    /// Makes the files of the listeners again where something has removed them.
    private func checkFiles(_ now: UInt64) {
        guard now >= fileCheckTime else { return }
        fileCheckTime = now.addingClamped(options.fileCheckInterval)
        let lost = listeners.indices.filter { !listeners[$0].listener.hasFiles }
        guard !lost.isEmpty else { return }
        // The folder may be another one now: that of a session is removed at the logout.
        let folder = options.usableFolder
        var failure: ServerFailure?
        for index in lost {
            let endpoint = listeners[index].endpoint
            do throws(ServerFailure) {
                try listeners[index].listener.restoreFiles(endpoint, folder: folder, of: shared.inspector.info)
            } catch { failure = error }
        }
        shared.addresses.withLock { $0 = listeners.map(\.listener.address) }
        if let failure, !hasLoggedLoss { AttachServer.log(failure.sentence) }
        hasLoggedLoss = failure != nil
    }

    private func closeOverdue(_ now: UInt64) {
        for connection in connections {
            // A stalled connection is released at once; the viewer is sent the whole state when it attaches again.
            if let time = connection.stallTime, now >= time { connection.isGone = true }
            guard let deadline = connection.deadline, now >= deadline else { continue }
            if connection.phase == .handshake {
                connection.close(.refused, "The viewer did not introduce itself in time")
                connection.pump()
            } else {
                connection.isGone = true
            }
        }
        closeGone()
    }

    /// Releases the closed connections.
    func closeGone() {
        for connection in connections where connection.isGone { connection.release() }
        connections.removeAll(where: \.isGone)
    }

    // MARK: The end

    /// Sends all viewers the remaining events and a goodbye.
    private func end() {
        let isExiting = shared.isExiting.load(ordering: .acquiring)
        if isExiting { shared.inspector.collector.collectAtExit() }
        for (listener, _) in listeners { listener.close() }
        for connection in connections {
            if connection.phase == .handshake { connection.isGone = true }
            // The last batches may lie in the mailboxes before a thread has signalled them.
            connection.batchSignal.hasArrived.store(true, ordering: .releasing)
        }
        // The deadline is in real time, because a test's clock stands still while the program waits for the end.
        let deadline = chain_monotonic_ns() + options.flushLimit
        while true {
            for connection in connections where !connection.isGone { finish(connection, isExiting) }
            closeOverdue(0)
            let now = chain_monotonic_ns()
            guard now < deadline, !connections.isEmpty else { break }
            var polled = connections.map { $0.descriptor.pollEntry(POLLOUT) }
            poll(&polled, nfds_t(polled.count), Int32((deadline - now) / 1_000_000 + 1))
        }
        for connection in connections { connection.release() }
        connections = []
        // A command may be what exits.
        guard !isExiting else { return }
        let now = chain_monotonic_ns()
        commands.stop(limit: deadline - min(now, deadline))
        shared.waker.close()
    }

    private func finish(_ connection: ViewerConnection, _ isExiting: Bool) {
        connection.pump()
        if connection.phase == .attached, connection.unsentCount == 0, !connection.hasBatches {
            connection.close(.stopped, isExiting ? "The program has ended" : "The program has stopped its inspector")
            connection.pump()
        }
        if connection.phase == .closing, connection.unsentCount == 0 { connection.isGone = true }
    }
}
