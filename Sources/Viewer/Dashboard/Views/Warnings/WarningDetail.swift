// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainText
import Frames

extension WarningsView {
    /// Returns the selected warning or group, what its kind means, what to do, and the facts of its node.
    func detail(in context: ViewContext, width: Int) -> ViewDetail? {
        if case .failure(let failure, _, let programIndex)? = selectedRow {
            return failureDetail(failure, context.programs[programIndex], context, width: width)
        }
        guard let row = selectedRow, let kind = row.kind else {
            var text = DetailWriter(width: width, glyphs: context.options.glyphs)
            switch selectedRow {
            case .ended?: text.wrap("These warnings no longer hold. Each is kept for 10 minutes.", style: .dim)
            case .filtered?: text.wrap("The filter hides these warnings; Esc clears it.", style: .dim)
            case .omittedFailures?:
                text.wrap("These chains failed for causes beyond the limit, which are only counted.", style: .dim)
            default:
                text.wrap(showsFailures ? noFailuresWords(context) : emptyWords(context), style: .dim)
            }
            return ViewDetail(title: "details", lines: text.lines)
        }
        var text = DetailWriter(width: width, glyphs: context.options.glyphs)
        var shown: Warning.ID?
        var nodeKind = NodeKind.other
        if let (warning, programIndex) = row.warning {
            (shown, nodeKind) = (warning.id, warning.nodeKind)
            Self.add(warning, context.programs[programIndex], clockOffset: context.options.clockOffset, to: &text)
            text.gap()
        } else if case .group(let group, _) = row {
            nodeKind = group.warnings[0].nodeKind
            Self.add(group, context.programs[group.programIndex], clockOffset: context.options.clockOffset, to: &text)
            text.gap()
        }
        text.wrap(kind.explanation, style: .normal)
        text.gap()
        text.add(DetailLine("what to do", .title))
        text.wrap(kind.advice(for: nodeKind), style: .normal)
        if let keys = WarningText.keys(kind) { text.field("keys", keys) }
        if let limit = WarningText.limit(kind, context.options.warnings) {
            text.gap()
            text.field("limit", limit)
        }
        guard selectedNode(context) != nil else { return ViewDetail(title: kind.rawValue, lines: text.lines) }
        text.gap()
        text.add(DetailLine(String(repeating: context.options.glyphs.horizontal, count: max(0, width)), .border))
        return ViewDetail(title: kind.rawValue, lines: text.lines, precedesNode: true, warning: shown)
    }

    /// Returns the message for a view without warnings that hold. If the filter hides warnings, the message says so.
    func emptyWords(_ context: ViewContext) -> String {
        let count = context.programs.reduce(0) { $0 + $1.insight.warnings.count }
        guard count == 0 else {
            return "\(CountText.counted(count, "warning")), none of them on a node that matches \(context.filter.text)"
        }
        return context.programs.isEmpty ? "waiting for a program" : "nothing looks wrong"
    }

    private static func add(
        _ warning: Warning, _ program: Program, clockOffset: Int, to text: inout DetailWriter
    ) {
        text.wrap(WarningText.name(warning, program), style: Style.label.bold)
        let what = WarningText.what(warning, program)
        if !what.isEmpty { text.wrap(what, style: warning.ended == nil ? .warning : .dim) }
        let time = program.timeText(warning.since, clockOffset: clockOffset)
        let end = warning.ended ?? program.shownNow
        let age = DurationText.coarse(end &- min(end, warning.since))
        switch (warning.ended, warning.kind.isFault) {
        case (nil, true): text.field("at", "\(time), \(age) ago; x dismisses it")
        case (nil, false): text.field("since", "\(time), \(age)")
        case (.some, _): text.field("since", "\(time), for \(age); ended")
        }
        if program.forest.index(of: warning.node) == nil { text.field(warning.site) }
    }

    private static func add(
        _ group: WarningGroup, _ program: Program, clockOffset: Int, to text: inout DetailWriter
    ) {
        let words = CountText.counted(group.warnings.count, "warning")
        text.wrap(words + (group.id.isEnded ? ", ended" : ""), style: Style.label.bold)
        text.field(group.id.site)
        func clock(_ time: UInt64) -> String { program.timeText(time, clockOffset: clockOffset) }
        text.field("first", clock(group.first))
        text.field("last", group.last.map(clock) ?? "now")
        let names = group.warnings.prefix(nameLimit).map { WarningText.name($0, program) }
        text.field(
            "nodes",
            names.joined(separator: ", ") + (group.warnings.count > nameLimit ? ", \(text.glyphs.ellipsis)" : ""))
    }

    /// The maximum number of nodes of a group that are named.
    private static let nameLimit = 8
}
