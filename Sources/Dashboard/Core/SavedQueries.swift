import ChainInsight

/// Saved queries, which the user names as `@name` wherever a query is expected.
public enum SavedQueries {
    /// The queries without a configuration, which can replace them. Each has a key that sets it as the filter.
    public static let builtIn = [
        "live": "live",
        "failed": "failed",
        "slow": "total>1s",
        "stuck": "warning:never-settled|suspended-task|deadlock|blocked-worker "
            + "or waits-for:resolver|executor total>10s",
    ]

    /// Returns the saved queries, and the built-in ones with other names.
    static func all(_ saved: [String: String]) -> [String: String] { builtIn.merging(saved) { $1 } }

    /// Parses a text as a query; for `@name`, returns the query of that name.
    ///
    /// - Throws: ``QueryError`` if the text or the saved query cannot be read, or if there is no query of that name.
    public static func query(_ text: String, among saved: [String: String]) throws(QueryError) -> Query {
        guard let name = name(in: text) else { return try Query(text) }
        let whole = 0..<text.count
        guard let query = saved[name] ?? builtIn[name] else {
            let names = all(saved).keys.sorted().map { "@" + $0 }.joined(separator: " ")
            throw QueryError("there is no saved query \(name): \(names)", at: whole)
        }
        do {
            return try Query(query)
        } catch {
            throw QueryError("the saved query \(name) cannot be read: \(error)", at: whole)
        }
    }

    /// Parses a text as a query that selects events: terms such as `event:rejected` restrict the kinds of events, and
    /// ``query(_:among:)`` parses the rest of the text.
    ///
    /// - Throws: ``QueryError`` if ``query(_:among:)`` does, or if there is no such kind of event.
    public static func eventQuery(_ text: String, among saved: [String: String]) throws(QueryError) -> Query {
        let terms = try EventTerms(text)
        let query = try query(terms.rest, among: saved)
        return terms.kinds == nil ? query : query.restricted(to: terms.kinds, text: text)
    }

    /// Returns the name after the `@` of a text; nil for a text without a leading `@`.
    public static func name(in text: String) -> String? { text.hasPrefix("@") ? String(text.dropFirst()) : nil }
}
