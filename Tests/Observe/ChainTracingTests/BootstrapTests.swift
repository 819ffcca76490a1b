#if Tracing
    import ChainTesting
    import ChainTracing
    import PromiseRuntime
    import Testing
    import Tracing

    /// The process's only bootstrap: the tracer beside an instrument that is no tracer.
    struct BootstrapTests {
        private struct Baggage: Instrument {
            func extract<Carrier, Extract: Extractor>(
                _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
            ) where Extract.Carrier == Carrier {}

            func inject<Carrier, Inject: Injector>(
                _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
            ) where Inject.Carrier == Carrier { injector.inject("1", forKey: "baggage", into: &carrier) }
        }

        private struct Headers: Injector {
            func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
                carrier[key] = value
            }
        }

        @Test func oneLineShowsTheSpansOfAllLibraries() async {
            InstrumentationSystem.bootstrap(MultiplexInstrument([Baggage(), ChainTracer()]))
            let run = RecordedRun()
            await run.record {
                await withSpan("GET", ofKind: .client) { span in
                    span.operationName = "GET /order"
                    var headers: [String: String] = [:]
                    InstrumentationSystem.instrument.inject(span.context, into: &headers, using: Headers())
                    #expect(Set(headers.keys) == ["baggage", "traceparent"])
                    await withChain("order 17") { withSpan("charge") { _ in } }
                }
            }
            assertChain(
                run,
                matches: """
                    fulfilled span GET /order
                      fulfilled task order 17
                        fulfilled span charge
                    """)
        }
    }
#endif

// SPDX-License-Identifier: MIT
