#if os(Linux)
    import ChainInspector
    import ChainTasks
    import Glibc
    import Synchronization

    /// Forks again and again beside suspended tasks and others that are made without pause: in each child the parent's
    /// tasks are forgotten, tasks run unobserved, and an inspector of the child's own shows those that are made then.
    enum ForkedTasks {
        /// Runs its jobs on the thread that asks it to: a child of a fork has no pool.
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

        private static let isOver = Atomic(false)
        private static let isIdle = Atomic(false)

        static func run(times: Int) throws -> Bool {
            var options = InspectorOptions()
            options.collectsByHand = true
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
                let child = fork()
                if child == 0 {
                    alarm(30)
                    _exit(isRightInChild(options) ? 0 : 1)
                }
                var status: Int32 = -1
                while waitpid(child, &status, 0) < 0, errno == EINTR {}
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

        private static func report(_ what: String) -> Bool {
            print("in a child: \(what)")
            fflush(nil)
            return false
        }

        /// Swift hides it, as a child of several threads may do little.
        private static func fork() -> pid_t {
            typealias Fork = @convention(c) () -> pid_t
            return unsafeBitCast(dlsym(nil, "fork")!, to: Fork.self)()
        }
    }
#endif
