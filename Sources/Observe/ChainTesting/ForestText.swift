// SPDX-License-Identifier: MIT

import ChainModel

extension ChainForest {
    /// Returns a line for each node, as ``ChainTree/text``. O(n).
    ///
    /// - Parameter showsTimes: whether durations and times of creation are written.
    package func chainText(showsTimes: Bool = true) -> String {
        linesInOrder.map { text(of: $0, showsTimes) }.joined(separator: "\n")
    }

    private func text(of line: (index: NodeIndex, depth: Int), _ showsTimes: Bool) -> String {
        let indentation = String(repeating: "  ", count: min(line.depth, Self.indentationLimit))
        let depth = line.depth > Self.indentationLimit ? "(\(line.depth)) " : ""
        return indentation + depth + self.line(of: line.index, showsTimes)
    }

    /// The maximum number of steps by which a line is indented; a deeper line has its depth in front. Without a limit
    /// the text of an endless program would grow quadratically.
    private static let indentationLimit = 100

    /// Returns the line of each marked node, with `>` before it, two lines before and after that line, and the first
    /// line of the chain. Of more than ten marked nodes, the first ten are shown.
    ///
    /// - Parameter first: the number of lines at the beginning that are shown in any case.
    func excerpt(marking marked: Set<NodeIndex>, showsTimes: Bool, first: Int = 0) -> String {
        let lines = linesInOrder
        var shown = Set(0..<min(first, lines.count))
        var (chainStart, count) = (0, 0)
        for (number, line) in lines.enumerated() {
            if isRoot(line.index) { chainStart = number }
            guard marked.contains(line.index), count < Self.excerptLimit else { continue }
            count += 1
            shown.insert(chainStart)
            shown.formUnion(max(chainStart, number - 2)...min(lines.count - 1, number + 2))
        }
        var (result, last): ([String], Int) = ([], -1)
        for number in shown.sorted() {
            if number > last + 1 { result.append("    …") }
            result.append(
                (marked.contains(lines[number].index) ? "  > " : "    ") + text(of: lines[number], showsTimes))
            last = number
        }
        if last < lines.count - 1 { result.append("    …") }
        return result.joined(separator: "\n")
    }

    /// The maximum number of marked nodes that an excerpt shows.
    private static let excerptLimit = 10

    /// The nodes in pre-order, with their indentation.
    var linesInOrder: [(index: NodeIndex, depth: Int)] {
        var lines: [(index: NodeIndex, depth: Int)] = []
        // Pre-order with an explicit stack, because chains may be deep.
        var stack = roots.reversed().map { (index: $0, depth: 0) }
        while let (index, depth) = stack.popLast() {
            lines.append((index, depth))
            var child = lastChild(of: index)
            let below = depth + (indentsChildren(of: index) ? 1 : 0)
            while let next = child {
                stack.append((next, below))
                child = previousSibling(of: next)
            }
        }
        return lines
    }

    private func line(of index: NodeIndex, _ showsTimes: Bool) -> String {
        let node = node(index)
        var line = "\(node.state.word) \(node.kind.word)"
        if let label = label(of: index), !label.isEmpty { line += " \(label.oneLine)" }
        if let summary = summary(of: index) {
            let isValue = node.state == .fulfilled
            // The value `()` is left out, because every `Void` has it.
            if !isValue || summary != "()" { line += (isValue ? " = " : " ! ") + summary.oneLine }
        }
        for text in node.marks.list.compactMap(Self.words) { line += " (\(text))" }
        guard showsTimes else { return line }
        let timing = timing(of: index, now: now)
        for (name, time) in [("wait", timing.wait), ("run", timing.run), ("total", timing.total)] {
            if let time, time > 0 { line += " · \(name) \(seconds(time))" }
        }
        let start = VirtualClock.start.nanoseconds
        if node.created > start { line += " @\(seconds(node.created - start))" }
        return line
    }

    /// Returns the text of a mark; nil for a mark that a snapshot does not depend on.
    private static func words(_ mark: NodeMark) -> String? {
        switch mark {
        case .cancelRequested: "cancel requested"
        case .stillOnThread: "still on a thread"
        case .seenLate: "seen late"
        case .byViewer: "by a viewer"
        case .settledAgain: "settled again"
        case .unhandled: "unhandled"
        // These marks are left out, because releases and blocked handlers differ from run to run.
        case .released, .external, .hasBlocked, .hasMisusedAwait: nil
        }
    }
}

extension String {
    /// The text with control characters escaped, and without spaces at its end.
    fileprivate var oneLine: String {
        var text = ""
        for scalar in unicodeScalars {
            if scalar.value < 0x20 || scalar.value == 0x7F {
                text += scalar.escaped(asASCII: true)
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        while text.last == " " { text.removeLast() }
        return text
    }
}

/// Returns nanoseconds as seconds without rounding: `0.25s`.
func seconds(_ nanoseconds: UInt64) -> String {
    let (whole, part) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    guard part > 0 else { return "\(whole)s" }
    var digits = String(part)
    digits = String(repeating: "0", count: 9 - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return "\(whole).\(digits)s"
}
