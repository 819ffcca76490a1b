// SPDX-License-Identifier: MIT

#if Tracing
    import ChainEvents
    import ChainSystem
    import PromiseRuntime
    import Tracing

    /// The facts that a program reports about one span, for the details of its node. Shared by the span and its node.
    final class SpanRecord: Sendable {
        struct State: Sendable {
            var name: String
            var attributes = SpanAttributes()
            var status: SpanStatus?
            var error: (any Error)?
            var events: [SpanEvent] = []
            var droppedEventCount = 0
            /// The linked spans, as text, because their contexts would retain their nodes.
            var links: [String] = []
            var hasEnded = false
        }

        /// The maximum number of events that are kept of a span, and of links: OpenTelemetry's default.
        static let listLimit = 128

        let state: Lock<State>
        private let kind: SpanKind
        private let trace: TraceContext
        private let parent: SpanReference?
        /// The start in nanoseconds since 1970, from which the times of events are shown.
        private let startTime: UInt64

        init(name: String, kind: SpanKind, trace: TraceContext, parent: SpanReference?, startTime: UInt64) {
            state = Lock(State(name: name))
            self.kind = kind
            self.trace = trace
            // The reference is kept without its node, so that a record retains no chain of nodes.
            self.parent = parent.map { SpanReference(trace: $0.trace, node: nil, isRemote: $0.isRemote) }
            self.startTime = startTime
        }

        /// Changes a fact of a span that has not ended.
        func replace<Value: Sendable>(_ fact: WritableKeyPath<State, Value>, _ value: Value) {
            // The old value is released without the lock, because the deinit of a value of the program may use the
            // span.
            let old = state.withLock { state -> Value? in
                guard !state.hasEnded else { return nil }
                let old = state[keyPath: fact]
                state[keyPath: fact] = value
                return old
            }
            withExtendedLifetime(old) {}
        }

        func add(_ event: SpanEvent) {
            state.withLock { state in
                if state.hasEnded { return }
                if state.events.count < Self.listLimit {
                    state.events.append(event)
                } else {
                    state.droppedEventCount += 1
                }
            }
        }

        func add(_ link: SpanLink) {
            let attributes = link.attributes.sorted.map { " \($0.name)=\($0.value)" }.joined()
            let text = (link.context[SpanReference.Key.self]?.text ?? "a span of another tracer") + attributes
            state.withLock { if !$0.hasEnded, $0.links.count < Self.listLimit { $0.links.append(text) } }
        }

        /// Returns the entries of the details: attributes in the order of their names, events and links in the order in
        /// which they were added.
        func entries() -> [NodeDetail.Entry] {
            let state = state.withLock { $0 }
            var entries: [NodeDetail.Entry] = []
            func add(_ name: String, _ text: String) { entries.append(NodeDetail.Entry(name: name, text: text)) }
            add("span kind", "\(kind)")
            if let status = state.status {
                add("status", status.code == .ok ? "ok" : "error" + (status.message.map { ": \($0)" } ?? ""))
            }
            if let parent, parent.isRemote { add("parent", "\(parent.text), in another process") }
            add("trace", trace.traceText)
            add("span", trace.spanText)
            for (name, value) in state.attributes.sorted { add(name, value) }
            for event in state.events {
                let moment = event.nanosecondsSinceEpoch
                let offset = moment > startTime ? (moment - startTime) / 1_000 : 0
                let attributes = event.attributes.sorted.map { " \($0.name)=\($0.value)" }.joined()
                add("event", "+\(Double(offset) / 1_000)ms \(event.name)\(attributes)")
            }
            if state.droppedEventCount > 0 { add("note", "\(state.droppedEventCount) later events are not kept") }
            for link in state.links { add("link", link) }
            return entries
        }
    }

    /// A span as a context carries it.
    struct SpanReference: Sendable {
        var trace: TraceContext
        /// The span's node in this process; nil for a span of another process, and for a span that began while nothing
        /// recorded.
        var node: SpanNode?
        var isRemote: Bool

        /// The span in words.
        var text: String {
            (node.map { "\($0.id), " } ?? "") + "span \(trace.spanText) of trace \(trace.traceText)"
        }

        enum Key: ServiceContextKey {
            typealias Value = SpanReference
            static var nameOverride: String? { "chainview-span" }
        }
    }

    extension SpanAttributes {
        /// Names and values as text, in the order of the names.
        fileprivate var sorted: [(name: String, value: String)] {
            var list: [(name: String, value: String)] = []
            forEach { list.append(($0, $1.text)) }
            return list.sorted { $0.name < $1.name }
        }
    }

    extension SpanAttribute {
        fileprivate var text: String {
            switch self {
            case .int32(let value): "\(value)"
            case .int64(let value): "\(value)"
            case .double(let value): "\(value)"
            case .bool(let value): "\(value)"
            case .string(let value): value
            case .stringConvertible(let value): value.description
            case .int32Array(let values): "\(values)"
            case .int64Array(let values): "\(values)"
            case .doubleArray(let values): "\(values)"
            case .boolArray(let values): "\(values)"
            case .stringArray(let values): "[\(values.joined(separator: ", "))]"
            case .stringConvertibleArray(let values): "[\(values.map(\.description).joined(separator: ", "))]"
            default: "?"
            }
        }
    }
#endif
