#if Tracing
    import ChainInspector
    import ChainTasks
    import ChainTracing
    import PromiseRuntime
    import Tracing

    /// Makes promises in tasks in spans, all of which wait; prints the tree, lets them end, and prints it again.
    enum SpanProbe {
        static func showTree() async throws {
            let inspector = try Inspector.start(name: "probe", tasks: true)
            let tracer = ChainTracer()
            let request = Task(name: "request") {
                await tracer.withSpan("GET /order") { _ in
                    async let score: Int = tracer.withSpan("fraud score") { _ in
                        await gate.wait()
                        return 1
                    }
                    await withTaskGroup(of: Void.self) { group in
                        group.addTask(name: "item") {
                            await tracer.withSpan("reserve") { _ in
                                try? await Promise(label: "stock") { await gate.wait() }.value
                            }
                        }
                        group.addTask(name: "mail") {
                            await withChain("receipt") { await tracer.withSpan("send") { _ in await gate.wait() } }
                        }
                    }
                    _ = await score
                }
            }
            let limit = ContinuousClock.now + .seconds(240)
            while await gate.count < 3, ContinuousClock.now < limit { await Task.yield() }
            print(await dump(of: inspector, before: limit) { $0.split(separator: "suspended task").count == 6 })
            await gate.open()
            await request.value
            // The group's tasks may end after the code that waits for them has resumed.
            print(await dump(of: inspector, before: limit) { !$0.contains("request") })
            inspector.stop()
            print("stopped")
        }

        /// Returns the tree as soon as the condition holds, or at the time limit.
        private static func dump(
            of inspector: Inspector, before limit: ContinuousClock.Instant, where isWanted: (String) -> Bool
        ) async -> String {
            var dump = ""
            repeat {
                await Task.yield()
                inspector.collectNow()
                dump = inspector.dump()
            } while !isWanted(dump) && ContinuousClock.now < limit
            return dump + "\n"
        }
    }
#endif

// SPDX-License-Identifier: MIT
