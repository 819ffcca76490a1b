// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainSystem
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The exit of the process by `exit` or the return of `main`: viewers get the last events and a goodbye.
///
/// The thread that exits only waits. Each server's own thread collects and sends, because the exiting thread may be any
/// thread, also one of the inspector's that runs code of the program. A process that ends by `_exit` or a signal says
/// nothing.
enum ProcessExit {
    private static let servers = Lock<[AttachServer.Shared]>([])
    /// Registered once; handlers that the program has registered later run before this one.
    private static let isRegistered = atexit { ProcessExit.finish() } == 0

    /// The longest time that an exit waits, in nanoseconds.
    static let limit: UInt64 = 200_000_000

    /// The process that registered, as a fork generation.
    private static let registeredGeneration = Atomic<UInt64>(0)

    /// Lets the server say goodbye at the exit, until ``remove(_:)``.
    static func add(_ server: AttachServer.Shared) {
        _ = isRegistered
        registeredGeneration.store(chain_fork_generation(), ordering: .relaxed)
        servers.withLock { $0.append(server) }
    }

    static func remove(_ server: AttachServer.Shared) {
        // Forks wait, so that no child inherits a held lock; `add` is called while they wait anyway.
        chain_fork_hold()
        defer { chain_fork_allow() }
        servers.withLock { $0.removeAll { $0 === server } }
    }

    private static func finish() {
        // A child of a fork has none of its parent's threads, one of which may hold the lock.
        guard registeredGeneration.load(ordering: .relaxed) == chain_fork_generation() else { return }
        finish(servers.withLock { $0 }, now: chain_monotonic_ns) { SystemThread.sleep(nanoseconds: 1_000_000) }
    }

    /// Waits until the servers have sent what their viewers take, at most for ``limit``. Returns at once if no viewer
    /// is attached.
    ///
    /// - Parameters:
    ///   - now: returns the time in nanoseconds.
    ///   - pause: waits a little.
    static func finish(_ servers: [AttachServer.Shared], now: () -> UInt64, pause: () -> Void) {
        let deadline = now() + limit
        // The servers of the parent are of no use in a child of a fork that has started its own inspector.
        let ending = servers.filter { $0.generation == chain_fork_generation() && $0.hasConnections }
        for server in ending { server.exit() }
        while ending.contains(where: { !$0.hasSaidGoodbye.load(ordering: .acquiring) }), now() < deadline { pause() }
    }
}
