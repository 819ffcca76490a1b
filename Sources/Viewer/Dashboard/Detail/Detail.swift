// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText
import Frames

/// One line of the detail pane: runs of text, each in a style.
struct DetailLine {
    var parts: [(text: String, style: Style)]
    /// The node that the line links to.
    var link: RowID?
    /// How many columns at the beginning of the line the link takes; nil if the link takes the whole line.
    var linkWidth: Int?

    init(_ text: String, _ style: Style = .normal) { parts = [(text, style)] }
    init(_ parts: [(String, Style)]) { self.parts = parts.map { (text: $0.0, style: $0.1) } }
}

/// The content of the detail pane.
enum DetailText {
    /// Returns the pane's content, wrapped to a width: the view's own details of its row, else the details of the
    /// selected node, group or program.
    static func page(of state: borrowing State, width: Int) -> ViewDetail {
        let hasRoom = width > 12
        guard var page = state.views[state.view].detail(in: ViewContext(state), width: width) else {
            let lines = hasRoom ? nodeLines(of: state, width: width) : []
            return ViewDetail(title: state.selectionName ?? "details", lines: lines)
        }
        if page.precedesNode { page.lines += nodeLines(of: state, width: width, excluding: page.warning) }
        if !hasRoom { page.lines = [] }
        return page
    }

    static func lines(of state: borrowing State, width: Int) -> [DetailLine] { page(of: state, width: width).lines }

    /// Returns the details of the selected node, group or program, wrapped to a width, without the warning `shown`.
    static func nodeLines(of state: borrowing State, width: Int, excluding shown: Warning.ID? = nil) -> [DetailLine] {
        if let selection = state.selection, let site = selection.site, let programIndex = state.selectedProgramIndex {
            return GroupText.lines(of: site, in: state.world.programs[programIndex], state, width: width)
        }
        if let selection = state.selection, selection.node == nil, let programIndex = state.selectedProgramIndex {
            return ProgramDetail.lines(of: state.world.programs[programIndex], state, width: width)
        }
        guard let (programIndex, node) = state.selectedNode else { return [DetailLine("nothing is selected", .dim)] }
        let program = state.world.programs[programIndex]
        let facts = NodeFacts(node: node, program: program, clockOffset: state.options.clockOffset)
        var text = DetailWriter(width: width, glyphs: state.options.glyphs)
        if width >= twoColumnWidth {
            // Facts are at the left and times at the right, because a wide pane has few rows.
            let half = (width - columnGap) / 2
            var (left, right) = (text, text)
            (left.width, right.width) = (half, half)
            addFacts(facts, excluding: shown, to: &left)
            state.addRemoteLinks(of: node, in: programIndex, to: &left)
            addTimes(facts, to: &right)
            text.add(left.lines, beside: right.lines, at: half + columnGap)
        } else {
            addFacts(facts, excluding: shown, to: &text)
            state.addRemoteLinks(of: node, in: programIndex, to: &text)
            text.gap()
            addTimes(facts, to: &text)
        }
        if let answer = state.selection.flatMap({ state.detail.answers[$0] }) {
            add(answer, titled: "fetched from the program", clockOffset: state.options.clockOffset, to: &text)
        }
        addThreadStack(of: state, to: &text)
        return text.lines
    }

    static let threadStackTitle = "the stack of its thread"

    /// Adds the stack of the thread that runs the selected task, if it was asked for.
    private static func addThreadStack(of state: borrowing State, to text: inout DetailWriter) {
        guard let reading = state.detail.threadStack, reading.rowID == state.selection else { return }
        guard let answer = reading.answer else {
            text.gap()
            return text.wrap("reading \(threadStackTitle)\(text.glyphs.ellipsis)", style: .dim)
        }
        add(answer, titled: threadStackTitle, clockOffset: state.options.clockOffset, to: &text)
    }

    /// The least width at which facts and times are side by side.
    private static let twoColumnWidth = 90
    private static let columnGap = 4

    private static func addFacts(_ facts: NodeFacts, excluding shown: Warning.ID?, to text: inout DetailWriter) {
        facts.addState(to: &text)
        facts.addCause(to: &text)
        facts.addWait(to: &text)
        facts.addWarnings(excluding: shown, to: &text)
        text.gap()
        facts.addPlace(to: &text)
        facts.addRelatives(to: &text)
        facts.addNotes(to: &text)
    }

