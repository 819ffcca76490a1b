import ChainEvents
import ChainModel
import ChainText
import Frames

/// What keys and clicks do once it is known what they mean.
extension State {
    /// Does what the user wants, in the context of the moment.
    mutating func perform(_ intent: Intent) -> [Effect] {
        if !isFrozen, follow() { updateViewport() }
        switch mode {
        case .help(let scroll): return performInHelp(intent, scroll)
        case .confirm(let question): return answer(intent, question)
        case .filter(let text):
            switch intent {
            case .accept: accept(text)
            case .abort: dropFilter()
            case .complete: completeFilter(text)
            case .up: recallFilter(1, text)
            case .down: recallFilter(-1, text)
            default: return handleCommon(intent)
            }
            return []
        case .command(let text): return performInCommand(intent, text)
        case .tree: return handleCommon(intent)
        }
    }

    private mutating func handleCommon(_ intent: Intent) -> [Effect] {
        if let effects = performInView(intent) { return effects }
        let page = max(1, Layout(self).tree.rows - 1)
        switch intent {
        case .up: step(by: -1, orSay: "this is the first row")
        case .down: step(by: 1, orSay: "this is the last row")
        case .pageUp: step(by: -page, orSay: "this is the first row")
        case .pageDown: step(by: page, orSay: "this is the last row")
        case .home: move(to: 0)
        case .end: move(to: rowCount - 1)
        case .left: foldOrLeave()
        case .right: unfoldOrEnter()
        case .unfoldAll: foldAll(false)
        case .foldAll: foldAll(true)
        case .follow: toggleFollow()
        case .foldLess: fold(byLevels: 1)
        case .foldMore: fold(byLevels: -1)
        case .group: toggleGroups()
        case .sort: sortByNext()
        case .invertSort: invertSort()
        case .chains: show(.chains)
        case .threads: show(.threads)
        case .timeline: show(.timeline)
        case .sites: show(.sites)
        case .warnings: show(.warnings)
        case .events: show(.events)
        case .nextView: show(view.next(by: 1))
        case .previousView: show(view.next(by: -1))
        case .zoomIn, .zoomOut, .earlier, .later, .scope: say("only the timeline does that; 3 shows it")
        case .visit: say("only Sites and Warnings do that; 4 and 5 show them")
        case .dismiss, .hide: say("only Warnings does that; 5 shows it")
        case .commandLine: typeCommand("")
        case .faster: changeRate(by: 1)
        case .slower: changeRate(by: -1)
        case .detail: toggleDetail()
        case .detailUp: scrollDetail(by: -1)
        case .detailDown: scrollDetail(by: 1)
        case .why: goToBlocker()
        case .back: goBack()
        case .filter: type(filter.text)
        case .nextMatch: goToMatch(forward: true)
        case .previousMatch: goToMatch(forward: false)
        case .dim: toggleDim()
        case .tag: toggleTag()
        case .untag: untag()
        case .cancelNode: askToCancel(wholeChain: false)
        case .cancelChain: askToCancel(wholeChain: true)
        case .freeze: return toggleFreeze()
        case .copy: return copy()
        case .copyTree: return copyTree()
        case .edit: return edit()
        case .output: return [.toggleOutput]
        case .redraw: return [.redraw]
        case .suspend: return [.suspend]
        case .help:
            mode = .help(scroll: 0)
            revision += 1
        case .quit: return [.quit]
        case .yes, .no: say("nothing was asked")
        case .accept, .abort, .complete: say("nothing is being typed")
        }
        return []
    }

    private mutating func performInHelp(_ intent: Intent, _ scroll: Int) -> [Effect] {
        let room = HelpBox(size: size, glyphs: options.glyphs)
        var target = scroll
        switch intent {
        case .up: target -= 1
        case .down: target += 1
        case .pageUp: target -= room.visibleRows
        case .pageDown: target += room.visibleRows
        case .home: target = 0
        case .end: target = room.scrollLimit
        case .back, .help:
            mode = .tree
            revision += 1
            return []
        case .quit: return [.quit]
        default: return []
        }
        mode = .help(scroll: min(max(0, target), room.scrollLimit))
        revision += 1
        return []
    }

    // MARK: Moving and folding

    private mutating func step(by rows: Int, orSay edge: String) {
        guard rowCount > 0 else { return say(whyEmpty) }
        let row = currentRow()
        let target = min(max(0, row + rows), rowCount - 1)
        if target == row, following == .nobody { say(edge) }
        move(to: target)
    }

