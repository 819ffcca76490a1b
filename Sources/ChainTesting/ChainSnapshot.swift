import ChainModel

/// The comparison behind `assertChain(_:matches:)`, without a test framework.
public enum ChainSnapshot {
    /// Nil where the forest is as `expected` says, else what is wrong, line by line. Indentation that all lines of
    /// `expected` share, and empty lines around it, do not count.
    public static func complaint(about forest: ChainForest, expected: String) -> String? {
        let old = lines(of: expected)
        let new = lines(of: forest.chainText())
        if old == new { return nil }
        if old.isEmpty {
            return "there is no snapshot yet; if this is right, paste it, or run with CHAINVIEW_RECORD=1:\n"
                + new.joined(separator: "\n")
        }
        return "the chain ran otherwise (- expected, + happened):\n" + difference(old, new).joined(separator: "\n")
    }

    /// The lines of a snapshot: without shared indentation, and without empty lines at both ends.
    static func lines(of text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            var line = line
            while line.last == " " || line.last == "\r" { line.removeLast() }
            return line
        }
        while lines.first?.isEmpty == true { lines.removeFirst() }
        while lines.last?.isEmpty == true { lines.removeLast() }
        let shared = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { String($0.dropFirst(shared)) }
    }

    /// A longest common subsequence told line by line; quadratic, so that texts which are too long are told apart from
    /// their first difference on.
    static func difference(_ old: [String], _ new: [String]) -> [String] {
        let same = zip(old, new).prefix { $0 == $1 }.count
        // Three lines before the first difference say where it is.
        let shown = max(0, same - 3)
        var told = shown > 0 ? ["  … \(shown) lines alike"] : []
        told += old[shown..<same].map { "  \($0)" }
        let (old, new) = (Array(old[same...]), Array(new[same...]))
        guard old.count * new.count <= 1_000_000 else {
            return told + old.prefix(20).map { "- \($0)" } + new.prefix(20).map { "+ \($0)" }
        }
        var lengths = Array(repeating: Array(repeating: 0, count: new.count + 1), count: old.count + 1)
        for left in old.indices.reversed() {
            for right in new.indices.reversed() {
                lengths[left][right] =
                    old[left] == new[right]
                    ? lengths[left + 1][right + 1] + 1 : max(lengths[left + 1][right], lengths[left][right + 1])
            }
        }
        var (place, right) = (0, 0)
        while place < old.count || right < new.count {
            if place < old.count, right < new.count, old[place] == new[right] {
                told.append("  \(old[place])")
                (place, right) = (place + 1, right + 1)
            } else if right == new.count
                || (place < old.count && lengths[place + 1][right] >= lengths[place][right + 1])
            {
                told.append("- \(old[place])")
                place += 1
            } else {
                told.append("+ \(new[right])")
                right += 1
            }
        }
        return told
    }
}
