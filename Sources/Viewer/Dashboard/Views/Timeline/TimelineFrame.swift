// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

// The parts around the bars of the timeline: axis, strip, legend, and the line below the rows.
extension Painter {
    /// Draws the header line: ticks since `begin` for one chain; for all chains times of day, or, if no program has
    /// them, ticks since the programs' beginning.
    mutating func paintAxis(
        _ axis: TimeAxis, _ columns: TimelineColumns, begin: UInt64, _ view: TimelineView, _ context: ViewContext
    ) {
        let row = layout.content.row - 1
        let showsOneChain = view.shownChain(context) != nil
        write(showsOneChain ? "node" : "chain", row: row, in: columns.name, style: .title)
        let distance = axis.tickDistance(columnsApart: showsOneChain ? 10 : 15)
        let zero = showsOneChain ? begin : context.programs.commonBeginning
        let origin = zero.map { Self.firstTick(from: begin, zero: $0, distance) } ?? begin / distance * distance
        var free = 0
        for tick in axis.ticks(every: distance, from: origin) {
            let column = axis.column(of: tick)
            guard column >= free, column < axis.columns else { continue }
            let label =
                zero.map { ($0 > tick ? "-" : "") + TimeAxis.label(max(tick, $0) - min(tick, $0), distance: distance) }
                ?? (distance >= 1_000_000_000
                    ? ClockText.seconds(tick, offset: context.options.clockOffset)
                    : ClockText.milliseconds(tick, offset: context.options.clockOffset))
            // The label is not cut, because a cut number misleads.
            guard column + 1 + label.count <= axis.columns else { break }
            frame.write(glyphs.vertical, row: row, column: columns.bars.start + column, style: .guide)
            frame.write(label, row: row, column: columns.bars.start + column + 1, style: .title)
            free = column + label.count + 2
        }
    }

    /// Returns the last moment up to `begin` that is a multiple of the distance away from `zero`; if that would be before
    /// 0, the first multiple from 0 on.
    private static func firstTick(from begin: UInt64, zero: UInt64, _ distance: UInt64) -> UInt64 {
        if begin >= zero { return zero + (begin - zero) / distance * distance }
        let count = (zero - begin + distance - 1) / distance
        return zero - min(count, zero / distance) * distance
    }

    /// Draws the whole chain in one line: each column shows how many handlers ran. Columns outside the time of the bars
    /// below are dimmed.
    mutating func paintOverview(
        _ view: TimelineView, _ context: ViewContext, _ axis: TimeAxis, _ columns: TimelineColumns, row: Int
    ) {
        guard let chain = view.chain, let (programIndex, root) = view.shownChain(context) else {
            return
        }
        let program = context.programs[programIndex]
        let isLive = program.forest.chain(of: root).settled == nil
        let begin = chain.span.lowerBound
        let end = max(begin, isLive ? program.shownNow &+ program.wallOffset : chain.span.upperBound)
        let name = "whole chain, \(DurationText.settled(end - begin))"
        write(name, row: row, in: columns.name, style: .dim)
        let whole = TimeAxis(
            left: begin, scale: TimeAxis.scale(filling: end - begin, columns: chain.overview.count),
            columns: chain.overview.count)
        let shown = whole.column(of: axis.left)...max(whole.column(of: axis.left), whole.column(of: axis.right))
        let highest = max(1, chain.overview.max() ?? 1)
        let steps = glyphs.bars
        for (column, count) in chain.overview.enumerated() where column < columns.bars.width {
            let sign = count == 0 ? String(glyphs.bar(.waiting)) : steps[(count * steps.count - 1) / highest]
            let style: Style = shown.contains(column) ? count == 0 ? .waiting : .running : .guide
            frame.write(sign, row: row, column: columns.bars.start + column, style: style)
        }
    }

    /// Draws the legend of the signs, where the rows leave room.
    mutating func paintTimelineLegend(
        _ rowCount: Int, showsOneChain: Bool, hasCritical: Bool, _ view: TimelineView, _ context: ViewContext
    ) {
        guard rowCount + 2 <= view.height(in: context) else { return }
        let words: [(NodeBar.Phase, String)] = [
            (.waiting, "before its turn"), (.queued, "queued"), (.running, "runs"), (.pending, "waits for others"),
        ]
        var entries = words.map { LegendEntry(String(glyphs.bar($0)), $0.style, $1) }
        if hasCritical { entries.append(LegendEntry(glyphs.critical, Style.key.bold, "critical path")) }
        if showsOneChain { entries.append(LegendEntry(glyphs.vertical, .guide, "joins, or now")) }
        paintLegend(entries, row: layout.content.row + layout.content.rows - 1 - TimelineView.infoLineCount)
    }

    /// Draws the exact times of the selected node or chain, the scale, and whether the axis follows the end.
    mutating func paintInfo(_ view: TimelineView, _ context: ViewContext, _ axis: TimeAxis, begin: UInt64) {
        let row = layout.content.row + layout.content.rows - 1
        let end = layout.content.columns - 1
        let follows =
            view.left != nil ? "  f follows" : view.scale == nil ? "" : "  follows"
        let scale =
            view.scale == nil ? "fit to width" : "\(TimelineText.scale(axis.scale)) a column\(follows)"
        let room = scale.count + 3 < end / 2 ? end - scale.count - 2 : end
        var column = Columns.glyph
        for part in TimelineText.info(context, isAll: view.shownChain(context) == nil, begin: begin) {
            guard column < room else { break }
            column += write(part.text, row: row, column: column, end: room, style: part.style)
        }
        guard room < end else { return }
        frame.write(scale, row: row, column: end - scale.count, style: .dim)
    }
}

extension Glyphs {
    /// The sign of a node on the critical path.
    var critical: String { charset == .ascii ? ">" : scrollThumb }
}
