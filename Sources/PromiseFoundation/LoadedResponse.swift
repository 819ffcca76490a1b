import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a request brought: the body whole, in memory, and what came with it.
public struct LoadedResponse: Sendable {
    /// The body; empty where there was none.
    public var data: Data
    /// Where it came from in the end (after redirections), and the headers.
    public var response: URLResponse

    /// Joins a body and its response.
    public init(data: Data, response: URLResponse) {
        self.data = data
        self.response = response
    }

    /// The response with its status and headers, where it came by HTTP.
    public var http: HTTPURLResponse? { response as? HTTPURLResponse }

    /// The status, as 200; nil where it did not come by HTTP (`file:`, `data:`).
    public var status: Int? { http?.statusCode }

    /// The body as text, in the encoding that the response names, else UTF-8; throws ``UnreadableText`` where that is
    /// not what it is, or not one of the encodings that are known: UTF-8, UTF-16, ASCII, ISO 8859-1 and -2, Windows-1252.
    public func text() throws -> String {
        let name = response.textEncodingName?.lowercased() ?? "utf-8"
        guard let encoding = Self.encodings[name], let text = String(data: data, encoding: encoding) else {
            throw UnreadableText(encoding: name, byteCount: data.count)
        }
        return text
    }

    /// The body decoded from JSON; throws a `DecodingError` where it is none or another type's.
    public func json<Value: Decodable>(_ type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws -> Value {
        try decoder.decode(type, from: data)
    }

    private static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "us-ascii": .ascii, "ascii": .ascii, "utf-16": .utf16,
        "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian, "iso-8859-1": .isoLatin1, "latin1": .isoLatin1,
        "iso-8859-2": .isoLatin2, "windows-1252": .windowsCP1252,
    ]
}

/// The error of a body that is no text in its encoding.
public struct UnreadableText: Error, Hashable, CustomStringConvertible {
    /// The encoding's name, as the response gave it, in lower case.
    public var encoding: String
    /// How many bytes the body has.
    public var byteCount: Int

    /// What happened.
    public var description: String { "\(byteCount) bytes that are no text in \(encoding)" }
}

/// The error of an answer whose status is none that was wanted.
public struct HTTPStatusError: Error, Sendable, CustomStringConvertible {
    /// What was asked, as `GET`.
    public var method: String
    /// Where, in the end.
    public var url: URL?
    /// The answer: its status, headers and body, which often says more.
    public var answer: LoadedResponse

    /// The status, as 404.
    public var status: Int { answer.status ?? 0 }

    /// `GET http://host/path answered 404 (not found)`, and the beginning of a body that is text. Without the query and
    /// the user of the URL, which may be secrets.
    public var description: String {
        let reason = HTTPURLResponse.localizedString(forStatusCode: status)
        let beginning = (try? answer.text())?.prefix(120).split(whereSeparator: \.isNewline).first.map { ": \($0)" }
        return "\(method) \(url?.withoutSecrets ?? "?") answered \(status) (\(reason))\(beginning ?? "")"
    }
}

extension URL {
    /// Scheme, host, port and path alone.
    var withoutSecrets: String {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "?" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? "?"
    }
}
