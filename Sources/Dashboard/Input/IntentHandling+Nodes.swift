import ChainEvents
import ChainModel

// Tagging, and opening call sites.
extension State {
    mutating func toggleTag() {
        guard let selection, let (programIndex, node) = selectedNode else {
            let isGroup = selection?.site != nil
            return notify(
                selectedProgramIndex == nil
                    ? "there is nothing to tag" : "only nodes can be tagged, not \(isGroup ? "groups" : "programs")")
        }
        let isTagged = programs[programIndex].rowModel.isTagged(node)
        programs[programIndex].tag(node, !isTagged)
        if isTagged { tags.removeAll { $0 == selection } } else { tags.append(selection) }
        revision += 1
        view.type.selectNextRow(&self)
    }

    mutating func untag() {
        guard !tags.isEmpty else { return notify("nothing is tagged; Space tags") }
        let count = tags.count
        dropTags()
        notify("\(count) untagged")
    }

    mutating func dropTags() {
        for tag in tags { if let (programIndex, node) = find(tag) { programs[programIndex].tag(node, false) } }
        tags = []
    }

    mutating func edit() -> [Effect] {
        if let site = selection?.site, !site.fileID.isEmpty { return [.openEditor(site)] }
        guard let (programIndex, node) = selectedNode else {
            notify("there is no node to open")
            return []
        }
        guard let site = programs[programIndex].forest.site(of: node), !site.fileID.isEmpty else {
            notify("its call site is not known", .warning)
            return []
        }
        return [.openEditor(site)]
    }
}
