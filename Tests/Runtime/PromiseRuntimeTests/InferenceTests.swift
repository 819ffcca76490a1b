import Testing

/// TheRules, P3: the compiler infers chains of many mixed links in under 100 ms each.
///
/// The limit is a number of solver scopes, because that is the same on every machine and under any load. The slowest of
/// these chains, `isolated`, takes fewer than 4,000 scopes, which take 70 ms on a quiet machine.
///
/// Swift is slow to infer one kind of closure in any chain: `{ print($0 + 1) }`, where nothing fixes the type of the
/// operator's result. The compiler infers a chain and its closures of one statement as one expression. A closure of
/// several statements, or a `let` in the middle of a chain, splits the expression.
@Suite(.enabled(if: Compiler.isAvailable, "no compiler, or no modules beside the tests"))
struct InferenceTests {
    @Test(
        "P3 each chain, with labels, operators and literals, is inferred within the limit",
        arguments: ["head", "mixed", "cold", "both", "scope", "async", "asyncs", "tuple", "isolated"])
    func chain(_ name: String) throws {
        let output = try Compiler.check(try #require(Self.sources[name]), scopes: 5000)
        #expect(output.isEmpty, "\(output)")
    }

    @Test("expressions over the limit, and errors, are reported")
    func control() throws {
        #expect(try Compiler.check(Self.sources["mixed"]!, scopes: 100).contains("in reasonable time"))
        #expect(try Compiler.check("let a: Promise<Int> = Promise { true }", scopes: 5000).contains("error:"))
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
        "async": """
        func chain() -> Promise<String> {
            Promise { try await load() }
                .map { $0 * 2 + 1 }
                .map { [$0, $0 + 1, 3] }
                .map { $0.reduce(0, +) * 2 - 1 }
                .catch { _ in -1 }
                .map { $0 * 2 + 1 }
                .map { "\\($0)!" }
        }
        """,
        "asyncs": """
        func chain() -> Promise<String> {
            Promise(async: { try await load() })
                .map { $0 * 2 + 1 }
                .then { x in Promise(label: "next \\(x)", async: { try await load() }) }
                .map { $0 * 2 + 1 }
                .map { [$0, $0 + 1, 3] }
                .map { $0.reduce(0, +) }
                .recover { _ in Promise(async: { try await load() }) }
                .map { "\\($0)!" }
        }
        """,
        "tuple": """
        func chain(_ p: Promise<Int>, _ q: Promise<String>, _ r: Promise<[Bool]>) -> Promise<Int> {
            Promise.all(p, q, r)
                .map { number, text, list in number * 2 + text.count - list.count }
                .then { x in Promise.all(p.map { $0 * 2 + x }, q.map { $0 + "!" }) }
                .map { $0 * 2 + $1.count - 1 }
                .then { _ in Promise.all(q, p, r, p) }
                .map { $0.count + $1 * 2 - $2.count * $3 }
        }
        """,
        "isolated": """
        @MainActor final class Window {
            var title = ""
            var count = 0

            func chain(_ p: Promise<Int>) -> Promise<String> {
                p
                    .map(isolation: MainActor.shared) { $0 * 2 + self.count }
                    .then { Promise.resolve($0 + 3) }
                    .map { value in
                        let doubled = value * 2
                        return "\\(doubled) of \\(value)"
                    }
                    .catch { _ in "none" }
                    .then(isolation: MainActor.shared) { text in
                        let more = text + self.title
                        return Promise { more.count * 2 }
                    }
                    .recover { _ in Promise { -1 } }
                    .tap(isolation: MainActor.shared) { self.count = $0 * 2 - 1 }
                    .finally(isolation: MainActor.shared) { self.count += 1 }
                    .map { [$0, $0 + 1, 3] }
                    .map { $0.reduce(0, +) }
                    .failed(isolation: MainActor.shared) { error in self.title = "failed: \\(error)" }
                    .catch(isolation: MainActor.shared) { _ in self.count * 2 - 1 }
                    .then { Promise.resolve("\\($0)") } onRejected: { _ in .resolve("error") }
            }
        }
        """,
    ]
}

// SPDX-License-Identifier: MIT
