import ChainInsight
import ChainModel
import ChainText
import Frames

extension State {
    /// What the detail pane tells in the view of warnings: what it means, what to do, and who the node is.
    func warningsDetail(width: Int) -> ViewDetail? {
        guard let row = warnings.selectedRow else {
            return ViewDetail(title: "details", lines: [DetailLine("nothing looks wrong", .dim)])
        }
        var text = DetailWriter(width: width, glyphs: options.glyphs)
        let kind = row.kind
        var told: Warning.ID?
        if case .warning(let warning, let programIndex) = row {
            told = warning.id
            addWarning(warning, programs[programIndex], to: &text)
            text.gap()
        }
        text.wrap(kind.explanation, style: .normal)
        text.gap()
        text.add(DetailLine("what to do", .title))
        text.wrap(kind.advice, style: .normal)
        if let limit = WarningText.limit(kind, options.warnings) {
            text.gap()
            text.field("limit", limit)
        }
        guard selectedWarningNode != nil else { return ViewDetail(title: kind.rawValue, lines: text.lines) }
        text.gap()
        text.add(DetailLine(String(repeating: options.glyphs.horizontal, count: width), .border))
        return ViewDetail(
            title: kind.rawValue, lines: text.lines + DetailText.nodeLines(of: self, width: width, besides: told))
    }

    private func addWarning(_ warning: Warning, _ program: Program, to text: inout DetailWriter) {
        text.wrap(WarningText.name(warning, program), style: Style.label.bold)
        let what = WarningText.what(warning, program)
        if !what.isEmpty { text.wrap(what, style: warning.ended == nil ? .warning : .dim) }
        let time = ClockText.seconds(warning.since &+ program.wallOffset, offset: options.clockOffset)
        let end = warning.ended ?? program.shownNow
        let age = DurationText.coarse(end &- min(end, warning.since))
        switch (warning.ended, warning.kind.isFault) {
        case (nil, true): text.field("at", "\(time), \(age) ago; x takes it away")
        case (nil, false): text.field("since", "\(time), \(age)")
        case (.some, _): text.field("since", "\(time), for \(age); over")
        }
        if program.forest?.index(of: warning.node) == nil, let site = warning.site, !site.fileID.isEmpty {
            text.field("made at", "\(site.fileID):\(site.line)")
        }
    }
}
