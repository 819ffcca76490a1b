// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem
import ChainWire

/// Single requests to a program, for scripts: each attaches, waits for the answer on the calling thread, and detaches.
package enum OneShotClient {
    /// Returns a program's hello.
    ///
    /// - Parameter timeLimit: the limit for the whole request.
    /// - Throws: ``AttachError``, also if the program refuses this viewer.
    package static func hello(
        of endpoint: Endpoint, viewerName: String = "", timeLimit: Duration = .seconds(10)
    ) throws(AttachError) -> Hello {
        var connection = try OneShotConnection(endpoint, .look, isReadOnly: true, viewerName, timeLimit)
        let hello = try connection.hello()
        connection.close()
        return hello
    }

    /// Returns the program's present state, as batches to apply in this order.
    ///
    /// - Parameters:
    ///   - timeLimit: the limit for the whole request.
    ///   - answerLimit: the limit for the program's first answer; nil stands for `timeLimit`.
    package static func state(
        of endpoint: Endpoint, viewerName: String = "", timeLimit: Duration = .seconds(10),
        answerLimit: Duration? = nil
    ) throws(AttachError) -> (hello: Hello, batches: [EventBatch]) {
        var connection = try OneShotConnection(endpoint, .watch, isReadOnly: true, viewerName, timeLimit)
        let hello = try connection.hello(within: answerLimit)
        var batches: [EventBatch] = []
        while true {
            guard case .batch(let batch) = try connection.next() else { continue }
            batches.append(batch)
            guard case .end = batch.resync else { continue }
            connection.close()
            return (hello, batches)
        }
    }

    /// Sends a command, and returns the reply.
    ///
    /// - Parameter timeLimit: the limit for the whole request. A command that timed out may have been carried out.
    package static func perform(
        _ request: ViewerCommand.Request, at endpoint: Endpoint, viewerName: String = "",
        timeLimit: Duration = .seconds(10)
    ) throws(AttachError) -> CommandReply {
        var connection = try OneShotConnection(
            endpoint, .command, isReadOnly: !request.changesProgram, viewerName, timeLimit)
        let command = ViewerCommand(id: 1, process: try connection.hello().process.key, request: request)
        guard command.fits else { return CommandReply(command: 1, outcome: .refused(ViewerCommand.tooLong)) }
        connection.send(.command(command))
        while true {
            guard case .reply(let reply) = try connection.next(), reply.command == command.id else { continue }
            connection.close()
            return reply
        }
    }
}

extension OneShotClient {
    /// The most parts that are read, whatever the program says.
    private static let framePartLimit: UInt32 = 4_096

    /// Returns the frames of all suspended tasks of a program, part by part; none if the program shows no tasks, or is
    /// of a version that does not send frames.
    ///
    /// - Parameter timeLimit: the limit for the whole request.
    package static func frames(
        of endpoint: Endpoint, viewerName: String = "", timeLimit: Duration = .seconds(10)
    ) throws(AttachError) -> [FrameReading] {
        var connection = try OneShotConnection(endpoint, .command, isReadOnly: true, viewerName, timeLimit)
        let process = try connection.hello().process.key
        var readings: [FrameReading] = []
        while readings.last.map({ readings.count < min($0.partCount, framePartLimit) }) ?? true {
            let id = UInt64(readings.count) + 1
            let part = FrameScope.part(UInt32(readings.count))
            connection.send(.command(ViewerCommand(id: id, process: process, request: .frames(part))))
            var answer: FrameReading?
            while answer == nil {
                guard case .reply(let reply) = try connection.next(), reply.command == id else { continue }
                guard case .frames(let reading) = reply.outcome else {
                    connection.close()
                    return readings
                }
                answer = reading
            }
            if let answer { readings.append(answer) }
        }
        connection.close()
        return readings
    }

    /// Requests a dump of the program's flight recorder, and passes each part of the file to `take` as it arrives.
    ///
    /// - Parameters:
    ///   - span: the length of the recorded time before the request.
    ///   - timeLimit: the limit for the first part, from the start of the request on; then for each further part, and
    ///     for the reply.
    ///   - take: called with the parts in order; false ends the request.
    /// - Returns: the number of bytes in all, or the program's refusal; nil if `take` ended the request.
    package static func dump(
        last span: Duration, of endpoint: Endpoint, viewerName: String = "", timeLimit: Duration = .seconds(30),
        take: ([UInt8]) -> Bool
    ) throws(AttachError) -> CommandReply.Outcome? {
        var connection = try OneShotConnection(endpoint, .command, isReadOnly: true, viewerName, timeLimit)
        let process = try connection.hello().process.key
        connection.send(.command(ViewerCommand(id: 1, process: process, request: .dump(last: span.clampedNanoseconds))))
        while true {
            switch try connection.next() {
            case .dumpPart(let part) where part.command == 1:
                guard take(part.bytes) else { return nil }
                connection.restartTime()
            case .reply(let reply) where reply.command == 1:
                connection.close()
                return reply.outcome
            default: continue
            }
        }
    }
}

/// A connection with a `next` that blocks until a message arrives or the time limit has passed. If the system reports
/// that the program's process is stopped, `next` throws within about half a second.
private struct OneShotConnection {
    private let connection: ProgramConnection
    private let clock: any PollClock = SystemPollClock()
    private var startTime: UInt64
    private let timeLimit: Duration
    /// When to check whether the process is stopped, if no bytes arrive until then.
    private var checkTime: UInt64

    private static let checkInterval: UInt64 = 500_000_000

    init(
        _ endpoint: Endpoint, _ purpose: ClientHello.Purpose, isReadOnly: Bool, _ name: String, _ timeLimit: Duration
    ) throws(AttachError) {
        self.timeLimit = timeLimit
        startTime = clock.now
        checkTime = startTime + Self.checkInterval
        connection = try ProgramConnection(
            to: endpoint,
            ClientHello(purpose: purpose, isReadOnly: isReadOnly, name: name, leavesAfterState: purpose == .watch))
    }

    mutating func hello(within limit: Duration? = nil) throws(AttachError) -> Hello {
        while true {
            if case .hello(let hello) = try next(within: limit) { return hello }
        }
    }

    /// Returns the next message.
    ///
    /// - Parameter limit: the time limit from the start of the request on; nil stands for the request's own limit.
    mutating func next(within limit: Duration? = nil) throws(AttachError) -> Message {
        let limit = min(limit ?? timeLimit, timeLimit)
        let deadline = startTime + limit.clampedNanoseconds
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
            if connection.sendAndReceive(entries[...]) { checkTime = clock.now + Self.checkInterval }
        }
    }

    /// Restarts the time limit.
    mutating func restartTime() { startTime = clock.now }

    mutating func send(_ message: Message) { connection.send(message) }

    mutating func close() { connection.send(.farewell(Goodbye(.stopped, ""))) }
}

extension ViewerCommand.Request {
    /// Whether the request changes the program, so that read-only viewers may not send it.
    var changesProgram: Bool {
        switch self {
        case .cancel: true
        case .resync, .describe, .threadStack, .nodesOfTasks, .frames, .dump: false
        }
    }
}

extension ViewerCommand {
    static let tooLong = "The command names more nodes than fit into one: cancel a chain, or fewer nodes"

    /// Whether the command fits into the longest message that programs read.
    var fits: Bool {
        var writer = MessageWriter()
        do { try writer.write(.command(self)) } catch { return false }
        return writer.bytes.count - Wire.headerSize <= Wire.viewerMessageLimit
    }
}
