import Dashboard
import Foundation
import Testing

/// The tables of keys, commands and queries in the README are the dashboard's own; `make record` writes them.
@Suite(.serialized) struct ReadmeKeysTests {
    @Test func theTableIsTheDashboards() throws { try check("keys", KeyMap.markdown()) }

    @Test func theCommandsAreTheDashboards() throws { try check("commands", CommandTable.markdown()) }

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
