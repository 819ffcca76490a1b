// SPDX-License-Identifier: MIT

import ChainInsight

/// Saved queries, which the user names as `@name` wherever a query is expected.
package enum SavedQueries {
    /// The built-in queries; the configuration can replace each of them. Each built-in query has a key that sets the
    /// query as the filter.
    package static let builtIn = [
        "live": "live",
        "failed": "failed",
        "slow": "total>1s",
        "stuck": "warning:never-settled|suspended-task|deadlock|blocked-worker "
            + "or waits-for:resolver|executor total>10s",
    ]

    /// Returns the saved queries, and the built-in queries that no saved query replaces.
    static func all(_ saved: [String: String]) -> [String: String] { builtIn.merging(saved) { $1 } }

    /// Parses a text as a query. A word `@name` stands for the query of that name; in a text that is only `@name`, the
    /// name may contain blanks.
    ///
    /// - Throws: ``QueryError`` if the text or a saved query cannot be read, or if there is no query of that name.
    package static func query(_ text: String, among saved: [String: String]) throws(QueryError) -> Query {
        let saved = all(saved)
        // The text may be padded, to keep positions in error messages.
        guard let name = name(in: text.trimmed), let query = saved[name] else { return try Query(text, saved: saved) }
        do {
            return try Query(query)
        } catch {
            throw QueryError("the saved query \(name) cannot be read: \(error)", at: 0..<text.count)
        }
    }

    /// Parses a text as a query that selects events: terms such as `event:rejected` restrict the kinds of events, and
    /// ``query(_:among:)`` parses the rest of the text.
    ///
    /// - Throws: ``QueryError`` if ``query(_:among:)`` throws it, or if a term names a kind of event that does not
    ///   exist.
    package static func eventQuery(_ text: String, among saved: [String: String]) throws(QueryError) -> Query {
        let terms = try EventTerms(text)
        let query = try query(terms.rest, among: saved)
        return terms.kinds == nil ? query : query.restricted(to: terms.kinds, text: text)
    }

    /// Returns the name after the `@` of a text; nil for a text without a leading `@`.
    package static func name(in text: String) -> String? { text.hasPrefix("@") ? String(text.dropFirst()) : nil }
}

extension String {
    /// The text without blanks at its beginning and end.
    fileprivate var trimmed: String {
        let rest = drop(while: \.isWhitespace)
        return String(rest.prefix(rest.count - rest.reversed().prefix(while: \.isWhitespace).count))
    }
}
