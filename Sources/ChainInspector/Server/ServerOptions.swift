import CChainRuntime
import ChainWire

/// The limits and times of a server.
struct ServerOptions: Sendable {
    var endpoints: [InspectorEndpoint] = [.unix]
    /// The folder of the socket and the token.
    var folder: SocketFolder
    /// Whether another folder is used where that one belongs to another user.
    var hasFallback = false
    /// Viewers that may watch at a time.
    var viewerLimit = 64
    /// Viewers that attach for single commands or one state: they do not count as watchers.
    var oneShotLimit = 8
    /// Events that wait for one viewer at most.
    var mailboxLimit = 200_000
    /// Unanswered commands of one viewer, and of all; past these limits no more messages are read.
    var commandLimit = 8
    var totalCommandLimit = 64
    /// Connections over TCP that have not sent their token: of one user, and of all. Past a limit the oldest is closed.
    var unauthenticatedLimit = 8
    var totalUnauthenticatedLimit = 32

    /// Nanoseconds until a viewer's greeting has to arrive.
    var handshakeLimit: UInt64 = 5_000_000_000
    /// Nanoseconds in which a viewer may read the goodbye.
    var lingerLimit: UInt64 = 1_000_000_000
    /// Nanoseconds after which a viewer that receives no bytes is detached.
    var stallLimit: UInt64 = 30_000_000_000
    /// Nanoseconds of idleness after which a one-shot viewer may be replaced by another.
    var oneShotIdleLimit: UInt64 = 1_000_000_000
    /// Nanoseconds without accepting after the system had no descriptor left.
    var backOff: UInt64 = 1_000_000_000
    /// Nanoseconds that each wrong token delays the user's later connections over TCP.
    var wrongTokenDelay: UInt64 = 200_000_000
    /// Nanoseconds of real time for sending the last events at the end of the inspector.
    var flushLimit: UInt64 = 200_000_000
    /// The time, in nanoseconds.
    var now: @Sendable () -> UInt64 = { chain_monotonic_ns() }

    init(folder: SocketFolder) { self.folder = folder }

    /// The folder, or another one where that belongs to another user; created only if an endpoint needs it.
    var usableFolder: SocketFolder {
        let needsFolder = endpoints.contains { if case .unixPath = $0 { false } else { true } }
        return hasFallback && needsFolder ? folder.orFallback() : folder
    }
}
