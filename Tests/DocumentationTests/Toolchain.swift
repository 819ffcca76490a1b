import Foundation

/// The modules that this test was built with, and the compiler.
struct Toolchain {
    private let build: URL
    /// Modules of ours that examples may import, with those that they are made of.
    static let modules = [
        "CChainRuntime", "ChainEvents", "PromiseRuntime", "ChainBus", "ChainModel", "ChainWire", "ChainInspector",
        "ChainTesting", "PromiseFoundation",
    ]

    /// What went wrong, in words for the failure of a test.
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    private final class Anchor {}

    init() throws {
        // The test bundle lies in the build folder, on some systems some levels below it.
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

    /// What the compiler says of the files, which is nothing where all is well.
    func errors(in files: [URL]) async throws -> String {
        try await compile(["-typecheck", "-suppress-warnings"], files).standardError
    }

    /// Compiles and links a program.
    func link(_ files: [URL], into program: URL) async throws {
        let run = try await compile(["-Onone", "-suppress-warnings", "-o", program.path], files + objects())
        if run.status != 0 { throw Failure(description: run.standardError) }
    }

    /// Writes what DocC has to know of a module.
    func extractSymbols(of module: String, into folder: URL) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let target = try await Run.of(["swiftc", "-print-target-info"]).standardOutput.firstMatch(
            of: /"triple": "([^"]+)"/)
        let run = try await Run.of(
            ["swift-symbolgraph-extract", "-module-name", module, "-target", target.map { "\($0.1)" } ?? ""]
                + ["-output-dir", folder.path, "-minimum-access-level", "public"] + moduleOptions)
        if run.status != 0 { throw Failure(description: run.standardError) }
    }

    /// Where the compiler finds the modules.
    private var moduleOptions: [String] {
        let map = folder(of: "CChainRuntime").appending(path: "module.modulemap").path
        return ["-I", build.appending(path: "Modules").path, "-Xcc", "-fmodule-map-file=" + map]
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

    /// What the compiler made of the modules' present sources: a folder keeps the objects of deleted ones.
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
