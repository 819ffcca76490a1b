// SPDX-License-Identifier: MIT

import ChainInsight
import TOMLKit

/// The settings of a configuration file, and its errors. A key with an error keeps its default.
struct ConfigFile {
    var configuration = Configuration()
    /// The errors, in the order of their lines.
    var problems: [ConfigProblem] = []

    /// The settings without a file.
    static let none = ConfigFile()

    private init() {}

    /// Parses a text; `file` is its name in messages.
    init(_ text: String, file: String) {
        let table: TOMLTable
        do { table = try TOMLTable(string: text) } catch let error as TOMLParseError {
            let words = error.description.split(whereSeparator: \.isNewline).joined(separator: " ")
            problems = [
                ConfigProblem(file: file, line: error.source.begin.line, message: "this is not TOML: \(words).")
            ]
            return
        } catch {
            problems = [ConfigProblem(file: file, line: nil, message: "this is not TOML: \(error).")]
            return
        }
        let lines = TOMLKeyLines(text)
        var found: [ConfigProblem] = []
        read(table, []) { path, message in
            found.append(ConfigProblem(file: file, line: lines.line(of: path), message: message))
        }
        problems = found.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
    }

    private mutating func read(_ table: TOMLTable, _ path: [String], _ report: ([String], String) -> Void) {
        let isTop = path.isEmpty
        // In the order of `ConfigKey.all`, because some keys change what earlier keys set.
        let order = ConfigKey.all.filter { $0.path.dropLast().elementsEqual(path) }.map(\.name)
        let keys = Set(table.keys)
        for key in order.filter(keys.contains) + keys.subtracting(order).sorted() {
            guard let value = table[key] else { continue }
            let keyPath = path + [key]
            if isTop, key == "queries" {
                readQueries(value, report)
            } else if isTop, ConfigKey.tables.contains(key) {
                guard let inner = value.table else {
                    report(keyPath, "\(key) is a table, [\(key)], not \(Self.words(value)).")
                    continue
                }
                read(inner, keyPath, report)
            } else if let known = ConfigKey.all.first(where: { $0.path == keyPath }) {
                if let invalid = known.read(value, &configuration) {
                    report(
                        keyPath,
                        "\(known.pathText) is \(known.allowed), not \(invalid.isEmpty ? Self.words(value) : invalid).")
                }
            } else {
                report(keyPath, Self.unknown(keyPath))
            }
        }
    }

    private mutating func readQueries(_ value: any TOMLValueConvertible, _ report: ([String], String) -> Void) {
        guard let table = value.table else {
            return report(["queries"], "queries is a table, [queries], not \(Self.words(value)).")
        }
        for name in table.keys.sorted() {
            let keyPath = ["queries", name]
            guard let text = table[name]?.string else {
                let found = table[name].map(Self.words) ?? "nothing"
                report(keyPath, "the query \(TOMLText.quoted(name)) is a text such as \"run>100ms\", not \(found).")
                continue
            }
            do {
                _ = try Query(text)
                configuration.queries[name] = text
            } catch {
                report(keyPath, "the query \(TOMLText.quoted(name)) cannot be read \(error.words(in: text)).")
            }
        }
    }

    private static func unknown(_ path: [String]) -> String {
        let table = Array(path.dropLast())
        let siblings =
            ConfigKey.all.filter { $0.path.dropLast().elementsEqual(table) }.map(\.name)
            + (table.isEmpty ? ConfigKey.tables + ["queries"] : [])
        let location = table.isEmpty ? "" : " in [\(table.joined(separator: "."))]"
        let near = Suggestions.name(to: path[path.count - 1], among: siblings)
        let hint = near.map { "did you mean \($0)?" } ?? "the keys here are \(siblings.joined(separator: ", "))."
        return "there is no key \(TOMLText.quoted(path[path.count - 1]))\(location): \(hint)"
    }

    /// Returns a value as a message shows it.
    static func words(_ value: any TOMLValueConvertible) -> String {
        if let text = value.string { return TOMLText.quoted(text.count > 40 ? text.prefix(40) + "…" : text) }
        if let number = value.int { return "\(number)" }
        if let number = value.double { return "\(number)" }
        if let flag = value.bool { return "\(flag)" }
        switch value.type {
        case .array: return "a list"
        case .table: return "a table"
        default: return "a date or time"
        }
    }
}

extension QueryError {
    /// Returns where the error is and what it is, as the end of a sentence.
    func words(in text: String) -> String {
        let letters = Array(text)
        let word = String(
            letters[max(0, range.lowerBound)..<min(letters.count, max(range.lowerBound, range.upperBound))])
        let position = word.isEmpty ? "at its end" : "at “\(DisplayText.shown(word))”"
        return "\(position): \(DisplayText.shown(description))"
    }
}
