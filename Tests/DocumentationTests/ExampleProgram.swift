import Foundation

/// Makes one program of many examples: each a function of its own, whose errors the compiler reports at the article's
/// line.
enum ExampleProgram {
    private static let modules = [
        "ChainBus", "ChainEvents", "ChainInspector", "ChainTesting", "Foundation", "PromiseFoundation",
        "PromiseRuntime",
        "Testing",
    ]

    static func source(_ examples: [Example]) -> String {
        let imports = Set(modules + examples.flatMap(\.imports)).sorted()
        return imports.map { "import \($0)\n" }.joined()
            + "#if canImport(FoundationNetworking)\nimport FoundationNetworking\n#endif\n"
            + examples.enumerated().map { wrap($1, number: $0) }.joined()
            + main(examples)
    }

    private static func wrap(_ example: Example, number: Int) -> String {
        let place = "#sourceLocation(file: \"\(example.file)\", line: \(example.line))\n"
        return opening(example, number) + place + example.body + "\n#sourceLocation()\n}\n"
    }

    private static func opening(_ example: Example, _ number: Int) -> String {
        // Tests can be no local functions.
        if example.body.contains(/(?m)^@(?:Test|Suite)\b/) { return "struct Example\(number) {\n" }
        let effects = example.body.contains(/(?:^|[^.\w])await\s/) ? "async throws" : "throws"
        return "func example\(number)() \(effects) {\n"
    }

    /// Runs the example whose number is given, of those that print.
    private static func main(_ examples: [Example]) -> String {
        let cases = examples.enumerated().filter { !$1.prints.isEmpty }.map { number, _ in
            "case \"\(number)\": try await example\(number)()\n"
        }
        return """
            @main enum Examples {
            static func main() async throws {
            switch CommandLine.arguments.last {
            \(cases.joined())
            default: fatalError("no such example")
            }
            }
            }
            """
    }
}
