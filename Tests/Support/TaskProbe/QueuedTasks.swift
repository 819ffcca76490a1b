import ChainInspector
import ChainTasks
import Dispatch
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Tasks in the pool's queue, because others block its threads. The functions look on from the main actor, so that the
/// pool runs nothing else.
enum QueuedTasks {
    /// Far more than Dispatch has threads for, to which it adds one a second while all are blocked.
    private static let count = 8 * max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1)
    private static let gate = DispatchSemaphore(value: 0)
    /// The number of tasks that have passed the gate.
    private static let passed = Atomic(0)

    private static func pass() {
        gate.wait()
        passed.add(1, ordering: .sequentiallyConsistent)
    }

    /// Opens the gate for all tasks, and returns when they have passed it; false at the time limit.
    private static func open(before limit: ContinuousClock.Instant) -> Bool {
        for _ in 0..<count { gate.signal() }
        while passed.load(ordering: .sequentiallyConsistent) < count {
            guard ContinuousClock.now < limit else { return false }
            sched_yield()
        }
        return true
    }

    /// Returns the tree as soon as it has so many live nodes, or as it is at the time limit.
    private static func tree(
        of inspector: Inspector, liveCount: Int, settled: Bool, before limit: ContinuousClock.Instant
    ) -> String {
        var tree = ""
        repeat {
            inspector.collectNow()
            tree = inspector.dump(settled: settled)
        } while !tree.contains(": \(liveCount) nodes alive") && ContinuousClock.now < limit
        return tree + "\n"
    }

    /// Prints the tree as soon as it shows that a task blocks its thread, and again when the task has ended.
    @MainActor static func showBlocked() throws {
        let limit = ContinuousClock.now + .seconds(120)
        let inspector = try Inspector.start(name: "probe", tasks: true)
        Task.detached(name: "blocked") { gate.wait() }
        var tree = ""
        repeat {
            inspector.collectNow()
            tree = inspector.dump()
        } while !tree.contains(", blocked in ") && ContinuousClock.now < limit
        print(tree)
        gate.signal()
        print(self.tree(of: inspector, liveCount: 1, settled: true, before: limit))
        inspector.stop()
    }

    /// Starts the inspector while tasks are queued, lets them end, and prints the tree.
    @MainActor static func showOlder() throws {
        let limit = ContinuousClock.now + .seconds(120)
        for _ in 0..<count { Task.detached { pass() } }
        let inspector = try Inspector.start(name: "probe", tasks: true)
        guard open(before: limit) else { return print("the tasks do not end") }
        // The task that runs this function is left.
        print(tree(of: inspector, liveCount: 1, settled: true, before: limit))
        inspector.stop()
        print("stopped")
    }

    /// Makes named tasks, most of which are queued, prints the tree, and lets them end.
    @MainActor static func showNamed() throws {
        let limit = ContinuousClock.now + .seconds(120)
        let inspector = try Inspector.start(name: "probe", tasks: true)
        for number in 0..<count { Task.detached(name: "number \(number)") { pass() } }
        // And the task that runs this function.
        print(tree(of: inspector, liveCount: count + 1, settled: false, before: limit))
        guard open(before: limit) else { return print("the tasks do not end") }
        inspector.stop()
        print("stopped")
    }
}

// SPDX-License-Identifier: MIT
