// SPDX-License-Identifier: MIT

import ChainModel

/// The detail pane: whether and how large it is shown, which of its lines are, and what programs have answered for it.
struct DetailPane {
    /// The selected link of the details.
    struct LinkSelection: Equatable {
        /// The row that was selected when the link was selected. While another row is selected, no link is selected.
        var owner: RowID?
        /// The index of the link on the page, which changes with the lines above it.
        var index: Int
        /// The node that the link leads to.
        var rowID: RowID
    }

    /// Whether the user opened the pane (true) or closed it (false); if nil, the pane is shown where there is room beside
    /// the rows.
    var isWanted: Bool?
    /// The width of the pane beside the rows, as dragged; nil for the default.
    var columns: Int?
    /// The height of the pane below the rows, as dragged; nil for the default.
    var rows: Int?
    /// The first line that is shown, unless fewer lines are left.
    var top = 0
    private(set) var link: LinkSelection?
    var answers = NodeDetailCache()
    /// The stack that was asked for last; nil if none was.
    private(set) var threadStack: ThreadStackReading?
    /// The node whose call site is to be opened once its details have come.
    var nodeToOpen: RowID?

    /// Opens or closes the pane.
    mutating func toggle(_ context: inout ViewContext) {
        let isOpen = context.layout.detail != nil
        isWanted = !isOpen
        guard !isOpen, context.treePosition.following == .first else { return }
        // The selection stays on the node for which the details were opened.
        var position = context.treePosition
        position.following = .nothing
        context.request(.restore(position))
    }

    mutating func close() { (isWanted, link) = (false, nil) }

    // MARK: Scrolling

    /// Returns the first line that is shown, of `count` lines.
    func top(of count: Int, in area: Area) -> Int { min(max(0, top), max(0, count - (area.rows - 1))) }

    mutating func scroll(by step: Int, _ lines: [DetailLine], _ context: inout ViewContext) {
        guard let area = context.layout.detail else { return context.notify("no details are shown; d shows them") }
        top += step
        top = top(of: lines.count, in: area)
    }

    // MARK: Links

    /// The selected link; nil while another row than that of the link is selected, or the pane is closed.
    func selectedLink(of selection: RowID?, _ layout: Layout) -> LinkSelection? {
        layout.detail != nil && link?.owner == selection ? link : nil
    }

    /// Returns the index of a selected link in `links`, the present links of the page; nil if the link is gone.
    func index(of selected: LinkSelection, in links: [DetailLink]) -> Int? {
        if links.indices.contains(selected.index), links[selected.index].rowID == selected.rowID {
            return selected.index
        }
        return links.firstIndex { $0.rowID == selected.rowID }
    }

    mutating func dropLink() { link = nil }

    /// Selects the next or previous link. Beyond the last or first link, selects no link and returns false.
    mutating func selectLink(forward: Bool, _ lines: [DetailLine], _ context: ViewContext) -> Bool {
        let links = DetailLink.all(in: lines)
        let present = selectedLink(of: context.selection, context.layout).flatMap { index(of: $0, in: links) }
        let target = present.map { $0 + (forward ? 1 : -1) } ?? (forward ? 0 : links.count - 1)
        guard let area = context.layout.detail, links.indices.contains(target) else {
            link = nil
            return false
        }
        link = LinkSelection(owner: context.selection, index: target, rowID: links[target].rowID)
        // The link is scrolled into sight.
        top = min(max(top, links[target].lines.upperBound - (area.rows - 1)), links[target].lines.lowerBound)
        return true
    }

    /// Goes to the node of a selected link, unless the link is gone.
    mutating func follow(_ selected: LinkSelection, _ lines: [DetailLine], _ context: inout ViewContext) {
        let links = DetailLink.all(in: lines)
        link = nil
        guard let index = index(of: selected, in: links) else {
            return context.notify("the link is gone: nothing was done")
        }
        context.request(.goTo(links[index].rowID))
    }

    /// Goes to the node that a clicked line of the pane links to, unless the click is beside the link.
    func click(line: Int, column: Int, _ lines: [DetailLine], _ context: inout ViewContext) {
        guard let area = context.layout.detail else { return }
        // The pane may have grown, or its lines may have become fewer, since the last scroll.
        let index = line + top(of: lines.count, in: area)
        guard line >= 0, index < lines.count, let target = lines[index].link else { return }
        if column < lines[index].linkWidth ?? .max { context.request(.goTo(target)) }
    }

