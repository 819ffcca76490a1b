import ChainEvents
import ChainWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Single questions to a program, for scripts: each attaches, asks, and detaches in good order. They wait, on the thread
/// that calls.
public enum Visit {
    /// What a program says of itself; whoever may not attach is told so here, too.
    ///
    /// - Parameter timeLimit: for all of it together.
    public static func hello(
        of endpoint: Endpoint, viewerName: String = "", timeLimit: Duration = .seconds(10)
    ) throws(AttachError) -> Hello {
        var visitor = try Visitor(endpoint, .look, isReadOnly: true, viewerName, timeLimit)
        let hello = try visitor.hello()
        visitor.leave()
        return hello
    }

    /// The program's whole state as it is now: to be folded in this order.
    ///
    /// - Parameters:
    ///   - timeLimit: for all of it together.
    ///   - answerLimit: for the program's first answer; nil: as long as for all.
    public static func state(
        of endpoint: Endpoint, viewerName: String = "", timeLimit: Duration = .seconds(10),
        answerLimit: Duration? = nil
    ) throws(AttachError) -> (hello: Hello, batches: [EventBatch]) {
        var visitor = try Visitor(endpoint, .watch, isReadOnly: true, viewerName, timeLimit)
        let hello = try visitor.hello(within: answerLimit)
        var batches: [EventBatch] = []
        while true {
            guard case .batch(let batch) = try visitor.next() else { continue }
            batches.append(batch)
            guard case .end = batch.resync else { continue }
            visitor.leave()
            return (hello, batches)
        }
    }

    /// Has a command carried out, and gives what became of it.
    ///
    /// - Parameter timeLimit: for all of it together; after it the command may have been carried out all the same.
    public static func perform(
        _ request: ViewerCommand.Request, at endpoint: Endpoint, viewerName: String = "",
        timeLimit: Duration = .seconds(10)
    ) throws(AttachError) -> CommandReply {
        var visitor = try Visitor(endpoint, .command, isReadOnly: !request.changesProgram, viewerName, timeLimit)
        let command = ViewerCommand(id: 1, process: try visitor.hello().process.key, request: request)
        guard command.fits else { return CommandReply(command: 1, outcome: .refused(ViewerCommand.tooLong)) }
        visitor.say(.command(command))
        while true {
            guard case .reply(let reply) = try visitor.next(), reply.command == command.id else { continue }
            visitor.leave()
            return reply
        }
    }
}

/// A connection that is waited for; not for longer than half a second where the program's process is stopped.
private struct Visitor {
    private let connection: Connection
    private let clock: any PollClock = SystemPollClock()
    private let begun: UInt64
    private let timeLimit: Duration
    /// When the process is looked at, if nothing comes until then.
    private var checkTime: UInt64

    private static let checkInterval: UInt64 = 500_000_000

    init(
        _ endpoint: Endpoint, _ purpose: ClientHello.Purpose, isReadOnly: Bool, _ name: String, _ timeLimit: Duration
    ) throws(AttachError) {
        self.timeLimit = timeLimit
        begun = clock.now
        checkTime = begun + Self.checkInterval
        connection = try Connection(
            to: endpoint,
            ClientHello(purpose: purpose, isReadOnly: isReadOnly, name: name, leavesAfterState: purpose == .watch))
    }

    mutating func hello(within limit: Duration? = nil) throws(AttachError) -> Hello {
        while true {
            if case .hello(let hello) = try next(within: limit) { return hello }
        }
    }

    mutating func next(within limit: Duration? = nil) throws(AttachError) -> Message {
        let limit = min(limit ?? timeLimit, timeLimit)
        let deadline = begun + limit.nanoseconds
        while true {
            switch try connection.next() {
            case .farewell(let farewell)?: throw farewell.error
            case let message?: return message
            case nil: break
            }
            let now = clock.now
            if now >= checkTime {
                if let process = connection.stoppedProcess {
                    throw AttachError.stopped("The program at \(connection.endpoint)", process)
                }
                checkTime = now + Self.checkInterval
            }
            guard now < deadline else {
                throw AttachError(.timedOut, "\(connection.endpoint) did not answer within \(limit)")
            }
            var entries = connection.entries
            clock.poll(&entries, until: min(deadline, checkTime))
            if connection.move(entries[...]) { checkTime = clock.now + Self.checkInterval }
        }
    }

    mutating func say(_ message: Message) { connection.send(message) }

    mutating func leave() { connection.send(.farewell(Goodbye(.stopped, ""))) }
}

extension ViewerCommand.Request {
    /// Whether a viewer that only looks may not ask for it.
    var changesProgram: Bool {
        switch self {
        case .cancel: true
        case .resync, .describe: false
        }
    }
}

extension ViewerCommand {
    static let tooLong = "The command names more nodes than fit into one: cancel a chain, or fewer nodes"

    /// Whether a program takes so long a message.
    var fits: Bool {
        var writer = MessageWriter()
        do { try writer.write(.command(self)) } catch { return false }
        return writer.bytes.count - Wire.headerSize <= Wire.commandLimit
    }
}
