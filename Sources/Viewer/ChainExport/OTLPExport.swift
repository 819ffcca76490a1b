// SPDX-License-Identifier: MIT

import ChainModel

/// An exporter that collects settled nodes as spans, and passes them on in requests of limited size.
package struct OTLPExport: NodeExporter {
    /// The maximum number of spans of a request.
    private static let spanLimit = 512
    /// The size of the spans, in bytes, above which a request is sent.
    private static let byteLimit = 1 << 20

    private let spans: SpanJSON
    /// The text before and the text after the spans of a request.
    private let head: String, tail: String
    private let send: (_ request: String, _ spanCount: Int) throws -> Void
    /// The collected spans, and their number.
    private var body = "", count = 0

    /// Makes an exporter that calls `send` with the bodies of requests. ``flush()`` sends the last request.
    ///
    /// - Parameter version: the version of chainview.
    package init(
        _ process: ProcessDescription, version: String,
        send: @escaping (_ request: String, _ spanCount: Int) throws -> Void
    ) {
        spans = SpanJSON(process)
        (head, tail) = spans.envelope(version: version)
        self.send = send
    }

    package mutating func finished(_ node: NodeIndex, in forest: borrowing ChainForest) throws {
        guard let span = spans.object(of: node, in: forest) else { return }
        if count > 0 { body += "," }
        body += span
        count += 1
        if count == Self.spanLimit || body.utf8.count > Self.byteLimit { try flush() }
    }

    package mutating func unfinished(_ node: NodeIndex, in forest: borrowing ChainForest) throws {
        try finished(node, in: forest)
    }

    /// Sends the collected spans, if there are any.
    package mutating func flush() throws {
        guard count > 0 else { return }
        let (request, spanCount) = (head + body + tail, count)
        (body, count) = ("", 0)
        try send(request, spanCount)
    }
}
