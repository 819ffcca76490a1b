#if Tracing
    import Testing
    import Tracing

    @testable import ChainTracing

    /// W3C Trace Context, level 1, section 3.2: the specification's examples, and headers that a receiver must ignore.
    struct TraceContextTests {
        /// Section 3.2.2.5, both examples.
        @Test(arguments: [
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", true),
            ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", false),
        ])
        func readsTheExamplesOfTheSpecification(_ header: String, _ isSampled: Bool) throws {
            let trace = try #require(TraceContext(header: header))
            #expect(trace.traceHigh == 0x4bf9_2f35_77b3_4da6 && trace.traceLow == 0xa3ce_929d_0e0e_4736)
            #expect(trace.span == 0x00f0_67aa_0ba9_02b7)
            #expect(trace.isSampled == isSampled)
            #expect(trace.header == header)
        }

        @Test(arguments: [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            // Version 255 is forbidden, version 0 has no further fields, and a version has to be a number.
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-will-be-like",
            "0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            // All zero is forbidden, and so are upper case, other digits and other lengths.
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067AA0BA902B7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473.-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0X",
            "00-4bf92f3577b34da6a3ce929d0e0e47361-00f067aa0ba902b-01",
            "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
            " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            // In a later version, too, a dash has to follow the known fields.
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.what-the-future-will-not-be-like",
        ])
        func ignoresMalformedHeaders(_ header: String) { #expect(TraceContext(header: header) == nil) }

        /// Section 3.2.4: the known fields and flags of a later version are read, and sent on in version 0.
        @Test(arguments: [
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-will-be-like",
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-ff",
        ])
        func readsLaterVersions(_ header: String) throws {
            let trace = try #require(TraceContext(header: header))
            #expect(trace.header == "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        }

        @Test func identitiesAreValidAndDiffer() throws {
            let roots = (0..<100).map { _ in TraceContext.root() }
            #expect(Set(roots).count == 100)
            for root in roots {
                #expect(TraceContext(header: root.header) == root)
                #expect(root.child().traceText == root.traceText && root.child().span != root.span)
            }
        }

        private struct Headers: Injector, Extractor {
            func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
                carrier[key] = value
            }
            func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
        }

        @Test func aTraceContinuesThroughAProcess() throws {
            let tracer = ChainTracer()
            var context = ServiceContext.topLevel
            let headers = [
                "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
                "tracestate": "congo=t61rcWkgMzE,rojo=00f067aa0ba902b7",
            ]
            tracer.extract(headers, into: &context, using: Headers())
            let span = tracer.startSpan("GET", context: context)
            defer { span.end() }
            var sent: [String: String] = [:]
            tracer.inject(span.context, into: &sent, using: Headers())
            let trace = try #require(TraceContext(header: sent["traceparent", default: ""]))
            #expect(trace.traceText == "4bf92f3577b34da6a3ce929d0e0e4736" && !trace.isSampled)
            #expect(trace.spanText != "00f067aa0ba902b7")
            #expect(sent["tracestate"] == headers["tracestate"])
        }

        @Test func aMalformedParentBeginsATraceWithoutItsState() {
            let tracer = ChainTracer()
            var context = ServiceContext.topLevel
            tracer.extract(["traceparent": "nonsense", "tracestate": "a=b"], into: &context, using: Headers())
            #expect(context.isEmpty)
            let span = tracer.startSpan("GET", context: context)
            defer { span.end() }
            var sent: [String: String] = [:]
            tracer.inject(span.context, into: &sent, using: Headers())
            #expect(Set(sent.keys) == ["traceparent"])
            var none: [String: String] = [:]
            tracer.inject(.topLevel, into: &none, using: Headers())
            #expect(none.isEmpty)
        }
    }
#endif

// SPDX-License-Identifier: MIT
