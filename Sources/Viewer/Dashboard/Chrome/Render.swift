// SPDX-License-Identifier: MIT

import ChainText
import Frames

/// Returns the frame of a state; the same state gives the same frame. Only the visible rows are read.
package func render(_ state: borrowing State) -> Frame {
    var painter = Painter(state)
    painter.paint(state)
    return painter.frame
}

/// A painter that draws the parts of a state into a frame.
struct Painter {
    var frame: Frame
    let glyphs: Glyphs
    let layout: Layout
    /// The intents of clicks on the footer, by area.
    var clickAreas: [(area: Area, intent: Intent)] = []

    init(_ state: borrowing State) {
        glyphs = state.options.glyphs
        frame = Frame(size: state.size, charset: glyphs.charset)
        layout = Layout(state)
    }

    mutating func paint(_ state: borrowing State) {
        guard !layout.isTooSmall else { return paintTooSmall() }
        paintHeader(state)
        paintTabs(state)
        paintCaption(state)
        paintDetail(state)
        if !layout.isCovering { paintRows(state) }
        paintTimeStrip(state)
        paintFooter(state)
        switch state.mode {
        case .help(let help): paint(help, state)
        case .marks(let selected): paintMarks(state, selected)
        case .confirm(let question): paintConfirm(question)
        case .normal, .filter, .command: break
        }
    }

    private mutating func paintCaption(_ state: borrowing State) {
        guard let area = layout.caption, let texts = state.captionTexts else { return }
        let room = frame.size.columns - 2
        let text = texts.first { glyphs.width(of: $0) <= room } ?? texts.last ?? ""
        write(text, row: area.row, column: 1, end: frame.size.columns - 1, style: .title)
    }

    /// Draws a message with the size that is needed and the present size.
    private mutating func paintTooSmall() {
        let size = frame.size
        let lines = ["too small", "needs \(Layout.least)", "this is \(size)"]
        let shown = Array(lines.prefix(max(1, size.rows)))
        let first = max(0, (size.rows - shown.count) / 2)
        for (index, line) in shown.enumerated() {
            let text = glyphs.cut(line, to: size.columns)
            let column = max(0, (size.columns - glyphs.width(of: text)) / 2)
            frame.write(text, row: first + index, column: column, style: index == 0 ? Style.normal.bold : .dim)
        }
    }

    /// Writes a text into a span, cut with an ellipsis; right-aligned if `isRightAligned`.
    mutating func write(
        _ text: String, row: Int, in span: ColumnSpan, offset: Int = 0, style: Style, isRightAligned: Bool = false
    ) {
        guard span.isShown else { return }
        var column = offset + span.start
        if isRightAligned { column += max(0, span.width - glyphs.width(of: text)) }
        write(text, row: row, column: column, end: offset + span.start + span.width, style: style)
    }

    /// Writes a text up to a column, cut with an ellipsis; returns the number of columns that were written.
    @discardableResult
    mutating func write(_ text: String, row: Int, column: Int, end: Int, style: Style) -> Int {
        frame.write(text, row: row, column: column, maxColumns: end - column, style: style, ellipsis: glyphs.ellipsis)
    }

    /// Writes a thread's name into a span; a long name keeps its end, because threads of one pool differ there.
    mutating func writeThread(_ name: String, row: Int, in span: ColumnSpan, style: Style) {
        guard span.isShown else { return }
        frame.write(threadName(name, columns: span.width), row: row, column: span.start, style: style)
    }

    /// Returns a thread's name, cut at its start to at most `columns`.
    func threadName(_ name: String, columns: Int) -> String {
        let name = ThreadText.name(name, ellipsis: glyphs.ellipsis)
        return SafeText.cutStart(name, to: columns, ellipsis: glyphs.ellipsis, charset: glyphs.charset)
    }
}

extension SharedState {
    /// The forms of the caption's text: of its ending if all nodes of the program have settled.
    var captionTexts: [String]? {
        guard let caption = options.caption else { return nil }
        guard let endings = caption.endings, !isPast, !world.programs.isEmpty,
            world.programs[0].forest.totals.counts.nodeCount > 0, world.programs[0].forest.totals.counts.liveCount == 0
        else { return caption.texts }
        return endings
    }
}
