import ChainEvents
import ChainModel
import ChainText

// Copying nodes and subtrees as text.
extension State {
    /// Bytes that are copied at most: with more, what terminals are sent for it has over 100,000, and many drop it all.
    static let clipboardLimit = 74_994

    /// Copies the tagged nodes, else the selected one, a line each.
    mutating func copy() -> [Effect] {
        let subjects = tags.isEmpty ? selection.map { [$0] } ?? [] : tags
        var text = ClipboardText()
        for subject in subjects where !text.isFull { if let line = line(subject) { text.add(line) } }
        guard text.count > 0 else { return nothingToCopy() }
        if text.isFull {
            let (count, all) = (CountText.grouped(text.count), CountText.grouped(subjects.count))
            say("copied \(count) of \(all) nodes: \(Self.why)", .warning)
        } else {
            say(text.count == 1 ? "copied" : "\(CountText.grouped(text.count)) nodes copied")
        }
        return [.copy(text.text)]
    }

    /// Copies the selected node and all under it as a tree, or all trees of the tagged nodes.
    mutating func copyTree() -> [Effect] {
        let subjects = tags.isEmpty ? selection.map { [$0] } ?? [] : tags
        var text = ClipboardText()
        for subject in subjects where !text.isFull {
            if let (place, node) = find(subject) {
                guard !isUnderAnother(node, of: subjects, in: place) else { continue }
                add(node, in: place, to: &text)
            } else if let line = line(subject), let place = place(of: subject.source) {
                text.add(line)
                guard let forest = observed[place].forest else { continue }
                for root in forest.roots where !text.isFull {
                    guard subject.site == nil || observed[place].outline.site(ofChain: root) == subject.site else {
                        continue
                    }
                    add(root, in: place, to: &text)
                }
            }
        }
        guard text.count > 0 else { return nothingToCopy() }
        let lines = "\(CountText.grouped(text.count)) \(text.count == 1 ? "line" : "lines")"
        if text.isFull { say("copied the first \(lines): \(Self.why)", .warning) } else { say("\(lines) copied") }
        return [.copy(text.text)]
    }

    private static let why = "terminals take no more than 75 kB"

    private mutating func nothingToCopy() -> [Effect] {
        say("there is nothing to copy")
        return []
    }

    private func add(_ node: NodeIndex, in place: Int, to text: inout ClipboardText) {
        let (forest, now) = (observed[place].forest!, observed[place].shownNow)
        let tree = TreeText(glyphs: options.glyphs)
        let rows = ChainWalk.rows(of: node, in: forest, limit: ClipboardText.lineLimit, isFolded: { _, _ in false })
        for row in rows where !text.isFull { text.add(String(tree.line(row, forest, now).dropLast())) }
    }

    /// Whether a node is in the tree of another one that is copied.
    private func isUnderAnother(_ node: NodeIndex, of subjects: [RowID], in place: Int) -> Bool {
        guard subjects.count > 1, case let forest = observed[place].forest! else { return false }
        var above = forest.treeParent(of: node)
        while let current = above {
            if observed[place].outline.isTagged(current) { return true }
            above = forest.treeParent(of: current)
        }
        return false
    }

    /// A node or program as one line of text.
    private func line(_ subject: RowID) -> String? {
        if let (place, node) = find(subject) {
            return NodeText.line(node, in: observed[place].forest!, now: observed[place].shownNow)
        }
        guard subject.node == nil, let place = place(of: subject.source) else { return nil }
        if let site = subject.site { return GroupText.line(of: site, in: observed[place], options.glyphs) }
        return ProgramText.line(observed[place])
    }
}

/// Lines up to as many bytes as a terminal takes.
private struct ClipboardText {
    private(set) var text = ""
    /// Lines in it.
    private(set) var count = 0
    /// Whether a line was left out.
    private(set) var isFull = false
    /// Lines that may fit: none is shorter than ten bytes.
    static let lineLimit = State.clipboardLimit / 10

    mutating func add(_ line: String) {
        guard !isFull else { return }
        guard text.utf8.count + line.utf8.count + 1 <= State.clipboardLimit else { return isFull = true }
        if count > 0 { text += "\n" }
        text += line
        count += 1
    }
}
