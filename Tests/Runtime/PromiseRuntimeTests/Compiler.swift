import Foundation
import Testing

/// The compiler that built the tests, with the modules that they were built with.
enum Compiler {
    /// The folder with the built modules: that of the test bundle, or a folder above it.
    private static let products: URL? = {
        var folder = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        for argument in CommandLine.arguments where argument.contains(".xctest") {
            folder = URL(fileURLWithPath: argument)
        }
        for _ in 0..<6 {
            folder.deleteLastPathComponent()
            let module = folder.appendingPathComponent("Modules/PromiseRuntime.swiftmodule")
            if FileManager.default.fileExists(atPath: module.path) { return folder }
        }
        return nil
    }()

    /// Whether the compiler and the built modules were found.
    static let isAvailable = products != nil && (try? run(["-version"]).status) == 0

    /// Returns the compiler's diagnostics of a source file; empty if there are none and the solver needs at most
    /// `scopes` scopes for each expression.
    static func check(_ source: String, scopes: Int) throws -> String {
        let (status, output) = try typecheck(
            ["import PromiseRuntime", "struct Oops: Error {}", "func load() async throws -> Int { 1 }", source],
            ["-solver-scope-threshold=\(scopes)"])
        return status == 0 && !output.contains("warning:")
            ? "" : output + (status == 0 ? "" : "error: status \(status)")
    }

    /// Returns the errors and warnings of a source file in order. After `limit` seconds of processor time for an
    /// expression the compiler gives up with an error.
    static func diagnostics(of source: [String], limit: Int) throws -> [Diagnostic] {
        let output = try typecheck(source, ["-solver-expression-time-threshold=\(limit)"]).output
        return output.split(separator: "\n").compactMap { line in
            line.firstMatch(of: /^[^ ]+\.swift:(\d+):\d+: (?:error|warning): (.*)$/).map { match in
                Diagnostic(line: Int(match.1)!, text: String(match.2))
            }
        }
    }

    /// One error or warning.
    struct Diagnostic: Equatable {
        /// The number of the line, from 1.
        var line: Int
        var text: String
    }

    private static func typecheck(_ source: [String], _ options: [String]) throws -> (status: Int32, output: String) {
        let products = try #require(products)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).swift")
        defer { try? FileManager.default.removeItem(at: file) }
        try source.joined(separator: "\n").write(to: file, atomically: true, encoding: .utf8)
        let modules = products.appendingPathComponent("Modules").path
        let map = products.appendingPathComponent("CChainRuntime.build/module.modulemap").path
        let fixed = ["-typecheck", "-swift-version", "6", "-I", modules, "-Xcc", "-fmodule-map-file=\(map)"]
        return try run(fixed + options.flatMap { ["-Xfrontend", $0] } + [file.path])
    }

    private static func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["swiftc"] + arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, output)
    }
}

// SPDX-License-Identifier: MIT
