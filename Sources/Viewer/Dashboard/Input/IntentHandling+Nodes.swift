// SPDX-License-Identifier: MIT

import ChainModel

// Tagging, and opening call sites.
extension State {
    /// Records the selected row and the row below it as last drawn, because rows may move before the intent is handled.
    mutating func noteDrawnRows(for intent: Intent) {
        guard mode == .normal, intent.isForSelection else { return }
        if tree.following == .first { tree.following = .nothing }
        let below = (tree.selectedLine ?? tree.window.count) + 1
        tree.drawn = (selection, tree.window.indices.contains(below) ? tree.window[below].rowID : nil)
    }

    mutating func toggleTag() {
        if view == .chains, let drawn = tree.drawn.selected, drawn != selection {
            guard find(drawn) != nil else { return notify("the node is gone: nothing was tagged", .warning) }
            selection = drawn
        }
        guard let selection, let (programIndex, node) = selectedNode else {
            let isGroup = selection?.site != nil
            return notify(
                selectedProgramIndex == nil
                    ? "there is nothing to tag" : "only nodes can be tagged, not \(isGroup ? "groups" : "programs")")
        }
        let isTagged = world.programs[programIndex].outline.isTagged(node)
        world.programs[programIndex].tag(node, !isTagged)
        if isTagged { tags.removeAll { $0 == selection } } else { tags.append(selection) }
        tagHold = wall &+ Self.tagHoldDuration
        status = nil
        callView { $0.selectNextRow(&$1) }
        updateViewport()
    }

    /// Pins the chain of the selected node, or unpins it.
    mutating func togglePin() {
        guard let (programIndex, node) = selectedNode else { return notify("there is no chain to pin") }
        let (words, isRefused) = world.togglePin(of: node, in: programIndex)
        notify(words, isRefused ? .warning : .plain)
        updateViewport()
    }

    /// How long chains are neither archived nor folded after Space tagged or untagged a node, in nanoseconds.
    static let tagHoldDuration: UInt64 = 5_000_000_000

    mutating func untag() {
        let count = tags.count
        guard count > 0 else { return notify("nothing is tagged; Space tags") }
        dropTags()
        notify("\(count) untagged")
    }

    mutating func dropTags() {
        // Forgets the tags of nodes that do not exist at the shown moment of a recording, too.
        for programIndex in world.programs.indices { world.programs[programIndex].kept.folds.forgetTags() }
        for tag in tags { if let (programIndex, node) = find(tag) { world.programs[programIndex].tag(node, false) } }
        tags = []
        tagHold = 0
        updateViewport()
    }

    /// Opens the call site of the selected node or group in the editor.
    mutating func edit() -> [Effect] {
        if let site = selection?.site, !site.fileID.isEmpty { return [.openEditor(site)] }
        guard let (programIndex, node) = selectedNode else { return refuse("there is no node to open") }
        let site = world.programs[programIndex].forest.site(of: node)
        // Where a task that is read from outside continues is in its details, if anywhere.
        guard site.map({ $0.line == 0 }) ?? true, world.programs[programIndex].forest.isReadFromOutside, let selection
        else {
            return open(site)
        }
        editAwaitingDetail = selection
        let facts = world.programs[programIndex].facts(of: node)
        guard nodeDetails.lacks(selection, facts) else {
            return nodeDetails[selection] == nil ? [] : editDescribed(selection)
        }
        guard world.programs[programIndex].connection.isLive else {
            return refuse("the program cannot be asked any more")
        }
        return nodeDetails.ask(
            about: selection, of: world.programs[programIndex].source, facts, at: wall, &lastCommandID)
    }

    /// Opens the place in the source that a node's details contain, if that was asked for.
    mutating func editDescribed(_ rowID: RowID) -> [Effect] {
        guard editAwaitingDetail == rowID else { return [] }
        editAwaitingDetail = nil
        guard rowID == selection else { return [] }
        switch nodeDetails[rowID] {
        case .entries(let entries, _)?:
            if let place = entries.lazy.compactMap(\.place).first { return [.openEditor(place)] }
            return refuse("its functions have no lines: the program has no debug information, or it is another file's")
        case .refused(let reason)?: return refuse(reason, .warning)
        case nil: return []
        }
    }

    /// Opens a call site in the editor; an unknown call site is refused.
    mutating func open(_ site: CodeLocation?) -> [Effect] {
        guard let site, !site.fileID.isEmpty else { return refuse("its call site is not known", .warning) }
        return [.openEditor(site)]
    }
}