    private mutating func selectedRow(orSay nothing: String) -> (number: Int, row: WindowRow)? {
        guard let selection, let number = row(of: selection), let row = row(at: number) else {
            say(nothing)
            return nil
        }
        return (number, row)
    }

    private mutating func foldOrLeave() {
        guard let (_, row) = selectedRow(orSay: "there is nothing to fold") else { return }
        guard let tree = row.tree else {
            if !isFolded(row) { return fold(row, true) }
            guard row.rowID.site != nil, showsPrograms,
                let number = self.row(of: RowID(source: row.rowID.source))
            else { return say("this is the top") }
            return move(to: number)
        }
        if tree.flags.contains(.foldable), !tree.flags.contains(.folded) {
            fold(row, true)
        } else if let outer = programs[row.programIndex].outline.outer(
            of: tree.node, in: programs[row.programIndex].forest!),
            let number = self.row(of: rowID(of: outer, in: row.programIndex))
        {
            move(to: number)
        } else if let site = programs[row.programIndex].outline.site(ofChain: tree.node),
            let number = self.row(of: RowID(source: row.rowID.source, site: site))
        {
            move(to: number)
        } else if showsPrograms, let number = self.row(of: RowID(source: row.rowID.source)) {
            move(to: number)
        } else {
            say("this is the top of its chain")
        }
    }

    private mutating func unfoldOrEnter() {
        guard let (number, row) = selectedRow(orSay: "there is nothing to unfold") else { return }
        if isFolded(row) {
            fold(row, false)
        } else if row.tree?.flags.contains(.foldable) ?? (programs[row.programIndex].outline.rowCount > 0) {
            move(to: number + 1)
        } else {
            say(row.tree == nil ? "it has no chains yet" : "nothing is folded in here")
        }
    }

    func isFolded(_ row: WindowRow) -> Bool {
        if let site = row.rowID.site { return !programs[row.programIndex].outline.isOpen(site) }
        return row.tree?.flags.contains(.folded) ?? programs[row.programIndex].isFolded
    }

    /// Folds or unfolds what a row stands for.
    mutating func fold(_ row: WindowRow, _ isFolded: Bool) {
        if following != .nobody { following = .nobody }
        if let tree = row.tree {
            programs[row.programIndex].fold(tree.node, isFolded)
            noteFold(of: tree.node, in: row.programIndex, isFolded)
        } else if let site = row.rowID.site {
            programs[row.programIndex].outline.open(site, !isFolded)
        } else {
            programs[row.programIndex].isFolded = isFolded
        }
        updateViewport()
    }

    private mutating func foldAll(_ isFolded: Bool) {
        if let hindrance = foldAllHindrance() { return say(hindrance) }
        for programIndex in programs.indices { programs[programIndex].foldAll(isFolded) }
        if !isFolded {
            foldedSites = []
            for programIndex in programs.indices { programs[programIndex].siteFolds = SiteFolds() }
        }
        updateViewport()
    }

    private mutating func toggleFollow() {
        switch following {
        case .first, .nobody:
            // The next time it is followed itself.
            selectedBefore = following == .nobody ? selection : nil
            following = .newest
            say("follows the newest chain; again: the node that was selected")
        case .newest:
            followSelected()
            guard following == .selected, let (programIndex, node) = selectedNode else { return say("follows nothing") }
            let name = NodeText.safe(NodeText.name(of: node, in: programs[programIndex].forest!))
            return say("follows \(name): it stays on its line; any move stops that")
        case .selected:
            following = .nobody
            say("follows nothing")
        }
        updateViewport()
    }

    private mutating func goBack() {
        if filter.isActive {
            dropFilter()
        } else if Layout(self).detail != nil {
            wantsDetail = false
            updateViewport()
        } else if following == .newest || following == .selected {
            following = .nobody
            say("follows nothing")
        } else if !tags.isEmpty {
            untag()
        } else {
            say("there is nothing to go back from; q quits")
        }
    }

    // MARK: Details

    private mutating func toggleDetail() {
        let isOpen = Layout(self).detail != nil
        wantsDetail = !isOpen
        if !isOpen, Layout(self).detail == nil {
            wantsDetail = nil
            say("no room for details: \(Layout.belowRows) rows are needed", .warning)
        }
        updateViewport()
    }

    mutating func scrollDetail(by lines: Int) {
        guard let area = Layout(self).detail else { return say("no details are shown; Enter shows them") }
        let count = DetailText.lines(of: self, width: area.columns - 4).count
        detailScroll = min(max(0, detailScroll + lines), max(0, count - (area.rows - 1)))
        revision += 1
    }
}
