import Testing

/// Who may import whom: each target's whole allowance. The compiler's own check lets transitive imports pass.
///
/// What a user's program links (down to ChainInspector) is free of Foundation and of packages; what is a pure function
/// of its input (ChainModel, ChainInsight, Frames, Dashboard) is free of the system as well.
private let allowedImports: [String: Set<String>] = [
    "CChainRuntime": [],
    "ChainEvents": ["CChainRuntime"] + system,
    "PromiseRuntime": ["ChainEvents", "CChainRuntime"] + system,
    "ChainBus": [] + system,
    "ChainModel": ["ChainEvents"],
    "ChainWire": ["ChainEvents"] + system,
    "ChainInspector": ["PromiseRuntime", "ChainEvents", "ChainBus", "ChainModel", "ChainWire", "CChainRuntime"]
        + system,
    "PromiseFoundation": ["PromiseRuntime"] + system + ["Foundation", "FoundationNetworking"],

    "ChainSource": ["ChainBus", "ChainEvents"],
    "ChainAttach": ["ChainSource", "ChainBus", "ChainEvents", "ChainWire", "CChainRuntime"] + system + ["Foundation"],
    "ChainInsight": ["ChainModel", "ChainEvents", "Histogram"],
    "Frames": [],
    "ChainText": ["ChainModel", "ChainEvents", "Frames"],
    "Dashboard": ["ChainText", "ChainModel", "ChainInsight", "ChainEvents", "ChainBus", "Frames"],
    "CTerminal": [],
    "Terminal": ["Frames", "CTerminal"] + system,
    "chainview": [
        "CChainRuntime", "ChainEvents", "PromiseRuntime", "ChainBus", "ChainModel", "ChainWire", "ChainInspector",
        "ChainSource", "ChainAttach", "ChainInsight", "Frames", "Dashboard", "Terminal", "ChainTesting", "Demos",
        "ArgumentParser", "TOMLKit",
    ] + system + ["Foundation"],

    "ChainTesting": ["PromiseRuntime", "ChainEvents", "ChainModel"] + system + ["Foundation", "Testing"],
    "Demos": ["PromiseRuntime", "ChainInspector"] + system + ["Foundation"],

    // A stranger's, in demos/server.
    "ShopService": ["PromiseRuntime"] + system + ["Foundation", "FlyingFox", "FlyingSocks"],
    "server": ["ShopService", "ChainInspector"] + system + ["Foundation"],
]

private let system: Set = ["Glibc", "Darwin", "Dispatch", "Synchronization"]

private func + (left: Set<String>, right: Set<String>) -> Set<String> { left.union(right) }

struct ImportTests {
    private var files: [SourceFile] {
        let folders = ["Sources/", "demos/programs/", "demos/server/Sources/"]
        return Repository.sources.filter { file in folders.contains { file.path.hasPrefix($0) } }
    }

    @Test func everyTargetIsInTheTable() {
        let targets = Set(files.map(\.target))
        #expect(targets.count > 10)
        #expect(targets.subtracting(allowedImports.keys).isEmpty)
    }

    @Test func everyImportIsInTheTable() {
        for file in files where file.isSwift {
            let allowed = allowedImports[file.target, default: []]
            for (number, line) in file.lines.enumerated() {
                for module in imports(line) where !allowed.contains(module) {
                    Issue.record("\(file):\(number + 1): \(file.target) may not import \(module)")
                }
            }
        }
    }

    @Test func cTargetsIncludeTheirOwnHeadersAlone() {
        let headers = Dictionary(grouping: files.filter { $0.path.hasSuffix(".h") }, by: \.name)
        for file in files where !file.isSwift {
            for line in file.lines {
                guard let path = line.wholeMatch(of: /\s*#\s*include\s*["<]([^">]+)[">].*/)?.1 else { continue }
                // A header that no target has is the system's.
                guard let owners = headers[String(path.split(separator: "/").last ?? "")] else { continue }
                #expect(owners.contains { $0.target == file.target }, "\(file) includes \(path)")
            }
        }
    }

    @Test(arguments: [
        ("import A", ["A"]), ("@testable import A", ["A"]), ("public import A", ["A"]), ("  import A  // why", ["A"]),
        ("@_exported public import A", ["A"]), ("internal import struct A.B", ["A"]), ("import A.B.C", ["A"]),
        ("@_spi(Some) @preconcurrency import A", ["A"]), ("import A; import B", ["A", "B"]),
        ("@_implementationOnly import A", ["A"]), ("// import A", []), ("/// import A", []), ("let important = 1", []),
        ("importer.run()", []), ("import func Glibc.exit", ["Glibc"]),
    ])
    func importsAreSeenInEveryForm(_ line: String, _ expected: [String]) {
        #expect(imports(line) == expected)
    }

    @Test func noTypeIsNamedLikeAModule() {
        let modules = Set(allowedImports.keys)
        for file in files where file.isSwift {
            let places = file.places { line in
                guard modules.contains(where: line.contains) else { return false }
                let declaration = /\b(?:struct|class|enum|actor|protocol|typealias)\s+([A-Za-z_]\w*)/
                return line.matches(of: declaration).contains { modules.contains(String($0.1)) }
            }
            #expect(places == [])
        }
    }
}

/// The modules that a line imports.
private func imports(_ line: String) -> [String] {
    // The plain search first: the pattern is slow over a whole repository.
    guard line.contains("import") else { return [] }
    return code(line).split(separator: ";").compactMap { statement in
        let form =
            #/
            \s* (?: @\w+ (?: \( [^)]* \) )? \s+ | (?: public | package | internal | fileprivate | private ) \s+ )*
            import \s+ (?: (?: struct | class | enum | protocol | func | var | let | typealias ) \s+ )? (\w+) .*
            /#
        return statement.wholeMatch(of: form).map { String($0.1) }
    }
}
