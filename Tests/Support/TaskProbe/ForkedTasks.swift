#if os(Linux)
    import CFork
    import ChainInspector
    import ChainTasks
    import Glibc
    import Synchronization

    /// Forks repeatedly while tasks are suspended and others are made without pause. In each child the parent's tasks
    /// are forgotten, a task runs unobserved, and an inspector of the child's own shows the tasks made after its start.
    enum ForkedTasks {
        /// Runs its jobs on the thread that calls `run`, because the child of a fork has no pool.
        private final class Executor: TaskExecutor {
            private let jobs = Mutex<[UnownedJob]>([])

            func enqueue(_ job: consuming ExecutorJob) {
                let job = UnownedJob(job)
                jobs.withLock { $0.append(job) }
            }

            func run() {
                while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
                    job.runSynchronously(on: asUnownedTaskExecutor())
                }
            }
        }

        /// Whether the parent is to make no more tasks.
        private static let isOver = Atomic(false)
        /// Whether it has made its last.
        private static let isIdle = Atomic(false)

        static func run(times: Int) throws -> Bool {
            var options = InspectorOptions()
            options.collection = .manual
            let inspector = try Inspector.start(name: "parent", tasks: true, options: options)
            for _ in 0..<4 {
                Task.detached(name: "the parent's") {
                    await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
                }
            }
            repeat { inspector.collectNow() } while inspector.dump().split(separator: "suspended task").count < 5
            Task.detached {
                while !isOver.load(ordering: .relaxed) {
                    await withTaskGroup { group in for _ in 0..<50 { group.addTask {} } }
                    await Task.detached {}.value
                }
                isIdle.store(true, ordering: .relaxed)
            }
            for round in 0..<times {
                let child = fork_process()
                if child == 0 {
                    alarm(30)
                    _exit(isRightInChild(options) ? 0 : 1)
                }
                let status = wait_for_child(child)
                guard status == 0 else {
                    print("child \(round) ended with \(status)")
                    return false
                }
            }
            isOver.store(true, ordering: .relaxed)
            repeat { inspector.collectNow() } while !isIdle.load(ordering: .relaxed)
            return inspector.dump().contains("the parent's")
        }

        private static func isRightInChild(_ options: InspectorOptions) -> Bool {
            let executor = Executor()
            let unobserved = Task(name: "unobserved", executorPreference: executor) {}
            executor.run()
            withExtendedLifetime(unobserved) {}
            guard let own = try? Inspector.start(name: "child", tasks: true, options: options) else {
                return report("no inspector of its own")
            }
            if let failure = TaskObservation.failure { return report(failure) }
            let lasting = Task(name: "the child's", executorPreference: executor) {
                await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
            }
            executor.run()
            own.collectNow()
            let tree = own.dump()
            withExtendedLifetime(lasting) {}
            guard tree.contains("the child's"), !tree.contains("the parent's"), !tree.contains("unobserved") else {
                return report(tree)
            }
            own.stop()
            return true
        }

        /// Prints what is wrong, and returns false.
        private static func report(_ what: String) -> Bool {
            print("in a child: \(what)")
            fflush(nil)
            return false
        }
    }
#endif

// SPDX-License-Identifier: MIT
