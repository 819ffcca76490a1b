// SPDX-License-Identifier: MIT

import ChainModel
import ChainRows
import ChainText

/// A moment as a picture: the tree at the left, and when each node waited and ran at the right.
package struct SVGExport {
    /// The maximum number of nodes that are shown by default.
    package static let nodeLimit = 500

    // In pixels.
    private let nameWidth = 380, barWidth = 600, rowHeight = 20, headHeight = 56, margin = 12
    private let moment: Moment
    /// The times at the left and the right edge of the bars.
    private let begin: UInt64, end: UInt64

    package init(_ moment: Moment) {
        self.moment = moment
        var (first, last): (UInt64, UInt64) = (.max, 0)
        for row in moment.rows {
            let view = moment.forest.node(row.node)
            first = min(first, view.created)
            let ends = [view.settled, view.ended].compactMap { $0 }
            last = max(last, view.isLive ? moment.time : ends.max() ?? view.created)
        }
        begin = min(first, last)
        end = max(last, begin + 1)
    }

    package func write(to output: TextOutput) throws {
        let width = nameWidth + barWidth + 3 * margin
        let height = headHeight + moment.nodeCount * rowHeight + margin
        let title = MarkupText.escaped(moment.title)
        try output(
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
            height="\(height)" role="img" aria-label="\(title)">
            <style>\(Self.style)</style>
            <rect class="page" width="\(width)" height="\(height)"/>
            <text class="title" x="\(margin)" y="22">\(title)</text>

            """)
        try writeAxis(to: output)
        for (index, row) in moment.rows.enumerated() { try write(row, index, to: output) }
        try output("</svg>\n")
    }

    private static let style: String = {
        let states = NodeState.allCases.map { state in
            let color = StateColor.of(state)
            return ".\(state.word){fill:\(color.stroke)}.\(state.word) .life{fill:\(color.stroke)}"
        }
        return "text{font:12px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;white-space:pre}"
            + ".page{fill:#fff}.title{font-weight:700;fill:#212529}.name{fill:#343a40}.axis{fill:#868e96}"
            + ".line{stroke:#dee2e6}.life{opacity:.25}" + states.joined()
            + "@media(prefers-color-scheme:dark){.page{fill:#16181d}.title{fill:#f1f3f5}.name{fill:#dee2e6}"
            + ".line{stroke:#343a40}.row{filter:brightness(1.5)}}"
    }()

    private func position(_ time: UInt64) -> Double {
        let share = Double(min(max(time, begin), end) - begin) / Double(end - begin)
        return Double(nameWidth + 2 * margin) + share * Double(barWidth)
    }

    private static func pixels(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }

    private func writeAxis(to output: TextOutput) throws {
        for step in 0...4 as ClosedRange<UInt64> {
            let time = begin + (end - begin) / 4 * step
            let left = Self.pixels(position(time))
            let anchor = step == 4 ? "end" : step == 0 ? "start" : "middle"
            let bottom = headHeight + moment.nodeCount * rowHeight
            try output(
                """
                <line class="line" x1="\(left)" x2="\(left)" y1="\(headHeight - 6)" y2="\(bottom)"/>\
                <text class="axis" x="\(left)" y="\(headHeight - 12)" text-anchor="\(anchor)">\
                \(DurationText.settled(time - begin))</text>

                """)
        }
    }

    private func write(_ row: TreeRow, _ index: Int, to output: TextOutput) throws {
        let view = moment.forest.node(row.node)
        let depth = min(Int(row.depth), TreeRow.depthLimit)
        let top = headHeight + index * rowHeight
        let left = margin + depth * 12
        // A column of text is 7.3 pixels wide.
        let columns = (nameWidth - depth * 12 - 14) * 10 / 73
        let name = MarkupText.escaped(moment.name(row.node, columns: columns))
        let tip = MarkupText.escaped(NodeText.line(row.node, in: moment.forest, now: moment.time))
        try output("<g class=\"row \(view.state.word)\"><title>\(tip)</title>")
        try output("<circle cx=\"\(left + 4)\" cy=\"\(top + 10)\" r=\"4\"/>")
        try output("<text class=\"name\" x=\"\(left + 14)\" y=\"\(top + 14)\">\(name)</text>")
        let last = view.settled ?? moment.time
        if let total = moment.forest.timing(of: row.node, now: last).total {
            try output(bar("life", last.subtractingClamped(total), last, top))
        }
        if let started = view.started, !view.kind.runsInTask, view.kind.role != .combinator {
            try output(bar("run", started, view.ended ?? last, top))
        }
        try output("</g>\n")
    }

    private func bar(_ name: String, _ from: UInt64, _ to: UInt64, _ top: Int) -> String {
        let (left, right) = (position(from), position(to))
        let width = Self.pixels(max(1, right - left))
        return
            "<rect class=\"\(name)\" x=\"\(Self.pixels(left))\" y=\"\(top + 4)\" width=\"\(width)\" height=\"12\" rx=\"2\"/>"
    }
}
