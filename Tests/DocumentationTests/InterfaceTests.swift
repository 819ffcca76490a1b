import Foundation
import Testing

/// The public interface of each product is the one that `make api` recorded in Tests/Interfaces. The interface of
/// ChainTracing is compared under its trait (`make tracing`).
@Suite(.enabled(if: LinkTests.hasDocC, "symbols are extracted on Linux only"))
struct InterfaceTests {
    static let allProducts = [
        "ChainBus", "ChainEvents", "ChainInspector", "ChainTasks", "ChainTesting", "ChainTracing", "PromiseFoundation",
        "PromiseRuntime",
    ]
    #if Tracing
        static let products = ["ChainTracing"]
    #else
        static let products = allProducts.filter { $0 != "ChainTracing" }
    #endif

    @Test("no public declaration appears, changes or disappears unnoticed", arguments: products)
    func interface(_ product: String) async throws {
        let lines = try await Interface(of: product).lines
        let file = Documentation.root.appending(path: "Tests/Interfaces/\(product).txt")
        if Self.isRecording {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            return try (lines.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        let recorded = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        let old = recorded.split(separator: "\n").map(String.init)
        let changes =
            Set(old).subtracting(lines).sorted().map { "- \($0)" }
            + Set(lines).subtracting(old).sorted().map { "+ \($0)" }
        #expect(
            changes == [],
            "the public interface of \(product) changed; if it is meant to, record it with `make api`, and commit that")
    }

    @Test("every type that a public declaration names is in a product", arguments: products)
    func modules(_ product: String) async throws {
        let hidden = Set(Documentation.folders.keys).subtracting(Self.allProducts)
        #expect(hidden.count > 10)
        let uses = try await Interface(of: product).uses
        #expect(uses.filter { hidden.contains($0.module) }.map(\.declaration) == [])
    }

    private static var isRecording: Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["CHAINVIEW_RECORD"] == "1" && environment["CI"] == nil
    }
}

/// The public declarations of a module.
private struct Interface {
    /// A type that a declaration names.
    struct Use {
        var declaration: String
        var module: String
    }

    /// A line for each declaration and each conformance, sorted.
    var lines: [String] = []
    /// The types that declarations name.
    var uses: [Use] = []

    init(of module: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "interface-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Toolchain().extractSymbols(of: module, into: folder)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        // Extensions of other modules' types have files of their own.
        for file in files { add(try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file))) }
        lines = Set(lines).sorted()
    }

    private mutating func add(_ graph: SymbolGraph) {
        let names = Dictionary(
            graph.symbols.map { ($0.identifier.precise, $0.path) }, uniquingKeysWith: { first, _ in first })
        for symbol in graph.symbols where !symbol.identifier.precise.contains("::SYNTHESIZED::") {
            lines.append(symbol.line)
            for fragment in symbol.declarationFragments {
                guard let module = fragment.module else { continue }
                uses.append(Use(declaration: symbol.line, module: module))
            }
        }
        for relationship in graph.relationships where relationship.kind == "conformsTo" {
            guard let source = names[relationship.source] else { continue }
            let target = names[relationship.target] ?? relationship.targetFallback ?? relationship.target
            let name = target.split(separator: ".").last ?? ""
            // Implied by Sendable, and not written by compilers before 6.2.
            if name != "SendableMetatype" { lines.append("\(source): \(name)") }
        }
    }
}

/// The parts that are read here of the output of `swift-symbolgraph-extract`.
private struct SymbolGraph: Decodable {
    var symbols: [Symbol]
    var relationships: [Relationship]

    struct Symbol: Decodable {
        var identifier: Identifier
        var pathComponents: [String]
        var declarationFragments: [Fragment]
        var swiftExtension: Extension?

        struct Identifier: Decodable { var precise: String }
        struct Extension: Decodable { var constraints: [Constraint]? }
        struct Constraint: Decodable { var kind, lhs, rhs: String }

        var path: String { pathComponents.joined(separator: ".") }

        /// The symbol as `Type.member  declaration  where constraints of the extension`.
        var line: String {
            let words = declarationFragments.map(\.spelling).joined().split(whereSeparator: \.isWhitespace)
            let constraints = (swiftExtension?.constraints ?? []).map { constraint in
                "\(constraint.lhs) \(constraint.kind == "sameType" ? "==" : ":") \(constraint.rhs)"
            }
            let condition = constraints.isEmpty ? "" : "  where " + constraints.sorted().joined(separator: ", ")
            return "\(path)  \(words.joined(separator: " "))\(condition)"
        }
    }

    struct Fragment: Decodable {
        var spelling: String
        var preciseIdentifier: String?

        /// The module of the type that the fragment names, from the mangled name: `s:10ChainModel0A6ForestV`.
        var module: String? {
            guard let match = preciseIdentifier?.firstMatch(of: /^s:(\d+)(\w+)/), let length = Int(match.1) else {
                return nil
            }
            return String(match.2.prefix(length))
        }
    }

    struct Relationship: Decodable {
        var kind, source, target: String
        var targetFallback: String?
    }
}

// SPDX-License-Identifier: MIT
