// SPDX-License-Identifier: MIT

import ChainEvents
import ChainListing
import ChainModel
import ChainText

/// Nodes as spans of OTLP (OpenTelemetry Protocol) in its JSON form.
///
/// A trace id is made of the program's run and the chain's root, a span id of the node. So a span that is sent twice
/// has the same ids both times, unless its chain has another root by then. A chain of more nodes than are kept loses
/// its root, and gets another trace id. A span begins when the turn of its node has come: when the node was made or its
/// parent was settled, whichever was later.
package struct SpanJSON: Sendable {
    private let process: ProcessDescription

    /// The maximum number of links of a span.
    private static let linkLimit = 128

    /// Makes spans of one program.
    package init(_ process: ProcessDescription) { self.process = process }

    // MARK: Ids

    private static func hex(_ number: UInt64) -> String { String(hexadecimal: number, digits: 16) }

    private func traceID(of node: NodeIndex, in forest: borrowing ChainForest) -> String {
        "\"" + Self.hex(process.key.rawValue) + Self.hex(forest.id(of: forest.root(of: node)).rawValue) + "\""
    }

    private func spanID(of node: NodeIndex, in forest: borrowing ChainForest) -> String {
        "\"" + Self.hex(forest.id(of: node).rawValue) + "\""
    }

    // MARK: Parts

    /// Returns the text before and the text after the spans of a request. Commas separate the spans.
    package func envelope(version: String) -> (head: String, tail: String) {
        let resource = [
            Self.attribute("service.name", process.name), Self.attribute("process.pid", Int(process.pid)),
            Self.attribute("service.instance.id", Self.hex(process.key.rawValue)),
        ]
        let scope = JSONText.object([("name", "\"chainview\""), ("version", JSONText.string(version))])
        return (
            "{\"resourceSpans\":[{\"resource\":{\"attributes\":\(JSONText.array(resource))},"
                + "\"scopeSpans\":[{\"scope\":\(scope),\"spans\":[", "]}]}]}"
        )
    }

    /// Returns the span of a node; nil if the node is not settled.
    package func object(of node: NodeIndex, in forest: borrowing ChainForest) -> String? {
        let view = forest.node(node)
        guard let settled = view.settled else { return nil }
        let total = forest.timing(of: node, now: settled).total ?? 0
        let (text, isLabel) = NodeText.label(of: node, in: forest)
        var members: [(name: String, value: String)] = [
            ("traceId", traceID(of: node, in: forest)), ("spanId", spanID(of: node, in: forest)),
        ]
        if let parent = forest.treeParent(of: node) { members.append(("parentSpanId", spanID(of: parent, in: forest))) }
        members += [
            ("name", JSONText.string(isLabel ? "\(view.kind.word) \(text)" : "\(view.kind.word) at \(text)")),
            ("kind", "1"), ("startTimeUnixNano", nanoseconds(settled.subtractingClamped(total))),
            ("endTimeUnixNano", nanoseconds(settled)),
            ("attributes", JSONText.array(attributes(of: view, in: forest))),
            ("events", JSONText.array(events(of: view, in: forest))),
            ("links", JSONText.array(links(of: node, in: forest))), ("status", status(of: view, in: forest)),
        ]
        return JSONText.object(members)
    }

    private func nanoseconds(_ time: UInt64) -> String { "\"\(time &+ process.wallOffset)\"" }

    private static func attribute(_ name: String, _ text: String) -> String {
        JSONText.object([("key", JSONText.string(name)), ("value", "{\"stringValue\":\(JSONText.string(text))}")])
    }

    private static func attribute(_ name: String, _ number: some BinaryInteger) -> String {
        JSONText.object([("key", JSONText.string(name)), ("value", "{\"intValue\":\"\(number)\"}")])
    }

    private func attributes(of view: NodeView, in forest: borrowing ChainForest) -> [String] {
        var list = [
            Self.attribute("chainview.kind", view.kind.word), Self.attribute("chainview.state", view.state.word),
            Self.attribute("chainview.node", view.id.rawValue),
        ]
        if let site = forest.site(of: view.index) {
            if let file = site.file { list.append(Self.attribute("code.file.path", file)) }
            if let line = site.fileLine { list.append(Self.attribute("code.line.number", line)) }
            if let function = site.function { list.append(Self.attribute("code.function.name", function)) }
        }
        if view.thread != 0 {
            list.append(Self.attribute("thread.id", view.thread))
            if let name = forest.threads[view.thread] { list.append(Self.attribute("thread.name", name)) }
        }
        if let name = forest.executors[view.executor] { list.append(Self.attribute("chainview.executor", name)) }
        let timing = view.handlerTiming(now: view.settled ?? 0)
        if let wait = timing.wait { list.append(Self.attribute("chainview.wait_ns", wait)) }
        if let run = timing.run { list.append(Self.attribute("chainview.run_ns", run)) }
        if let key = forest.remoteParent(of: view.index) {
            list.append(Self.attribute("chainview.called_from", key.text))
        }
        let marks = view.marks.list.map { "{\"stringValue\":\(JSONText.string($0.name))}" }
        if !marks.isEmpty {
            list.append(
                "{\"key\":\"chainview.marks\",\"value\":{\"arrayValue\":{\"values\":\(JSONText.array(marks))}}}")
        }
        if view.settlement == .fulfilled, let value = forest.summary(of: view) {
            list.append(Self.attribute("chainview.value", value))
        }
        return list
    }

    private func events(of view: NodeView, in forest: borrowing ChainForest) -> [String] {
        var list: [String] = []
        func add(_ name: String, _ time: UInt64?, _ attributes: [String] = []) {
            guard let time else { return }
            list.append(
                JSONText.object([
                    ("name", JSONText.string(name)), ("timeUnixNano", nanoseconds(time)),
                    ("attributes", JSONText.array(attributes)),
                ]))
        }
        add("created", view.created)
        add("queued", view.queued)
        add("started", view.started)
        if view.kind.role != .combinator { add("ended", view.ended) }
        if let time = forest.cancelRequestTime(of: view.index) {
            add(
                "cancel requested", time,
                forest.canceller(of: view.index).map { [Self.attribute("chainview.by", $0)] } ?? [])
        }
        if view.state == .rejected || view.state == .abandoned {
            let message = forest.summary(of: view).map { [Self.attribute("exception.message", $0)] } ?? []
            add("exception", view.settled, message)
        }
        return list
    }

    private func links(of node: NodeIndex, in forest: borrowing ChainForest) -> [String] {
        forest.targets(of: node, limit: Self.linkLimit).map { link in
            let role = link.role == .follows ? "follows" : "member"
            return JSONText.object([
                ("traceId", traceID(of: link.node, in: forest)), ("spanId", spanID(of: link.node, in: forest)),
                ("attributes", JSONText.array([Self.attribute("chainview.link", role)])),
            ])
        }
    }

    /// Returns ok (1) for a fulfilled node, and an unset status for a live, skipped or unknown node. For a rejected,
    /// abandoned or cancelled node returns error (2), with the summary or the state as its message.
    private func status(of view: NodeView, in forest: borrowing ChainForest) -> String {
        switch view.state {
        case .fulfilled: return "{\"code\":1}"
        case .rejected, .abandoned, .cancelled:
            let message = forest.summary(of: view) ?? view.state.word
            return JSONText.object([("code", "2"), ("message", JSONText.string(message))])
        default: return "{}"
        }
    }
}
