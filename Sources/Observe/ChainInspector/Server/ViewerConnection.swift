// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import ChainWire
import Synchronization

/// One viewer's connection, on the server's thread: its buffers in both directions, and its phase.
final class ViewerConnection {
    enum Phase {
        /// The viewer's greeting has not arrived.
        case handshake
        /// The hello was enqueued.
        case attached
        /// The last message was enqueued, and the viewer has some time to read it.
        case closing
    }

    /// The flag that the subscription sets, on any thread, when it has batches.
    final class BatchSignal: Sendable {
        let hasArrived = Atomic<Bool>(false)
    }

    let id: UInt64
    let descriptor: Descriptor
    /// The token that the viewer has to send; nil where the system identifies the viewer's user.
    let token: [UInt8]?
    /// The user at the other end of a TCP connection, for the limits of connections that have not sent their token. Nil
    /// over a Unix socket.
    let peer: Peer?
    var phase = Phase.handshake
    /// Whether the viewer may attach: because of its user, or of its token.
    var isAuthenticated: Bool
    /// Whether the viewer attached for single commands or one state, and does not count as a watcher.
    var isOneShot = false
    var isReadOnly = false
    /// The number of unanswered commands.
    var commandCount = 0
    /// When the connection is closed: when the time for the handshake, or for reading the last message, is over. Nil
    /// between these two phases.
    var deadline: UInt64?
    /// The time before which no messages are read.
    let readStartTime: UInt64
    /// When bytes were last sent or received.
    private(set) var lastActive: UInt64
    /// When the viewer last took bytes, or when there were no bytes to send.
    private(set) var lastProgress: UInt64
    /// Whether the connection is to be released.
    var isGone = false

    let batchSignal = BatchSignal()
    private(set) var subscription: BatchSubscription?
    /// Whether the subscription may have batches.
    private var mayHaveBatches = false
    /// The dumps that are being sent, one after the other.
    var dumps: [DumpSending] = []

    private let options: ServerOptions
    private var reader = MessageReader(limit: Wire.viewerMessageLimit)
    private var writer = MessageWriter()
    /// Bytes of the writer that were sent.
    private var sentCount = 0
    private var hasWrittenPreamble = false
    private var hasEndedSending = false
    /// Whether the subscription ends with the first state.
    private var leavesAfterState = false

    /// Unsent bytes from which on no further batches are fetched.
    static let bufferLimit = 64 << 10
    /// Bytes sent in one turn, after which the other connections are served.
    private static let turnLimit = 256 << 10
    /// Unsent bytes from which on no messages are read.
    private static let replyLimit = 256 << 10

    /// Makes an accepted connection. Its messages are not read before `readStartTime`.
    init(
        id: UInt64, descriptor: Descriptor, token: [UInt8]?, peer: Peer?, isAuthenticated: Bool, readStartTime: UInt64,
        options: ServerOptions
    ) {
        self.id = id
        self.descriptor = descriptor
        self.token = token
        self.peer = peer
        self.isAuthenticated = isAuthenticated
        self.readStartTime = readStartTime
        self.options = options
        (lastActive, lastProgress) = (readStartTime, readStartTime)
        deadline = readStartTime + options.handshakeLimit
    }

    func release() {
        subscription?.dispose()
        subscription = nil
        descriptor.close()
    }

    /// Encoded bytes that were not sent yet.
    var unsentCount: Int { writer.bytes.count - sentCount }

    /// Whether the viewer has sent no greeting.
    var isSilent: Bool { phase == .handshake && !isGone }

    /// Whether the viewer has to send a token, and has not done so.
    var isUnauthenticated: Bool { token != nil && isSilent }

    /// When the viewer is detached if it takes no bytes before then. Nil where there are no bytes to send, and for a
    /// viewer that is not attached.
    var stallTime: UInt64? { phase == .attached && unsentCount > 0 ? lastProgress + options.stallLimit : nil }