    private static func addTimes(_ facts: NodeFacts, to text: inout DetailWriter) {
        facts.addTimes(to: &text)
        facts.addHistory(to: &text)
        facts.addSite(to: &text)
    }

    /// Adds the program's answer to a request for details, under a title with the time of the answer.
    private static func add(
        _ answer: NodeDetailCache.Answer, titled title: String, clockOffset: Int, to text: inout DetailWriter
    ) {
        switch answer {
        case .refused(let reason):
            text.gap()
            text.wrap(reason, style: .dim)
        case .entries(let entries, let time):
            guard !entries.isEmpty else { return }
            text.gap()
            text.add(DetailLine("\(title) at \(ClockText.seconds(time, offset: clockOffset))", .title))
            for entry in entries { text.entry(entry.name, entry.text) }
        }
    }
}

extension ViewContext {
    /// A number that changes when the passing of time alone changes the detail pane of a selected node or program.
    var detailRedrawKey: UInt64 {
        guard layout.detail != nil else { return 0 }
        guard let (programIndex, node) = selectedNode else {
            // The age and the clock of a program change each second.
            return selection?.isProgram == true ? wall / 1_000_000_000 : 0
        }
        guard !world.programs[programIndex].isClockStopped else { return 0 }
        let forest = world.programs[programIndex].forest
        let view = forest.node(node)
        guard view.isLive || view.activity == .running else { return 0 }
        // The duration since the latest step is the shortest, so its text changes most often.
        let youngest = view.started ?? view.queued ?? view.created
        return 1
            + DurationText.step(world.programs[programIndex].now &- min(youngest, world.programs[programIndex].now))
    }
}

extension Painter {
    /// Draws the detail pane with its border.
    mutating func paintDetail(_ state: borrowing State) {
        guard let area = layout.detail else { return }
        let inner = Area(
            row: area.row + 1, column: area.column + 2, rows: area.rows - 1, columns: area.columns - 4)
        let page = DetailText.page(of: state, width: inner.columns)
        if layout.isBeside {
            for row in area.row..<(area.row + area.rows) {
                frame.write(glyphs.vertical, row: row, column: area.column, style: .border)
            }
            frame.write(
                page.title, row: area.row, column: inner.column, maxColumns: inner.columns, style: Style.title,
                ellipsis: glyphs.ellipsis)
        } else {
            let line = String(repeating: glyphs.horizontal, count: area.columns)
            frame.write(line, row: area.row, column: 0, style: .border)
            let shown = glyphs.cut(page.title, to: area.columns - 8)
            frame.write(" \(shown) ", row: area.row, column: 2, style: .title)
        }
        let lines = page.lines
        let first = min(state.detail.top, max(0, lines.count - inner.rows))
        let selected = state.detail.selectedLink(of: state.selection, layout).flatMap { link in
            let links = DetailLink.all(in: lines)
            return state.detail.index(of: link, in: links).map { links[$0].lines }
        }
        for (index, line) in lines.dropFirst(first).prefix(inner.rows).enumerated() {
            var column = inner.column
            for part in line.parts {
                column += write(
                    part.text, row: inner.row + index, column: column, end: inner.column + inner.columns,
                    style: part.style)
            }
            if let selected, selected.contains(first + index) {
                frame.write(glyphs.prompt, row: inner.row + index, column: inner.column - 1, style: .key)
                let columns = min(inner.columns, line.linkWidth ?? .max)
                frame.restyle(row: inner.row + index, column: inner.column, columns: columns) { $0.selected }
            }
        }
        let more = lines.count - first - inner.rows
        if more > 0 {
            let text = " \(glyphs.ellipsis) \(more) more: J "
            let row = area.row + area.rows - 1
            frame.write(text, row: row, column: area.column + area.columns - text.count - 1, style: .dim)
        }
    }
}

extension SharedState {
    /// The name of the selected node; for a group or a program, the name of the program.
    fileprivate var selectionName: String? {
        if let (programIndex, node) = selectedNode {
            return NodeText.name(of: node, in: world.programs[programIndex].forest)
        }
        guard let selection, selection.node == nil, let programIndex = selectedProgramIndex else { return nil }
        return world.programs[programIndex].shownName
    }
}
