import Foundation
import Testing

/// The rules of words: no names of one letter, and no citation of a document or rule that the repository does not hold.
///
/// `make words FILTER=Sources/Observe/ChainModel` lists every breach below a path.
struct WordTests {
    @Test func commentsAndNamesFollowTheRules() {
        let findings = Self.findings { _ in true }
        for finding in findings { Issue.record("\(finding)") }
    }

    /// Prints every breach below the path in `CHAINVIEW_WORDS`, and their number in each folder.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["CHAINVIEW_WORDS"] != nil))
    func listing() {
        let prefix = ProcessInfo.processInfo.environment["CHAINVIEW_WORDS"] ?? ""
        let findings = Self.findings { $0.hasPrefix(prefix) }
        for finding in findings { print(finding) }
        let folders = Dictionary(grouping: findings) { $0.path.split(separator: "/").prefix(3).joined(separator: "/") }
        for (folder, findings) in folders.sorted(by: { $0.key < $1.key }) {
            let counts = WordFinding.Rule.allCases.map { rule in findings.count { $0.rule == rule } }
            print("──── \(folder): \(counts[0]) names, \(counts[1]) citations")
        }
    }

    private static func findings(where isIncluded: (String) -> Bool) -> [WordFinding] {
        let article = Repository.text("Sources/Runtime/PromiseRuntime/PromiseRuntime.docc/TheRules.md") ?? ""
        let rules = Set(WordRules.words(article).filter(WordRules.isRuleNumber))
        let documents = Set(Repository.paths.compactMap { $0.split(separator: "/").last.map(String.init) })
        return Repository.paths.filter { isChecked($0) && isIncluded($0) }.flatMap { path in
            WordRules.findings(path: path, text: Repository.text(path) ?? "", rules: rules, documents: documents)
        }
    }

    private static func isChecked(_ path: String) -> Bool {
        // Skipped, because the rules themselves hold the words.
        if path.hasPrefix("Tests/TidyTests/Word") { return false }
        let name = path.split(separator: "/").last ?? ""
        return ["swift", "c", "h", "md", "py"].contains(name.split(separator: ".").last)
            || !name.contains(".") && (path.hasPrefix(".ci/") || path.hasPrefix("Benchmarks/") || path == "Makefile")
    }
}

struct WordRulesTests {
    @Test func citationsAreFoundInCommentsAlone() {
        let text = #"""
            let text = "DESIGN \(f("X8"))"  // X9 waits
            /// `MIC` is code, DESIGN is not.
            let text = """
                X7 // RUNTIME
                """
            /* X6
               X5 */ let MIC = 1
            """#
        let findings = WordRules.findings(path: "A.swift", text: text, rules: [], documents: [])
        #expect(findings.map { "\($0.line) \($0.found)" } == ["1 X9", "2 DESIGN", "6 X6", "7 X5"])
    }

    @Test func markdownAndScriptsAreRead() {
        let article = "DESIGN.\n```swift\n// X9\n```\nSee Missing.md and `Gone.md` and There.md."
        let inArticle = WordRules.findings(path: "A.md", text: article, rules: [], documents: ["There.md"])
        #expect(inArticle.map { "\($0.line) \($0.found)" } == ["1 DESIGN", "5 Missing.md"])
        let script = WordRules.findings(path: ".ci/run", text: "X8 # X9", rules: [], documents: [])
        #expect(script.map(\.found) == ["X9"])
    }

    @Test func citationsHaveToResolve() {
        let text = "// RUNTIME P1, DESIGN §6, XDG_RUNTIME_DIR, (MIC), P2, X9, F1, B12."
        let findings = WordRules.findings(path: "A.swift", text: text, rules: ["P1", "P2"], documents: [])
        #expect(findings.map(\.found) == ["RUNTIME", "DESIGN", "MIC", "X9", "B12"])
        #expect(findings.allSatisfy { $0.rule == .citation })
    }

    @Test(arguments: [
        ("let a = 1", ["a"]), ("if let b, var c = d {", ["b", "c"]), ("let (e, _, f) = g", ["e", "f"]),
        ("for h in i {", ["h"]), ("for (j, value) in k {", ["j"]), ("call { l in", ["l"]),
        ("call { (m, n) in", ["m", "n"]),
        ("call { [self] o in", ["o"]), ("call { p in p + 1 }", []),
        ("func q(_ r: Int, s: Int, to t: Int) {", ["q", "r", "s", "t"]),
        ("init(u: Int) {", ["u"]), ("func size(x: Int, y: Int)", []), ("call(v: 1)", []), ("struct Box<T> {", []),
    ])
    func namesOfOneLetterAreFound(_ line: String, _ expected: [String]) {
        #expect(SingleLetterNames.found(in: [line]).map(\.name) == expected)
    }

    @Test func parametersOverSeveralLinesAreFound() {
        let lines = ["func size(", "    _ a: Int,", "    to b: Int", ") {", "    call(c: 1)"]
        #expect(SingleLetterNames.found(in: lines).map(\.name) == ["a", "b"])
    }
}

// SPDX-License-Identifier: MIT
