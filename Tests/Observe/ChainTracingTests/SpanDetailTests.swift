#if Tracing
    import ChainEvents
    import ChainInspector
    import ChainModel
    import ChainTracing
    import PromiseRuntime
    import Testing
    import Tracing

    /// The details of spans that viewers request, and the cancellation of a span.
    struct SpanDetailTests {
        private let tracer = ChainTracer()
        private let runtime = ChainRuntime()

        private func inspector() throws -> Inspector {
            var options = InspectorOptions()
            (options.endpoints, options.collection) = ([], .manual)
            return try Inspector.start(name: "shop", runtime: runtime, options: options)
        }

        private func perform(_ request: ViewerCommand.Request, _ inspector: Inspector) -> CommandReply.Outcome {
            inspector.perform(ViewerCommand(id: 1, process: inspector.info.key, request: request)).outcome
        }

        private func entries(_ node: NodeID, _ inspector: Inspector) -> [String] {
            guard case .described(let detail) = perform(.describe(node), inspector) else { return [] }
            return detail.entries.map { "\($0.name): \($0.text)" }
        }

        /// Returns the live node with a label.
        private func node(_ label: String) throws -> NodeID {
            let nodes = (0..<ChainRuntime.registryShardCount).flatMap { runtime.liveNodes(inShard: $0) }
            return try #require(nodes.first { $0.label == label }).id
        }

        @Test func detailsHaveAttributesEventsLinksAndStatus() throws {
            let inspector = try inspector()
            defer { inspector.stop() }
            let other = runtime.run { tracer.startSpan("other") }
            let span = runtime.run { tracer.startSpan("GET", ofKind: .server) }
            span.attributes["http.status_code"] = 500
            span.attributes["cart"] = ["apples", "pears"]
            span.addEvent(SpanEvent(name: "cache miss", attributes: ["key": "order 17"]))
            span.addLink(SpanLink(context: other.context, attributes: [:]))
            span.setStatus(SpanStatus(code: .error, message: "upstream"))
            for isEnded in [false, true] {
                if isEnded { span.end() }
                let entries = entries(try node("GET"), inspector)
                #expect(entries.contains("span kind: server"))
                #expect(entries.contains("status: error: upstream"))
                #expect(entries.contains("http.status_code: 500"))
                #expect(entries.contains("cart: [apples, pears]"))
                #expect(entries.contains { $0.hasPrefix("event: +") && $0.hasSuffix("ms cache miss key=order 17") })
                #expect(entries.contains { $0.hasPrefix("link: #") && $0.contains("of trace") })
                #expect(entries.contains("error: upstream") == isEnded)
                #expect(!entries.contains { $0.hasPrefix("value type") || $0.hasPrefix("executor") })
            }
            other.end()
        }

        @Test func eventsAndLinksHaveALimit() throws {
            let inspector = try inspector()
            defer { inspector.stop() }
            let span = runtime.run { tracer.startSpan("loop") }
            for number in 0..<200 { span.addEvent(SpanEvent(name: "event \(number)")) }
            let entries = entries(try node("loop"), inspector)
            #expect(entries.count { $0.hasPrefix("event: ") } == 128)
            #expect(entries.contains("note: 72 later events are not kept"))
            span.end()
        }

        /// The registry of live nodes, which a later inspector and a resync read, has the new name.
        @Test func aLaterInspectorGetsTheNewName() throws {
            let first = try inspector()
            let span = runtime.run { tracer.startSpan("GET") }
            span.operationName = "GET /order/{id}"
            first.stop()
            let second = try inspector()
            defer { second.stop() }
            second.collectNow()
            #expect(second.dump().contains("GET /order/{id}"))
            span.operationName = "GET /order/17"
            #expect(second.dump().contains("GET /order/17"))
            span.end()
        }

        @Test func cancellingASpanIsRefusedWithTheNodeToCancelInstead() async throws {
            let inspector = try inspector()
            defer { inspector.stop() }
            let alone = runtime.run { tracer.startSpan("alone") }
            let id = try node("alone")
            #expect(
                perform(.cancel(.node(id), by: "ada"), inspector)
                    == .refused("Only the program can end a span, and nothing else is pending in \(id)"))
            alone.end()
            await runtime.run {
                await withChain("order 17") {
                    let span = tracer.startSpan("charge")
                    let (order, charge) = (try! node("order 17"), try! node("charge"))
                    #expect(
                        perform(.cancel(.node(charge), by: "ada"), inspector)
                            == .refused(
                                "Only the program can end a span, and nothing else is pending in \(charge): "
                                    + "cancel \(order), which it is in"))
                    #expect(!Task.isCancelled)
                    span.end()
                }
            }
        }

        @Test func cancellingASpanCancelsWhatIsInIt() throws {
            let inspector = try inspector()
            defer { inspector.stop() }
            let promise = runtime.run {
                tracer.withSpan("GET") { _ in
                    let (promise, resolver) = Promise<Int>.pending(label: "answer")
                    let id = try! node("GET")
                    #expect(perform(.cancel(.node(id), by: "ada"), inspector) == .accepted(count: 1))
                    _ = resolver
                    return promise
                }
            }
            #expect(promise.isCancelled)
            #expect(!inspector.dump(settled: true).contains("cancelled span"))
        }
    }
#endif

// SPDX-License-Identifier: MIT
