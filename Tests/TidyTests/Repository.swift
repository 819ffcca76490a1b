import Foundation

/// The checkout that holds these tests.
enum Repository {
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The paths of all files from the root, sorted: those that git does not ignore; without git, all files.
    static let paths: [String] = gitPaths() ?? walk("")

    /// All source files in Swift and C.
    static let sources: [SourceFile] =
        paths
        .filter { path in ["Sources/", "Tests/", "demos/", "Benchmarks/"].contains { path.hasPrefix($0) } }
        .filter { path in [".swift", ".c", ".h"].contains { path.hasSuffix($0) } }
        .compactMap { path in text(path).map { SourceFile(path: path, text: $0) } }

    /// Returns the text of a file; nil if it does not exist or is not text.
    static func text(_ path: String) -> String? {
        try? String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    // Returns tracked and new files, or nil without git. Filtered, because a tracked file may have been deleted.
    private static func gitPaths() -> [String]? {
        guard exists(".git") else { return nil }
        let git = Process()
        let pipe = Pipe()
        git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        git.arguments = ["git", "-C", root.path, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        git.standardOutput = pipe
        guard (try? git.run()) != nil else { return nil }
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        git.waitUntilExit()
        guard git.terminationStatus == 0 else { return nil }
        let names = output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        return Set(names).filter(exists).sorted()
    }

    private static func walk(_ folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)) ?? []
        let ignored: Set = [".build", ".swiftpm", ".git", "Package.resolved", "out"]
        return names.filter { !ignored.contains($0) }.sorted().flatMap { name in
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            var isFolder: ObjCBool = false
            let entryExists = FileManager.default.fileExists(
                atPath: root.appending(path: path).path, isDirectory: &isFolder)
            return entryExists && isFolder.boolValue ? walk(path) : [path]
        }
    }
}

/// One file of source text.
struct SourceFile: CustomStringConvertible {
    let path: String
    let lines: [String]

    init(path: String, text: String) {
        self.path = path
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    var description: String { path }
    /// The number of lines, without the empty one after the last newline.
    var lineCount: Int { lines.last == "" ? lines.count - 1 : lines.count }
    /// The last component of the path.
    var name: String { String(path.split(separator: "/").last ?? "") }
    var isSwift: Bool { path.hasSuffix(".swift") }
    var isTest: Bool { path.hasPrefix("Tests/") || path.contains("/Tests/") }

    /// The folders that are packages of their own.
    private static let packages = ["demos/server/", "demos/orders/"]

    /// The folders within `Sources` and `Tests` that hold targets.
    private static let parts = ["Runtime", "Observe", "Tasks", "Viewer", "Support"]

    /// The target of the file, by its folder.
    var target: String {
        if path.hasPrefix("demos/programs/") { return "Demos" }
        let package = SourceFile.packages.first { path.hasPrefix($0) } ?? ""
        let folders = path.dropFirst(package.count).split(separator: "/").dropFirst().map(String.init)
        return folders.first { !SourceFile.parts.contains($0) } ?? ""
    }

    /// Returns `path:line: text` of each line for which `isBad` is true, given the line without its comment.
    func places(where isBad: (String) -> Bool) -> [String] {
        lines.indices.filter { isBad(code(lines[$0])) }.map { "\(path):\($0 + 1): \(lines[$0])" }
    }
}

/// Returns a line without its trailing comment. A `//` within a string counts as a comment, too.
func code(_ line: String) -> String {
    line.range(of: "//").map { String(line[..<$0.lowerBound]) } ?? line
}

// SPDX-License-Identifier: MIT
