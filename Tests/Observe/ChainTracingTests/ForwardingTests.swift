#if Tracing
    import ChainEvents
    import ChainInspector
    import ChainTesting
    import InMemoryTracing
    import PromiseRuntime
    import Testing
    import Tracing

    @testable import ChainTracing

    /// A tracer with a backend's tracer behind it, and headers that join two programs.
    struct ForwardingTests {
        private struct Fields: Injector, Extractor {
            func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
                carrier[key] = value
            }
            func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
        }

        private struct Declined: Error {}

        @Test func aBackendGetsEverySpan() throws {
            let backend = InMemoryTracer()
            let tracer = ChainTracer(forwardingTo: backend)
            let run = RecordedRun()
            run.record {
                tracer.withSpan("order", ofKind: .server) { order in
                    order.attributes["shop.id"] = 17
                    order.operationName = "GET /order"
                    try? tracer.withSpan("charge") { charge in
                        charge.addEvent("asked")
                        throw Declined()
                    }
                    order.setStatus(SpanStatus(code: .ok))
                }
            }
            assertChain(
                run,
                matches: """
                    fulfilled span GET /order
                      rejected span charge ! Declined()
                    """)
            let spans = backend.finishedSpans
            #expect(spans.map(\.operationName) == ["charge", "GET /order"])
            let (charge, order) = (try #require(spans.first), try #require(spans.last))
            #expect(charge.parentSpanID == order.spanID && charge.traceID == order.traceID)
            #expect(charge.errors.count == 1 && charge.events.map(\.name).contains("asked"))
            #expect(order.kind == .server && order.attributes.count == 1 && order.status?.code == .ok)
        }

        @Test func aBackendGetsSpansWithoutARecorderHere() {
            let backend = InMemoryTracer()
            let tracer = ChainTracer(forwardingTo: backend)
            ChainRuntime().run {
                let span = tracer.startSpan("GET")
                #expect(span.isRecording)
                span.end()
            }
            #expect(backend.finishedSpans.count == 1)
        }

        /// A backend that writes `traceparent` decides the ids.
        @Test func theIdsAreThoseOfTheBackend() throws {
            let outer = ChainTracer()
            let tracer = ChainTracer(forwardingTo: outer)
            let span = tracer.startSpan("GET")
            defer { span.end() }
            var (mine, theirs): ([String: String], [String: String]) = ([:], [:])
            tracer.inject(span.context, into: &mine, using: Fields())
            outer.inject(span.context, into: &theirs, using: Fields())
            #expect(mine["traceparent"] == theirs["traceparent"] && mine["traceparent"] != nil)
        }

        /// Two programs: the span of the second one names the node of the first one.
        @Test func theHeadersNameTheNodeThatCalls() throws {
            let (client, server) = (RecordedRun(), RecordedRun())
            client.runtime.processKey.store(0x1f3a, ordering: .relaxed)
            let tracer = ChainTracer()
            let call = client.record { tracer.startSpan("GET order", context: .topLevel, ofKind: .client) }
            var headers: [String: String] = [:]
            tracer.inject(call.context, into: &headers, using: Fields())
            let id = try #require(client.promise(labelled: "GET order")).id
            #expect(headers["tracestate"] == "chainview=1f3a-\(String(id.rawValue, radix: 16))")

            var context = ServiceContext.topLevel
            tracer.extract(headers, into: &context, using: Fields())
            let request = server.record { tracer.startSpan("GET /order", context: context, ofKind: .server) }
            let inner = server.record { tracer.startSpan("query", context: request.context) }
            let forest = server.forest
            let node = try #require(server.promise(labelled: "GET /order"))
            let root = try #require(forest.roots.first)
            let parent = forest.remoteParent(of: root)
            #expect(parent == NodeKey(process: ProcessKey(rawValue: 0x1f3a), id: id))
            #expect(node.snapshot().remoteParent == parent)
            let below = try #require(server.promise(labelled: "query"))
            #expect(forest.lastChild(of: root).flatMap { forest.remoteParent(of: $0) } == nil)
            #expect(below.snapshot().remoteParent == nil)

            // A program without an inspector passes the caller's name on; a program with one replaces it.
            var passed: [String: String] = [:]
            tracer.inject(inner.context, into: &passed, using: Fields())
            #expect(passed["tracestate"] == headers["tracestate"])
            server.runtime.processKey.store(0x2b, ordering: .relaxed)
            tracer.inject(inner.context, into: &passed, using: Fields())
            #expect(passed["tracestate"] == "chainview=2b-\(String(below.id.rawValue, radix: 16))")
            for span in [inner, request, call] { span.end() }
        }

        /// Headers never name a node that no dashboard has.
        @Test func aSpanThatIsNotRecordedPassesTheCallersNameOn() throws {
            let runtime = ChainRuntime(executor: InlineExecutor.shared)
            var options = InspectorOptions()
            (options.endpoints, options.collection) = ([], .manual)
            options.recording = RecordingFilter(except: [.label("GET*")])
            let inspector = try Inspector.start(runtime: runtime, options: options)
            defer { inspector.stop() }
            let tracer = ChainTracer()
            var context = ServiceContext.topLevel
            let headers = [
                "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
                "tracestate": "chainview=1-2,a=b",
            ]
            tracer.extract(headers, into: &context, using: Fields())
            for (name, names) in [("GET /order", false), ("POST /order", true)] {
                let span = runtime.run { tracer.startSpan(name, context: context, ofKind: .server) }
                var sent: [String: String] = [:]
                tracer.inject(span.context, into: &sent, using: Fields())
                #expect((sent["tracestate"] != "chainview=1-2,a=b") == names, "\(name) \(sent)")
                span.end()
            }
        }

        @Test func otherMembersOfTheStateStay() {
            let node = NodeKey(process: ProcessKey(rawValue: 1), id: NodeID(2))
            #expect(TraceContext.state(nil, naming: node) == "chainview=1-2")
            #expect(
                TraceContext.state("congo=t61, chainview=8-9,rojo=00", naming: node)
                    == "chainview=1-2,congo=t61,rojo=00")
            // Blanks around members are none of theirs.
            #expect(
                TraceContext.state("chainview=8-9 ,\tcongo=t61 \t,rojo=00 ", naming: node)
                    == "chainview=1-2,congo=t61,rojo=00")
            var context = TraceContext.root()
            context.state = "chainview=1-2 , a=b"
            #expect(context.node == node)
            let many = (1...40).map { "v\($0)=1" }.joined(separator: ",")
            #expect(TraceContext.state(many, naming: node).split(separator: ",").count == 32)
        }
    }
#endif

// SPDX-License-Identifier: MIT
