// SPDX-License-Identifier: MIT

import ChainListing
import ChainModel
import ChainRows
import ChainText

// Copying nodes and subtrees as text.
extension ViewContext {
    /// Copies the tagged nodes, else the selected row, one line each.
    mutating func copyLines() {
        let rowIDs = presentTags.isEmpty ? selection.map { [$0] } ?? [] : presentTags
        var text = ClipboardText()
        for rowID in rowIDs where !text.isFull { if let line = line(rowID) { text.add(line) } }
        guard text.count > 0 else { return notify("there is nothing to copy") }
        if text.isFull {
            let (count, all) = (CountText.grouped(text.count), CountText.grouped(rowIDs.count))
            notify(copied("\(count) of \(all) nodes") + ": \(ClipboardText.limitReason)", .warning)
        } else {
            let unit = rowIDs[0].node != nil ? "node" : rowIDs[0].site != nil ? "group" : "program"
            notify(copied(CountText.counted(text.count, unit)))
        }
        request(.copy(text.text))
    }

    /// Copies the trees of the tagged nodes, else of the selected row.
    mutating func copyTree() {
        let rowIDs = presentTags.isEmpty ? selection.map { [$0] } ?? [] : presentTags
        var text = ClipboardText()
        for rowID in rowIDs where !text.isFull {
            if let (programIndex, node) = find(rowID) {
                guard !isUnderAnother(node, of: rowIDs, in: programIndex) else { continue }
                add(node, in: programIndex, to: &text)
            } else if let line = line(rowID), let programIndex = programIndex(of: rowID.source) {
                text.add(line)
                let forest = world.programs[programIndex].forest
                for root in forest.roots where !text.isFull {
                    guard rowID.site == nil || world.programs[programIndex].outline.site(ofChain: root) == rowID.site
                    else {
                        continue
                    }
                    add(root, in: programIndex, to: &text)
                }
            }
        }
        guard text.count > 0 else { return notify("there is nothing to copy") }
        let lines = CountText.counted(text.count, "line")
        if text.isFull {
            notify(copied("the first \(lines)") + ": \(ClipboardText.limitReason)", .warning)
        } else {
            notify(copied(lines))
        }
        request(.copy(text.text))
    }

    /// Adds the tree of a node, with the chains of other programs that are drawn in it.
    private func add(
        _ node: NodeIndex, in programIndex: Int, at place: ForeignPlace? = nil, to text: inout ClipboardText
    ) {
        let (forest, now) = (world.programs[programIndex].forest, world.programs[programIndex].shownNow)
        let tree = TreeText(glyphs: options.glyphs)
        let rows = ChainWalk.rows(of: node, in: forest, limit: ClipboardText.lineLimit)
        for own in rows where !text.isFull {
            let row = place?.row(own) ?? own
            text.add(String(tree.line(row, forest, now).dropLast()))
            let chains = world.calledChains.chains(under: rowID(of: own.node, in: programIndex))
            for (offset, chain) in chains.enumerated() where !text.isFull {
                guard let (index, root) = find(chain.root) else { continue }
                add(root, in: index, at: ForeignPlace(caller: row, isLast: offset + 1 == chains.count), to: &text)
            }
        }
    }

    /// Returns whether a node is in the tree of another tagged node, and so is copied with that tree.
    private func isUnderAnother(_ node: NodeIndex, of rowIDs: [RowID], in programIndex: Int) -> Bool {
        guard rowIDs.count > 1 else { return false }
        var above = nodeAbove(node, in: programIndex)
        while let (index, current) = above {
            if world.programs[index].outline.isTagged(current) { return true }
            above = nodeAbove(current, in: index)
        }
        return false
    }

    /// Returns the node under which a node is drawn: its parent in the tree, or for a root its caller in another
    /// program.
    private func nodeAbove(_ node: NodeIndex, in programIndex: Int) -> (programIndex: Int, node: NodeIndex)? {
        if let parent = world.programs[programIndex].forest.treeParent(of: node) { return (programIndex, parent) }
        return world.calledChains.caller(of: rowID(of: node, in: programIndex)).flatMap(find)
    }

    /// Returns a node, a group or a program as one line of text.
    private func line(_ rowID: RowID) -> String? {
        if let (programIndex, node) = find(rowID) {
            return NodeText.line(
                node, in: world.programs[programIndex].forest, now: world.programs[programIndex].shownNow)
        }
        guard rowID.node == nil, let programIndex = programIndex(of: rowID.source) else { return nil }
        if let site = rowID.site { return GroupText.line(of: site, in: world.programs[programIndex], options.glyphs) }
        return ProgramText.line(world.programs[programIndex])
    }
}

/// Lines of text, up to the number of bytes that a terminal takes.
struct ClipboardText {
    private(set) var text = ""
    /// The number of lines.
    private(set) var count = 0
    /// Whether a line was left out.
    private(set) var isFull = false
    /// The maximum number of lines that can fit: no line is shorter than ten bytes.
    static let lineLimit = byteLimit / 10
    /// The maximum number of bytes. More bytes would make the escape sequence, which is in Base64, longer than 100,000
    /// bytes; many terminals drop such a long sequence.
    static let byteLimit = 74_994
    /// The reason why not everything is copied.
    static let limitReason = "terminals take no more than 75 kB"

    mutating func add(_ line: String) {
        guard !isFull else { return }
        guard text.utf8.count + line.utf8.count + 1 <= Self.byteLimit else { return isFull = true }
        if count > 0 { text += "\n" }
        text += line
        count += 1
    }
}
