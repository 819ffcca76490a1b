// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

/// The line of the views' tabs, for drawing and for finding the tab that was clicked.
struct TabLine {
    struct Tab {
        var view: ViewID
        /// The first column of the text.
        var start: Int
        /// `5 Warnings`; if there is no room for all names, the tab of a view that is not shown has only the number
        /// `5`.
        var text: String
        /// The number of open warnings, drawn after the text of the tab of warnings; empty if there are none, and in
        /// other tabs.
        var count: String
        /// The columns of the text and the count.
        var width: Int { text.count + (count.isEmpty ? 0 : count.count + 1) }
    }

    let tabs: [Tab]
    /// The first column after the tabs.
    let end: Int

    private static let gap = 2

    init(_ state: borrowing State) {
        let warningCount = state.world.programs.reduce(0) { $0 + $1.insight.warnings.count }
        let count = warningCount == 0 ? "" : CountText.short(warningCount)
        func made(named isNamed: (ViewID) -> Bool) -> (tabs: [Tab], end: Int) {
            var start = 1
            var tabs: [Tab] = []
            for view in ViewID.allCases where state.hasTab(view) {
                let text = "\(view.rawValue)" + (isNamed(view) ? " \(view.title)" : "")
                let tab = Tab(view: view, start: start, text: text, count: view == .warnings ? count : "")
                tabs.append(tab)
                start += tab.width + Self.gap
            }
            return (tabs, start - Self.gap)
        }
        let current = state.view
        var line = made { _ in true }
        if line.end > state.size.columns - 1 { line = made { $0 == current } }
        (tabs, end) = line
    }

    /// Returns the view of the tab at a column; the blank on either side of a tab belongs to the tab, too.
    func view(at column: Int) -> ViewID? {
        tabs.first { column >= $0.start - 1 && column <= $0.start + $0.width }?.view
    }
}

extension Painter {
    /// Draws the tabs, and at the right the path to the selected node.
    mutating func paintTabs(_ state: borrowing State) {
        guard let area = layout.tabs else { return }
        let line = TabLine(state)
        for tab in line.tabs {
            let isShown = tab.view == state.view
            let digit = tab.text.prefix(1)
            let style = isShown ? Style.key.underlined : Style.dim
            frame.write(String(digit), row: area.row, column: tab.start, style: isShown ? style : .key)
            frame.write(String(tab.text.dropFirst()), row: area.row, column: tab.start + 1, style: style)
            frame.write(
                tab.count, row: area.row, column: tab.start + tab.width - tab.count.count, style: Style.warning.bold)
        }
        paintBreadcrumbs(state, row: area.row, from: line.end + 3)
    }

    /// The maximum number of nodes of a path; nodes farther up are left out.
    private static let breadcrumbLimit = 12

    /// Draws the path to the selected node from the root of its chain, or of the outermost chain under which that chain
    /// is drawn. If the path is too wide, nodes between the root and the selected node are left out, the nodes nearest
    /// to the root first.
    private mutating func paintBreadcrumbs(_ state: borrowing State, row: Int, from start: Int) {
        let room = frame.size.columns - 1 - start
        guard room > 12, let (programIndex, node) = state.selectedNode else { return }
        var names: [String] = []
        var current: (programIndex: Int, node: NodeIndex)? = (programIndex, node)
        while let (index, node) = current, names.count < Self.breadcrumbLimit {
            let forest = state.world.programs[index].forest
            names.append(glyphs.safe(NodeText.name(of: node, in: forest)))
            current =
                forest.outer(of: node).map { (index, $0) }
                ?? state.world.shownCaller(of: node, in: index)
        }
        if current != nil { names.append(glyphs.ellipsis) }
        names.reverse()
        let separator = " \(glyphs.prompt) "
        // Nodes between the first and the last are dropped before the text is cut; one ellipsis stands for all of them.
        while names.count > 2, glyphs.width(of: names.joined(separator: separator)) > room {
            if names[0] == glyphs.ellipsis {
                names.remove(at: 1)
            } else if names[1] != glyphs.ellipsis {
                names[1] = glyphs.ellipsis
            } else {
                names.remove(at: names.count == 3 ? 1 : 2)
            }
        }
        let text = glyphs.cut(names.joined(separator: separator), to: room)
        frame.write(text, row: row, column: frame.size.columns - 1 - glyphs.width(of: text), style: .dim)
    }
}
