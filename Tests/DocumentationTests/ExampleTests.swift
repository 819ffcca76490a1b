import Foundation
import Testing

/// The examples of the documentation compile, and print what they promise.
@Suite(.serialized)
struct ExampleTests {
    /// The allowed reasons for not compiling an example.
    private static let reasons: Set = ["package-manifest", "trait-tracing"]
    /// The modules with examples in doc comments that are compiled; those in ChainTasks, ChainTracing and Terminal are
    /// not.
    private static let modules = ["ChainBus", "ChainInspector", "ChainTesting", "PromiseFoundation", "PromiseRuntime"]

    @Test func examplesAreFoundAndOmissionsHaveAReason() throws {
        let examples = try Documentation.examples(ofModules: Self.modules)
        #expect(examples.contains { $0.file == "README.md" })
        #expect(examples.contains { $0.file.hasSuffix("PromiseRuntime.docc/PromiseRuntime.md") })
        #expect(examples.contains { $0.file.hasSuffix("Core/Promise.swift") })
        for example in examples where !example.remark.isEmpty {
            #expect(Self.reasons.contains(example.remark), "\(example) is not compiled, for no allowed reason")
        }
    }

    @Test func everyExampleCompiles() async throws {
        let examples = try Documentation.examples(ofModules: Self.modules).filter(\.remark.isEmpty)
        let errors = try await Workbench().errors(in: examples)
        #expect(errors == "", "\(errors)")
    }

    @Test(.disabled(if: isSanitized, "the examples' program is linked without the sanitizer"))
    func examplesPrintWhatTheyPromise() async throws {
        let examples = try Documentation.examples(ofModules: Self.modules)
            .filter { $0.remark.isEmpty && !$0.prints.isEmpty }
        #expect(!examples.isEmpty)
        let bench = Workbench()
        try await bench.link(examples)
        for (number, example) in examples.enumerated() {
            let run = try await bench.run(number)
            let printed = run.standardOutput.split(separator: "\n").map(String.init)
            #expect(printed == example.prints, "\(example): \(run.standardError)")
            #expect(run.status == 0, "\(example): \(run.standardError)")
        }
    }

    @Test func anErrorIsReportedAtTheArticlesLine() async throws {
        let article = """
            Text.

            ```swift
            let number = 1
            let text: String = number
            ```
            """
        let errors = try await Workbench().errors(in: ExampleReader.markdown(article, file: "Sources/Article.md"))
        #expect(errors.contains("Sources/Article.md:5:20: error: cannot convert value"), "\(errors)")
    }

    private static var isSanitized: Bool {
        #if TSAN
            true
        #else
            false
        #endif
    }
}

/// A temporary folder for one program of examples, removed on release.
private final class Workbench {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "examples-\(UUID().uuidString)")
    private var program: URL { folder.appending(path: "examples") }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func errors(in examples: [Example]) async throws -> String { try await Toolchain().errors(in: files(examples)) }
    func link(_ examples: [Example]) async throws { try await Toolchain().link(files(examples), into: program) }
    func run(_ number: Int) async throws -> Run { try await Run.of([program.path, "\(number)"]) }

    private func files(_ examples: [Example]) throws -> [URL] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let source = folder.appending(path: "Examples.swift")
        try ExampleProgram.source(examples).write(to: source, atomically: true, encoding: .utf8)
        return [source, Documentation.root.appending(path: "Tests/DocumentationTests/World/World.swift")]
    }
}

// SPDX-License-Identifier: MIT
