import Foundation

/// The articles and doc comments of the checkout that these tests lie in.
enum Documentation {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The folders of the targets in `Sources`, which are in the folders of their parts.
    static let folders: [String: String] = {
        func names(in folder: String) -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)) ?? []
        }
        let targets = names(in: "Sources").flatMap { part in
            names(in: "Sources/\(part)").map { ($0, "Sources/\(part)/\($0)") }
        }
        return Dictionary(targets) { first, _ in first }
    }()

    /// Returns the Swift examples in the README, in the articles of all modules, and in the doc comments of `modules`.
    static func examples(ofModules modules: [String]) throws -> [Example] {
        let readme = try ExampleReader.markdown(text("README.md"), file: "README.md")
        let sources = try paths(under: "Sources").flatMap { path in
            if path.contains(".docc/"), path.hasSuffix(".md") {
                return try ExampleReader.markdown(text(path), file: path)
            }
            let isShown = modules.contains { module in folders[module].map { path.hasPrefix("\($0)/") } ?? false }
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
