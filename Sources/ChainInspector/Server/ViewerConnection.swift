import CChainRuntime
import ChainEvents
import ChainSystem
import ChainWire
import Synchronization

/// One viewer's connection, on the server's thread: its buffers in both directions, and its phase.
final class ViewerConnection {
    enum Phase {
        /// Its greeting has not arrived.
        case handshake
        /// It was sent the hello.
        case attached
        /// Its last message is enqueued, and it has some time to read it.
        case closing
    }

    /// The flag that the subscription sets, on any thread, when it has batches.
    final class Mail: Sendable {
        let hasArrived = Atomic<Bool>(false)
    }

    let id: UInt64
    let descriptor: Descriptor
    /// The token that it has to send; nil where the system identifies its user.
    let token: [UInt8]?
    /// The user with the limit that it counts against until it sends the token.
    let peer: Peer?
    var phase = Phase.handshake
    /// Whether it may attach: by the system's word on its user, or by its token.
    var isAuthenticated: Bool
    /// Whether it attached for single commands or one state, and does not count as a watcher.
    var isOneShot = false
    var isReadOnly = false
    /// Its unanswered commands.
    var commandCount = 0
    /// When it is closed, if nothing happens until then.
    var deadline: UInt64?
    /// From when on its messages are read.
    let begin: UInt64
    /// When it last sent or received bytes.
    private(set) var lastActive: UInt64
    /// When it last received bytes, or had none to receive.
    private(set) var lastProgress: UInt64
    /// Whether it is to be released.
    var isGone = false

    let mail = Mail()
    private(set) var subscription: BatchSubscription?
    /// Whether the subscription may have batches.
    private var hasMail = false
    /// The dumps that are being sent, one after the other.
    var dumps: [DumpSending] = []

    private let options: ServerOptions
    private var reader = MessageReader(limit: Wire.commandLimit)
    private var writer = MessageWriter()
    private var sentCount = 0
    private var hasSpoken = false
    private var hasEndedSending = false
    private var leavesAfterState = false

    /// Unsent bytes up to which batches are fetched, and bytes sent in one turn, after which other connections have
    /// theirs.
    static let bufferLimit = 64 << 10
    private static let turnLimit = 256 << 10
    /// Unsent bytes from which on its messages are not read.
    private static let replyLimit = 256 << 10
    /// The room that an empty buffer keeps.
    private static let keptLimit = 1 << 20

    /// Makes an accepted connection. Its messages are read from `begin` on.
    init(
        id: UInt64, descriptor: Descriptor, token: [UInt8]?, peer: Peer?, isAuthenticated: Bool, begin: UInt64,
        options: ServerOptions
    ) {
        self.id = id
        self.descriptor = descriptor
        self.token = token
        self.peer = peer
        self.isAuthenticated = isAuthenticated
        self.begin = begin
        self.options = options
        (lastActive, lastProgress) = (begin, begin)
        deadline = begin + options.handshakeLimit
    }

    func release() {
        subscription?.dispose()
        subscription = nil
        descriptor.close()
    }

    var unsentCount: Int { writer.bytes.count - sentCount }

    /// Whether it has not sent its token yet.
    var isUnauthenticated: Bool { token != nil && phase == .handshake && !isGone }

    /// When it is detached if it receives no bytes until then.
    var stallTime: UInt64? { phase == .attached && unsentCount > 0 ? lastProgress + options.stallLimit : nil }

    /// Whether more of its messages may be read.
    var acceptsMessages: Bool {
        // A dump is a file until it is sent.
        phase == .closing
            || (dumps.isEmpty && commandCount < options.commandLimit && unsentCount < ViewerConnection.replyLimit)
    }

    private var hasMore: Bool { hasMail || !dumps.isEmpty }

    /// Whether it has batches that are not encoded yet, or parts of a dump.
    var hasBatches: Bool { phase == .attached && hasMore && unsentCount == 0 }

    // MARK: Receiving

    /// Receives the available bytes, at most `buffer`; returns whether there were any.
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
        // While it closes, its input is ignored.
        if phase != .closing { reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        return true
    }

    func nextMessage() throws(WireError) -> Message? { try reader.next() }

    // MARK: Sending

    func enqueue(_ message: Message) {
        if !hasSpoken {
            hasSpoken = true
            writer.writePreamble()
        }
        do throws(WireError) { try writer.write(message) } catch { close(.other, error.description) }
    }

    /// Enqueues a goodbye with the reason; the connection is released when the viewer has read it, or after a time.
    func close(_ reason: Goodbye.Reason, _ text: String) {
        guard phase != .closing else { return }
        enqueue(.farewell(Goodbye(reason, text)))
        endSending()
    }

    /// Enqueues nothing more.
    func endSending() {
        phase = .closing
        deadline = options.now() + options.lingerLimit
        subscription?.dispose()
        subscription = nil
    }

    /// Sends it a subscription's batches: all of them, or the first state alone.
    func watch(_ subscription: BatchSubscription, leavesAfterState: Bool) {
        self.subscription = subscription
        self.leavesAfterState = leavesAfterState
        hasMail = true
    }

    private func sendNextBatch() {
        guard let batch = subscription?.next() else { return hasMail = false }
        enqueue(.batch(batch))
        guard leavesAfterState, case .end? = batch.resync else { return }
        subscription?.dispose()
        subscription = nil
        hasMail = false
    }

    /// Sends the enqueued bytes and batches as long as the socket takes them, up to the limit of one turn.
    /// ``hasBatches`` is true while batches remain.
    func pump() {
        if mail.hasArrived.exchange(false, ordering: .acquiringAndReleasing) { hasMail = true }
        var sentNow = 0
        while flush(&sentNow), !isGone, phase == .attached, hasMore, sentNow < ViewerConnection.turnLimit {
            while unsentCount < ViewerConnection.bufferLimit, phase == .attached, hasMail { sendNextBatch() }
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
        if writer.bytes.capacity > ViewerConnection.keptLimit { writer = MessageWriter() } else { writer.removeAll() }
        return true
    }
}
