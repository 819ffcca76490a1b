import ChainInsight
import ChainModel
import ChainText
import Frames

extension WarningsView {
    /// What a kind of warning means, what to do, and the facts of its node.
    static func detail(of state: borrowing State, width: Int) -> ViewDetail? {
        guard let row = state.warnings.selectedRow else {
            return ViewDetail(title: "details", lines: [DetailLine("nothing looks wrong", .dim)])
        }
        var text = DetailWriter(width: width, glyphs: state.options.glyphs)
        let kind = row.kind
        var shown: Warning.ID?
        if case .warning(let warning, let programIndex) = row {
            shown = warning.id
            add(warning, state.programs[programIndex], clockOffset: state.options.clockOffset, to: &text)
            text.gap()
        }
        text.wrap(kind.explanation, style: .normal)
        text.gap()
        text.add(DetailLine("what to do", .title))
        text.wrap(kind.advice, style: .normal)
        if let limit = WarningText.limit(kind, state.options.warnings) {
            text.gap()
            text.field("limit", limit)
        }
        guard selectedNode(state) != nil else { return ViewDetail(title: kind.rawValue, lines: text.lines) }
        text.gap()
        text.add(DetailLine(String(repeating: state.options.glyphs.horizontal, count: width), .border))
        let node = DetailText.nodeLines(of: state, width: width, excluding: shown)
        return ViewDetail(title: kind.rawValue, lines: text.lines + node)
    }

    private static func add(
        _ warning: Warning, _ program: Program, clockOffset: Int, to text: inout DetailWriter
    ) {
        text.wrap(WarningText.name(warning, program), style: Style.label.bold)
        let what = WarningText.what(warning, program)
        if !what.isEmpty { text.wrap(what, style: warning.ended == nil ? .warning : .dim) }
        let time = ClockText.seconds(warning.since &+ program.wallOffset, offset: clockOffset)
        let end = warning.ended ?? program.shownNow
        let age = DurationText.coarse(end &- min(end, warning.since))
        switch (warning.ended, warning.kind.isFault) {
        case (nil, true): text.field("at", "\(time), \(age) ago; x takes it away")
        case (nil, false): text.field("since", "\(time), \(age)")
        case (.some, _): text.field("since", "\(time), for \(age); over")
        }
        if program.forest.index(of: warning.node) == nil, let site = warning.site, !site.fileID.isEmpty {
            text.field("made at", "\(site.fileID):\(site.line)")
        }
    }
}
