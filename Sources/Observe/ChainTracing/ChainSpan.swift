// SPDX-License-Identifier: MIT

#if Tracing
    import PromiseRuntime
    import Tracing

    /// A span of a ``ChainTracer``: a node of the tree that runs from the start of the span to its end.
    ///
    /// Every member may be used from any thread. If the tracer forwards spans to another tracer
    /// (``ChainTracer/init(forwardingTo:keptSpans:)``), each change is forwarded. After ``end(at:)`` the node ignores
    /// changes; the other tracer still receives the changes. Times that the program passes count for span events and
    /// for the other tracer only: the node begins and ends when the calls are made.
    public final class ChainSpan: Span {
        /// The context with the span in it: `withSpan` makes it current.
        public let context: ServiceContext
        private let record: SpanRecord
        private let node: SpanNode?
        private let tracer: ChainTracer
        /// The span of the other tracer (``ChainTracer/init(forwardingTo:keptSpans:)``), if there is one.
        private let forwarded: (any Span)?

        init(
            context: ServiceContext, record: SpanRecord, node: SpanNode?, tracer: ChainTracer, forwarded: (any Span)?
        ) {
            self.forwarded = forwarded
            self.context = context
            self.record = record
            self.node = node
            self.tracer = tracer
        }

        deinit {
            // A node without a span could never settle.
            finish(throwing: SpanError(message: "the span was released without end()"))
        }

        /// Whether the span is recorded: as a node, until it ends, or by the other tracer.
        public var isRecording: Bool {
            (node != nil && record.state.withLock { !$0.hasEnded }) || forwarded?.isRecording == true
        }

        /// The name. A name that is not empty is also the node's label.
        public var operationName: String {
            get { record.state.withLock { $0.name } }
            set {
                let isOpen = record.state.withLock { state in
                    if !state.hasEnded { state.name = newValue }
                    return !state.hasEnded
                }
                if isOpen { node?.rename(to: newValue) }
                forwarded?.operationName = newValue
            }
        }

        /// The attributes, which the node's details show.
        public var attributes: SpanAttributes {
            get { record.state.withLock { $0.attributes } }
            set {
                record.replace(\.attributes, newValue)
                forwarded?.attributes = newValue
            }
        }

        /// Sets the status: with *error* the node is rejected or cancelled when the span ends. An *ok* is final, as in
        /// OpenTelemetry.
        public func setStatus(_ status: SpanStatus) {
            record.state.withLock { state in
                if !state.hasEnded, state.status?.code != .ok { state.status = status }
            }
            forwarded?.setStatus(status)
        }

        /// Adds an event to the node's details, which keep the first 128 events and the number of later events.
        public func addEvent(_ event: SpanEvent) {
            record.add(event)
            forwarded?.addEvent(event)
        }

        /// Records an error, and adds an event for it. The error fails the span only if the status is *error*, too.
        public func recordError<Instant: TracerInstant>(
            _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
        ) {
            let moment = instant()
            forwarded?.recordError(error, attributes: attributes, at: moment)
            var attributes = attributes
            if attributes["exception.message"] == nil { attributes["exception.message"] = "\(error)" }
            if attributes["exception.type"] == nil { attributes["exception.type"] = "\(type(of: error))" }
            record.replace(\.error, error)
            record.add(SpanEvent(name: "exception", at: moment, attributes: attributes))
        }

        /// Adds a link to another span to the node's details, which keep the first 128 links.
        public func addLink(_ link: SpanLink) {
            record.add(link)
            forwarded?.addLink(link)
        }

        /// Ends the span. Its node is fulfilled, unless the status is *error*: then the node is rejected, or cancelled
        /// if the last recorded error is a `CancellationError`.
        public func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
            finish(throwing: nil)
            forwarded?.end(at: instant())
        }

        private func finish(throwing failure: (any Error)?) {
            let ended: (error: (any Error)?, isFirst: Bool) = record.state.withLock { state in
                if state.hasEnded { return (nil, false) }
                state.hasEnded = true
                guard state.status?.code == .error else { return (failure, true) }
                return (state.error ?? SpanError(message: state.status?.message ?? "error"), true)
            }
            guard ended.isFirst, let node else { return }
            node.end(throwing: ended.error)
            tracer.keep(node)
        }
    }

    /// The failure of a span with the status *error* and no recorded error, or of a span that was released without
    /// `end()`.
    struct SpanError: Error, CustomStringConvertible {
        var message: String
        var description: String { message }
    }
#endif
