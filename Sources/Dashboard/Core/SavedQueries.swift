import ChainInsight

/// What `@name` means where a query is expected, on the dashboard's filter line and on the command line.
public enum SavedQueries {
    /// The query that a text means: itself, or for `@name` the one that was saved under the name.
    ///
    /// - Throws: ``QueryError``: the text cannot be read, or there is no such name; then it lists the names.
    public static func query(_ text: String, among saved: [String: String]) throws(QueryError) -> Query {
        guard let name = name(in: text) else { return try Query(text) }
        let whole = 0..<text.count
        guard let query = saved[name] else {
            let names = saved.keys.sorted()
            let known = names.isEmpty ? "none is in the configuration" : names.map { "@" + $0 }.joined(separator: " ")
            throw QueryError("there is no saved query \(name): \(known)", at: whole)
        }
        do {
            return try Query(query)
        } catch {
            throw QueryError("the saved query \(name) cannot be read: \(error)", at: whole)
        }
    }

    /// The name of a saved query, where a text is one: what follows its `@`.
    public static func name(in text: String) -> String? { text.hasPrefix("@") ? String(text.dropFirst()) : nil }
}
