import Foundation
import Testing

/// TheRules, P3: a chain of 15 mixed links is inferred in under 100 ms (of the compiler's processor time).
///
/// Slow to infer in Swift, in any chain: `print(value + 1)` and its like as the whole of a closure, where nothing fixes
/// the type of an operator's result. An expression of one statement is inferred as a whole; a closure of several
/// statements, or a `let`, in its middle splits it.
@Suite(.enabled(if: Compiler.isAvailable, "no compiler, or no modules beside the tests"))
struct InferenceTests {
    @Test(
        "P3 chains with two makers or more, and one of 15 links, with labels, operators and literals",
        arguments: ["head", "mixed", "cold", "both", "scope"])
    func chain(_ name: String) throws {
        let source = try #require(Self.sources[name])
        // The compiler's processor time on a busy machine is up to twice what it is alone.
        var output = ""
        for _ in 0..<5 {
            output = try Compiler.check(source, limit: 100)
            if output.isEmpty { return }
            if output.contains("error:") { break }
        }
        Issue.record("\(output)")
    }

    @Test("functions over the limit, and errors, are reported")
    func control() throws {
        #expect(try Compiler.check(Self.sources["mixed"]!, limit: 1).contains("took"))
        #expect(try Compiler.check("let a: Promise<Int> = Promise { true }", limit: 100).contains("error:"))
    }

    private static let sources = [
        "head": """
        func chain(_ a: Int) -> Promise<Int> {
            Promise(label: "start", on: PoolExecutor.shared) { 1 + 2 }
                .map { $0 * 2 + 1 }
                .then { x in Promise(label: "next \\(x)") { x * 2 - 1 } }
                .map { $0 * 2 + 1 }
                .then { x in Promise(label: "last") { x * 2 - 1 } }
                .map { $0 * 2 + 1 }
        }
        """,
        "mixed": """
        func chain(_ p: Promise<Int>) -> Promise<String> {
            p
                .map { $0 * 2 + 1 }
                .then { Promise.resolve($0 + 3) }
                .map { value in
                    let doubled = value * 2
                    return "\\(doubled) of \\(value)"
                }
                .catch { _ in "none" }
                .then { text in
                    let more = text + "!"
                    return Promise { more.count * 2 }
                }
                .recover { _ in Promise { -1 } }
                .map { $0 - 3 }
                .tap { print($0) }
                .anyway { _ in print("any") }
                .timeout(.seconds(2))
                .map { [$0, $0 + 1, 3] }
                .map { $0.reduce(0, +) }
                .failed { error in print("failed: \\(error)") }
                .catch(only: Oops.self) { _ in 0 }
                .then { Promise.resolve("\\($0)") } onRejected: { _ in .resolve("error") }
        }
        """,
        "cold": """
        func chain(_ lists: [Chain<Int, Int>]) -> Chain<Void, String> {
            Chain(label: "order", on: PoolExecutor.shared)
                .map { 1 + 2 }
                .map { $0 * 2 + 1 }
                .then { Promise.resolve($0 + 3) }
                .map { value in
                    let doubled = value * 2
                    return "\\(doubled) of \\(value)"
                }
                .catch { _ in "none" }
                .then { text in
                    let more = text + "!"
                    return Chain(label: "inner").map { more.count * 2 }
                }
                .recover { _ in Chain().map { -1 } }
                .all(lists)
                .map { $0.count * 2 }
                .map { [$0, $0 + 1, 3] }
                .map { $0.count * 2 - 1 }
                .failed { error in print("failed: \\(error)") }
                .delay(.milliseconds(5))
                .catch(only: Oops.self) { _ in 0 }
                .anyway { _ in print("any") }
                .then { Promise.resolve("\\($0)") } onRejected: { _ in .resolve("error") }
        }
        """,
        "both": """
        func both(_ chain: Chain<Void, Int>, _ p: Promise<Int>) -> Promise<String> {
            p
                .then { _ in chain }
                .map { $0 * 2 + 1 }
                .then { x in Chain().map { x * 2 - 1 } }
                .map { value in
                    let doubled = value * 2
                    return "\\(doubled) of \\(value)"
                }
                .catch { _ in "none" }
                .then { text in
                    let more = text + "!"
                    return Chain(label: "inner").map { more.count * 2 }.map { $0 + 1 }
                }
                .recover { _ in Chain().map { -1 } }
                .map { $0 - 3 }
                .tap { print($0) }
                .then { _ in chain.async() }
                .anyway { _ in print("any") }
                .timeout(.seconds(2))
                .then { x in Promise { x * 2 - 1 } }
                .map { [$0, $0 + 1, 3] }
                .failed { error in print("failed: \\(error)") }
                .then { _ in Chain().map { "done" } } onRejected: { _ in Chain().map { "error" } }
        }
        """,
        "scope": """
        func scope(_ p: Promise<Int>) -> Awaiter<String> {
            Chain.launch { Chain().map { 1 + 2 }.map { $0 * 2 }.done { print($0) } }
            return Chain.async(label: "scope") {
                Chain()
                    .then { p }
                    .map { $0 * 2 + 1 }
                    .then { x in Chain().map { x * 2 - 1 } }
                    .map { $0 * 2 + 1 }
                    .map { "\\($0)" }
                    .catch { _ in "none" }
                    .map { $0.count * 2 + 1 }
                    .recover { _ in Promise.resolve(-1) }
                    .map { $0 * 2 + 1 }
                    .anyway { print($0) }
                    .map { "\\($0)!" }
            }
        }
        """,
    ]
}

/// The compiler that built the tests, and its modules.
private enum Compiler {
    /// The folder of the products: the test bundle's, or a folder above it.
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

    static let isAvailable = products != nil && (try? run(["-version"]).status) == 0

    /// The compiler's messages about a source file; empty if there is no error and no function took over `limit` ms.
    static func check(_ source: String, limit: Int) throws -> String {
        let products = try #require(products)
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).swift")
        defer { try? FileManager.default.removeItem(at: file) }
        try """
        import PromiseRuntime
        struct Oops: Error {}
        func load() async throws -> Int { 1 }
        \(source)
        """.write(to: file, atomically: true, encoding: .utf8)
        let modules = products.appendingPathComponent("Modules").path
        let map = products.appendingPathComponent("CChainRuntime.build/module.modulemap").path
        let (status, output) = try run([
            "-typecheck", "-swift-version", "6", "-I", modules, "-Xcc", "-fmodule-map-file=\(map)", "-Xfrontend",
            "-warn-long-function-bodies=\(limit)", "-Xfrontend", "-solver-expression-time-threshold=20", file.path,
        ])
        return status == 0 && !output.contains("warning:")
            ? "" : output + (status == 0 ? "" : "error: status \(status)")
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
