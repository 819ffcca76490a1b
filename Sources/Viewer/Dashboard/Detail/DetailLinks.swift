// SPDX-License-Identifier: MIT

/// A link from lines of the details to a node.
struct DetailLink {
    var rowID: RowID
    /// The indices of the link's lines on the page.
    var lines: Range<Int>

    /// Returns the links of a page, from the top. Consecutive lines with the same node are one link, because a link's
    /// text may be wrapped.
    static func all(in lines: [DetailLine]) -> [DetailLink] {
        var links: [DetailLink] = []
        for (index, line) in lines.enumerated() {
            guard let rowID = line.link else { continue }
            if let last = links.last, last.rowID == rowID, last.lines.upperBound == index {
                links[links.count - 1].lines = last.lines.lowerBound..<index + 1
            } else {
                links.append(DetailLink(rowID: rowID, lines: index..<index + 1))
            }
        }
        return links
    }
}

// Links of the details: selecting one, going to its node, and going back.
extension State {
    /// The selected link of the details.
    struct LinkSelection: Equatable {
        /// The row that was selected when the link was selected. While another row is selected, no link is selected.
        var owner: RowID?
        /// The index of the link on the page, which changes with the lines above it.
        var index: Int
        /// The node that the link leads to.
        var rowID: RowID
    }

    private static let backStackLimit = 64

    /// Returns the links of the details that are shown; none if the details are closed.
    func detailLinks() -> [DetailLink] {
        guard let area = Layout(self).detail else { return [] }
        return DetailLink.all(in: DetailText.lines(of: self, width: area.columns - 4))
    }

    /// Whether a link of the details that are shown is selected.
    var isLinkSelected: Bool {
        guard let linkSelection else { return false }
        return linkSelection.owner == selection && Layout(self).detail != nil
    }

    /// Returns the index of the selected link in `links`, the present links of the page. Nil if no link is selected, or
    /// if the selected link is gone.
    func linkIndex(in links: [DetailLink]) -> Int? {
        guard isLinkSelected, let selected = linkSelection else { return nil }
        if links.indices.contains(selected.index), links[selected.index].rowID == selected.rowID {
            return selected.index
        }
        return links.firstIndex { $0.rowID == selected.rowID }
    }

    /// Selects the next or previous link. Beyond the last or first link, selects no link and returns false.
    mutating func selectLink(forward: Bool) -> Bool {
        let links = detailLinks()
        let target = linkIndex(in: links).map { $0 + (forward ? 1 : -1) } ?? (forward ? 0 : links.count - 1)
        guard links.indices.contains(target) else {
            linkSelection = nil
            return false
        }
        linkSelection = LinkSelection(owner: selection, index: target, rowID: links[target].rowID)
        // The link is scrolled into sight.
        let height = (Layout(self).detail?.rows ?? 1) - 1
        let lines = links[target].lines
        detailScroll = min(max(detailScroll, lines.upperBound - height), lines.lowerBound)
        revision += 1
        return true
    }

    /// Goes to the node of the selected link; returns false if no link is selected.
    mutating func followSelectedLink() -> Bool {
        guard isLinkSelected else { return false }
        let links = detailLinks()
        guard let index = linkIndex(in: links) else {
            linkSelection = nil
            notify("the link is gone: nothing was done")
            return true
        }
        linkSelection = nil
        go(to: links[index].rowID)
        return true
    }

    /// Goes to the node of a link: within a view that follows links, else in the tree.
    mutating func go(to rowID: RowID) {
        guard let (programIndex, node) = find(rowID) else { return notify("that node is no longer kept", .warning) }
        guard view.type.followsLinks else { return reveal(node, in: programIndex) }
        noteVisited(before: rowID)
        select(rowID)
        updateViewport()
    }

    /// Pushes the selected row onto ``backStack`` before another row is selected.
    mutating func noteVisited(before next: RowID) {
        guard let selection, selection != next, backStack.last != selection else { return }
        backStack.append(selection)
        if backStack.count > Self.backStackLimit { backStack.removeFirst() }
    }

    /// Goes back to the node that was selected before a link, `w` or a command led away from it.
    mutating func goToVisited() {
        while let rowID = backStack.popLast() {
            guard rowID != selection, find(rowID) != nil else { continue }
            let rest = backStack
            go(to: rowID)
            backStack = rest
            return
        }
        notify("there is no node to return to")
    }
}
