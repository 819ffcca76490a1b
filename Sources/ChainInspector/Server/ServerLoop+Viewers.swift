import CChainRuntime
import ChainEvents
import ChainWire

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Who may attach, and what they ask.
extension ServerLoop {
    func accept(at listener: Listener) {
        let descriptor = chain_accept(listener.descriptor)
        guard descriptor >= 0 else { return accepting(failed: -descriptor) }
        lastConnection += 1
        let connection = Connection(id: lastConnection, descriptor: descriptor, token: listener.token, options: options)
        connections.append(connection)
        guard listener.token == nil, !isAllowed(descriptor) else { return }
        connection.leave(.refused, "Only the user who runs the program may attach, and root")
        connection.pump()
    }

    private func isAllowed(_ descriptor: Int32) -> Bool {
        var user: UInt32 = 0
        return chain_peer_user(descriptor, &user) && (user == 0 || user == geteuid())
    }

    private func accepting(failed errorNumber: Int32) {
        guard ![EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(errorNumber) else { return }
        // Whoever waits is left in the queue, which stays readable.
        pausedUntil = options.now() + options.backOff
        guard !hasComplained else { return }
        hasComplained = true
        let failure = ServerFailure("A viewer cannot be accepted", errorNumber: errorNumber)
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

    private func admit(_ connection: Connection, _ greeting: Greeting) {
        if let token = connection.token, !Token.matches(greeting.token, token) {
            let now = options.now()
            tcpPausedUntil = max(now, tcpPausedUntil) + options.wrongTokenPause
            let what = greeting.token.isEmpty ? "A token is needed" : "The token is a wrong one"
            return connection.leave(
                .refused, what + ": it is in the file tcp-PORT.token of the program's socket folder")
        }
        let viewerCount = connections.count { $0.phase == .attached }
        let hello = Message.hello(shared.inspector.hello(viewerCount: viewerCount))
        guard greeting.purpose != .look else {
            connection.say(hello)
            return connection.endTelling()
        }
        guard viewerCount < options.viewerLimit else {
            return connection.leave(
                .busy, "\(viewerCount) viewers are attached already, which is the limit: detach one")
        }
        connection.phase = .attached
        connection.deadline = nil
        connection.isReadOnly = greeting.isReadOnly
        connection.say(hello)
        guard greeting.purpose == .watch else { return }
        connection.watch(
            shared.inspector.subscribe(mailboxLimit: options.mailboxLimit) { [mail = connection.mail, shared] in
                mail.hasCome.store(true, ordering: .releasing)
                shared.waker.wake()
            })
    }

    private func take(_ command: Command, of connection: Connection) {
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
