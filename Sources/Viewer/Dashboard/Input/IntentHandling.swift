// SPDX-License-Identifier: MIT

import ChainModel

// Handles the intents of keys, clicks and commands.
extension State {
    /// Handles an intent in the current mode.
    mutating func handle(_ intent: Intent) -> [Effect] {
        noteDrawnRows(for: intent)
        if !isFrozen, applyForestChanges() {
            updateViewport()
            if view.type.changesSelectedNode, mode == .normal, intent.isForSelection {
                return handleForDrawnNode(intent)
            }
        }
        switch mode {
        case .help(var help):
            if intent == .quit { return [.quit] }
            mode = help.handle(intent, in: HelpBox(self)) ? .help(help) : .normal
            revision += 1
            return []
        case .marks(let selected): return handleInMarks(intent, selected)
        case .confirm(let question): return answer(intent, to: question)
        case .filter(let text):
            switch intent {
            case .accept: accept(text)
            case .abort: dropFilter()
            case .complete: completeFilter(text)
            case .up: recallFilter(1, text)
            case .down: recallFilter(-1, text)
            default: return handleInView(intent)
            }
            return []
        case .command(let text): return handleInCommand(intent, text)
        case .normal: return handleInView(intent)
        }
    }

    /// Handles an intent for the node that was last drawn on the selected thread, because another node may run there
    /// now.
    private mutating func handleForDrawnNode(_ intent: Intent) -> [Effect] {
        let present = selection
        let drawn = tree.drawn.selected.flatMap { contains($0) ? $0 : nil }
        selection = drawn
        let effects = handleInView(intent)
        // The row stands for another node now, and the drawn node may be on another thread.
        if view.type.changesSelectedNode, selection == drawn { selection = present }
        updateViewport()
        return effects
    }

    private mutating func handleInView(_ intent: Intent) -> [Effect] {
        if intent != .edit { detail.nodeToOpen = nil }
        if intent == .visit, mode == .normal, let link = detail.selectedLink(of: selection, Layout(self)) {
            return callDetail { $0.follow(link, $1, &$2) }.effects
        }
        if let effects = handleInShownView(intent) { return effects }
        // Rows that are not nodes do not set the selection, so the selection is still the row of another view.
        guard view.type.hasNodeRows || !intent.isForSelection else {
            return refuse("these rows are no nodes; 1 shows the chains")
        }
        let actsOnTags = !presentTags.isEmpty && [.cancelNode, .cancelChain, .copy, .copyTree].contains(intent)
        if isSelectionHidden, intent.isForSelection, !actsOnTags { return refuse(emptyReason) }
        return handleCommon(intent)
    }

    /// Acts on a key in the dialog that asks whether to cancel.
    mutating func answer(_ intent: Intent, to question: Confirmation) -> [Effect] {
        switch intent {
        case .yes:
            mode = .normal
            // A value of its own during the call, because the context is of the state, too.
            var cancellations = cancellations
            let effects = call { cancellations.send(question, &$1) }.effects
            self.cancellations = cancellations
            updateViewport()
            return effects
        case .no, .back:
            mode = .normal
            return refuse("nothing was cancelled")
        case .quit: return [.quit]
        default: return []
        }
    }

    /// Whether the filter hides all rows of the tree, and so the selected row, too.
    var isSelectionHidden: Bool { view == .chains && filter.hidesUnmatched && tree.rowCount == 0 }

