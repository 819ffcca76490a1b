import Dashboard
import Foundation
import Testing

@testable import chainview

/// The tables in the articles of the manual are the command's own; `make record` writes them.
@Suite(.serialized) struct ReferenceTests {
    @Test(arguments: Reference.all.map(\.name)) func anArticleHasTheChapter(_ name: String) throws {
        let chapter = try #require(Reference.all.first { $0.name == name })
        let file = try #require(
            Articles.manual.first { (try? Articles.text($0))?.contains("<!-- \(name) -->") == true })
        var text = try Articles.text(file)
        let begin = try #require(text.range(of: "<!-- \(name) -->\n"))
        let end = try #require(text.range(of: "<!-- /\(name) -->"))
        let environment = ProcessInfo.processInfo.environment
        if environment["CHAINVIEW_RECORD"] == "1", environment["CI"] == nil {
            text.replaceSubrange(begin.upperBound..<end.lowerBound, with: chapter.markdown)
            return try text.write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(
            text[begin.upperBound..<end.lowerBound] == chapter.markdown,
            "make record FILTER=ReferenceTests writes it anew")
    }

    @Test func thereIsARowForEachBinding() throws {
        let keys = try #require(Reference.all.first { $0.name == "keys" }).markdown
        let rows = keys.split(separator: "\n").filter { $0.hasPrefix("| `") }
        #expect(rows.count == KeyMap.Context.allCases.reduce(0) { $0 + KeyMap.bindings(in: $1).count })
        #expect(keys.contains("| `q` `^C` `F10` | quit |"))
    }
}

extension Reference {
    /// The chapter as Markdown: what an article has between its marks.
    fileprivate var markdown: String {
        var text = introduction.isEmpty ? "\n" : "\n" + introduction + "\n\n"
        for table in tables {
            text += "| \(table.title.prefix(1).lowercased())\(table.title.dropFirst()) | |\n| --- | --- |\n"
            for row in table.rows {
                // Keys are separate code; other terms, such as a command with its arguments, are one.
                let terms = name == "keys" ? row.term.split(separator: " ").map(String.init) : [row.term]
                let term = terms.map { "`\(Self.escaped($0))`" }.joined(separator: " ")
                text += "| \(term) | \(Self.escaped(row.text)) |\n"
            }
            text += "\n"
        }
        return text
    }

    /// Escapes bars, which end a cell also in code.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}

/// The documents of the checkout that these tests lie in.
enum Articles {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The articles of the manual.
    static let manual = markdown(in: "Sources/Viewer/chainview/chainview.docc")

    /// The README, the manual, and the articles of the libraries that name commands.
    static let all =
        [root.appending(path: "README.md")] + manual
        + [
            ("Observe", "ChainInspector"), ("Tasks", "ChainTasks"), ("Observe", "ChainTesting"),
            ("Observe", "ChainTracing"), ("Observe", "ChainWire"), ("Runtime", "PromiseRuntime"),
        ].flatMap { part, module in markdown(in: "Sources/\(part)/\(module)/\(module).docc") }

    static func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    private static func markdown(in folder: String) -> [URL] {
        let files = try? FileManager.default.contentsOfDirectory(
            at: root.appending(path: folder), includingPropertiesForKeys: nil)
        return (files ?? []).filter { $0.pathExtension == "md" }.sorted { $0.path < $1.path }
    }
}

// SPDX-License-Identifier: MIT
