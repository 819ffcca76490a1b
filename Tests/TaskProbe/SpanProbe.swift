#if Tracing
    import ChainInspector
    import ChainTasks
    import ChainTracing
    import PromiseRuntime
    import Tracing

    /// Promises in tasks in spans, all of which wait: writes the tree, lets them end, and writes it again.
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
            let limit = ContinuousClock.now + .seconds(30)
            while await gate.count < 3, ContinuousClock.now < limit { await Task.yield() }
            print(await dump(of: inspector, suspendedTasks: 5, before: limit))
            await gate.open()
            await request.value
            print(await dump(of: inspector, suspendedTasks: 0, before: limit))
            inspector.stop()
            print("stopped")
        }

        /// The tree, once it has so many suspended tasks.
        private static func dump(
            of inspector: Inspector, suspendedTasks: Int, before limit: ContinuousClock.Instant
        ) async -> String {
            var dump = ""
            repeat {
                await Task.yield()
                inspector.collectNow()
                dump = inspector.dump()
            } while dump.split(separator: "suspended task").count != suspendedTasks + 1 && ContinuousClock.now < limit
            return dump + "\n"
        }
    }
#endif