    /// Handles an intent that means the same in every view.
    private mutating func handleCommon(_ intent: Intent) -> [Effect] {
        switch intent {
        case .up, .down, .pageUp, .pageDown, .halfUp, .halfDown, .home, .end, .windowTop, .windowMiddle, .windowBottom,
            .centre, .chainStart, .chainEnd, .previousChain, .nextChain, .left, .right, .unfoldAll, .foldAll,
            .foldLess, .foldMore, .group, .sort, .invertSort, .follow:
            // Every view handles these intents itself.
            break
        case .show(let view): show(view)
        case .nextView: if !selectLink(forward: true) { show(nextView(by: 1)) }
        case .previousView: if !selectLink(forward: false) { show(nextView(by: -1)) }
        case .previousNode: goToVisited()
        case .own:
            notify(ViewID.words(forViewsWith: intent))
        case .commandLine: typeCommand("")
        case .visit, .detail: toggleDetail()
        case .detailUp, .detailDown: scrollDetail(by: intent == .detailDown ? 1 : -1)
        case .why: return call { $1.goToBlocker() }.effects
        case .back: goBack()
        case .filter: type(filter.text)
        case .nextMatch, .previousMatch: return call { $1.goToMatch(forward: intent == .nextMatch) }.effects
        case .dim: toggleDim()
        case .onlyLive, .onlyFailed, .onlySlow, .onlyStuck:
            if let name = Self.quickFilters[intent] { toggleQuickFilter(name) }
        case .tag: toggleTag()
        case .untag: untag()
        case .pin: togglePin()
        case .cancelNode, .cancelChain: return call { $1.askToCancel(wholeChain: intent == .cancelChain) }.effects
        case .freeze: return toggleFreeze()
        case .copy: return call { $1.copyLines() }.effects
        case .copyTree: return call { $1.copyTree() }.effects
        case .edit: return call { $0.detail.openCallSite(&$1) }.effects
        case .threadStack:
            let effects = call { $0.detail.askForThreadStack(&$1) }.effects
            updateViewport()
            return effects
        case .output: return [.toggleOutput]
        case .redraw: return [.redraw]
        case .suspend: return [.suspend]
        case .help: showHelp()
        case .quit: return [.quit]
        case .setup: notify("columns sort by s, colours change by :theme, warnings by :warn; :help lists all commands")
        case .priority: notify("promises have no priority; F6 sorts, F9 cancels")
        case .play, .playFaster, .playSlower, .nextEvent, .previousEvent, .secondOn, .secondBack, .nextNotable,
            .previousNotable, .mark, .now, .marks, .record:
            return handleRecording(intent)
        case .yes, .no, .remove: notify("nothing was asked")
        case .accept, .abort, .complete, .editLine: notify("nothing is being typed")
        }
        return []
    }

    /// Handles an intent about a recording or the past.
    private mutating func handleRecording(_ intent: Intent) -> [Effect] {
        switch intent {
        case .marks: showMarks()
        case .record: return record(into: nil)
        default: if let command = Self.replayCommand(of: intent) { return replay(command) }
        }
        return []
    }

    private mutating func showHelp() {
        mode = .help(Help())
        revision += 1
    }

    private static let quickFilters: [Intent: String] = [
        .onlyLive: "live", .onlyFailed: "failed", .onlySlow: "slow", .onlyStuck: "stuck",
    ]

    private mutating func showMarks() {
        guard replayPosition ?? presentPosition != nil else { return notify("only moments of a recording have marks") }
        listMarks()
    }

    private mutating func goBack() {
        if filter.isActive {
            dropFilter()
        } else if Layout(self).detail != nil {
            detail.close()
            updateViewport()
        } else if tree.following == .newest || tree.following == .selected {
            tree.following = .nothing
            notify("following nothing")
        } else if !presentTags.isEmpty {
            untag()
        } else if showsPrograms, view == .chains {
            show(ViewID.allCases.first { $0.type.listsPrograms } ?? .chains)
        } else {
            notify("nothing to close; q quits")
        }
    }

    // MARK: Details

    mutating func toggleDetail() {
        _ = call { $0.detail.toggle(&$1) }
        updateViewport()
    }

    mutating func scrollDetail(by step: Int) { callDetail { $0.scroll(by: step, $1, &$2) } }

    /// Selects the next or previous link of the details; returns false if there is none.
    private mutating func selectLink(forward: Bool) -> Bool {
        callDetail { $0.selectLink(forward: forward, $1, $2) }.result
    }

    // MARK: The selected node

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

    /// Opens a call site in the editor; an unknown call site is refused.
    mutating func open(_ site: CodeLocation?) -> [Effect] {
        guard let site, !site.fileID.isEmpty else { return refuse("its call site is not known", .warning) }
        return [.openEditor(site)]
    }
}
