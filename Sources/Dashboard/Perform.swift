import ChainEvents
import ChainModel
import Frames

/// What keys and clicks do.
extension State {
    mutating func press(_ key: KeyPress) -> [Effect] {
        if let intent = KeyMap.intent(for: key, in: context) { return perform(intent) }
        guard case .filter(let text) = mode else { return [] }
        switch (key.key, key.modifiers) {
        case (.character(let character), []), (.character(let character), .shift): type(text + String(character))
        case (.backspace, _): text.isEmpty ? dropFilter() : type(String(text.dropLast()))
        case (.character("u"), .control): type("")
        default: break
        }
        return []
    }

    /// Does what the user wants, in the context of the moment.
    mutating func perform(_ intent: Intent) -> [Effect] {
        if frozen == nil, follow() { arrange() }
        switch mode {
        case .help(let scroll): return performInHelp(intent, scroll)
        case .confirm(let question): return answer(intent, question)
        case .filter(let text):
            switch intent {
            case .accept: accept(text)
            case .abort: dropFilter()
            default: return performInTree(intent)
            }
            return []
        case .tree: return performInTree(intent)
        }
    }

    private mutating func performInTree(_ intent: Intent) -> [Effect] {
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
        case .detail: toggleDetail()
        case .detailUp: scrollDetail(by: -1)
        case .detailDown: scrollDetail(by: 1)
        case .why: goToBlocker()
        case .back: goBack()
        case .filter: type(outline.filter.text)
        case .nextMatch: goToMatch(forward: true)
        case .previousMatch: goToMatch(forward: false)
        case .dim: toggleDim()
        case .tag: toggleTag()
        case .untag: untag()
        case .cancelNode: askToCancel(wholeChain: false)
        case .cancelChain: askToCancel(wholeChain: true)
        case .freeze: return toggleFreeze()
        case .copy: return copy()
        case .edit: return edit()
        case .redraw: return [.redraw]
        case .suspend: return [.suspend]
        case .help:
            mode = .help(scroll: 0)
            revision += 1
        case .quit: return [.quit]
        case .yes, .no: say("nothing was asked")
        case .accept, .abort: say("no filter is being typed")
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
        guard rowCount > 0 else { return say("there is nothing here yet") }
        let row = currentRow()
        let target = min(max(0, row + rows), rowCount - 1)
        if target == row, following == .nobody { say(edge) }
        move(to: target)
    }

    private mutating func selectedTreeRow() -> (number: Int, row: TreeRow)? {
        guard let forest, let index = selectedIndex, let number = outline.row(of: index, in: forest) else { return nil }
        return outline.rows(from: number, count: 1, in: forest).first.map { (number, $0) }
    }

    private mutating func foldOrLeave() {
        guard let (_, row) = selectedTreeRow() else { return say("there is nothing to fold") }
        if row.flags.contains(.foldable), !row.flags.contains(.folded) {
            fold(row.node, true)
        } else if let outer = ChainWalk.outer(of: row.node, in: forest!),
            let number = outline.row(of: outer, in: forest!)
        {
            move(to: number)
        } else {
            say("this is the top of its chain")
        }
    }

    private mutating func unfoldOrEnter() {
        guard let (number, row) = selectedTreeRow() else { return say("there is nothing to unfold") }
        if row.flags.contains(.folded) {
            fold(row.node, false)
        } else if row.flags.contains(.foldable) {
            move(to: number + 1)
        } else {
            say("nothing is folded in here")
        }
    }

    mutating func fold(_ node: NodeIndex, _ isFolded: Bool) {
        guard forest != nil else { return }
        if following != .nobody { following = .nobody }
        outline.fold(node, isFolded, in: forest!)
        arrange()
    }

    private mutating func foldAll(_ isFolded: Bool) {
        guard forest != nil, rowCount > 0 else { return say("there is nothing here yet") }
        if outline.filter.hidesRest { return say("a filter unfolds what matches; Esc drops it") }
        outline.foldAll(isFolded, in: forest!)
        arrange()
    }

    private mutating func toggleFollow() {
        if following == .newest {
            following = .nobody
            say("stays on this node")
        } else {
            following = .newest
            say("follows the newest chain; any move stops that")
        }
        arrange()
    }

    private mutating func goBack() {
        if outline.filter.isActive {
            dropFilter()
        } else if Layout(self).detail != nil {
            wantsDetail = false
            arrange()
        } else if following == .newest {
            following = .nobody
            say("stays on this node")
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
        arrange()
    }

    mutating func scrollDetail(by lines: Int) {
        guard let area = Layout(self).detail else { return say("no details are shown; Enter shows them") }
        let count = DetailText.lines(of: self, width: area.columns - 4).count
        detailScroll = min(max(0, detailScroll + lines), max(0, count - (area.rows - 2)))
        revision += 1
    }

    // MARK: Tags, copying, editing

    private mutating func toggleTag() {
        guard let index = selectedIndex, let selection else { return say("there is nothing to tag") }
        let isTagged = outline.isTagged(index)
        outline.tag(index, !isTagged, in: forest!)
        if isTagged { tags.removeAll { $0 == selection } } else { tags.append(selection) }
        revision += 1
        let row = currentRow()
        if row + 1 < rowCount { move(to: row + 1) }
    }

    private mutating func untag() {
        guard !tags.isEmpty else { return say("nothing is tagged; Space tags") }
        for id in tags { if let index = forest?.index(of: id) { outline.tag(index, false, in: forest!) } }
        say("\(tags.count) untagged")
        tags = []
    }

    private mutating func copy() -> [Effect] {
        guard let forest else { return [] }
        let nodes = tags.isEmpty ? selectedIndex.map { [$0] } ?? [] : tags.compactMap { forest.index(of: $0) }
        guard !nodes.isEmpty else {
            say("there is nothing to copy")
            return []
        }
        let text = nodes.map { NodeText.line($0, in: forest, now: shownNow) }.joined(separator: "\n")
        say(nodes.count == 1 ? "copied" : "\(nodes.count) nodes copied")
        return [.copy(text)]
    }

    private mutating func edit() -> [Effect] {
        guard let index = selectedIndex else {
            say("there is no node to open")
            return []
        }
        guard let site = forest?.site(of: index), !site.fileID.isEmpty else {
            say("its call site is not known", .warning)
            return []
        }
        return [.openEditor(site)]
    }
}
