import ChainInspector
import ChainTasks
import Synchronization

extension TaskProbe {
    /// The number of tasks that have begun to sleep, and whether the inspector of ``showSleepingTasks()`` has started.
    private static let sleepingCount = Atomic(0), hasStarted = Atomic(false)

    /// Starts the inspector while three tasks sleep, and prints the tree, with ended tasks, once they have woken.
    static func showSleepingTasks() async throws {
        let limit = ContinuousClock.now + .seconds(240)
        let sleeping = (1...3).map { number in
            Task(name: "sleeping \(number)") {
                sleepingCount.add(1, ordering: .relaxed)
                repeat { try await Task.sleep(for: .milliseconds(20)) } while !hasStarted.load(ordering: .relaxed)
                await gate.wait()
            }
        }
        while sleepingCount.load(ordering: .relaxed) < 3, ContinuousClock.now < limit { await Task.yield() }
        let inspector = try Inspector.start(name: "probe", tasks: true)
        hasStarted.store(true, ordering: .relaxed)
        _ = await tree(of: inspector, suspendedCount: 3, before: limit)
        print(inspector.dump(settled: true))
        await gate.open()
        for task in sleeping { try await task.value }
        inspector.stop()
        print("stopped")
    }
}

// SPDX-License-Identifier: MIT
