import Foundation
import Testing

@testable import Dashboard

/// The tables of keys, commands and queries in the README are the dashboard's own; `make record` writes them.
@Suite(.serialized) struct ReadmeKeysTests {
    @Test func theKeysAreTheDashboards() throws { try check("keys", KeyMap.markdown()) }

    @Test func theCommandsAreTheDashboards() throws { try check("commands", CommandTable.markdown()) }

    @Test func thereIsARowForEachBinding() {
        let rows = KeyMap.markdown().split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == KeyMap.Context.allCases.reduce(0) { $0 + KeyMap.bindings(in: $1).count })
        #expect(KeyMap.markdown().contains("| `q` `^C` `F10` | quit |"))
    }

    /// Compares a part of the README with the Markdown, or writes it with `make record`.
    private func check(_ name: String, _ markdown: String) throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "README.md")
        var text = try String(contentsOf: file, encoding: .utf8)
        let begin = try #require(text.range(of: #"<!-- \#(name)[^\n]*-->\n"#, options: .regularExpression))
        let end = try #require(text.range(of: "<!-- /\(name) -->"))
        let table = "\n" + markdown + "\n"
        let environment = ProcessInfo.processInfo.environment
        if environment["CHAINVIEW_RECORD"] == "1", environment["CI"] == nil {
            text.replaceSubrange(begin.upperBound..<end.lowerBound, with: table)
            try text.write(to: file, atomically: true, encoding: .utf8)
            return
        }
        #expect(text[begin.upperBound..<end.lowerBound] == table, "make record FILTER=ReadmeKeysTests writes it anew")
    }
}

extension KeyMap {
    /// Returns the tables as Markdown: what the README holds between its marks, with a newline at the end.
    fileprivate static func markdown() -> String {
        var text = ""
        for context in Context.allCases where !bindings(in: context).isEmpty {
            text += (text.isEmpty ? "" : "\n") + "| \(context.title.lowercased()) | |\n| --- | --- |\n"
            for binding in bindings(in: context) {
                let keys = binding.keys.map { "`\($0)`" }.joined(separator: " ")
                text += "| \(keys) | \(binding.text) |\n"
            }
        }
        return text
    }
}

extension CommandTable {
    /// Returns both tables as Markdown: what the README holds between its marks, with a newline at the end.
    fileprivate static func markdown() -> String {
        // Escapes bars, which end a cell also in code.
        func escaped(_ text: String) -> String {
            text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
        }
        func table(_ head: String, _ rows: [(String, String)]) -> String {
            rows.reduce("| \(head) | |\n| --- | --- |\n") { $0 + "| `\(escaped($1.0))` | \(escaped($1.1)) |\n" }
        }
        return table("behind `:`", entries.map { ($0.usage, $0.text) }) + "\n"
            + table("behind `/`", queries.map { ($0.form, $0.text) })
    }
}
