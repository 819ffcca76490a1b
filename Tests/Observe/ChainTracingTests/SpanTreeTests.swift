#if Tracing
    import ChainTesting
    import ChainTracing
    import PromiseRuntime
    import Testing
    import Tracing

    /// The places of spans, scopes and promises in the tree, and the texts of their rows.
    struct SpanTreeTests {
        private let tracer = ChainTracer()

        private struct Declined: Error, CustomStringConvertible { var description: String { "card expired" } }

        @Test func spansNestByTheirContext() async {
            let run = RecordedRun()
            await run.record {
                await tracer.withSpan("order") { _ in
                    async let score = tracer.withSpan("fraud score") { _ in 3 }
                    #expect(await score == 3)
                    await withTaskGroup { group in group.addTask { tracer.withSpan("item") { _ in } } }
                    await Task { tracer.withSpan("mail") { _ in } }.value
                }
            }
            assertChain(
                run,
                matches: """
                    fulfilled span order
                      fulfilled span fraud score
                      fulfilled span item
                      fulfilled span mail
                    """)
        }

        @Test func spansAndScopesNestInEitherOrder() async {
            let run = RecordedRun()
            await run.record {
                await tracer.withSpan("GET /order") { _ in
                    await withChain("order 17") {
                        await tracer.withSpan("charge") { _ in
                            _ = Promise.resolve(1, label: "in charge")
                            await withChain("card") { _ = Promise.resolve(2, label: "in card") }
                            _ = Promise.resolve(3, label: "in charge again")
                        }
                        _ = Promise.resolve(4, label: "in order 17")
                    }
                    _ = Promise.resolve(5, label: "in GET")
                }
                await withChain("loop") { tracer.withSpan("round") { _ in tracer.withSpan("step") { _ in } } }
            }
            assertChain(
                run,
                matches: """
                    fulfilled span GET /order
                      fulfilled task order 17
                        fulfilled span charge
                          fulfilled resolve in charge = 1
                          fulfilled scope card
                            fulfilled resolve in card = 2
                          fulfilled resolve in charge again = 3
                        fulfilled resolve in order 17 = 4
                      fulfilled resolve in GET = 5
                    fulfilled task loop
                      fulfilled span round
                        fulfilled span step
                    """)
        }

        /// A server's handler may get its context as an argument, in a task of its own.
        @Test func aContextThatIsPassedAsAnArgumentGivesTheParent() async {
            let run = RecordedRun()
            await run.record {
                let request = tracer.startSpan("request")
                await withChain("elsewhere") { tracer.startSpan("query", context: request.context).end() }
                let context = request.context
                await Task.detached { [tracer] in tracer.startSpan("late", context: context).end() }.value
                request.end()
                tracer.withSpan("outer") { _ in tracer.startSpan("root", context: .topLevel).end() }
            }
            assertChain(
                run,
                matches: """
                    fulfilled span request
                      fulfilled span query
                      fulfilled span late
                    fulfilled task elsewhere
                    fulfilled span outer
                    fulfilled span root
                    """)
        }

        @Test func aSpanOfAHandlerStandsUnderIt() {
            let run = RecordedRun()
            run.record {
                _ = Promise.resolve(1).map(label: "price") { [tracer] price in tracer.withSpan("rules") { _ in price } }
            }
            run.runUntilIdle()
            assertChain(
                run,
                matches: """
                    fulfilled resolve = 1
                    fulfilled map price = 1
                      fulfilled span rules
                    """)
        }

        @Test func promisesOfAHandlerStandUnderItsSpan() {
            let run = RecordedRun()
            run.record {
                _ = Promise.resolve(1).map(label: "price") { [tracer] price in
                    tracer.withSpan("rules") { _ in
                        _ = Promise.resolve(2, label: "in the span").done(label: "handler") { _ in
                            _ = Promise.resolve(3, label: "in another handler")
                        }
                        tracer.withSpan("inner") { _ in _ = Promise.resolve(4, label: "in the inner span") }
                    }
                    _ = Promise.resolve(5, label: "after the span")
                    return price
                }
            }
            run.runUntilIdle()
            assertChain(
                run,
                matches: """
                    fulfilled resolve = 1
                    fulfilled map price = 1
                      fulfilled span rules
                        fulfilled resolve in the span = 2
                        fulfilled done handler
                          fulfilled resolve in another handler = 3
                        fulfilled span inner
                          fulfilled resolve in the inner span = 4
                      fulfilled resolve after the span = 5
                    """)
        }

        @Test func aSpanIsShownInFlightAndRenamed() {
            let run = RecordedRun()
            let span = run.record { tracer.startSpan("GET") }
            #expect(span.isRecording)
            assertChain(run, matches: "running span GET")
            span.operationName = "GET /order/{id}"
            run.clock.advance(by: .seconds(2))
            assertChain(run, matches: "running span GET /order/{id} · run 2s · total 2s")
            span.end()
            span.operationName = "too late"
            #expect(!span.isRecording && span.operationName == "GET /order/{id}")
            assertChain(run, matches: "fulfilled span GET /order/{id} · run 2s · total 2s")
        }

        @Test func errorsAndStatusDecideTheOutcome() {
            let run = RecordedRun()
            run.record {
                _ = try? tracer.withSpan("throws") { _ in throw Declined() }
                tracer.withSpan("status") { $0.setStatus(SpanStatus(code: .error, message: "500")) }
                tracer.withSpan("no message") { $0.setStatus(SpanStatus(code: .error)) }
                tracer.withSpan("handled") { $0.recordError(Declined()) }
                tracer.withSpan("ok is final") { span in
                    span.setStatus(SpanStatus(code: .ok))
                    span.setStatus(SpanStatus(code: .error))
                }
                _ = try? tracer.withSpan("cancelled") { _ in throw CancellationError() }
                _ = tracer.startSpan("released")
            }
            assertChain(
                run,
                matches: """
                    rejected span throws ! card expired
                    rejected span status ! 500
                    rejected span no message ! error
                    fulfilled span handled
                    fulfilled span ok is final
                    cancelled span cancelled ! cancelled by program: its task was cancelled
                    rejected span released ! the span was released without end()
                    """)
        }

        @Test func errorsOfSpansAreNotUnhandled() throws {
            let run = RecordedRun()
            run.runtime.onUnhandled = { Issue.record("unhandled: \($0)") }
            let unkept = ChainTracer(keptSpans: 0)
            run.record { _ = try? unkept.withSpan("throws") { _ in throw Declined() } }
            #expect(run.runtime.liveNodeCount == 0)
        }

        @Test func withoutARecorderASpanHasNoNode() {
            let span = ChainRuntime().run { tracer.startSpan("GET") }
            #expect(!span.isRecording)
            span.operationName = "GET /"
            span.attributes["a"] = 1
            #expect(span.operationName == "GET /" && span.attributes.count == 1)
            span.end()
        }

        @Test func theNewestEndedSpansAreKept() {
            let run = RecordedRun()
            let tracer = ChainTracer(keptSpans: 3)
            run.record { for number in 1...10 { tracer.startSpan("span \(number)").end() } }
            #expect(run.runtime.liveNodeCount == 3)
            #expect(run.promise(labelled: "span 8") != nil && run.promise(labelled: "span 7") == nil)
        }
    }
#endif

// SPDX-License-Identifier: MIT
