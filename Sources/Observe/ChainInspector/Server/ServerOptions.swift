// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainWire

/// The endpoints, limits and times of a server.
struct ServerOptions: Sendable {
    var endpoints: [InspectorEndpoint] = [.unix]
    /// The folder of the socket and the token.
    var folder: SocketFolder
    /// The folders that are tried if ``folder`` cannot be used. If this is not nil, a folder beside ``folder`` is used if
    /// that belongs to another user.
    var otherFolders: [SocketFolder]?
    /// The most viewers that watch at a time.
    var viewerLimit = 64
    /// The most one-shot viewers at a time: they attach for single commands or one state, and do not count as watchers.
    var oneShotLimit = 8
    /// The most events, nodes and batches that wait for one viewer.
    var mailboxLimit = 200_000
    /// The number of a viewer's unanswered commands from which on its messages are not read.
    var commandLimit = 8
    /// The number of all viewers' unanswered commands from which on no messages of attached viewers are read.
    var totalCommandLimit = 64
    /// The most connections over Unix sockets that have sent no greeting. If there are more, the oldest is closed.
    var silentLimit = 64
    /// The most connections over TCP of one user that have not sent their token. If there are more, the oldest is
    /// closed.
    var unauthenticatedLimit = 8
    /// The most connections over TCP of all users together that have not sent their token.
    var totalUnauthenticatedLimit = 32

    /// Nanoseconds within which a viewer's greeting has to arrive.
    var handshakeLimit: UInt64 = 5_000_000_000
    /// Nanoseconds in which a viewer may read the goodbye.
    var lingerLimit: UInt64 = 1_000_000_000
    /// Nanoseconds after which a viewer that receives no bytes is detached.
    var stallLimit: UInt64 = 30_000_000_000
    /// Nanoseconds of idleness after which a one-shot viewer may be replaced by another.
    var oneShotIdleLimit: UInt64 = 1_000_000_000
    /// Nanoseconds for which no viewer is accepted after accepting one has failed.
    var backOff: UInt64 = 1_000_000_000
    /// Nanoseconds by which each wrong token delays the user's later connections over TCP.
    var wrongTokenDelay: UInt64 = 200_000_000
    /// Nanoseconds between two looks for the files of sockets and tokens: one `lstat` each.
    var fileCheckInterval: UInt64 = 5_000_000_000
    /// The maximum number of nanoseconds of real time for sending the last events when the inspector stops.
    var flushLimit: UInt64 = 200_000_000
    /// Returns the time in nanoseconds.
    var now: @Sendable () -> UInt64 = { chain_monotonic_ns() }

    init(folder: SocketFolder) { self.folder = folder }

    /// The first folder that can be used, see ``SocketFolder/usable(of:)``. It is made only if an endpoint needs it.
    var usableFolder: SocketFolder {
        let needsFolder = endpoints.contains { if case .unixPath = $0 { false } else { true } }
        guard needsFolder, let otherFolders else { return folder }
        return SocketFolder.usable(of: [folder] + otherFolders)
    }
}
