import ChainEvents
import ChainModel
import ChainRows
import ChainText
import Frames

/// Draws the row of the chains from one call site: where that is, what they are called, how many there are and how
/// they are doing.
struct GroupPainter {
    let row: Int
    let columns: Columns
    let site: CodeLocation
    let program: Program

    func paint(into painter: inout Painter) {
        let glyphs = painter.glyphs
        let forest = program.forest
        guard let group = program.rowModel.group(of: site, in: forest) else { return }
        let isHistory = program.connection.outage != nil
        func style(_ style: Style) -> Style { isHistory ? .dim : style }
        let role = group.status.role
        painter.frame.write(glyphs.state(role), row: row, column: Columns.glyph, style: style(Style(role)))
        // A group has none of the columns after the node: all of the room is its own.
        let end = columns.end
        var column = columns.node.start
        let marker = program.rowModel.isOpen(site) ? glyphs.unfolded : glyphs.folded
        painter.frame.write(marker, row: row, column: column, style: .guide)
        column += 2
        func write(_ text: String, _ style: Style) {
            column += painter.frame.write(
                text, row: row, column: column, maxColumns: max(0, end - column), style: style,
                ellipsis: glyphs.ellipsis)
        }
        let parts = GroupText.counts(of: group, glyphs)
        let tail = parts.reduce(0) { $0 + 2 + TextWidth.of($1.text, charset: glyphs.charset) }
        let name = SafeText.cut(
            GroupText.name(of: site), to: max(12, end - column - tail), ellipsis: glyphs.ellipsis,
            charset: glyphs.charset)
        write(name, style(.label.bold))
        if let label = GroupText.label(of: site, in: program) {
            let room = end - column - tail - 2
            if room > 3 {
                write("  ", .normal)
                write(
                    SafeText.cut(label, to: room, ellipsis: glyphs.ellipsis, charset: glyphs.charset), style(.label))
            }
        }
        for part in parts {
            // Whole or not at all: half a number would be a lie.
            guard column + 2 + TextWidth.of(part.text, charset: glyphs.charset) <= end else { break }
            write("  ", .normal)
            write(part.text, style(part.style))
        }
    }
}

/// Words for the chains of a call site.
enum GroupText {
    static func name(of site: CodeLocation) -> String { site.fileID.isEmpty ? "unknown call site" : site.description }

    /// What its chains are called, as far as they are called alike: `order` for `order 17` and `order 18`.
    static func label(of site: CodeLocation, in program: Program) -> String? {
        let forest = program.forest
        guard let group = program.rowModel.group(of: site, in: forest) else { return nil }
        let labels = [group.first, group.last].compactMap { $0.map { forest.label(of: $0) ?? "" } }
        guard let first = labels.first, let last = labels.last, !first.isEmpty, !last.isEmpty else { return nil }
        if first == last { return first }
        var common = zip(first, last).prefix { $0 == $1 }.map { $0.0 }
        while let end = common.last, !end.isLetter { common.removeLast() }
        return common.isEmpty ? nil : String(common)
    }

    /// How many there are, and how those are doing that have not come to a good end.
    static func counts(of group: ChainGroup, _ glyphs: Glyphs) -> [(text: String, style: Style)] {
        let count = group.chainCount
        var parts = [("\(CountText.grouped(count)) \(count == 1 ? "chain" : "chains")", Style.dim)]
        for (status, count) in group.statuses where status != .fulfilled {
            parts.append(
                (
                    "\(glyphs.state(status.role)) \(CountText.grouped(count)) \(status.word)",
                    Style(status.role)
                ))
        }
        return parts
    }

    /// A group as one line of text, for the clipboard.
    static func line(of site: CodeLocation, in program: Program, _ glyphs: Glyphs) -> String? {
        let forest = program.forest
        guard let group = program.rowModel.group(of: site, in: forest) else { return nil }
        var text = NodeText.safe(name(of: site))
        if let label = label(of: site, in: program) { text += " " + NodeText.safe(label) }
        let counts = counts(of: group, glyphs).map(\.text)
        return text + ": " + counts.joined(separator: ", ")
    }

    /// The lines of the detail pane.
    static func lines(of site: CodeLocation, in program: Program, _ state: borrowing State, width: Int) -> [DetailLine]
    {
        let glyphs = state.options.glyphs
        var text = DetailWriter(width: width, glyphs: glyphs)
        let forest = program.forest
        guard let group = program.rowModel.group(of: site, in: forest) else {
            return text.lines
        }
        text.add(DetailLine("chains from one call site", .dim))
        text.gap()
        text.field("made at", site.fileID.isEmpty ? "unknown" : "\(site.fileID):\(site.line)")
        if let label = label(of: site, in: program) { text.field("label", label) }
        text.field("chains", CountText.grouped(group.chainCount))
        for (status, count) in group.statuses {
            text.field("", "\(glyphs.state(status.role)) \(CountText.grouped(count)) \(status.word)")
        }
        for (name, root) in [("first", group.first), ("last", group.last)] {
            guard let root else { continue }
            text.field(name, NodeText.name(of: root, in: forest))
        }
        return text.lines
    }
}
