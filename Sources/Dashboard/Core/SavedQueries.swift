import ChainInsight

/// What `@name` means where a query is expected, on the dashboard's filter line and on the command line.
public enum SavedQueries {
    /// The queries that are there without a configuration, which can replace them. Keys of their own set them.
    public static let builtIn = [
        "live": "live",
        "failed": "failed",
        "slow": "total>1s",
        "stuck": "warning:never-settled|suspended-task|deadlock|blocked-worker "
            + "or waits-for:resolver|executor total>10s",
    ]

    /// The saved queries and the built-in ones that they do not replace.
    static func all(_ saved: [String: String]) -> [String: String] { builtIn.merging(saved) { $1 } }

    /// The query that a text means: itself, or for `@name` the one that was saved under the name.
    ///
    /// - Throws: ``QueryError``: the text cannot be read, or there is no such name; then it lists the names.
    public static func query(_ text: String, among saved: [String: String]) throws(QueryError) -> Query {
        guard let name = name(in: text) else { return try Query(text) }
        let whole = 0..<text.count
        guard let query = saved[name] ?? builtIn[name] else {
            let known = all(saved).keys.sorted().map { "@" + $0 }.joined(separator: " ")
            throw QueryError("there is no saved query \(name): \(known)", at: whole)
        }
        do {
            return try Query(query)
        } catch {
            throw QueryError("the saved query \(name) cannot be read: \(error)", at: whole)
        }
    }

    /// The query that a text means where events are selected: `event:rejected` restricts their kinds, the rest is as in
    /// ``query(_:among:)``.
    ///
    /// - Throws: ``QueryError``, as that.
    public static func eventQuery(_ text: String, among saved: [String: String]) throws(QueryError) -> Query {
        let terms = try EventTerms(text)
        let query = try query(terms.rest, among: saved)
        return terms.kinds == nil ? query : query.restricted(to: terms.kinds, text: text)
    }

    /// The name of a saved query, where a text is one: what follows its `@`.
    public static func name(in text: String) -> String? { text.hasPrefix("@") ? String(text.dropFirst()) : nil }
}
