import Foundation
import Testing

/// The modules that each target may import, from the table of targets in ARCHITECTURE.md. The compiler's own check is
/// not enough, because it lets transitive imports pass.
private let allowedImports: [String: Set<String>] = {
    let system: Set = ["Glibc", "Musl", "Darwin", "Dispatch", "Synchronization"]
    var table: [String: Set<String>] = [:]
    let lines = (Repository.text("ARCHITECTURE.md") ?? "").split(separator: "\n")
    for line in lines.drop(while: { !$0.hasPrefix("| target |") }).dropFirst(2).prefix(while: { $0.hasPrefix("|") }) {
        let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        guard cells.count == 4 else { continue }
        let names = cells[3].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        let modules = names.filter { $0.hasPrefix("`") }.map { $0.trimmingCharacters(in: ["`"]) }
        table[cells[0].trimmingCharacters(in: ["`"])] = Set(modules).union(names.contains("system") ? system : [])
    }
    return table
}()

struct ImportTests {
    private var files: [SourceFile] {
        let folders = ["Sources/", "demos/programs/", "demos/server/Sources/", "demos/orders/Sources/"]
        return Repository.sources.filter { file in folders.contains { file.path.hasPrefix($0) } }
    }

    @Test func everyTargetIsInTheTable() {
        let targets = Set(files.map(\.target))
        #expect(targets.count > 10)
        #expect(targets.symmetricDifference(allowedImports.keys) == [])
        let table = Repository.text("ARCHITECTURE.md") ?? ""
        for file in files {
            let folder = file.path.split(separator: "/").dropLast().prefix(2).joined(separator: "/")
            #expect(table.contains("| `\(file.target)` | \(folder) |"), "\(file)")
        }
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

    @Test func cTargetsIncludeOnlyHeadersThatTheTableAllows() {
        let headers = Dictionary(grouping: files.filter { $0.path.hasSuffix(".h") }, by: \.name)
        for file in files where !file.isSwift {
            for line in file.lines {
                guard let path = line.wholeMatch(of: /\s*#\s*include\s*["<]([^">]+)[">].*/)?.1 else { continue }
                // Headers that no target has are the system's.
                guard let owners = headers[String(path.split(separator: "/").last ?? "")] else { continue }
                let allowed = allowedImports[file.target, default: []].union([file.target])
                #expect(owners.contains { allowed.contains($0.target) }, "\(file) includes \(path)")
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

    /// Darwin's headers have a `Size` and a `Style` (MacTypes.h), so that such a type is ambiguous beside them.
    @Test func typesThatDarwinHasTooAreImportedByName() {
        let darwin: Set = ["ChainSystem", "Darwin", "Dispatch", "Foundation", "XCTest"]
        // Followed by a parenthesis or a dot it is an expression, which is not ambiguous.
        let type = /(?:^|[^\w.])(Size|Style)\b(?![(.])/
        for file in Repository.sources where file.isSwift && file.target != "Frames" {
            let modules = Set(file.lines.flatMap(imports))
            guard modules.contains("Frames"), !modules.isDisjoint(with: darwin) else { continue }
            for (number, line) in file.lines.enumerated() {
                for match in code(line).matches(of: type) {
                    let scoped = "import struct Frames.\(match.1)"
                    if file.lines.contains(where: { $0.hasPrefix(scoped) }) { continue }
                    Issue.record("\(file):\(number + 1): \(match.1) needs `\(scoped)`")
                }
            }
        }
        #expect("var size: Size".contains(type) && "-> [Style]".contains(type))
        #expect(!"Size(columns: 1, rows: 1)".contains(type) && !"a: ScreenSize".contains(type))
    }

    /// Without a branch of their own, builds for musl get that of Darwin, or none.
    @Test func eachConditionForGlibcHasABranchForMusl() {
        for file in Repository.sources where file.isSwift && file.path.hasPrefix("Sources/") {
            for block in conditionalBlocks(file) {
                let conditions = block.branches.map(\.condition)
                let namesGlibc = conditions.contains { $0.contains("canImport(Glibc)") }
                let importsGlibc = block.branches.contains { $0.imports.contains("Glibc") }
                guard namesGlibc || importsGlibc else { continue }
                let hasBranch = conditions.contains { $0.contains("canImport(Musl)") }
                let importsMusl = block.branches.contains { $0.imports.contains("Musl") }
                #expect(hasBranch && importsMusl == importsGlibc, "\(file):\(block.line)")
            }
        }
    }

    @Test func blocksOfConditionsAreRead() {
        let text = "#if A\n#if B\nimport Glibc\n#else\nimport Musl\n#endif\n#elseif C\n    import Darwin\n#endif"
        let blocks = conditionalBlocks(SourceFile(path: "a.swift", text: text))
        #expect(blocks.map(\.line) == [2, 1])
        #expect(blocks.map { $0.branches.map(\.condition) } == [["#if B", "#else"], ["#if A", "#elseif C"]])
        #expect(blocks.map { $0.branches.map(\.imports) } == [[["Glibc"], ["Musl"]], [[], ["Darwin"]]])
    }

    /// Swift's package manager refuses a product of a dependency if one of its targets has unsafe flags.
    @Test func noProductNeedsATargetWithUnsafeFlags() throws {
        let manifest = try #require(Repository.text("Package.swift"))
        // Without `ChainPreload`, a dynamic library that no package depends on.
        var pending = manifest.matches(of: /\.library\(name: "\w+", targets: \["(\w+)"\]\)/).map { String($0.1) }
        #expect(pending.count > 5)
        var needed = Set(pending)
        while let target = pending.popLast() {
            pending += allowedImports[target, default: []].filter { needed.insert($0).inserted }
        }
        let targets = try #require(manifest.split(separator: "    swiftLanguageModes:").first)
        let unsafe = targets.split(separator: /\.(?:target|executableTarget|testTarget)\(/).dropFirst()
            .filter { $0.contains("homebrew") || $0.contains("unsafeFlags") }
            .compactMap { $0.firstMatch(of: /name: "(\w+)"/).map { String($0.1) } }
        #expect(Set(unsafe) == ["CZstd", "CVirtualTerminal", "ChainPreload"])
        #expect(needed.isDisjoint(with: unsafe))
    }

    @Test func noTypeIsNamedLikeAModule() {
        // `ChainRecording` is excepted: users write `ChainRecording(contentsOf:)`, and the module of that name, which
        // is no product, is not imported by their code.
        let modules = Set(allowedImports.keys).subtracting(["ChainRecording"])
        for file in files where file.isSwift {
            let places = file.places { line in
                guard !line.hasPrefix("import "), modules.contains(where: line.contains) else { return false }
                let declaration = /\b(?:struct|class|enum|actor|protocol|typealias)\s+([A-Za-z_]\w*)/
                return line.matches(of: declaration).contains { modules.contains(String($0.1)) }
            }
            #expect(places == [])
        }
    }
}

/// A conditional block of a file, from `#if` to `#endif`.
private struct ConditionalBlock {
    /// The number of the line with `#if`, from 1.
    var line: Int
    /// Each branch with its directive, such as `#elseif os(Linux)`, and the modules that it imports outside of blocks
    /// within it.
    var branches: [(condition: String, imports: [String])]
}

/// Returns the conditional blocks of a file, in the order of their ends.
private func conditionalBlocks(_ file: SourceFile) -> [ConditionalBlock] {
    var (ended, open): ([ConditionalBlock], [ConditionalBlock]) = ([], [])
    for (index, line) in file.lines.enumerated() {
        let text = code(line).trimmingCharacters(in: .whitespaces)
        if text.hasPrefix("#if ") {
            open.append(ConditionalBlock(line: index + 1, branches: [(text, [])]))
        } else if open.isEmpty {
            continue
        } else if text.hasPrefix("#else") {
            open[open.count - 1].branches.append((text, []))
        } else if text.hasPrefix("#endif") {
            ended.append(open.removeLast())
        } else {
            let block = open.count - 1
            open[block].branches[open[block].branches.count - 1].imports += imports(line)
        }
    }
    return ended
}

/// Returns the modules that a line imports.
private func imports(_ line: String) -> [String] {
    // A plain search first, because the pattern is slow.
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

// SPDX-License-Identifier: MIT
