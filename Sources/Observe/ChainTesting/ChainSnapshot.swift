// SPDX-License-Identifier: MIT

import ChainModel

/// The comparison behind `assertChain(_:matches:)`, without a test framework.
public enum ChainSnapshot {
    /// Returns nil if the run matches `expected`, else the difference, line by line. Shared indentation and empty lines
    /// around `expected` are ignored.
    public static func failureMessage(for run: RecordedRun, expected: String) -> String? {
        failureMessage(for: run.text, expected: expected)
    }

    /// As `failureMessage(for:expected:)` of a run, for the promises at one moment.
    public static func failureMessage(for tree: ChainTree, expected: String) -> String? {
        failureMessage(for: tree.text, expected: expected)
    }

    /// As `failureMessage(for:expected:)` of a run, for any forest.
    package static func failureMessage(for forest: ChainForest, expected: String) -> String? {
        failureMessage(for: forest.chainText(), expected: expected)
    }

    /// - Parameter advice: what to do with a text for which there is no snapshot.
    static func failureMessage(for text: String, expected: String, advice: String = "paste it") -> String? {
        let old = lines(of: expected)
        let new = lines(of: text)
        if old == new { return nil }
        if old.isEmpty {
            return "there is no snapshot yet; if this is right, \(advice):\n" + new.joined(separator: "\n")
        }
        return "the chain ran otherwise (- expected, + happened):\n" + difference(old, new).joined(separator: "\n")
    }

    /// Returns the lines of a snapshot without shared indentation and without empty lines at both ends.
    static func lines(of text: String) -> [String] {
        // A carriage return and the line feed after it are one character.
        var lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map { line in
            var line = line
            while line.last == " " { line.removeLast() }
            return line
        }
        while lines.first?.isEmpty == true { lines.removeFirst() }
        while lines.last?.isEmpty == true { lines.removeLast() }
        let shared = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(shared)) }
    }

    /// Returns the difference by a longest common subsequence. Takes quadratic time, so of long texts only 20 lines of
    /// each text are shown, from the first difference on.
    static func difference(_ old: [String], _ new: [String]) -> [String] {
        let same = zip(old, new).prefix { $0 == $1 }.count
        // Three lines of context before the first difference.
        let shown = max(0, same - 3)
        var result = shown > 0 ? ["  … \(shown) lines alike"] : []
        result += old[shown..<same].map { "  \($0)" }
        let (old, new) = (Array(old[same...]), Array(new[same...]))
        guard old.count * new.count <= 1_000_000 else {
            return result + old.prefix(20).map { "- \($0)" } + new.prefix(20).map { "+ \($0)" }
        }
        var lengths = Array(repeating: Array(repeating: 0, count: new.count + 1), count: old.count + 1)
        for left in old.indices.reversed() {
            for right in new.indices.reversed() {
                lengths[left][right] =
                    old[left] == new[right]
                    ? lengths[left + 1][right + 1] + 1 : max(lengths[left + 1][right], lengths[left][right + 1])
            }
        }
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            if left < old.count, right < new.count, old[left] == new[right] {
                result.append("  \(old[left])")
                (left, right) = (left + 1, right + 1)
            } else if right == new.count
                || (left < old.count && lengths[left + 1][right] >= lengths[left][right + 1])
            {
                result.append("- \(old[left])")
                left += 1
            } else {
                result.append("+ \(new[right])")
                right += 1
            }
        }
        return result
    }
}
