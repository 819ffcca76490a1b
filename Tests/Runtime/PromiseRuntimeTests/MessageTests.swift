import Testing

/// The compiler's messages for the commonest mistakes. Each comes within 2 s, at the line of the mistake, and names the
/// operation that was meant if the library can. The article *When it does not compile* has those still hard to read.
@Suite(.enabled(if: Compiler.isAvailable, "no compiler, or no modules beside the tests"))
struct MessageTests {
    @Test("a mistake is reported at its own line", arguments: mistakes)
    func message(_ mistake: Mistake) throws {
        let source = Self.prelude + mistake.source.split(separator: "\n").map(String.init)
        let line = try #require(source.firstIndex { $0.hasSuffix("// here") }) + 1
        let diagnostics = try Compiler.diagnostics(of: source, limit: 2)
        let first = try #require(diagnostics.first, "the compiler finds nothing wrong with \(mistake.source)")
        #expect(first.text.contains(mistake.message))
        #expect(first.line == line)
    }

    @Test("the short forms compile")
    func shortForms() throws {
        #expect(try Compiler.diagnostics(of: Self.prelude + [Self.correct], limit: 2) == [])
    }

    @Test("a type of the program that is named like the library's is what its name means")
    func ownType() throws {
        let source = ["import PromiseRuntime", "struct Promise {}", "func f() { _ = Promise(label: \"page\") { 1 } }"]
        let first = try #require(try Compiler.diagnostics(of: source, limit: 2).first)
        #expect(first.text == "argument passed to call that takes no arguments" && first.line == 3)
    }

    struct Mistake: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// A part of the first error or warning.
        var message: String
        /// The code, with `// here` at the end of the line that the compiler is to report.
        var source: String

