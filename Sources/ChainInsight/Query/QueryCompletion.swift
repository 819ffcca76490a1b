import ChainEvents
import ChainModel

/// Completions of a query that is being typed.
public struct QueryCompletion: Hashable, Sendable {
    /// The characters that a choice replaces, by number.
    public let range: Range<Int>
    /// The replacements, best first.
    public let choices: [String]

    /// Completes the end of `text` with fields, states, kinds, and names of the forest: labels of threads and
    /// executors, files of sites. At most `limit` choices.
    public init(of text: String, in forest: ChainForest, limit: Int = 8) {
        let characters = Array(text)
        var start = characters.count
        while start > 0, !characters[start - 1].isWhitespace, !"()".contains(characters[start - 1]) { start -= 1 }
        // `!` before a word is `not`.
        if start < characters.count, characters[start] == "!" { start += 1 }
        let word = String(characters[start...])
        guard let sign = word.firstIndex(where: { ":=~<>!".contains($0) }) else {
            range = start..<characters.count
            choices = Self.fitting(word, QueryParser.fieldNames.map { $0 + Self.sign(of: $0) }, limit)
            return
        }
        let name = word[..<sign].lowercased()
        let value = word[sign...].drop { ":=~<>!".contains($0) }
        range = characters.count - value.count..<characters.count
        let values: [String] =
            switch name {
            case "state", "is": NodeState.allCases.map(\.word) + ["live", "settled", "failed"]
            case "kind": NodeKind.allCases.map(\.word)
            case "thread": Set(forest.threads.values).sorted()
            case "executor": Set(forest.executors.values).sorted()
            case "site": Set(forest.sites.values.map(\.description)).sorted()
            case "age", "wait", "run", "total": Self.durations(value)
            default: []
            }
        choices = Self.fitting(String(value), values.filter { $0 != value }.map { Query.quoted($0) }, limit)
    }

    /// Adds units to a number; suggests the usual durations where nothing was typed.
    private static func durations(_ value: Substring) -> [String] {
        if value.isEmpty { return ["100ms", "1s", "5s", "1m"] }
        return value.allSatisfy { $0.isNumber || $0 == "." } ? ["ms", "s", "m", "h"].map { value + $0 } : []
    }

    private static func sign(of field: String) -> String { QueryDuration(rawValue: field) == nil ? ":" : ">" }

    /// Names with a prefix, then names that contain it.
    private static func fitting(_ start: String, _ all: [String], _ limit: Int) -> [String] {
        let start = start.lowercased()
        let first = all.filter { $0.lowercased().drop(while: { $0 == "\"" }).hasPrefix(start) }
        let rest = start.isEmpty ? [] : all.filter { $0.lowercased().contains(start) && !first.contains($0) }
        return Array((first + rest).prefix(limit))
    }
}
