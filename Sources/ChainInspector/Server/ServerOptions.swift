import CChainRuntime
import ChainWire

/// How a server works.
struct ServerOptions: Sendable {
    /// Where it listens.
    var endpoints: [InspectorEndpoint] = [.unix]
    /// Where its socket and its token are.
    var folder: SocketFolder
    /// Whether another folder is taken where that one is another user's.
    var hasFallback = false
    /// Viewers that may watch at a time.
    var viewerLimit = 64
    /// Viewers that came for single commands or one state at a time: they have places of their own.
    var visitorLimit = 8
    /// Events that wait for one viewer at most.
    var mailboxLimit = 200_000
    /// Commands of one viewer, and of all, that may wait for being carried out; past that nothing more is read of them.
    var commandLimit = 8
    var totalCommandLimit = 64
    /// Connections over TCP that have not proved yet that they may attach: of one user, and of all. Of those too many the
    /// oldest is closed.
    var strangerLimit = 8
    var totalStrangerLimit = 32

    /// Nanoseconds in which a viewer has to introduce itself.
    var handshakeLimit: UInt64 = 5_000_000_000
    /// Nanoseconds that a viewer is given to read why it is let go.
    var lingerLimit: UInt64 = 1_000_000_000
    /// Nanoseconds after which a viewer that takes nothing of what it is sent is detached.
    var stallLimit: UInt64 = 30_000_000_000
    /// Nanoseconds for which a visitor keeps its place without doing anything, where another one needs it.
    var visitorRest: UInt64 = 1_000_000_000
    /// Nanoseconds for which nothing more is accepted after the system had no descriptor left.
    var backOff: UInt64 = 1_000_000_000
    /// Nanoseconds for which a user's later connections over TCP are not listened to after each wrong token of that user.
    var wrongTokenPause: UInt64 = 200_000_000
    /// Nanoseconds, of real time, that the end of the inspector waits for what viewers are still to be told.
    var flushLimit: UInt64 = 200_000_000
    /// The time, in nanoseconds.
    var now: @Sendable () -> UInt64 = { chain_monotonic_ns() }

    init(folder: SocketFolder) { self.folder = folder }

    /// The folder, or another one where that is another user's; it is made only if something is to be in it.
    var usableFolder: SocketFolder {
        let needsFolder = endpoints.contains { if case .unixPath = $0 { false } else { true } }
        return hasFallback && needsFolder ? folder.orFallback() : folder
    }
}
