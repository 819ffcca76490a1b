// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainSystem

/// An object with threads and locks that are renewed in the child of a fork.
protocol ForkRenewable: AnyObject, Sendable {
    /// Replaces the state that the child inherited, in the child's only thread. The old state is leaked, because a
    /// thread of the parent may have been changing it. Calls no code of the program.
    func renewInChild()
}

/// The handling of forks: in the child, pools, threads and timers begin anew, and nothing is recorded until the child
/// starts a recorder. During the fork the forking thread holds the locks that any promise may need, and both processes
/// unlock them after the fork.
enum ForkHandling {
    private struct Subjects: @unchecked Sendable {
        // Sendable: accessed only under the lock, which the deinit of each object takes.
        var renewables: [(object: Unmanaged<AnyObject>, renew: (AnyObject) -> Void)] = []
        /// The addresses of all runtimes. A fork must not make the shared runtime.
        var runtimes: Set<UnsafeMutableRawPointer> = []
    }

    private static let subjects = Lock(Subjects())

    private static let isInstalled: Void = {
        // The handlers are kept for ever.
        let handlers = UnsafeMutablePointer<chain_fork_handlers>.allocate(capacity: 1)
        handlers.initialize(
            to: chain_fork_handlers(
                before_fork: { ForkHandling.lockAll() }, in_parent: { ForkHandling.unlockAll() },
                in_child: {
                    ForkHandling.renewAll()
                    ForkHandling.unlockAll()
                }))
        chain_fork_set_handlers(CHAIN_FORK_PROMISES, handlers)
    }()

    /// Renews the object in each child, until ``remove(_:)``, which the object's deinit calls.
    static func insert<Object: ForkRenewable>(_ object: Object) {
        isInstalled
        subjects.withLock { subjects in
            subjects.renewables.append(
                (.passUnretained(object), { unsafeDowncast($0, to: Object.self).renewInChild() }))
        }
    }

    static func remove(_ object: some ForkRenewable) {
        subjects.withLock { subjects in
            let last = subjects.renewables.count - 1
            guard let index = subjects.renewables.firstIndex(where: { $0.object.toOpaque() == address(of: object) })
            else {
                return
            }
            subjects.renewables.swapAt(index, last)
            subjects.renewables.removeLast()
        }
    }

    private static func address(of object: AnyObject) -> UnsafeMutableRawPointer {
        Unmanaged.passUnretained(object).toOpaque()
    }

    /// Holds the locks of the runtime during each fork, until ``remove(runtime:)``, which the runtime's deinit
    /// calls.
    static func insert(runtime: ChainRuntime) {
        isInstalled
        _ = subjects.withLock { $0.runtimes.insert(address(of: runtime)) }
    }

    static func remove(runtime: ChainRuntime) {
        _ = subjects.withLock { $0.runtimes.remove(address(of: runtime)) }
    }

    // The objects in `subjects` stay alive while its lock is held. All other locks are leaves: while one of them is
    // held, no further lock is taken.

    private static func lockAll() {
        subjects.lockForFork()
        ExecutorNames.names.lockForFork()
        FileNames.table.lockForFork()
        RecordedRuntimes.entries.lockForFork()
        forEachRuntime { $0.lockForFork() }
        // Called only so that the first use of the loop comes before the fork: at that use Swift's runtime makes the
        // loop's types under a lock. At a first use in the child, a thread that is gone could hold that lock for ever.
        forEachRenewable { _, _ in }
    }

    private static func unlockAll() {
        forEachRuntime { $0.unlockAfterFork() }
        RecordedRuntimes.entries.unlockAfterFork()
        FileNames.table.unlockAfterFork()
        ExecutorNames.names.unlockAfterFork()
        subjects.unlockAfterFork()
    }

    private static func renewAll() {
        // The forking worker is no worker of the child's pool.
        chain_thread_current().pointee.worker = nil
        forEachRenewable { object, renew in object._withUnsafeGuaranteedRef(renew) }
        forEachRuntime { $0.stopRecordingInChild() }
    }

    private static func forEachRenewable(_ body: (Unmanaged<AnyObject>, (AnyObject) -> Void) -> Void) {
        subjects.whileForking { subjects in
            for (object, renew) in subjects.renewables { body(object, renew) }
        }
    }

    /// Calls `body` with each runtime, because the child may use any runtime of the parent.
    private static func forEachRuntime(_ body: (ChainRuntime) -> Void) {
        subjects.whileForking { subjects in
            for runtime in subjects.runtimes {
                Unmanaged<ChainRuntime>.fromOpaque(runtime)._withUnsafeGuaranteedRef(body)
            }
        }
    }
}
