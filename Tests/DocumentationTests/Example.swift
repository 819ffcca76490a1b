import Foundation

/// An example in the documentation.
struct Example: CustomStringConvertible {
    /// The path from the root of the checkout.
    var file: String
    /// The number of the first line of code, from 1.
    var line: Int
    /// The code, without the article's indentation.
    var lines: [String]
    /// The text after ```` ```swift ````: the reason why the example is not compiled; empty for most.
    var remark = ""

    var description: String { "\(file):\(line)" }

    /// The output that the example promises, line by line.
    var prints: [String] {
        lines.compactMap { line in
            line.firstMatch(of: /\/\/ prints (.+)$/).map { String($0.1) }
        }
    }

    /// The modules that the example imports.
    var imports: [String] {
        lines.compactMap { $0.wholeMatch(of: /import (\w+)\s*/).map { String($0.1) } }
    }

    /// The code with imports replaced by empty lines, so that line numbers stay.
    var body: String {
        lines.map { $0.contains(/^import \w+/) ? "" : $0 }.joined(separator: "\n")
    }
}

/// Finds the Swift in Markdown and in doc comments.
enum ExampleReader {
    /// Returns the fenced blocks of Swift in a Markdown text.
    static func markdown(_ text: String, file: String) -> [Example] {
        fenced(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init), file: file, from: 1)
    }

    /// Returns the examples in the doc comments of a source file: fenced blocks, and blocks indented by four spaces.
    static func docComments(_ text: String, file: String) -> [Example] {
        var examples: [Example] = []
        var comment: [String] = []
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in (lines + [""]).enumerated() {
            let trimmed = line.drop { $0 == " " }
            if trimmed.hasPrefix("///") {
                comment.append(String(trimmed.dropFirst(trimmed.hasPrefix("/// ") ? 4 : 3)))
            } else if !comment.isEmpty {
                let first = index - comment.count + 1
                examples += fenced(comment, file: file, from: first) + indented(comment, file: file, from: first)
                comment = []
            }
        }
        return examples
    }

    private static func fenced(_ lines: [String], file: String, from first: Int) -> [Example] {
        var examples: [Example] = []
        var open: Example?
        var isOther = false
        for (index, line) in lines.enumerated() {
            let trimmed = line.drop { $0 == " " }
            guard trimmed.hasPrefix("```") else {
                open?.lines.append(line)
                continue
            }
            if let example = open {
                examples.append(example.outdented)
                open = nil
            } else if isOther {
                isOther = false
            } else if let fence = trimmed.wholeMatch(of: /```swift\b\s*(.*)/) {
                open = Example(file: file, line: first + index + 1, lines: [], remark: String(fence.1))
            } else {
                isOther = true
            }
        }
        return examples
    }

    /// Returns blocks that are indented by four spaces and follow an empty line, except drawings.
    private static func indented(_ lines: [String], file: String, from first: Int) -> [Example] {
        var examples: [Example] = []
        var open: Example?
        var isFenced = false
        for (index, line) in (lines + ["."]).enumerated() {
            if line.hasPrefix("```") { isFenced.toggle() }
            let isCode = line.hasPrefix("    ") && !isFenced
            if isCode, open == nil, index > 0, lines[index - 1].isEmpty {
                open = Example(file: file, line: first + index, lines: [])
            }
            if isCode || line.isEmpty {
                open?.lines.append(line)
            } else if let example = open {
                if !example.lines.contains(where: { $0.contains(/[\u{2500}-\u{257F}]/) }) {
                    examples.append(example.outdented)
                }
                open = nil
            }
        }
        return examples
    }
}

extension Example {
    /// The example without shared indentation.
    fileprivate var outdented: Example {
        let margin = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        var example = self
        example.lines = lines.map { String($0.dropFirst(margin)) }
        while example.lines.last == "" { example.lines.removeLast() }
        return example
    }
}

// SPDX-License-Identifier: MIT