    // MARK: The call site

    /// Opens the call site of the selected node or group in the editor. Where a task that is read from outside continues
    /// is in its details, if anywhere, which are then asked for.
    mutating func openCallSite(_ context: inout ViewContext) {
        if let site = context.selection?.site, !site.fileID.isEmpty { return context.open(site) }
        guard let selection = context.selection, let (programIndex, node) = context.selectedNode else {
            return context.notify("there is no node to open")
        }
        let site = context.world.programs[programIndex].forest.site(of: node)
        let isKnown = site.map { $0.line != 0 } ?? false
        guard !isKnown, context.world.programs[programIndex].forest.isReadFromOutside else { return context.open(site) }
        nodeToOpen = selection
        let facts = context.world.programs[programIndex].facts(of: node)
        guard answers.lacks(selection, facts) else { return openAnswered(selection, &context) }
        guard context.world.programs[programIndex].connection.isLive else {
            return context.notify("the program cannot be asked any more")
        }
        answers.ask(about: selection, facts, &context)
    }

    /// Opens the place in the source that a node's details contain, if that was asked for and they have come.
    mutating func openAnswered(_ rowID: RowID, _ context: inout ViewContext) {
        guard nodeToOpen == rowID, let answer = answers[rowID] else { return }
        nodeToOpen = nil
        guard rowID == context.selection else { return }
        switch answer {
        case .entries(let entries, _):
            if let place = entries.lazy.compactMap(\.place).first { return context.open(place) }
            context.notify(
                "its functions have no lines: the program has no debug information, or it is another file's")
        case .refused(let reason): context.notify(reason, .warning)
        }
    }

    // MARK: The stack of a thread

    /// Asks for the stack of the thread that runs the selected task, and shows the details, which show the answer.
    mutating func askForThreadStack(_ context: inout ViewContext) {
        guard let selection = context.selection, let (programIndex, node) = context.selectedNode else {
            return context.notify("only a task has a thread's stack")
        }
        if let reason = context.threadStackRefusal(node, in: programIndex) { return context.notify(reason, .warning) }
        if context.layout.detail == nil { toggle(&context) }
        let forest = context.world.programs[programIndex].forest
        let command = context.send(.threadStack(forest.id(of: node)), to: selection.source, forest.process)
        threadStack = ThreadStackReading(rowID: selection, command: command)
    }

    /// Takes the answer to a request for a thread's stack; returns false if the command was another request.
    mutating func take(_ reply: CommandReply, at wall: UInt64) -> Bool {
        guard let asked = threadStack, asked.command == reply.command else { return false }
        threadStack?.answer = NodeDetailCache.Answer(reply.outcome, about: asked.rowID.id, at: wall)
        return true
    }

    /// Scrolls to the stack, unless everything fits.
    mutating func scrollToThreadStack(_ lines: [DetailLine], _ context: ViewContext) {
        guard context.selection == threadStack?.rowID, let area = context.layout.detail, lines.count > area.rows - 1
        else { return }
        top = lines.firstIndex { $0.parts.first?.text.hasPrefix(DetailText.threadStackTitle) ?? false } ?? lines.count
        top = top(of: lines.count, in: area)
    }
}

/// The stack of a thread that was asked for last.
struct ThreadStackReading {
    let rowID: RowID
    let command: UInt64
    /// Nil until the answer has come.
    var answer: NodeDetailCache.Answer?
}

extension ViewContext {
    /// Why the stack of the thread that runs a task cannot be read; nil if it can.
    fileprivate func threadStackRefusal(_ node: NodeIndex, in programIndex: Int) -> String? {
        let program = world.programs[programIndex]
        guard program.forest.kind(of: node) == .task else { return "only a task has a thread's stack" }
        guard program.forest.isReadFromOutside else {
            return "the stack of a thread is read from outside only, of programs that are not prepared"
        }
        guard !isReplaying, program.connection.isLive else { return "the program cannot be asked any more" }
        if options.isReadOnly { return "read-only: reading a thread's stack would stop the thread" }
        guard !program.isFrozen else { return "the picture is frozen; p resumes" }
        guard program.forest.node(node).activity == .running else {
            return "it runs on no thread; the details say where it continues"
        }
        return nil
    }
}
