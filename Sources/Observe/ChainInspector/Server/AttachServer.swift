// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainSystem
import Synchronization

/// The server of an inspector's viewers. One thread waits in `poll`, accepts viewers and serves all of them.
///
/// Apart from ``stop()``, it never blocks the program. Its files are removed at a normal exit of the program. Failures,
/// such as no folder, socket or descriptor, are logged on standard error, and the program continues.
final class AttachServer: Sendable {
    /// The addresses at which it listens, in the form of `chainview attach`. A removed socket may come back at another.
    var addresses: [String] { currentAddresses.withLock { $0 } }
    private let currentAddresses: Lock<[String]>
    /// The reasons why it does not listen at the other endpoints: one sentence for each, or one for all.
    let errors: [EndpointError]

    /// Nil where nothing listens, and after ``stop()``. Becoming nil breaks a retain cycle: the thread's state retains
    /// the inspector, and the inspector retains this server.
    private let running: Lock<(shared: Shared, thread: SystemThread)?>
    private let generation = chain_fork_generation()

    /// The state that the server's thread shares with other threads.
    final class Shared: Sendable {
        let inspector: Inspector
        let options: ServerOptions
        let waker: Waker
        /// The listeners at the start, each with what was asked for.
        let listeners: [(listener: Listener, endpoint: InspectorEndpoint)]
        /// The addresses of the present listeners.
        let addresses: Lock<[String]>
        let isStopping = Atomic<Bool>(false)
        /// Whether the server ends because the process exits.
        let isExiting = Atomic<Bool>(false)
        /// Whether the viewers got the last events and a goodbye, as far as they took them.
        let hasSaidGoodbye = Atomic<Bool>(false)
        let generation = chain_fork_generation()
        /// In the upper 32 bits the number of connections, in the lower 32 bits the number of connections in the
        /// handshake.
        let connectionCounts = Atomic<Int>(0)
        /// The answers to finished commands, each with the id of its connection.
        let replies = Lock<[(connection: UInt64, answer: CommandAnswer)]>([])

        init(
            _ inspector: Inspector, _ options: ServerOptions, _ waker: Waker,
            _ listeners: [(listener: Listener, endpoint: InspectorEndpoint)]
        ) {
            addresses = Lock(listeners.map(\.listener.address))
            self.inspector = inspector
            self.options = options
            self.waker = waker
            self.listeners = listeners
        }

        func run() {
            let loop = ServerLoop(self)
            loop.run()
            hasSaidGoodbye.store(true, ordering: .releasing)
        }

        /// The numbers of connections and of those in the handshake, as of the last turn.
        var counts: (all: Int, inHandshake: Int) {
            let counts = connectionCounts.load(ordering: .acquiring)
            return (counts >> 32, counts & 0xFFFF_FFFF)
        }

        /// Whether there was a connection at the last turn. One in the handshake may be a viewer by now.
        var hasConnections: Bool { counts.all > 0 }

        func stop() {
            isStopping.store(true, ordering: .releasing)
            waker.wake()
        }

        /// Ends the server at the exit of the process, without waiting.
        func exit() {
            isExiting.store(true, ordering: .releasing)
            stop()
        }
    }

    /// Listens, and starts the thread; ``errors`` has what failed.
    init(_ inspector: Inspector, options: ServerOptions) {
        var (listeners, errors): ([(listener: Listener, endpoint: InspectorEndpoint)], [EndpointError]) = ([], [])
        var running: (Shared, SystemThread)?
        do throws(ServerFailure) {
            let folder = options.usableFolder
            let waker = options.endpoints.isEmpty ? nil : try AttachServer.makeWaker()
            for endpoint in options.endpoints {
                do throws(ServerFailure) {
                    listeners.append((try Listener(endpoint, folder: folder, of: inspector.info), endpoint))
                } catch { errors.append(EndpointError(endpoint: endpoint, description: error.sentence)) }
            }
            if let waker {
                if listeners.isEmpty {
                    waker.close()
                } else {
                    let shared = Shared(inspector, options, waker, listeners)
                    running = (shared, try AttachServer.start(shared))
                    ProcessExit.add(shared)
                }
            }
        } catch {
            errors.append(EndpointError(endpoint: nil, description: error.sentence))
            listeners = []
        }
        currentAddresses = running?.0.addresses ?? Lock([])
        self.errors = errors
        self.running = Lock(running)
        for error in errors { AttachServer.log(error.description) }
    }

    private static func start(_ shared: Shared) throws(ServerFailure) -> SystemThread {
        guard let thread = SystemThread("chainview-io", { shared.run() }) else {
            for (listener, _) in shared.listeners { listener.close() }
            shared.waker.close()
            throw ServerFailure("The system has no thread left for viewers to be served on")
        }
        return thread
    }

    /// The least limit of descriptors with which the server starts. Dispatch ends the program if it finds none for its
    /// own use, so the server leaves it some.
    private static let leastDescriptorLimit = 16

    private static func makeWaker() throws(ServerFailure) -> Waker {
        let limit = chain_descriptor_limit()
        guard limit >= leastDescriptorLimit else {
            throw ServerFailure(
                "This program may open \(limit) files only: raise the limit to \(leastDescriptorLimit) (ulimit -n)")
        }
        do { return try Waker() } catch { throw ServerFailure("There is no pipe to be had", error) }
    }

    /// Logs a sentence on standard error, unless that would block.
    static func log(_ sentence: String) {
        chain_log("chainview: viewers cannot attach as was asked for: \(sentence)\n")
    }

    /// Sends viewers the remaining events and a goodbye, for a fifth of a second at most. Leaves no socket or file
    /// behind, and no thread unless a command has not returned. In a child of a fork it does nothing, because thread,
    /// sockets and files belong to the parent.
    func stop() {
        guard generation == chain_fork_generation(), let (shared, thread) = running.withLock({ $0.take() }) else {
            return
        }
        shared.stop()
        thread.join()
        ProcessExit.remove(shared)
    }

    // MARK: For tests

    /// What the server's thread shares; nil after ``stop()``.
    var shared: Shared? { running.withLock { $0?.shared } }

    /// Wakes the thread, which then checks its deadlines.
    func wake() { running.withLock { $0?.shared }?.waker.wake() }

    /// How many viewers are connected, and how many of these are in the handshake, as of the last turn.
    var connectionCounts: (all: Int, inHandshake: Int) { running.withLock { $0?.shared }?.counts ?? (0, 0) }
}
