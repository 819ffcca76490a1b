// SPDX-License-Identifier: MIT

import ChainModel

/// Completions of a query that is being typed.
package struct QueryCompletion: Hashable, Sendable {
    /// The characters of the query that a choice replaces, numbered from 0.
    package let range: Range<Int>
    /// The replacements, best first.
    package let choices: [String]

    /// The names of fields, which can stand before a `:` or `>`.
    package static var fields: [String] { QueryParser.fieldNames }

    /// Completes the end of `text` with fields, their known values, and the forest's threads, executors and call sites.
    /// Offers at most `limit` choices.
    package init(of text: String, in forest: ChainForest, limit: Int = 8) {
        let characters = Array(text)
        var start = characters.count
        while start > 0, !characters[start - 1].isWhitespace, !"()|".contains(characters[start - 1]) { start -= 1 }
        // `!` and `-` before a word are `not`.
        if start < characters.count, "!-".contains(characters[start]) { start += 1 }
        let word = String(characters[start...])
        guard let sign = word.firstIndex(where: { ":=~<>!".contains($0) }) else {
            range = start..<characters.count
            // Offers values after `kind:all|`; in other places, fields and the names of groups of states.
            if let field = Self.field(before: start, in: characters) {
                choices = Self.fitting(word, Self.values(of: field, word, in: forest), limit)
                return
            }
            let fields = QueryParser.fieldNames.map { $0 + Self.sign(of: $0) }
            let groups = QueryParser.groups.map(\.name).filter { !word.isEmpty && $0 != word.lowercased() }
            choices = Self.fitting(word, fields + groups, limit)
            return
        }
        let name = word[..<sign].lowercased()
        let value = word[sign...].drop { ":=~<>!".contains($0) }
        range = characters.count - value.count..<characters.count
        choices = Self.fitting(String(value), Self.values(of: name, String(value), in: forest), limit)
    }

    /// Returns the field of the values that end with a `|` before an index, as in `kind:all|`; nil if there is no such
    /// field.
    private static func field(before end: Int, in characters: [Character]) -> String? {
        guard end > 0, characters[end - 1] == "|" else { return nil }
        let word = characters[..<end].reversed().prefix { !$0.isWhitespace && !"()".contains($0) }.reversed()
        guard let sign = word.firstIndex(where: { ":=~<>!".contains($0) }) else { return nil }
        return String(word[word.startIndex..<sign]).lowercased()
    }

    /// Returns the known values of a field, without the value that was typed.
    private static func values(of name: String, _ value: String, in forest: ChainForest) -> [String] {
        let values: [String] =
            switch name {
            case "state", "is": QueryParser.stateNames
            case "kind", "operation": NodeKind.allCases.map(\.word)
            case "warning": QueryParser.warningNames
            case "waits-for": QueryParser.reasons.map(\.name)
            case "thread": Set(forest.threads.values).sorted()
            case "executor": Set(forest.executors.values).sorted()
            case "site": Set(forest.sites.values.map(\.description)).sorted()
            case "age", "wait", "run", "total": durations(value[...])
            default: []
            }
        return values.filter { $0 != value }.map { Query.quoted($0) }
    }

    /// Returns a typed number with each unit from `ms` to `h`, or usual durations if nothing was typed.
    private static func durations(_ value: Substring) -> [String] {
        if value.isEmpty { return ["100ms", "1s", "5s", "1m"] }
        return value.allSatisfy { $0.isNumber || $0 == "." } ? ["ms", "s", "m", "h"].map { value + $0 } : []
    }

    private static func sign(of field: String) -> String { QueryDuration(rawValue: field) == nil ? ":" : ">" }

    /// Returns at most `limit` names: first the names that begin with a text, then other names that contain it.
    private static func fitting(_ start: String, _ all: [String], _ limit: Int) -> [String] {
        let start = start.lowercased()
        let first = all.filter { $0.lowercased().drop(while: { $0 == "\"" }).hasPrefix(start) }
        let rest = start.isEmpty ? [] : all.filter { $0.lowercased().contains(start) && !first.contains($0) }
        return Array((first + rest).prefix(limit))
    }
}
