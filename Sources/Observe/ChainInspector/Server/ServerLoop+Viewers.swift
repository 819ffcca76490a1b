// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import ChainWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The user at the other end of a TCP connection; all unknown users are equal. Addresses do not identify a user,
/// because any user may use any address of the loopback interface.
struct Peer: Hashable {
    private let user: UInt32?

    init(of descriptor: Descriptor) { user = descriptor.tcpPeerUser }
}

/// Admission of viewers, and their commands.
extension ServerLoop {
    func accept(at listener: Listener) {
        let descriptor: Descriptor
        do { descriptor = try listener.descriptor.accept() } catch { return acceptFailed(with: error) }
        lastConnection += 1
        let now = options.now()
        let peer = listener.token == nil ? nil : Peer(of: descriptor)
        let connection = ViewerConnection(
            id: lastConnection, descriptor: descriptor, token: listener.token, peer: peer,
            isAuthenticated: listener.token == nil && isAllowed(descriptor),
            readStartTime: max(now, peer.flatMap { peerPauses[$0] } ?? 0), options: options)
        connections.append(connection)
        if connection.isAuthenticated { return makeLocalRoom() }
        if let peer { return makeRoom(for: peer) }
        connection.close(.refused, "Only the user who runs the program may attach, and root")
        connection.pump()
    }

    /// Closes the oldest unauthenticated connections past the limits: first connections of the same user, then
    /// connections of the user that has the most. So the connections of one user do not exclude another user.
    private func makeRoom(for peer: Peer) {
        while connections.count(where: { $0.isUnauthenticated && $0.peer == peer }) > options.unauthenticatedLimit {
            closeOldestUnauthenticated(of: peer)
        }
        while connections.count(where: \.isUnauthenticated) > options.totalUnauthenticatedLimit {
            let counts = Dictionary(connections.filter(\.isUnauthenticated).map { ($0.peer, 1) }, uniquingKeysWith: +)
            guard let peer = counts.max(by: { $0.value < $1.value })?.key else { return }
            closeOldestUnauthenticated(of: peer)
        }
        closeGone()
    }

    /// Closes the oldest connections over Unix sockets that have sent no greeting, past the limit.
    private func makeLocalRoom() {
        while connections.count(where: { $0.isSilent && $0.token == nil }) > options.silentLimit {
            guard let oldest = connections.first(where: { $0.isSilent && $0.token == nil }) else { return }
            close(silent: oldest, "Others came before this viewer had sent its greeting: attach again")
        }
        closeGone()
    }

    private func closeOldestUnauthenticated(of peer: Peer) {
        guard let oldest = connections.first(where: { $0.isUnauthenticated && $0.peer == peer }) else { return }
        close(silent: oldest, "Others came before this viewer had shown its token: attach again")
    }

    private func close(silent connection: ViewerConnection, _ reason: String) {
        // The connection's greeting may have arrived since the loop last served the connection.
        serve(connection, Int16(POLLIN))
        guard connection.isSilent else { return }
        connection.close(.busy, reason)
        connection.pump()
        connection.isGone = true
    }

    private func isAllowed(_ descriptor: Descriptor) -> Bool {
        descriptor.peerUser.map { $0 == 0 || $0 == geteuid() } ?? false
    }

