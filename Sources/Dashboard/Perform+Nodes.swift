import ChainEvents
import ChainModel

// Tagging, copying, and opening call sites.
extension State {
    mutating func toggleTag() {
        guard let selection, let (place, node) = selectedNode else {
            return say(selectedPlace == nil ? "there is nothing to tag" : "only nodes can be tagged, not programs")
        }
        let isTagged = observed[place].outline.isTagged(node)
        observed[place].tag(node, !isTagged)
        if isTagged { tags.removeAll { $0 == selection } } else { tags.append(selection) }
        revision += 1
        let row = currentRow()
        if row + 1 < rowCount { move(to: row + 1) }
    }

    mutating func untag() {
        guard !tags.isEmpty else { return say("nothing is tagged; Space tags") }
        let count = tags.count
        dropTags()
        say("\(count) untagged")
    }

    mutating func dropTags() {
        for tag in tags { if let (place, node) = find(tag) { observed[place].tag(node, false) } }
        tags = []
    }

    mutating func copy() -> [Effect] {
        let subjects = tags.isEmpty ? selection.map { [$0] } ?? [] : tags
        let lines = subjects.compactMap(line)
        guard !lines.isEmpty else {
            say("there is nothing to copy")
            return []
        }
        say(lines.count == 1 ? "copied" : "\(lines.count) nodes copied")
        return [.copy(lines.joined(separator: "\n"))]
    }

    /// A node or program as one line of text.
    private func line(_ subject: Subject) -> String? {
        if let (place, node) = find(subject) {
            return NodeText.line(node, in: observed[place].forest!, now: observed[place].shownNow)
        }
        guard subject.node == nil, let place = place(of: subject.source) else { return nil }
        return ProgramText.line(observed[place])
    }

    mutating func edit() -> [Effect] {
        guard let (place, node) = selectedNode else {
            say("there is no node to open")
            return []
        }
        guard let site = observed[place].forest!.site(of: node), !site.fileID.isEmpty else {
            say("its call site is not known", .warning)
            return []
        }
        return [.openEditor(site)]
    }
}
