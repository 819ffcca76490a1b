// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSource
import ChainSystem
import ChainWire

/// A live connection: it delivers the program's messages, and matches replies to commands.
final class Attachment {
    let connection: ProgramConnection
    /// When the connection became live, by the clock of the core.
    let startTime: UInt64
    /// When bytes last arrived, in nanoseconds since 1970.
    private(set) var lastReceivedWall: UInt64
    /// Whether the program sent a goodbye because it stops.
    private(set) var hasPeerStopped = false

    private let core: AttachCore
    private let process: ProcessDescription
    private var lastReceived: UInt64
    private var isStalled = false
    private var hasDeliveredBatches = false
    /// The sender's id of each unanswered command, by the id on the wire; nil for commands of this object.
    private var pending: [UInt64: UInt64?] = [:]
    /// The last id given to a command on the wire.
    private var lastCommandID: UInt64 = 0

    /// A program counts as stalled after this much silence, because it sends a heartbeat every second.
    private static let silenceLimit: UInt64 = 5_000_000_000
    /// The maximum number of unanswered commands.
    private static let pendingLimit = 1_000
    /// The number of unsent bytes from which on commands are refused.
    private static let unsentLimit = 2 << 20

    init(_ core: AttachCore, _ connection: ProgramConnection, _ process: ProcessDescription) {
        self.core = core
        self.connection = connection
        self.process = process
        startTime = core.clock.now
        lastReceived = startTime
        lastReceivedWall = core.clock.wall
    }

    /// When the silence limit is reached; nil once it was reached.
    var deadline: UInt64? { isStalled ? nil : lastReceived + Self.silenceLimit }

    /// Sends and receives; changes the status when the program has been silent for too long, and when it sends again.
    func sendAndReceive(_ entries: ArraySlice<pollfd>) {
        if connection.sendAndReceive(entries) {
            lastReceived = core.clock.now
            lastReceivedWall = core.clock.wall
            guard isStalled else { return }
            isStalled = false
            core.status.onNext(.live(process))
        } else if let deadline, core.clock.now >= deadline, entries.first?.revents == 0 {
            isStalled = true
            let disconnection = Disconnection(
                since: lastReceivedWall,
                reason: "The program is stopped or hangs: `kill -CONT \(process.pid)` continues a stopped one",
                attempt: 0, nextAttempt: 0)
            core.status.onNext(.reconnecting(process, disconnection))
        }
    }

    /// Delivers the received messages.
    ///
    /// - Throws: the reason why no more messages follow.
    func deliverMessages(_ numbering: inout BatchNumbering) throws(AttachError) {
        while let message = try connection.next() {
            switch message {
            case .batch(var batch):
                guard batch.process == process.key else {
                    throw AttachError(.version, "\(connection.endpoint) sent a batch of another program")
                }
                numbering.number(&batch)
                if !hasDeliveredBatches {
                    hasDeliveredBatches = true
                    core.setHasDelivered(true)
                }
                core.batches.onNext(batch)
            case .reply(let reply): answer(reply)
            case .farewell(let farewell):
                hasPeerStopped = farewell.reason == .stopped
                throw farewell.error
            case .greeting, .hello, .command, .unknownCommand, .dumpPart: continue
            }
        }
    }

    // MARK: Commands

    /// Sends a command, or refuses it with the reason.
    func send(_ command: ViewerCommand) {
        if core.options.isReadOnly, command.request.changesProgram {
            core.refuse(command.id, "This viewer only looks (--read-only)")
        } else if isStalled {
            core.refuse(command.id, "\(process.name) is stopped or hangs, and takes no commands")
        } else if pending.count >= Self.pendingLimit || connection.unsentCount >= Self.unsentLimit {
            core.refuse(command.id, "\(process.name) has not answered \(pending.count) commands yet")
        } else if !command.fits {
            core.refuse(command.id, ViewerCommand.tooLong)
        } else {
            ask(command.request, of: command.process, for: command.id)
        }
    }

    /// Requests the whole state, for late subscribers.
    func requestState() { ask(.resync, of: process.key, for: nil) }

    /// Refuses the unanswered commands.
    func close() {
        core.setHasDelivered(false)
        for (_, sender) in pending.sorted(by: { $0.key < $1.key }) {
            guard let sender else { continue }
            core.refuse(sender, "The connection was lost before the program answered")
        }
        pending = [:]
    }

    /// Sends a goodbye, and refuses the unanswered commands.
    func detach() {
        connection.send(.farewell(Goodbye(.stopped, "")))
        close()
    }

    private func ask(_ request: ViewerCommand.Request, of process: ProcessKey, for sender: UInt64?) {
        lastCommandID += 1
        pending[lastCommandID] = .some(sender)
        connection.send(.command(ViewerCommand(id: lastCommandID, process: process, request: request)))
    }

    private func answer(_ reply: CommandReply) {
        guard let sender = pending.removeValue(forKey: reply.command), let sender else { return }
        core.replies.onNext(CommandReply(command: sender, outcome: reply.outcome))
    }
}

/// The numbering of batches over several connections to one run of a program.
struct BatchNumbering {
    private var sequence: UInt64 = 0
    /// Events lost at the client on earlier connections, and between two connections.
    private var lostBefore: UInt64 = 0
    /// How many events the program had collected by the last batch; nil before the first batch.
    private var collected: UInt64?
    /// Whether no batch of the present connection has come.
    private var isFirst = true
    /// Events lost at the client on all connections.
    private var lost: UInt64 = 0

    mutating func beginConnection() { (lostBefore, isFirst) = (lost, true) }

    /// Sets the batch's number, and adds the losses of earlier connections. The events between two connections are
    /// losses, too: nodes that ended meanwhile may be unknown.
    mutating func number(_ batch: inout EventBatch) {
        sequence += 1
        if isFirst, let collected {
            lostBefore = lostBefore.addingClamped(batch.loss.deliveredCount.subtractingClamped(collected))
        }
        (isFirst, collected) = (false, batch.loss.deliveredCount)
        batch.sequence = sequence
        batch.loss.lostAtClient = batch.loss.lostAtClient.addingClamped(lostBefore)
        lost = batch.loss.lostAtClient
    }
}
