// SPDX-License-Identifier: MIT

import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The answer to a request: the whole body, in memory, and the response.
public struct LoadedResponse: Sendable {
    /// The body; empty if the answer had no body.
    public var data: Data
    /// The response, with the final URL (after redirections) and the headers.
    public var response: URLResponse

    /// Makes an answer.
    public init(data: Data, response: URLResponse) {
        self.data = data
        self.response = response
    }

    /// The response with its status and headers, if it came by HTTP.
    public var http: HTTPURLResponse? { response as? HTTPURLResponse }

    /// The status, such as 200; nil if the answer did not come by HTTP (`file:`, `data:`).
    public var status: Int? { http?.statusCode }

    /// Decodes the body as text, in the encoding that the response names or, if it names none, in UTF-8. Throws
    /// ``UnreadableTextError`` if the body is not in that encoding, or if the encoding is unknown. UTF-8, UTF-16,
    /// ASCII, ISO 8859-1 and -2, and Windows-1252 are known.
    public func text() throws -> String {
        let name = response.textEncodingName?.lowercased() ?? "utf-8"
        guard let encoding = Self.encodings[name], let text = String(data: data, encoding: encoding) else {
            throw UnreadableTextError(encoding: name, byteCount: data.count)
        }
        return text
    }

    /// Decodes the body from JSON; throws a `DecodingError` if it is not JSON of this type.
    public func json<Value: Decodable>(_ type: Value.Type, decoder: JSONDecoder = JSONDecoder()) throws -> Value {
        try decoder.decode(type, from: data)
    }

    private static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "us-ascii": .ascii, "ascii": .ascii, "utf-16": .utf16,
        "utf-16le": .utf16LittleEndian, "utf-16be": .utf16BigEndian, "iso-8859-1": .isoLatin1, "latin1": .isoLatin1,
        "iso-8859-2": .isoLatin2, "windows-1252": .windowsCP1252,
    ]
}

/// The error of a body that is not text in its encoding.
public struct UnreadableTextError: Error, Hashable, CustomStringConvertible {
    /// The encoding's name, as in the response, in lower case.
    public var encoding: String
    /// The size of the body in bytes.
    public var byteCount: Int

    /// What happened.
    public var description: String { "\(byteCount) bytes that are not text in \(encoding)" }
}

/// The error of an answer with a status that is not accepted.
public struct HTTPStatusError: Error, Sendable, CustomStringConvertible {
    /// The method of the request, such as `GET`.
    public var method: String
    /// The final URL.
    public var url: URL?
    /// The answer: its status, headers and body.
    public var answer: LoadedResponse

    /// The status, such as 404.
    public var status: Int { answer.status ?? 0 }

    /// `GET http://host/path answered 404 (not found)`, and the beginning of a text body. Leaves out the query,
    /// fragment, user and password of the URL, which may be secrets.
    public var description: String {
        let reason = HTTPURLResponse.localizedString(forStatusCode: status)
        let beginning = (try? answer.text())?.prefix(120).split(whereSeparator: \.isNewline).first.map { ": \($0)" }
        return "\(method) \(url?.withoutSecrets ?? "?") answered \(status) (\(reason))\(beginning ?? "")"
    }
}

extension URL {
    /// The scheme, host, port and path alone.
    var withoutSecrets: String {
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return "?" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? "?"
    }
}
