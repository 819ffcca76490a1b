import ChainEvents
import ChainModel

// Tagging, and opening call sites.
extension State {
    mutating func toggleTag() {
        guard let selection, let (place, node) = selectedNode else {
            let isGroup = selection?.site != nil
            return say(
                selectedPlace == nil
                    ? "there is nothing to tag" : "only nodes can be tagged, not \(isGroup ? "groups" : "programs")")
        }
        let isTagged = observed[place].outline.isTagged(node)
        observed[place].tag(node, !isTagged)
        if isTagged { tags.removeAll { $0 == selection } } else { tags.append(selection) }
        revision += 1
        guard view == .chains else {
            return cursor.selected + 1 < cursor.count ? moveInView(to: cursor.selected + 1) : updateViewport()
        }
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

    mutating func edit() -> [Effect] {
        if let site = selection?.site, !site.fileID.isEmpty { return [.openEditor(site)] }
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
