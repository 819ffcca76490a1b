// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

enum TimelineText {
    /// Returns a scale in words: `20us`, `5ms`, `2s`.
    static func scale(_ scale: UInt64) -> String {
        switch scale {
        case ..<1_000_000: "\(scale / 1_000)us"
        case ..<1_000_000_000: DurationText.settled(scale)
        default: scale % 1_000_000_000 == 0 ? DurationText.coarse(scale) : DurationText.settled(scale)
        }
    }

    /// Returns a final duration in words.
    static func settled(_ duration: UInt64) -> String { DurationText.settled(duration) }

    /// Returns the duration at the end of a bar, and whether it still grows; nil for a node that was not ready yet.
    static func duration(
        of node: NodeIndex, isChain: Bool, _ program: borrowing Program
    ) -> (time: UInt64, isRunning: Bool)? {
        let forest = program.forest
        if isChain {
            let settled = forest.chain(of: node).settled
            let end = settled ?? program.shownNow
            return (end &- min(end, forest.node(node).created), settled == nil)
        }
        return forest.timing(of: node, now: program.shownNow).total.map { ($0, forest.state(of: node).isLive) }
    }

    /// Returns the exact times of the selected node or chain, for the line below the rows.
    static func info(_ context: ViewContext, isAll: Bool, begin: UInt64) -> [(text: String, style: Style)] {
        guard let (programIndex, node) = context.selectedNode else { return [] }
        let program = context.programs[programIndex]
        let forest = program.forest
        let view = forest.node(node)
        let glyphs = context.options.glyphs
        let name = NodeText.label(of: isAll ? forest.root(of: node) : node, in: forest).text
        var parts: [(text: String, style: Style)] = []
        func add(_ word: String, _ duration: UInt64?, isRunning: Bool, isLowerBound: Bool) {
            guard let duration else { return }
            parts.append(("  \(word) ", .dim))
            let text = isRunning ? DurationText.running(duration) : DurationText.settled(duration)
            parts.append((DurationText.atLeast(text, glyphs, if: isLowerBound), .number))
        }
        if isAll {
            let chain = forest.chain(of: node)
            let created = forest.node(chain.root).created
            let role = chain.status.role
            parts = [(glyphs.state(role) + " ", Style(role)), (name, .label)]
            parts.append(("  from ", .dim))
            let clockOffset = context.options.clockOffset
            parts.append((program.timeText(created, clockOffset: clockOffset, hasMilliseconds: true), .number))
            let end = chain.settled ?? program.shownNow
            add(
                "lasted", end &- min(created, end), isRunning: chain.settled == nil,
                isLowerBound: forest.lowerBounds(of: chain.root).total)
            parts.append(("  " + NodeText.summary(of: chain), .dim))
            return parts
        }
        parts = [(glyphs.state(view.state.role) + " ", Style(view.state.role)), (name, .label)]
        let made = view.created &+ program.wallOffset
        parts.append(("  made +", .dim))
        parts.append((DurationText.settled(made &- min(made, begin)), .number))
        let timing = forest.timing(of: node, now: program.shownNow)
        let bounds = forest.lowerBounds(of: node)
        add(
            "wait", timing.wait, isRunning: view.isWaitGrowing, isLowerBound: bounds.state && view.isWaitGrowing)
        add(
            "run", timing.run, isRunning: view.activity == .running,
            isLowerBound: bounds.state && view.activity == .running)
        add("total", timing.total, isRunning: view.isLive, isLowerBound: bounds.total)
        if timing == Timing() { parts.append(("  \(view.state.word)", .dim)) }
        return parts
    }
}

/// The spans of names and bars at one width.
struct TimelineColumns: Equatable {
    var name: ColumnSpan
    var bars: ColumnSpan

    init(width: Int) {
        let start = Columns.glyph + 2
        let nameWidth = min(40, max(9, width * 3 / 10))
        name = ColumnSpan(start: start, width: nameWidth)
        let left = start + nameWidth + 1
        // One column at the right is for the scroll bar.
        bars = ColumnSpan(start: left, width: max(1, width - 1 - left))
    }

    init(_ context: ViewContext) { self.init(width: context.layout.content.columns) }
}
