import CChainRuntime
import ChainEvents
import ChainSystem
import ChainWire
import Synchronization

/// One viewer's connection, on the server's thread: bytes in both directions, and how far it has come.
final class Connection {
    enum Phase {
        /// It has not introduced itself.
        case greeting
        /// It was told hello.
        case attached
        /// It was told all, and is given time to read it.
        case leaving
    }

    /// Set when its subscription has something, on whatever thread.
    final class Mail: Sendable {
        let hasCome = Atomic<Bool>(false)
    }

    let id: UInt64
    let descriptor: Descriptor
    /// What it has to show; nil where the system told who it is.
    let token: [UInt8]?
    /// The user that its place is counted for while it has not shown a token.
    let peer: Peer?
    var phase = Phase.greeting
    /// Whether it is known to be a viewer that may attach: by the system, or by its token.
    var isKnown: Bool
    /// Whether it came for single commands or one state, and takes no watcher's place.
    var isVisitor = false
    var isReadOnly = false
    /// Commands of it that were not answered yet.
    var commandCount = 0
    /// When it is let go, if nothing happens until then.
    var deadline: UInt64?
    /// From when on its messages are taken.
    let begin: UInt64
    /// When it last said something, or took what it was sent.
    private(set) var lastActive: UInt64
    /// When it last took something, or had nothing to take.
    private(set) var lastTaken: UInt64
    /// To be closed.
    var isGone = false

    let mail = Mail()
    private(set) var subscription: BatchSubscription?
    /// The subscription may have something.
    private var hasMail = false

    private let options: ServerOptions
    private var reader = MessageReader(limit: Wire.commandLimit)
    private var writer = MessageWriter()
    private var sentCount = 0
    private var hasSpoken = false
    private var hasEndedSending = false
    private var leavesAfterState = false

    /// Bytes that may wait before the next batch is taken, and that are sent at a time before others have their turn.
    private static let bufferLimit = 64 << 10, turnLimit = 256 << 10
    /// Bytes of replies that wait before no more of what it says is read.
    private static let replyLimit = 256 << 10
    /// The room that an empty buffer keeps.
    private static let keptLimit = 1 << 20

    /// A connection that was accepted; nothing that it says is taken before `begin`.
    init(
        id: UInt64, descriptor: Descriptor, token: [UInt8]?, peer: Peer?, isKnown: Bool, begin: UInt64,
        options: ServerOptions
    ) {
        self.id = id
        self.descriptor = descriptor
        self.token = token
        self.peer = peer
        self.isKnown = isKnown
        self.begin = begin
        self.options = options
        (lastActive, lastTaken) = (begin, begin)
        deadline = begin + options.handshakeLimit
    }

    func close() {
        subscription?.dispose()
        subscription = nil
        descriptor.close()
    }

    var unsentCount: Int { writer.bytes.count - sentCount }

    /// Whether it has not shown yet that it may attach.
    var isStranger: Bool { token != nil && phase == .greeting && !isGone }

    /// When it is detached for not reading, if it goes on so.
    var stallTime: UInt64? { phase == .attached && unsentCount > 0 ? lastTaken + options.stallLimit : nil }

    /// Whether more of what it says may be taken.
    var takesMessages: Bool {
        phase == .leaving || (commandCount < options.commandLimit && unsentCount < Connection.replyLimit)
    }

    /// Whether there is something for it that was not put in bytes yet.
    var hasBatches: Bool { phase == .attached && hasMail && unsentCount == 0 }

    // MARK: What comes

    /// Receives what is there, at most `buffer`; gives whether something came.
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
        // Who is let go may say what it likes.
        if phase != .leaving { reader.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        return true
    }

    /// The next message of what was received.
    func nextMessage() throws(WireError) -> Message? { try reader.next() }

    // MARK: What goes

    /// Puts a message behind what waits.
    func say(_ message: Message) {
        if !hasSpoken {
            hasSpoken = true
            writer.writePreamble()
        }
        do throws(WireError) { try writer.write(message) } catch { leave(.other, error.description) }
    }

    /// Says why it is let go; it is closed when it has read that, or a while later.
    func leave(_ reason: Goodbye.Reason, _ text: String) {
        guard phase != .leaving else { return }
        say(.farewell(Goodbye(reason, text)))
        endTelling()
    }

    /// Nothing more is said to it.
    func endTelling() {
        phase = .leaving
        deadline = options.now() + options.lingerLimit
        subscription?.dispose()
        subscription = nil
    }

    /// Has it sent what a subscription delivers: all of it, or the first state alone.
    func watch(_ subscription: BatchSubscription, leavesAfterState: Bool) {
        self.subscription = subscription
        self.leavesAfterState = leavesAfterState
        hasMail = true
    }

    private func sendNextBatch() {
        guard let batch = subscription?.next() else { return hasMail = false }
        say(.batch(batch))
        guard leavesAfterState, case .end? = batch.resync else { return }
        subscription?.dispose()
        subscription = nil
        hasMail = false
    }

    /// Sends what the socket takes, and batches as long as it takes them, but not for ever: then ``hasBatches`` is left.
    func pump() {
        if mail.hasCome.exchange(false, ordering: .acquiringAndReleasing) { hasMail = true }
        var sentNow = 0
        while flush(&sentNow), !isGone, phase == .attached, hasMail, sentNow < Connection.turnLimit {
            while unsentCount < Connection.bufferLimit, phase == .attached, hasMail { sendNextBatch() }
        }
        if phase == .leaving, unsentCount == 0, !hasEndedSending {
            hasEndedSending = true
            descriptor.endSending()
        }
    }

    /// Whether all that waited was sent.
    private func flush(_ sentNow: inout Int) -> Bool {
        let before = sentNow
        defer {
            if unsentCount == 0 || sentNow > before { lastTaken = options.now() }
            if sentNow > before { lastActive = lastTaken }
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
        if writer.bytes.capacity > Connection.keptLimit { writer = MessageWriter() } else { writer.removeAll() }
        return true
    }
}
