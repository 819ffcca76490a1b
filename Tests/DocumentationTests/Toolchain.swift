import Foundation

/// The compiler, and the modules that this test was built with.
struct Toolchain {
    /// The folder of built modules.
    private let build: URL
    /// The modules that examples may import, and their dependencies.
    static let modules = [
        "CChainRuntime", "ChainSystem", "ChainEvents", "PromiseRuntime", "ChainBus", "ChainModel", "ChainWire",
        "ChainRecording", "ChainInspector", "CChainTasks", "ChainTasks", "ChainTesting", "PromiseFoundation",
    ]

    /// A failure of the toolchain.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// A class of the test bundle, by which the bundle is found.
    private final class Anchor {}

    init() throws {
        // The build folder is the test bundle's parent, on some systems several levels up.
        var folder = Bundle(for: Anchor.self).bundleURL
        while folder.path.count > 1 {
            if FileManager.default.fileExists(atPath: folder.appending(path: "Modules/PromiseRuntime.swiftmodule").path)
            {
                build = folder
                return
            }
            folder.deleteLastPathComponent()
        }
        throw Failure(description: "the folder of built modules is not above \(Bundle(for: Anchor.self).bundlePath)")
    }

    /// Returns the compiler's errors for the files; empty if there are none.
    func errors(in files: [URL]) async throws -> String {
        try await compile(["-typecheck", "-suppress-warnings"], files).standardError
    }

    /// Compiles and links a program.
    func link(_ files: [URL], into program: URL) async throws {
        let run = try await compile(["-Onone", "-suppress-warnings", "-o", program.path], files + objects())
        if run.status != 0 { throw Failure(description: run.standardError) }
    }

    /// Writes the symbol graph of a module, for DocC.
    func extractSymbols(of module: String, into folder: URL) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let target = try await Run.of(["swiftc", "-print-target-info"]).standardOutput.firstMatch(
            of: /"triple": "([^"]+)"/)
        let run = try await Run.of(
            ["swift-symbolgraph-extract", "-module-name", module, "-target", target.map { "\($0.1)" } ?? ""]
                + ["-output-dir", folder.path, "-minimum-access-level", "public"] + moduleOptions)
        if run.status != 0 { throw Failure(description: run.standardError) }
    }

    /// The compiler's search paths for the modules.
    private var moduleOptions: [String] {
        let maps = ["CChainRuntime", "CChainTasks"].map { folder(of: $0).appending(path: "module.modulemap").path }
        return ["-I", build.appending(path: "Modules").path] + maps.flatMap { ["-Xcc", "-fmodule-map-file=" + $0] }
    }

    private func compile(_ options: [String], _ files: [URL]) async throws -> Run {
        var arguments = ["swiftc", "-swift-version", "6", "-parse-as-library"] + options
        arguments += moduleOptions
        #if os(macOS)
            arguments += ["-target", "\(Self.architecture)-apple-macosx15.0"]
        #endif
        return try await Run.of(arguments + files.map(\.path))
    }

    private static var architecture: String {
        #if arch(arm64)
            "arm64"
        #else
            "x86_64"
        #endif
    }

    private func folder(of module: String) -> URL { build.appending(path: "\(module).build") }

    /// Returns the object files of the modules' present sources. The folders may also hold those of deleted sources.
    private func objects() throws -> [URL] {
        try Self.modules.flatMap { module in
            let folder = folder(of: module)
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".o") }
            let sources = (try? String(contentsOf: folder.appending(path: "sources"), encoding: .utf8)).map {
                Set($0.split(separator: "\n").map { line in "\(line.split(separator: "/").last ?? "").o" })
            }
            return names.filter { sources?.contains($0) ?? true }.sorted().map { folder.appending(path: $0) }
        }
    }
}

// SPDX-License-Identifier: MIT
