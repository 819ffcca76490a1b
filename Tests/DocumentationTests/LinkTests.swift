import Foundation
import Testing

/// DocC reports no broken link in articles and doc comments.
@Suite(.serialized)
struct LinkTests {
    /// Modules with articles.
    #if Tracing
        static let modules = ["ChainTracing"]
    #else
        static let modules = [
            "ChainBus", "ChainEvents", "ChainInspector", "ChainTasks", "ChainTesting", "ChainWire", "PromiseFoundation",
            "PromiseRuntime", "chainview",
        ]
    #endif

    @Test(.enabled(if: hasDocC, "no DocC beside this compiler"), arguments: modules)
    func everyLinkResolves(_ module: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "links-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The command has no interface: its catalog is the manual alone.
        if module != "chainview" { try await Toolchain().extractSymbols(of: module, into: folder) }
        let target = try #require(Documentation.folders[module])
        let run = try await Run.of([
            "docc", "convert", Documentation.root.appending(path: "\(target)/\(module).docc").path,
            "--additional-symbol-graph-dir", folder.path, "--output-dir", folder.appending(path: "out").path,
            "--fallback-display-name", module, "--fallback-bundle-identifier", module,
        ])
        // Each problem has two lines: the message, and its location.
        let lines = (run.standardOutput + run.standardError).split(separator: "\n").map(String.init)
        let problems = zip(lines, lines.dropFirst() + [""]).filter { line, _ in
            line.contains(#/^(?:\S.*:\ )?(?:warning|error):\ /#) && !line.hasSuffix("is missing documentation")
        }
        #expect(run.status == 0)
        #expect(problems.map { "\($0) \($1)" } == [])
    }

    // On Linux only, because extracting symbols needs an SDK elsewhere.
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

// SPDX-License-Identifier: MIT
