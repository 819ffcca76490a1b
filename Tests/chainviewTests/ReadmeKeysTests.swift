import Dashboard
import Foundation
import Testing

/// The table of keys in the README is the dashboard's own; `make record` writes it.
struct ReadmeKeysTests {
    @Test func theTableIsTheDashboards() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appending(path: "README.md")
        var text = try String(contentsOf: file, encoding: .utf8)
        let begin = try #require(text.range(of: #"<!-- keys[^\n]*-->\n"#, options: .regularExpression))
        let end = try #require(text.range(of: "<!-- /keys -->"))
        let table = "\n" + KeyMap.markdown() + "\n"
        let environment = ProcessInfo.processInfo.environment
        if environment["CHAINVIEW_RECORD"] == "1", environment["CI"] == nil {
            text.replaceSubrange(begin.upperBound..<end.lowerBound, with: table)
            try text.write(to: file, atomically: true, encoding: .utf8)
            return
        }
        #expect(text[begin.upperBound..<end.lowerBound] == table, "make record FILTER=ReadmeKeysTests writes it anew")
    }
}