        init(_ description: String, _ message: String, _ source: String) {
            testDescription = description
            self.message = message
            self.source = source
        }
    }

    private static let prelude = [
        "import Dispatch", "import PromiseRuntime", "struct Oops: Error {}",
        "func fetch(_ id: Int) -> Promise<String> { .resolve(\"\") }",
        "func save(_ text: String) -> Promise<Int> { .resolve(1) }",
    ]

    private static let correct = """
        func executors(_ p: Promise<Int>, _ queue: DispatchQueue) {
            p.done(on: .main) { print($0) }
            p.done(on: .queue(.main)) { print($0) }
            _ = p.map(on: .inline) { $0 }
            _ = p.map(on: .queue(queue)) { $0 }
            _ = Promise(on: .pool) { 1 + 1 }
            _ = Promise(label: "page", on: .thread) { 2 }
        }
        func outcomes(_ p: Promise<Int>) -> Promise<Int> {
            p.recover { _ in .resolve(0) }
                .recover { .reject($0) }
                .then { $0 > 1 ? .resolve($0) : .reject(Oops()) }
        }
        func nothing() -> Promise<Void> { Promise<Void>.resolve() }
        func cold(_ p: Promise<Int>) -> Chain<Void, Int> { Chain(p).recover { _ in .resolve(0) } }
        func all(_ p: Promise<Int>) -> Promise<String> {
            Promise.all(p, fetch(1), save("a")).map { number, text, size in "\\(number) \\(text) \\(size)" }
        }
        func nested(_ p: Promise<Int>) -> Promise<Promise<String>> { p.map { fetch($0) } }
        func equal(_ p: Promise<Int>) -> Promise<(Int, Int)> { Promise.all(p, p, cancellingLosers: true) }
        func scopes() -> Awaiter<Int> {
            Chain.launch { Chain().done { print("launched") } }
            return Chain.async { Chain().map { 1 } }
        }
        """

    static let mistakes = [
        Mistake(
            "then with a value", "for a value use map { }",
            """
            func f(_ p: Promise<Int>) -> Promise<Int> {
                p
                    .then { fetch($0) }
                    .then { $0.count * 2 } // here
            }
            """),
        Mistake(
            "then with a value twice", "for a value use map { }",
            """
            func f(_ p: Promise<Int>) -> Promise<Int> {
                p.then { $0 * 2 }.then { $0 + 1 } // here
            }
            """),
        Mistake(
            "then with a value on a chain", "for a value use map { }",
            """
            func f() -> Chain<Void, Int> {
                Chain().map { 1 }.then { $0 + 1 } // here
            }
            """),
        Mistake(
            "then without return", "result of call to 'fetch' is unused",
            """
            func f(_ p: Promise<Int>) -> Promise<String> {
                p.then { id in
                    print(id)
                    fetch(id) // here
                }
            }
            """),
        Mistake(
            "recover with a value", "for a value use catch { }",
            """
            func f(_ p: Promise<Int>) -> Promise<Int> {
                p.map { $0 + 1 }
                    .recover { _ in 0 } // here
            }
            """),
        Mistake(
            "catch with a promise", "for a promise use recover { }",
            """
            func f(_ p: Promise<Int>) -> Promise<Int> {
                p.map { $0 + 1 }
                    .catch { _ in save("none") } // here
            }
            """),
        Mistake(
            "catch without a value", "cannot convert value of type '()' to closure result type 'Int'",
            """
            func f(_ p: Promise<Int>) -> Promise<Int> {
                p.map { $0 + 1 }
                    .catch { error in print(error) } // here
            }
            """),
        Mistake(
            "a queue as an executor",
            "argument type 'DispatchQueue' does not conform to expected type 'PromiseExecutor'",
            """
            func f(_ p: Promise<Int>, _ queue: DispatchQueue) {
                p.done(on: queue) { print($0) } // here
            }
            """),
        Mistake(
            "map with a promise", "for a promise use then { }",
            """
            func f(_ p: Promise<Int>) -> Promise<String> {
                p.map { fetch($0) } // here
            }
            """),
        Mistake(
            "map with a promise in the middle", "for a promise use then { }",
            """
            func f(_ p: Promise<Int>) {
                p.map { fetch($0) }.done { print($0.count) } // here
            }
            """),
        Mistake(
            "map with a promise on a chain", "for a promise use then { }",
            """
            func f() -> Chain<Void, String> {
                Chain().map { fetch(1) } // here
            }
            """),
        Mistake(
            "a promise of a promise", "cannot convert value of type 'Promise<String>' to closure result type 'String'",
            """
            func f() -> Promise<String> {
                Promise(label: "page") { fetch(1) } // here
            }
            """),
        Mistake(
            "a misspelt operation", "value of type 'Promise<Int>' has no member 'mapp'",
            """
            func f(_ p: Promise<Int>) -> Promise<Int> {
                p
                    .then { fetch($0) }
                    .then { save($0) }
                    .mapp { "\\($0)" } // here
                    .then { save($0) }
            }
            """),
        Mistake(
            "a link that goes on from Void", "cannot convert value of type '()' to closure result type 'Promise<Int>'",
            """
            func f(_ p: Promise<Int>) {
                p
                    .map { print($0) } // here
                    .map { $0 + 1 }
            }
            """),
        Mistake(
            "a list of two types",
            "cannot convert value of type 'Promise<Int>' to expected element type 'Promise<String>'",
            """
            func f(_ p: Promise<Int>) {
                Promise.all([p, fetch(1)]).done { print($0) } // here
            }
            """),
        Mistake(
            "a missing try", "call can throw, but it is not marked with 'try'",
            """
            func parse(_ text: String) throws -> Int { 1 }
            func f(_ p: Promise<Int>) -> Promise<Int> {
                p.then { fetch($0) }
                    .map { parse($0) } // here
            }
            """),
        Mistake(
            "a captured object", "capture of 'counter' with non-Sendable type 'Counter' in a '@Sendable' closure",
            """
            final class Counter { var count = 0 }
            func f(_ p: Promise<Int>) {
                let counter = Counter()
                p.done { counter.count += $0 } // here
            }
            """),
        Mistake(
            "a blocking wait in asynchronous code", "use try await value",
            """
            func f(_ p: Promise<Int>) async throws {
                print(try p.get()) // here
            }
            """),
        Mistake(
            "a number for a duration", "a duration needs its unit, as in timeout(.seconds(5))",
            """
            func f(_ p: Promise<Int>) -> Promise<Int> {
                p.timeout(5) // here
            }
            """),
        Mistake(
            "a fraction for a duration", "a duration needs its unit, as in delay(.seconds(5))",
            """
            func f() -> Promise<Void> {
                Promise.delay(0.5) // here
            }
            """),
        Mistake(
            "a number for a duration on a chain", "a duration needs its unit, as in timeout(.seconds(5))",
            """
            func f(_ seconds: Double) -> Chain<Void, Int> {
                Chain().map { 1 }.delay(.seconds(1)).timeout(seconds) // here
            }
            """),
        Mistake(
            "a promise that is awaited itself", "cannot convert return expression of type 'Promise<String>'",
            """
            func f() async throws -> String {
                try await fetch(1) // here
            }
            """),
        Mistake(
            "a callback with a value and an error", "hand on its valueOrError, result, value or error",
            """
            func load(_ done: @escaping (Int?, (any Error)?) -> Void) {}
            func f() -> Promise<Int> {
                Promise.callback { done in load(done) } // here
            }
            """),
        Mistake(
            "a callback with a result", "hand on its valueOrError, result, value or error",
            """
            func load(_ done: @escaping @Sendable (Result<Int, any Error>) -> Void) {}
            func f() -> Promise<Int> {
                Promise.callback(load) // here
            }
            """),
        Mistake(
            "tasks without their module", "import that module",
            """
            import ChainInspector
            func f() throws {
                try Inspector.start(name: "shop", tasks: true) // here
            }
            """),
        Mistake(
            "a chain that is not launched", "result of call to 'done(label:on:file:line:_:)' is unused",
            """
            func f() {
                Chain().map { 1 }.done { print($0) } // here
            }
            """),
    ]
}

// SPDX-License-Identifier: MIT
