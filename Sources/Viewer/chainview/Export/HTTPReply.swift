// SPDX-License-Identifier: MIT

/// The answer to a request.
struct HTTPReply: Hashable {
    var status: Int
    /// The headers by lower-case name.
    var headers: [String: String] = [:]
    var body: [UInt8] = []

    /// Whether the server closes the connection after this answer.
    var endsConnection: Bool { headers["connection"]?.lowercased() == "close" }
}

/// A reader of one answer, from bytes as they come. It takes O(bytes), however the bytes are divided.
struct HTTPReplyReader {
    /// The part of the answer that comes next.
    private enum Part {
        case status, headers, trailers
        /// Content of a known length, content up to the end of the connection, or content in chunks.
        case body(Int), rest, chunkSize, chunk(Int), chunkEnd
    }

    /// The maximum number of bytes in an answer.
    private static let limit = 1 << 20

    private var part = Part.status
    private var draft = HTTPReply(status: 0)
    /// The bytes of an unfinished line.
    private var line: [UInt8] = []
    /// The number of bytes so far.
    private var count = 0
    /// The answer, once it is whole.
    private(set) var reply: HTTPReply?

    /// Whether no byte has come.
    var isEmpty: Bool { count == 0 }

    /// Adds bytes that came.
    ///
    /// - Throws: if the answer is too long, or is no HTTP.
    mutating func append(_ new: some Sequence<UInt8>) throws(HTTPFailure) {
        var bytes = Array(new)[...]
        count += bytes.count
        guard count <= Self.limit else { throw Self.failure("its answer is too long") }
        while reply == nil, !bytes.isEmpty {
            switch part {
            case .rest:
                draft.body += bytes
                return
            case .body(let missing), .chunk(let missing):
                let content = bytes.prefix(missing)
                draft.body += content
                bytes = bytes.dropFirst(content.count)
                received(content.count, of: missing)
            default:
                guard let end = bytes.firstIndex(of: 10) else {
                    line += bytes
                    return
                }
                line += bytes[..<end]
                bytes = bytes[(end + 1)...]
                if line.last == 13 { line.removeLast() }
                let text = String(decoding: line, as: UTF8.self)
                line = []
                try read(text)
            }
        }
    }

    /// Notes that no more bytes come, which completes an answer with content up to the end of the connection.
    mutating func end() {
        guard case .rest = part else { return }
        draft.headers["connection"] = "close"
        reply = draft
    }

    private mutating func received(_ count: Int, of missing: Int) {
        if case .chunk = part {
            part = count == missing ? .chunkEnd : .chunk(missing - count)
        } else if count == missing {
            reply = draft
        } else {
            part = .body(missing - count)
        }
    }

    private mutating func read(_ line: String) throws(HTTPFailure) {
        switch part {
        case .status:
            let words = line.split(separator: " ")
            guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
                throw Self.failure("its answer is no HTTP")
            }
            (draft, part) = (HTTPReply(status: status), .headers)
        case .headers:
            if line.isEmpty { return try beginBody() }
            guard let colon = line.firstIndex(of: ":") else { return }
            draft.headers[line[..<colon].lowercased()] = Self.trimmed(line[line.index(after: colon)...])
        case .chunkSize:
            guard let count = Int(line.prefix { $0.isHexDigit }, radix: 16), count >= 0 else {
                throw Self.failure("its answer is no HTTP")
            }
            part = count == 0 ? .trailers : .chunk(count)
        case .chunkEnd: part = .chunkSize
        case .trailers: if line.isEmpty { reply = draft }
        case .body, .rest, .chunk: break
        }
    }

    /// Returns a header's value without the blanks around it.
    private static func trimmed(_ value: Substring) -> String {
        func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
        var value = value.drop(while: isBlank)
        while let last = value.last, isBlank(last) { value.removeLast() }
        return String(value)
    }

    /// Decides from the headers how long the content is.
    private mutating func beginBody() throws(HTTPFailure) {
        // The final answer follows an interim answer, such as 100 Continue.
        if (100..<200).contains(draft.status) {
            part = .status
        } else if draft.headers["transfer-encoding"]?.lowercased() == "chunked" {
            part = .chunkSize
        } else if let length = draft.headers["content-length"] {
            guard let count = Int(length), count >= 0 else { throw Self.failure("its answer is no HTTP") }
            if count == 0 { reply = draft } else { part = .body(count) }
        } else if draft.status == 204 {
            reply = draft
        } else {
            part = .rest
        }
    }

    private static func failure(_ text: String) -> HTTPFailure {
        HTTPFailure(description: text, progress: .uncertain)
    }
}
