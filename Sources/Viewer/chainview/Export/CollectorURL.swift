// SPDX-License-Identifier: MIT

import ChainEvents

/// The address of a collector: `http://HOST[:PORT][/PATH]`.
struct CollectorURL: Hashable {
    var host: String
    var port: UInt16
    var path: String

    /// The reason why an address is invalid, in one sentence without a full stop.
    struct Invalid: Error, CustomStringConvertible {
        var description: String
    }

    /// The port of collectors for OTLP over HTTP.
    private static let defaultPort: UInt16 = 4318

    init(_ text: String) throws(Invalid) {
        let lower = text.lowercased()
        if lower.hasPrefix("https://") {
            throw Invalid(
                description:
                    "https is not supported: send to a collector on this machine (http://127.0.0.1:4318), which "
                    + "passes spans on")
        }
        let wrong = Invalid(
            description: "\(text) is no address such as http://127.0.0.1:4318 or http://HOST:PORT/v1/traces")
        guard lower.hasPrefix("http://"), text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value < 0x7F }) else {
            throw wrong
        }
        let rest = text.dropFirst(7)
        var authority = rest.prefix { $0 != "/" }
        path = String(rest[authority.endIndex...])
        if path.isEmpty || path == "/" { path = "/v1/traces" }
        port = Self.defaultPort
        let bracket = authority.firstIndex(of: "]")
        if let colon = authority.lastIndex(of: ":"), bracket.map({ $0 < colon }) ?? true {
            guard let number = UInt16(digits: authority[authority.index(after: colon)...]), number > 0 else {
                throw wrong
            }
            port = number
            authority = authority[..<colon]
        }
        host =
            authority.hasPrefix("[") && authority.hasSuffix("]")
            ? String(authority.dropFirst().dropLast()) : String(authority)
        guard !host.isEmpty, !host.contains("@"), !host.contains("["), bracket != nil || !host.contains(":") else {
            throw wrong
        }
    }

    /// The value of the header `Host`.
    var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }
}
