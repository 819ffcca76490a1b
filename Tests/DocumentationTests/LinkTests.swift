import Foundation
import Testing

/// What articles and doc comments link to is there: DocC itself says so.
@Suite(.serialized)
struct LinkTests {
    /// Modules with articles.
    static let modules = ["ChainInspector", "ChainTesting", "ChainWire", "PromiseFoundation", "PromiseRuntime"]

    @Test(.enabled(if: hasDocC, "no DocC beside this compiler"), arguments: modules)
    func everyLinkLeadsSomewhere(_ module: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "links-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Toolchain().extractSymbols(of: module, into: folder)
        let run = try await Run.of([
            "docc", "convert", Documentation.root.appending(path: "Sources/\(module)/\(module).docc").path,
            "--additional-symbol-graph-dir", folder.path, "--output-dir", folder.appending(path: "out").path,
            "--fallback-display-name", module, "--fallback-bundle-identifier", module,
        ])
        // Each is a headline, followed by an arrow and the place.
        let lines = (run.standardOutput + run.standardError).split(separator: "\n").map(String.init)
        let complaints = zip(lines, lines.dropFirst() + [""]).filter { line, _ in
            line.contains(#/^(?:\S.*:\ )?(?:warning|error):\ /#) && !line.hasSuffix("is missing documentation")
        }
        #expect(run.status == 0)
        #expect(complaints.map { "\($0) \($1)" } == [])
    }

    // Elsewhere the extraction of symbols wants an SDK as well.
    static var hasDocC: Bool {
        #if os(Linux)
            ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":").contains {
                FileManager.default.isExecutableFile(atPath: "\($0)/docc")
            }
        #else
            false
        #endif
    }
}
