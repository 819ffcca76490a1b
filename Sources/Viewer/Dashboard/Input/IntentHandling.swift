// SPDX-License-Identifier: MIT

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
        case .help(let scroll): return handleInHelp(intent, scroll)
        case .marks(let selected): return handleInMarks(intent, selected)
        case .confirm(let question): return answer(intent, question)
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
        if intent != .edit { editAwaitingDetail = nil }
        if intent == .visit, mode == .normal, followSelectedLink() { return [] }
        if let effects = handleInShownView(intent) { return effects }
        // Rows that are not nodes do not set the selection, so the selection is still the row of another view.
        guard view.type.hasNodeRows || !intent.isForSelection else {
            return refuse("these rows are no nodes; 1 shows the chains")
        }
        let actsOnTags = !presentTags.isEmpty && [.cancelNode, .cancelChain, .copy, .copyTree].contains(intent)
        if isSelectionHidden, intent.isForSelection, !actsOnTags { return refuse(emptyReason) }
        return handleCommon(intent)
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
        case .why: return callContext { $0.goToBlocker() }
        case .back: goBack()
        case .filter: type(filter.text)
        case .nextMatch, .previousMatch: return callContext { $0.goToMatch(forward: intent == .nextMatch) }
        case .dim: toggleDim()
        case .onlyLive, .onlyFailed, .onlySlow, .onlyStuck:
            if let name = Self.quickFilters[intent] { toggleQuickFilter(name) }
        case .tag: toggleTag()
        case .untag: untag()
        case .pin: togglePin()
        case .cancelNode, .cancelChain: return callContext { $0.askToCancel(wholeChain: intent == .cancelChain) }
        case .freeze: return toggleFreeze()
        case .copy: return callContext { $0.copyLines() }
        case .copyTree: return callContext { $0.copyTree() }
        case .edit: return edit()
        case .threadStack: return askForThreadStack()
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
        mode = .help(scroll: 0)
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
            wantsDetail = false
            linkSelection = nil
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
        let isOpen = Layout(self).detail != nil
        wantsDetail = !isOpen
        // The selection stays on the node for which the details were opened.
        if !isOpen, tree.following == .first { tree.following = .nothing }
        updateViewport()
    }

    mutating func scrollDetail(by lines: Int) {
        guard Layout(self).detail != nil else { return notify("no details are shown; d shows them") }
        detailScroll = clampedDetailScroll(detailScroll + lines)
        revision += 1
    }

    /// Returns the first line of the details that is shown after scrolling to `line`.
    func clampedDetailScroll(_ line: Int) -> Int {
        guard let area = Layout(self).detail else { return 0 }
        let count = DetailText.lines(of: self, width: area.columns - 4).count
        return min(max(0, line), max(0, count - (area.rows - 1)))
    }
}