    private func acceptFailed(with error: SystemError) {
        guard ![EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(error.code) else { return }
        // No viewer is accepted for a time: waiting viewers keep the listening socket readable, so `poll` would return
        // at once.
        pausedUntil = options.now() + options.backOff
        guard !hasLogged else { return }
        hasLogged = true
        let failure = ServerFailure("A viewer cannot be accepted", error)
        chain_log("chainview: \(failure.sentence); it is tried again every second\n")
    }

    func handle(_ message: Message, of connection: ViewerConnection) {
        switch (message, connection.phase) {
        case (.greeting(let greeting), .handshake): admit(connection, greeting)
        case (.command(let command), .attached): enqueue(command, of: connection)
        case (.unknownCommand(let id), .attached):
            refuse(id, of: connection, "The program does not know this command: bring both to the same release")
        case (.farewell, _): connection.isGone = true
        default:
            let what =
                connection.phase == .handshake ? "A viewer has to begin with a greeting" : "This is not a command"
            connection.close(.misunderstood, what)
        }
    }

    private func admit(_ connection: ViewerConnection, _ greeting: ClientHello) {
        if let token = connection.token, !Token.matches(greeting.token, token) {
            pause(connection.peer)
            let what = greeting.token.isEmpty ? "A token is needed" : "The token is wrong"
            return connection.close(
                .refused, what + ": it is in the file tcp-PORT.token of the program's socket folder")
        }
        connection.isAuthenticated = true
        // Events are collected first, so that the hello and the state contain all events recorded before the greeting
        // was read.
        shared.inspector.collectForViewer()
        let viewerCount = connections.count { $0.phase == .attached && !$0.isOneShot }
        let hello = Message.hello(shared.inspector.hello(viewerCount: viewerCount))
        guard greeting.purpose != .look else {
            connection.enqueue(hello)
            return connection.endSending()
        }
        let isOneShot = greeting.purpose == .command || greeting.leavesAfterState
        guard isOneShot ? hasRoomForOneShot() : viewerCount < options.viewerLimit else {
            return connection.close(
                .busy,
                options.viewerLimit == 0
                    ? "This program accepts no viewers"
                    : isOneShot
                        ? "\(options.oneShotLimit) viewers for single requests are attached already, which is the limit: try again"
                        : "\(viewerCount) viewers are attached already, which is the limit: detach one")
        }
        connection.phase = .attached
        connection.deadline = nil
        connection.isOneShot = isOneShot
        connection.isReadOnly = greeting.isReadOnly
        connection.enqueue(hello)
        guard greeting.purpose == .watch else { return }
        connection.watch(
            shared.inspector.collector.subscribe(mailboxLimit: options.mailboxLimit, callsProgram: false) {
                [batchSignal = connection.batchSignal, shared] in
                batchSignal.hasArrived.store(true, ordering: .releasing)
                shared.waker.wake()
            }, leavesAfterState: greeting.leavesAfterState)
    }

    /// Delays reading from the connections that a user opens after this call; called after a wrong token.
    private func pause(_ peer: Peer?) {
        guard let peer else { return }
        let now = options.now()
        peerPauses = peerPauses.filter { $0.value > now }
        peerPauses[peer] = max(now, peerPauses[peer] ?? 0) + options.wrongTokenDelay
    }

    /// Returns whether one more viewer for single commands or one state (a one-shot viewer) may attach. At the limit,
    /// detaches the one-shot viewer that was idle longest, if it was idle for at least
    /// ``ServerOptions/oneShotIdleLimit``.
    private func hasRoomForOneShot() -> Bool {
        guard options.viewerLimit > 0 else { return false }
        let oneShots = connections.filter { $0.phase == .attached && $0.isOneShot }
        guard oneShots.count >= options.oneShotLimit else { return true }
        let idleSince = options.now() - min(options.now(), options.oneShotIdleLimit)
        let idle = oneShots.filter { $0.commandCount == 0 && $0.lastActive <= idleSince }
        guard let oldest = idle.min(by: { $0.lastActive < $1.lastActive }) else { return false }
        oldest.close(.busy, "This viewer was idle, and another one needed its slot")
        oldest.pump()
        return true
    }

    private func enqueue(_ command: ViewerCommand, of connection: ViewerConnection) {
        if connection.isReadOnly, case .cancel = command.request {
            return refuse(command.id, of: connection, "This viewer has attached to look only (read-only)")
        }
        let queued = CommandThread.QueuedCommand(
            connection: connection.id, command: command, subscription: connection.subscription)
        guard commands.enqueue(queued) else {
            return refuse(command.id, of: connection, "The program has no thread left to carry out commands on")
        }
        connection.commandCount += 1
        commandCount += 1
    }

    private func refuse(_ command: UInt64, of connection: ViewerConnection, _ reason: String) {
        connection.enqueue(.reply(CommandReply(command: command, outcome: .refused(reason))))
    }
}
