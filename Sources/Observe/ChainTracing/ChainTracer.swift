// SPDX-License-Identifier: MIT

#if Tracing
    import ChainEvents
    import ChainSystem
    import PromiseRuntime
    import Tracing

    /// A tracer that makes each span a node of the tree, from its start on: the dashboard shows spans in flight, which
    /// tracing backends do not.
    ///
    ///     InstrumentationSystem.bootstrap(ChainTracer())
    ///     let inspector = try Inspector.start(name: "shop")
    ///
    /// A span stands under the span of its context, or under the `withChain` scope of its task if the scope began
    /// later. Where tasks are shown (ChainTasks), a span stands under the task in which it begins if that task
    /// inherited the context, as child tasks do. A span without another span in its context stands under the handler
    /// that runs on this thread, or under the scope if no handler runs. Promises and scopes made in a span stand under
    /// it.
    ///
    /// A span cannot be cancelled; cancelling its node cancels what is pending under it (<doc:ChainTracing>).
    ///
    /// Cost: while nothing records, a span makes no node, but keeps its identity for ``inject(_:into:using:)``.
    public struct ChainTracer: Tracer {
        private let endedSpans: EndedSpans
        private let backend: (any Tracer)?

        /// Makes a tracer for `InstrumentationSystem.bootstrap`, alone or in a `MultiplexInstrument`, which gives spans
        /// to its first tracer only.
        ///
        /// - Parameters:
        ///   - backend: Another tracer, such as one of OpenTelemetry, that receives every span too, and writes and
        ///     reads the headers. If that tracer writes `traceparent`, a span has the trace and span ids of that
        ///     header.
        ///   - keptSpans: How many of the newest ended spans keep their details. Each of these spans takes about a
        ///     kilobyte, plus the memory of its attributes and events.
        public init(forwardingTo backend: (any Tracer)? = nil, keptSpans: Int = 1_000) {
            self.backend = backend
            endedSpans = EndedSpans(limit: keptSpans)
            SpanNode.install { ServiceContext.current?[SpanReference.Key.self]?.node }
        }

        /// Starts a span: a node that runs from now until the span ends. The details show the times of span events
        /// relative to `instant`.
        public func startSpan<Instant: TracerInstant>(
            _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
            at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
        ) -> ChainSpan {
            var context = context()
            let parent = context[SpanReference.Key.self]
            let start = instant()
            let forwarded: (any Tracing.Span)? = backend?.startSpan(
                operationName, context: context, ofKind: kind, at: start, function: function, file: fileID, line: line)
            if let forwarded { context = forwarded.context }
            let trace = forwarded.flatMap { headers(of: $0.context).trace } ?? parent?.trace.child() ?? .root()
            let record = SpanRecord(
                name: operationName, kind: kind, trace: trace, parent: parent, startTime: start.nanosecondsSinceEpoch)
            let site = CallSite(filePointer: FileNames.pointer(to: fileID), line: UInt32(truncatingIfNeeded: line))
            let remoteParent = parent.flatMap { $0.isRemote ? $0.trace.node : nil }
            let node = SpanNode.start(operationName, in: parent?.node, site: site, remoteParent: remoteParent) {
                record.entries()
            }
            context[SpanReference.Key.self] = SpanReference(trace: trace, node: node, isRemote: false)
            return ChainSpan(context: context, record: record, node: node, tracer: self, forwarded: forwarded)
        }

        /// Writes the span of a context as W3C `traceparent`, with the `tracestate` that came with its trace. While an
        /// inspector runs, `tracestate` also names the span's node, so that a dashboard joins both programs.
        public func inject<Carrier, Inject: Injector>(
            _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
        ) where Inject.Carrier == Carrier {
            var headers = headers(of: context)
            guard let reference = context[SpanReference.Key.self] else { return headers.write(to: &carrier, injector) }
            if headers.trace == nil {
                headers[TraceContext.parentHeader] = reference.trace.header
                headers[TraceContext.stateHeader] = reference.trace.state
            }
            if let key = reference.node?.key {
                headers[TraceContext.stateHeader] = TraceContext.state(headers[TraceContext.stateHeader], naming: key)
            }
            headers.write(to: &carrier, injector)
        }

        /// Returns the headers that the other tracer writes for a context.
        private func headers(of context: ServiceContext) -> Headers {
            var headers = Headers()
            backend?.inject(context, into: &headers, using: Headers.Access())
            return headers
        }

        /// Reads a W3C `traceparent`: spans of the context then belong to that trace. Ignores a malformed header,
        /// together with its `tracestate`.
        public func extract<Carrier, Extract: Extractor>(
            _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
        ) where Extract.Carrier == Carrier {
            backend?.extract(carrier, into: &context, using: extractor)
            guard let header = extractor.extract(key: TraceContext.parentHeader, from: carrier),
                var trace = TraceContext(header: header)
            else { return }
            trace.state = extractor.extract(key: TraceContext.stateHeader, from: carrier)
            context[SpanReference.Key.self] = SpanReference(trace: trace, node: nil, isRemote: true)
        }

        /// Flushes the other tracer. Nodes need no flush, because the inspector publishes them.
        @available(*, deprecated, message: "nodes are published by the inspector")
        public func forceFlush() { backend?.forceFlush() }

        /// Keeps an ended span for its details.
        func keep(_ node: SpanNode) { endedSpans.add(node) }
    }

    /// The newest ended spans, kept for their details.
    private final class EndedSpans: Sendable {
        private struct Ring: Sendable {
            var nodes: [SpanNode] = []
            /// The index of the oldest node once the ring is full.
            var next = 0
        }

        private let ring = Lock(Ring())
        private let limit: Int

        init(limit: Int) { self.limit = max(0, limit) }

        func add(_ node: SpanNode) {
            guard limit > 0 else { return }
            // Released without the lock, because releasing a span runs code of the program.
            let dropped: SpanNode? = ring.withLock { ring in
                guard ring.nodes.count == limit else {
                    ring.nodes.append(node)
                    return nil
                }
                let dropped = ring.nodes[ring.next]
                ring.nodes[ring.next] = node
                ring.next = (ring.next + 1) % limit
                return dropped
            }
            _ = dropped
        }
    }
#endif
