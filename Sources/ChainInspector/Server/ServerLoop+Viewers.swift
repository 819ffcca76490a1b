import CChainRuntime
import ChainEvents
import ChainSystem
import ChainWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The user at the other end of a TCP connection, or one value for all unknown ones. Addresses do not identify a user,
/// since any user may take any address of the loopback interface.
struct Peer: Hashable {
    private let user: UInt32?

    init(of descriptor: Descriptor) { user = descriptor.tcpPeerUser }
}

/// Who may attach, and what they ask.
extension ServerLoop {
    func accept(at listener: Listener) {
        let descriptor: Descriptor
        do { descriptor = try listener.descriptor.accept() } catch { return accepting(failed: error) }
        lastConnection += 1
        let now = options.now()
        let peer = listener.token == nil ? nil : Peer(of: descriptor)
        let connection = Connection(
            id: lastConnection, descriptor: descriptor, token: listener.token, peer: peer,
            isKnown: listener.token == nil && isAllowed(descriptor),
            begin: max(now, peer.flatMap { peerPauses[$0] } ?? 0), options: options)
        connections.append(connection)
        if connection.isKnown { return }
        if let peer { return makeRoom(for: peer) }
        connection.leave(.refused, "Only the user who runs the program may attach, and root")
        connection.pump()
    }

    /// Closes the oldest connections that have shown no token: those of the same user where there are too many of them,
    /// else those of the user that has most. So they keep no other user out, and last until their place is needed.
    private func makeRoom(for peer: Peer) {
        while connections.count(where: { $0.isStranger && $0.peer == peer }) > options.strangerLimit {
            closeOldestStranger(of: peer)
        }
        while connections.count(where: \.isStranger) > options.totalStrangerLimit {
            let counts = Dictionary(connections.filter(\.isStranger).map { ($0.peer, 1) }, uniquingKeysWith: +)
            guard let peer = counts.max(by: { $0.value < $1.value })?.key else { return }
            closeOldestStranger(of: peer)
        }
        closeGone()
    }

    private func closeOldestStranger(of peer: Peer) {
        guard let oldest = connections.first(where: { $0.isStranger && $0.peer == peer }) else { return }
        // Its greeting may have come since it was last looked at.
        serve(oldest, Int16(POLLIN))
        guard oldest.isStranger else { return }
        oldest.leave(.busy, "Others came before this viewer had shown its token: attach again")
        oldest.pump()
        oldest.isGone = true
    }

    private func isAllowed(_ descriptor: Descriptor) -> Bool {
        descriptor.peerUser.map { $0 == 0 || $0 == geteuid() } ?? false
    }

    private func accepting(failed error: SystemError) {
        guard ![EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(error.code) else { return }
        // Whoever waits is left in the queue, which stays readable.
        pausedUntil = options.now() + options.backOff
        guard !hasComplained else { return }
        hasComplained = true
        let failure = ServerFailure("A viewer cannot be accepted", error)
        chain_complain("chainview: \(failure.sentence); it is tried again every second\n")
    }

    func take(_ message: Message, of connection: Connection) {
        switch (message, connection.phase) {
        case (.greeting(let greeting), .greeting): admit(connection, greeting)
        case (.command(let command), .attached): take(command, of: connection)
        case (.unknownCommand(let id), .attached):
            refuse(id, of: connection, "The program does not know this command: bring both to the same release")
        case (.farewell, _): connection.isGone = true
        default:
            let what = connection.phase == .greeting ? "A viewer has to begin with a greeting" : "This is no command"
            connection.leave(.misunderstood, what)
        }
    }

    private func admit(_ connection: Connection, _ greeting: ClientHello) {
        if let token = connection.token, !Token.matches(greeting.token, token) {
            pause(connection.peer)
            let what = greeting.token.isEmpty ? "A token is needed" : "The token is a wrong one"
            return connection.leave(
                .refused, what + ": it is in the file tcp-PORT.token of the program's socket folder")
        }
        connection.isKnown = true
        // An answer holds all that was recorded before the question.
        shared.inspector.collectForViewer()
        let viewerCount = connections.count { $0.phase == .attached && !$0.isVisitor }
        let hello = Message.hello(shared.inspector.hello(viewerCount: viewerCount))
        guard greeting.purpose != .look else {
            connection.say(hello)
            return connection.endTelling()
        }
        let isVisitor = greeting.purpose == .command || greeting.leavesAfterState
        guard isVisitor ? hasPlaceForVisitor() : viewerCount < options.viewerLimit else {
            return connection.leave(
                .busy,
                options.viewerLimit == 0
                    ? "The program takes no viewers"
                    : isVisitor
                        ? "The program is at work on \(options.visitorLimit) commands already: try again"
                        : "\(viewerCount) viewers are attached already, which is the limit: detach one")
        }
        connection.phase = .attached
        connection.deadline = nil
        connection.isVisitor = isVisitor
        connection.isReadOnly = greeting.isReadOnly
        connection.say(hello)
        guard greeting.purpose == .watch else { return }
        connection.watch(
            shared.inspector.subscribe(mailboxLimit: options.mailboxLimit) { [mail = connection.mail, shared] in
                mail.hasCome.store(true, ordering: .releasing)
                shared.waker.wake()
            }, leavesAfterState: greeting.leavesAfterState)
    }

    /// Has connections that a user opens from now on wait longer.
    private func pause(_ peer: Peer?) {
        guard let peer else { return }
        let now = options.now()
        peerPauses = peerPauses.filter { $0.value > now }
        peerPauses[peer] = max(now, peerPauses[peer] ?? 0) + options.wrongTokenPause
    }

    /// Whether a visitor more may stay; of those too many one that has been idle is detached.
    private func hasPlaceForVisitor() -> Bool {
        guard options.viewerLimit > 0 else { return false }
        let visitors = connections.filter { $0.phase == .attached && $0.isVisitor }
        guard visitors.count >= options.visitorLimit else { return true }
        let idleTime = options.now() - min(options.now(), options.visitorRest)
        let idle = visitors.filter { $0.commandCount == 0 && $0.lastActive <= idleTime }
        guard let oldest = idle.min(by: { $0.lastActive < $1.lastActive }) else { return false }
        oldest.leave(.busy, "This viewer was idle, and another one needed its place")
        oldest.pump()
        return true
    }

    private func take(_ command: ViewerCommand, of connection: Connection) {
        if connection.isReadOnly, case .cancel = command.request {
            return refuse(command.id, of: connection, "This viewer has attached to look only (read-only)")
        }
        let order = CommandThread.Order(
            connection: connection.id, command: command, subscription: connection.subscription)
        guard commands.carryOut(order) else {
            return refuse(command.id, of: connection, "The program has no thread left to carry out commands on")
        }
        connection.commandCount += 1
        commandCount += 1
    }

    private func refuse(_ command: UInt64, of connection: Connection, _ reason: String) {
        connection.say(.reply(CommandReply(command: command, outcome: .refused(reason))))
    }
}
