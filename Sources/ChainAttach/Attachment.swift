import ChainEvents
import ChainSource
import ChainWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A connection over which the program is live: hands on what it says, and keeps count of who waits for an answer.
final class Attachment {
    let connection: Connection
    /// When it began.
    let begun: UInt64
    /// When the program was last heard of, in nanoseconds since 1970.
    private(set) var lastHeardWall: UInt64
    /// Whether the program said that it stops.
    private(set) var hasStopped = false

    private let core: AttachCore
    private let process: ProcessDescription
    private var lastHeard: UInt64
    private var isStalled = false
    private var hasToldBatches = false
    /// The number that the sender gave each command that waits for an answer; nil for this side's own.
    private var pending: [UInt64: UInt64?] = [:]
    private var lastCommand: UInt64 = 0

    /// A program with a heartbeat of a second that is silent for so long stands still.
    private static let silenceLimit: UInt64 = 5_000_000_000
    private static let pendingLimit = 1_000
    /// Bytes of commands that the program has not taken yet.
    private static let unsentLimit = 2 << 20

    init(_ core: AttachCore, _ connection: Connection, _ process: ProcessDescription) {
        self.core = core
        self.connection = connection
        self.process = process
        begun = core.clock.now
        lastHeard = begun
        lastHeardWall = core.clock.wall
    }

    /// When to look at it though nothing came.
    var deadline: UInt64? { isStalled ? nil : lastHeard + Self.silenceLimit }

    /// Takes in what came, and judges whether the program stands still.
    func move(_ entries: ArraySlice<pollfd>) {
        if connection.move(entries) {
            lastHeard = core.clock.now
            lastHeardWall = core.clock.wall
            guard isStalled else { return }
            isStalled = false
            core.status.onNext(.live(process))
        } else if let deadline, core.clock.now >= deadline, entries.first?.revents == 0 {
            isStalled = true
            let outage = Disconnection(
                since: lastHeardWall, reason: "The program stands still: it says nothing, but keeps the connection",
                attempt: 0, nextAttempt: 0)
            core.status.onNext(.reconnecting(process, outage))
        }
    }

    /// Hands on all that came.
    ///
    /// - Throws: why no more will.
    func take(_ numbering: inout BatchNumbering) throws(AttachError) {
        while let message = try connection.next() {
            switch message {
            case .batch(var batch):
                guard batch.process == process.key else {
                    throw AttachError(.version, "\(connection.endpoint) tells of another program than it is")
                }
                numbering.number(&batch)
                if !hasToldBatches {
                    hasToldBatches = true
                    core.setHasTold(true)
                }
                core.batches.onNext(batch)
            case .reply(let reply): answer(reply)
            case .farewell(let farewell):
                hasStopped = farewell.reason == .stopped
                throw farewell.error
            case .greeting, .hello, .command, .unknownCommand: continue
            }
        }
    }

    // MARK: Commands

    /// Sends a command, or says why not.
    func send(_ command: ViewerCommand) {
        if core.options.isReadOnly, command.request.changesProgram {
            core.refuse(command.id, "This viewer only looks (--read-only)")
        } else if isStalled {
            core.refuse(command.id, "\(process.name) stands still and takes no commands")
        } else if pending.count >= Self.pendingLimit || connection.unsentCount >= Self.unsentLimit {
            core.refuse(command.id, "\(process.name) has not answered \(pending.count) commands yet")
        } else if !command.fits {
            core.refuse(command.id, ViewerCommand.tooLong)
        } else {
            ask(command.request, of: command.process, for: command.id)
        }
    }

    /// For somebody who has not heard what was told so far.
    func tellStateAnew() { ask(.resync, of: process.key, for: nil) }

    /// It is over: nobody will answer any more.
    func close() {
        core.setHasTold(false)
        for (_, sender) in pending.sorted(by: { $0.key < $1.key }) {
            guard let sender else { continue }
            core.refuse(sender, "The connection was lost before the program answered")
        }
        pending = [:]
    }

    /// Detaches in good order.
    func leave() {
        connection.send(.farewell(Goodbye(.stopped, "")))
        close()
    }

    private func ask(_ request: ViewerCommand.Request, of process: ProcessKey, for sender: UInt64?) {
        lastCommand += 1
        pending[lastCommand] = .some(sender)
        connection.send(.command(ViewerCommand(id: lastCommand, process: process, request: request)))
    }

    private func answer(_ reply: CommandReply) {
        guard let sender = pending.removeValue(forKey: reply.command), let sender else { return }
        core.replies.onNext(CommandReply(command: sender, outcome: reply.outcome))
    }
}

/// Makes one stream of the batches of several connections to one run of a program.
struct BatchNumbering {
    private var sequence: UInt64 = 0
    /// What earlier connections lost, and all of them together.
    private var lostBefore: UInt64 = 0
    private var lost: UInt64 = 0

    mutating func beginConnection() { lostBefore = lost }

    mutating func number(_ batch: inout EventBatch) {
        sequence += 1
        batch.sequence = sequence
        batch.loss.lostAtClient = batch.loss.lostAtClient.addingClamped(lostBefore)
        lost = batch.loss.lostAtClient
    }
}
