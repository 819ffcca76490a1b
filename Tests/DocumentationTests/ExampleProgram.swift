import Foundation

/// Generates one program of many examples, each in a function. The compiler reports errors at the articles' lines.
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
        let location = "#sourceLocation(file: \"\(example.file)\", line: \(example.line))\n"
        return opening(example, number) + location + example.body + "\n#sourceLocation()\n}\n"
    }

    /// Returns the first line of the declaration around an example.
    private static func opening(_ example: Example, _ number: Int) -> String {
        // In a struct, because a test cannot be a local function.
        if example.body.contains(/(?m)^@(?:Test|Suite)\b/) { return "struct Example\(number) {\n" }
        let effects = example.body.contains(/(?:^|[^.\w])await\s/) ? "async throws" : "throws"
        return "func example\(number)() \(effects) {\n"
    }

    /// Generates the main function, which runs the example of the given number.
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

// SPDX-License-Identifier: MIT
