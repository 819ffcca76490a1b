import Foundation

/// The articles and doc comments of the checkout that these tests lie in.
enum Documentation {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Returns the Swift examples in the README, in the articles of all modules, and in the doc comments of `modules`.
    static func examples(ofModules modules: [String]) throws -> [Example] {
        let readme = try ExampleReader.markdown(text("README.md"), file: "README.md")
        let sources = try paths(under: "Sources").flatMap { path in
            if path.contains(".docc/"), path.hasSuffix(".md") {
                return try ExampleReader.markdown(text(path), file: path)
            }
            let isShown = modules.contains { path.hasPrefix("Sources/\($0)/") }
            guard isShown, path.hasSuffix(".swift") else { return [] }
            return try ExampleReader.docComments(text(path), file: path)
        }
        return readme + sources
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func paths(under folder: String) -> [String] {
        let all = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        return (all?.compactMap { $0 as? String } ?? []).sorted().map { "\(folder)/\($0)" }
    }
}

// SPDX-License-Identifier: MIT
