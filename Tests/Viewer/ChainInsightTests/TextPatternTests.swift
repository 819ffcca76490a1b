import SeededNumbers
import Testing

@testable import ChainInsight

/// Regular expressions of queries agree with Swift's own, and take linear time.
struct TextPatternTests {
    @Test(arguments: [
        ("a.c", "xABCx", true), ("a.c", "ac", false), ("^ab", "abc", true), ("^ab", "cab", false), ("ab$", "cab", true),
        ("ab$", "abc", false), ("^$", "", true), ("a*", "", true), ("^a+$", "aaa", true), ("^a+$", "", false),
        ("^a?b$", "b", true), ("^a{2,3}$", "aa", true), ("^a{2,3}$", "aaaa", false), ("^a{2}$", "aaa", false),
        ("^a{2,}$", "aaaaa", true), ("(ab|cd)e", "xcde", true), ("(?:ab)+c", "ababc", true), ("[a-c]x", "BX", true),
        ("[^a-c]x", "bx", false), ("[^a-c]x", "äx", true), ("[äö]", "HÖHE", true), ("\\d+ms", "12ms", true),
        ("\\w\\s\\w", "a b", true), ("^\\D$", "7", false), ("a\\.b", "axb", false), ("[.]", "a", false),
        ("[]a]", "]", true), ("注.$", "注文", true), ("^.$", "é", true), ("a|", "b", true), ("()*x", "x", true),
        ("[a\\d]", "7", true), ("^[\\D]$", "7", false), ("^[\\D]$", "D", true), ("^[\\D]$", "é", true),
        ("^[\\W]$", "b", false), ("^[\\W]$", "-", true), ("^[^\\D]$", "7", true), ("^[^\\D]$", "x", false),
        ("^[^\\D]$", "é", false), ("^[^\\W]$", "B", true), ("^[!-\\/]$", "+", true), ("^[!-\\/]$", "a", false),
        ("^[a\\-z]$", "b", false), ("^[a\\-z]$", "-", true), ("^[\\]x]$", "]", true), ("^[\\[-\\]]$", "\\", true),
        ("^[\\d-]$", "-", true), ("^[\\d\\S]$", "é", true), ("\\/x", "/x", true),
    ])
    func matches(expression: String, text: String, isMatch: Bool) throws {
        var pattern = try TextPattern(expression)
        let first = pattern.matches(text)
        #expect(first == isMatch)
        let second = pattern.matches(text)
        #expect(second == isMatch, "again, with the states of the first time")
    }

    @Test(arguments: [
        "(a", "a)", "[a", "a{2", "a{3,2}", "a{x}", "a{+2}", "*a", "a**", "(?=a)", "\\q", "a\\", "[\\q]", "[\\é]",
        "[a-\\d]", "[a\\", "[z-a]", "[^ä]", "a{101}",
        "((a{100}){100}){100}", "((((){100}){100}){100}){100}(", String(repeating: "(", count: 1_000),
    ])
    func errorsAreSentences(expression: String) {
        #expect {
            try TextPattern(expression)
        } throws: { error in
            guard let problem = error as? TextPattern.Problem else { return false }
            return !problem.text.isEmpty && problem.range.upperBound <= expression.count
        }
    }

    @Test(arguments: Seeds.upTo(200)) func agreesWithSwift(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let expression = Self.expression(3, &random)
        var pattern = try TextPattern(expression)
        let regex = try Regex(expression)
        for _ in 0..<20 {
            let text = String(
                (0..<Int.random(in: 0...8, using: &random)).map { _ in "abc".randomElement(using: &random)! })
            let isMatch = pattern.matches(text)
            #expect(isMatch == (text.firstMatch(of: regex) != nil), "\(expression) in \(text)")
        }
    }

    private static func expression(_ depth: Int, _ random: inout SeededGenerator) -> String {
        let atom = ["a", "b", "[ab]", "[^a]", ".", "ab"].randomElement(using: &random)!
        guard depth > 0 else { return atom }
        let one = expression(depth - 1, &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return "(\(one))*"
        case 1: return "(\(one))?"
        case 2: return "(\(one)|\(expression(depth - 1, &random)))"
        case 3: return one + expression(depth - 1, &random)
        case 4: return "(\(one)){1,2}"
        default: return depth == 3 ? "^\(one)$" : one
        }
    }

    /// A backtracking matcher would take for ever.
    @Test func noExpressionIsSlow() throws {
        var pattern = try TextPattern("(a*)*(a|aa)*b$")
        let isMatch = pattern.matches(String(repeating: "a", count: 100_000))
        #expect(!isMatch)
        var many = try TextPattern(".*[ab].{12}c")
        let isOther = many.matches(String(repeating: "ab", count: 20_000))
        #expect(!isOther)
    }
}

// SPDX-License-Identifier: MIT
