// SPDX-License-Identifier: MIT

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

/// The answer to a command.
enum CommandAnswer: Sendable {
    case reply(CommandReply)
    /// A file in parts, then a reply.
    case dump(DumpSending)
}

/// A dump that is being sent to a viewer.
struct DumpSending: Sendable {
    private let command: UInt64
    private let dump: FlightDump
    /// Bytes of the dump that were read.
    private var offset: UInt64 = 0

    /// The most bytes in one message.
    private static let partSize = 64 << 10

    init(_ command: UInt64, _ dump: FlightDump) { (self.command, self.dump) = (command, dump) }

    /// Returns the next message, and whether it is the last.
    mutating func next() -> (message: Message, isLast: Bool) {
        func reply(_ outcome: CommandReply.Outcome) -> (Message, Bool) {
            (.reply(CommandReply(command: command, outcome: outcome)), true)
        }
        guard offset < dump.size else { return reply(.accepted(count: Int(clamping: dump.size))) }
        var failure: SystemError?
        let room = Int(min(UInt64(Self.partSize), dump.size - offset))
        let bytes = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
            var count = -1
            repeat {
                count = pread(dump.file.number, buffer.baseAddress, room, off_t(offset))
            } while count < 0 && errno == EINTR
            if count <= 0 { failure = SystemError(code: count < 0 ? errno : EIO) }
            filled = max(0, count)
        }
        if let failure { return reply(.refused(ServerFailure("The dump cannot be read", failure).sentence)) }
        defer { offset += UInt64(bytes.count) }
        return (.dumpPart(DumpPart(command: command, offset: offset, bytes: bytes)), false)
    }
}

extension ViewerConnection {
    /// Enqueues a dump, to be sent after the dumps before it.
    func enqueue(_ sending: DumpSending) { dumps.append(sending) }

    /// Enqueues the next part of the first dump.
    func sendNextPart() {
        guard unsentCount < Self.bufferLimit, phase == .attached, !dumps.isEmpty else { return }
        let (message, isLast) = dumps[0].next()
        enqueue(message)
        if isLast { dumps.removeFirst() }
    }
}

extension Inspector {
    /// Carries out a viewer's command, and returns the answer; a requested state is sent to `subscribers`.
    func answer(to command: ViewerCommand, _ subscribers: [BatchSubscription]) -> CommandAnswer {
        guard case .dump(let span) = command.request, command.process == info.key else {
            return .reply(perform(command, for: subscribers))
        }
        switch flightDump(last: span) {
        case .success(let dump): return .dump(DumpSending(command.id, dump))
        case .failure(let failure):
            return .reply(CommandReply(command: command.id, outcome: .refused(failure.sentence)))
        }
    }
}