    /// Whether more messages of the viewer may be read.
    var acceptsMessages: Bool {
        // No messages are read while a dump is being sent, because each dump is an open file until it is sent.
        phase == .closing
            || (dumps.isEmpty && commandCount < options.commandLimit && unsentCount < ViewerConnection.replyLimit)
    }

    private var hasMore: Bool { mayHaveBatches || !dumps.isEmpty }

    /// Whether all encoded bytes were sent, and there are batches or parts of a dump to encode.
    var hasBatches: Bool { phase == .attached && hasMore && unsentCount == 0 }

    // MARK: Receiving

    /// Receives available bytes, at most as many as `buffer` holds; returns whether there were any.
    func receive(_ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        let count: Int
        switch descriptor.receive(into: buffer) {
        case .moved(let moved): count = moved
        case .wouldBlock: return false
        case .end, .failed:
            isGone = true
            return false
        }
        lastActive = options.now()
        // While the connection closes, its input is ignored.
        if phase != .closing { reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        return true
    }

    func nextMessage() throws(WireError) -> Message? { try reader.next() }

    // MARK: Sending

    func enqueue(_ message: Message) {
        if !hasWrittenPreamble {
            hasWrittenPreamble = true
            writer.writePreamble()
        }
        do throws(WireError) { try writer.write(message) } catch { close(.other, error.description) }
    }

    /// Enqueues a goodbye with the reason. The connection is released when the viewer closes its end, or after
    /// ``ServerOptions/lingerLimit``.
    func close(_ reason: Goodbye.Reason, _ text: String) {
        guard phase != .closing else { return }
        enqueue(.farewell(Goodbye(reason, text)))
        endSending()
    }

    /// Begins to close the connection: nothing more is enqueued.
    func endSending() {
        phase = .closing
        deadline = options.now() + options.lingerLimit
        subscription?.dispose()
        subscription = nil
    }

    /// Sends the viewer a subscription's batches: all of them, or only the first state.
    func watch(_ subscription: BatchSubscription, leavesAfterState: Bool) {
        self.subscription = subscription
        self.leavesAfterState = leavesAfterState
        mayHaveBatches = true
    }

    private func sendNextBatch() {
        guard let batch = subscription?.next() else { return mayHaveBatches = false }
        enqueue(.batch(batch))
        guard leavesAfterState, case .end? = batch.resync else { return }
        subscription?.dispose()
        subscription = nil
        mayHaveBatches = false
    }

    /// Sends the enqueued bytes and batches as long as the socket takes them, up to the limit of one turn. If sending
    /// stops at that limit, ``hasBatches`` is true.
    func pump() {
        if batchSignal.hasArrived.exchange(false, ordering: .acquiringAndReleasing) { mayHaveBatches = true }
        var sentNow = 0
        while flush(&sentNow), !isGone, phase == .attached, hasMore, sentNow < ViewerConnection.turnLimit {
            while unsentCount < ViewerConnection.bufferLimit, phase == .attached, mayHaveBatches { sendNextBatch() }
            sendNextPart()
        }
        if phase == .closing, unsentCount == 0, !hasEndedSending {
            hasEndedSending = true
            descriptor.endSending()
        }
    }

    /// Sends the enqueued bytes; returns whether all were sent.
    private func flush(_ sentNow: inout Int) -> Bool {
        let before = sentNow
        defer {
            if unsentCount == 0 || sentNow > before { lastProgress = options.now() }
            if sentNow > before { lastActive = lastProgress }
        }
        while unsentCount > 0 {
            let transfer = writer.bytes.withUnsafeBytes { bytes in
                descriptor.send(UnsafeRawBufferPointer(rebasing: bytes[sentCount...]))
            }
            switch transfer {
            case .moved(let count):
                sentCount += count
                sentNow += count
            case .wouldBlock: return false
            case .end, .failed:
                isGone = true
                return false
            }
        }
        sentCount = 0
        writer.removeAll()
        return true
    }
}
