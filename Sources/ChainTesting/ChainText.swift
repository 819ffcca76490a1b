import ChainEvents
import ChainModel

extension ChainForest {
    /// Returns the lines of ``RecordedRun/text``. O(n).
    package func chainText() -> String {
        linesInOrder.map { String(repeating: "  ", count: $0.depth) + line(of: $0.index) }.joined(separator: "\n")
    }

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

    private func line(of index: NodeIndex) -> String {
        let node = node(index)
        var line = "\(node.state.word) \(node.kind.word)"
        if let label = label(of: index), !label.isEmpty { line += " \(label.oneLine)" }
        if let summary = summary(of: index) {
            let isValue = node.state == .fulfilled
            // Left out for `Void`, because `()` says nothing.
            if !isValue || summary != "()" { line += (isValue ? " = " : " ! ") + summary.oneLine }
        }
        for text in node.marks.list.compactMap(Self.words) { line += " (\(text))" }
        let timing = timing(of: index, now: now)
        for (name, time) in [("wait", timing.wait), ("run", timing.run), ("total", timing.total)] {
            if let time, time > 0 { line += " · \(name) \(time.seconds)" }
        }
        if node.created > VirtualClock.start { line += " @\((node.created - VirtualClock.start).seconds)" }
        return line
    }

    /// Returns the text of a mark; nil for one that a snapshot does not depend on.
    private static func words(_ mark: NodeMark) -> String? {
        switch mark {
        case .cancelRequested: "cancel requested"
        case .stillOnThread: "still on a thread"
        case .seenLate: "seen late"
        case .byViewer: "by a viewer"
        case .settledAgain: "settled again"
        case .unhandled: "unhandled"
        // Left out, because their time differs from run to run.
        case .released, .external, .hasBlocked, .hasMisusedAwait: nil
        }
    }
}

extension String {
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

extension UInt64 {
    /// The nanoseconds as seconds without rounding: `0.25s`.
    fileprivate var seconds: String {
        let (whole, part) = quotientAndRemainder(dividingBy: 1_000_000_000)
        guard part > 0 else { return "\(whole)s" }
        var digits = String(part)
        digits = String(repeating: "0", count: 9 - digits.count) + digits
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)s"
    }
}
