import CChainRuntime
import ChainWire

/// How a server works.
struct ServerOptions: Sendable {
    /// Where it listens.
    var endpoints: [Endpoint] = [.unix]
    /// Where its socket and its token are.
    var folder: SocketFolder
    /// Viewers that may be attached at a time.
    var viewerLimit = 64
    /// Events that wait for one viewer at most.
    var mailboxLimit = 200_000
    /// Commands of one viewer, and of all, that may wait for being carried out; past that nothing more is read of them.
    var commandLimit = 8
    var totalCommandLimit = 64
    /// Connections over TCP that have not proved yet that they may attach.
    var strangerLimit = 8

    /// Nanoseconds in which a viewer has to introduce itself.
    var handshakeLimit: UInt64 = 5_000_000_000
    /// Nanoseconds that a viewer is given to read why it is let go.
    var lingerLimit: UInt64 = 1_000_000_000
    /// Nanoseconds for which nothing more is accepted after the system had no descriptor left.
    var backOff: UInt64 = 1_000_000_000
    /// Nanoseconds for which nothing more is accepted over TCP after each wrong token.
    var wrongTokenPause: UInt64 = 200_000_000
    /// Nanoseconds, of real time, that the end of the inspector waits for what viewers are still to be told.
    var flushLimit: UInt64 = 200_000_000
    /// The time, in nanoseconds.
    var now: @Sendable () -> UInt64 = { chain_monotonic_ns() }

    init(folder: SocketFolder) { self.folder = folder }
}
