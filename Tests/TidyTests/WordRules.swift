import Foundation

/// A breach of the rules of words.
struct WordFinding: CustomStringConvertible {
    enum Rule: String, CaseIterable {
        case name = "a name of one letter"
        case citation = "a document or rule that the repository does not hold"
    }

    var path: String
    var line: Int
    var rule: Rule
    var found: String
    var text: String

    var description: String { "\(path):\(line): \(rule.rawValue), \(found): \(text)" }
}

/// The words and names that are not allowed.
enum WordRules {
    /// Names of one letter that are standard terms.
    static let allowedNames: Set<String> = [
        // Cartesian coordinates.
        "x", "y",
    ]

    /// Documents that the repository does not hold, cited by name.
    static let missingDocuments: Set<String> = ["RUNTIME", "DESIGN", "MIC"]

    /// Returns every breach in one file, given the numbers of all rules and the names of all files in the repository.
    static func findings(path: String, text: String, rules: Set<String>, documents: Set<String>) -> [WordFinding] {
        let split = CommentText(path: path, text: text)
        var findings: [WordFinding] = []
        func report(_ index: Int, _ rule: WordFinding.Rule, _ found: String) {
            let line = split.lines[index]
            let text = (rule == .name ? line.code : line.comment).trimmingCharacters(in: .whitespaces)
            findings.append(WordFinding(path: path, line: index + 1, rule: rule, found: found, text: text))
        }
        for (index, line) in split.lines.enumerated() where !line.comment.isEmpty {
            for word in words(line.comment) {
                if missingDocuments.contains(word) || isRuleNumber(word) && !rules.contains(word) {
                    report(index, .citation, word)
                }
            }
            guard line.comment.contains(".md") else { continue }
            for match in line.comment.matches(of: /\b([A-Za-z]+\.md)\b/) where !documents.contains(String(match.1)) {
                report(index, .citation, String(match.1))
            }
        }
        if path.hasSuffix(".swift") {
            for (index, name) in SingleLetterNames.found(in: split.lines.map(\.code)) { report(index, .name, name) }
        }
        return findings
    }

    /// Whether the word is the number of a rule: a chapter's letter and one or two digits.
    static func isRuleNumber(_ word: String) -> Bool {
        guard (2...3).contains(word.utf8.count), let chapter = word.first, "RPCEXSB".contains(chapter) else {
            return false
        }
        return word.dropFirst().allSatisfy { ("0"..."9").contains($0) }
    }

    /// Returns the runs of letters, digits and underscores.
    static func words(_ text: String) -> [String] {
        text.utf8
            .split { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): false
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...: false
                default: true
                }
            }
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Finds declarations with a name of one letter: constants, variables, functions, parameters, loop variables, and parameters
/// of closures of more than one line.
enum SingleLetterNames {
    static func found(in lines: [String]) -> [(index: Int, name: String)] {
        var found: [(Int, String)] = []
        var openParameters = 0
        for (index, line) in lines.enumerated() {
            var names: [Substring] = []
            if line.contains("let ") || line.contains("var ") {
                names += line.matches(of: /\b(?:let|var) ([a-z])\b/).map(\.1)
                for match in line.matches(of: /\b(?:let|var) \(([^()]*)\)/) { names += list(match.1) }
            }
            if line.contains("for ") {
                names += line.matches(of: /\bfor (?:case )?([a-z]) in\b/).map(\.1)
                for match in line.matches(of: /\bfor (?:case )?\(([^()]*)\) in\b/) { names += list(match.1) }
            }
            if line.hasSuffix(" in") {
                if let match = line.firstMatch(of: /\{ (?:\[[^\]]*\] )?\(?([\w, ]+)\)? in$/) { names += list(match.1) }
            }
            // Parameters, also of declarations over several lines.
            if openParameters > 0 || line.contains("func ") || line.contains("init(") || line.contains("subscript(") {
                if openParameters == 0 { names += line.matches(of: /\bfunc ([a-z])\b/).map(\.1) }
                let declared = openParameters > 0 ? line[...] : parameters(of: line)
                names += declared.matches(of: /(?:^|[(,])\s*(?:\w+ )?([a-z]) *:/).map(\.1)
                openParameters = max(0, openParameters + depth(declared))
            }
            for name in names where name.count == 1 && name != "_" && !WordRules.allowedNames.contains(String(name)) {
                found.append((index, String(name)))
            }
        }
        return found
    }

    private static func list(_ text: Substring) -> [Substring] {
        text.split { $0 == "," || $0 == " " }
    }

    /// Returns the line from the parenthesis that opens a declaration's parameters; empty if the line has none.
    private static func parameters(of line: String) -> Substring {
        line.firstMatch(of: /\b(?:func [^\s(]+|init[?!]?|subscript)(?:<[^>]*>)?(\(.*)/)?.1 ?? ""
    }

    /// Returns the number of open parentheses at the end of the text.
    private static func depth(_ text: Substring) -> Int {
        var depth = 0
        for character in text.utf8 {
            if character == UInt8(ascii: "(") { depth += 1 }
            if character == UInt8(ascii: ")") { depth -= 1 }
            if depth < 0 { break }
        }
        return depth
    }
}

// SPDX-License-Identifier: MIT
