import Foundation

/// The modules that this test was built with, and the compiler.
struct Toolchain {
    private let build: URL
    /// Modules of ours that examples may import, with those that they are made of.
    static let modules = [
        "CChainRuntime", "ChainEvents", "PromiseRuntime", "ChainBus", "ChainModel", "ChainInspector", "ChainTesting",
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
    func errors(in files: [URL]) throws -> String {
        try compile(["-typecheck", "-suppress-warnings"], files).standardError
    }

    /// Compiles and links a program.
    func link(_ files: [URL], into program: URL) throws {
        let run = try compile(["-Onone", "-suppress-warnings", "-o", program.path], files + objects())
        if run.status != 0 { throw Failure(description: run.standardError) }
    }

    private func compile(_ options: [String], _ files: [URL]) throws -> Run {
        var arguments = ["swiftc", "-swift-version", "6", "-parse-as-library"] + options
        arguments += ["-I", build.appending(path: "Modules").path]
        arguments += [
            "-Xcc", "-fmodule-map-file=" + folder(of: "CChainRuntime").appending(path: "module.modulemap").path,
        ]
        #if os(macOS)
            arguments += ["-target", "\(Self.architecture)-apple-macosx15.0"]
        #endif
        return try Run(arguments + files.map(\.path))
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

/// One run of a program, to its end, of which it is given two minutes.
struct Run {
    var status: Int32
    var standardOutput: String
    var standardError: String

    init(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        let outputs = [Pipe(), Pipe()]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = outputs[0]
        process.standardError = outputs[1]
        try process.run()
        let watchdog = DispatchWorkItem { process.terminate() }
        DispatchQueue.global().asyncAfter(deadline: .now() + 120, execute: watchdog)
        // Errors are read beside: a full pipe would stop the program.
        let errors = Collected()
        let done = DispatchSemaphore(value: 0)
        let pipe = outputs[1].fileHandleForReading
        Thread.detachNewThread {
            errors.data = pipe.readDataToEndOfFile()
            done.signal()
        }
        standardOutput = String(decoding: outputs[0].fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        done.wait()
        process.waitUntilExit()
        watchdog.cancel()
        status = process.terminationStatus
        standardError = String(decoding: errors.data, as: UTF8.self)
    }

    // Sendable: written once, before the semaphore is signalled; read after.
    private final class Collected: @unchecked Sendable {
        var data = Data()
    }
}
