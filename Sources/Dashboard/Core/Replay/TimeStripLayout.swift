import Frames

/// Where the parts of the time strip are.
struct TimeStripLayout: Equatable {
    /// The columns that the recording is drawn in; the others hold the times of its ends.
    let start: Int, width: Int

    /// From these heights on it has one row, and two.
    private static let oneRow = 14, twoRows = 30
    /// From this width on the ends are labelled.
    private static let labelColumns = 48
    /// The widest label, and a blank.
    static let labelWidth = 9

    init(columns: Int) {
        let margin = columns >= Self.labelColumns ? Self.labelWidth + 1 : 1
        (start, width) = (margin, max(1, columns - 2 * margin))
    }

    var hasLabels: Bool { start > Self.labelWidth }

    /// The rows that it takes of a screen.
    static func rows(on size: Size) -> Int { size.rows >= twoRows ? 2 : size.rows >= oneRow ? 1 : 0 }
}

extension State {
    /// Reads the counts into the columns that there are now.
    mutating func updateTimeStrip(_ layout: Layout) {
        guard let strip = layout.strip, let position = replayPosition else { return }
        timeStrip.update(range: position.range, width: TimeStripLayout(columns: strip.columns).width)
    }

    /// Moves to where the strip is clicked, and with the pointer while it is dragged; nil where that is not what the mouse
    /// does.
    mutating func dragTime(_ mouse: Mouse, _ layout: Layout) -> [Effect]? {
        guard let strip = layout.strip, let position = replayPosition else {
            isDraggingStrip = false
            return nil
        }
        switch mouse.action {
        case .press:
            isDraggingStrip = mouse.button == .left && strip.contains(row: mouse.row, column: mouse.column)
            guard isDraggingStrip else { return nil }
        case .drag where isDraggingStrip: break
        case .release where isDraggingStrip:
            isDraggingStrip = false
            return []
        default: return nil
        }
        let columns = TimeStripLayout(columns: strip.columns)
        let column = min(max(0, mouse.column - columns.start), columns.width - 1)
        // A drag back has to undo the one before, which is not shown yet.
        let shown = TimeStrip.column(of: position.time, in: position.range, columns.width)
        guard mouse.action == .drag || column != shown else { return [] }
        return replay(.scrub(TimeStrip.moment(of: column, in: position.range, columns.width)))
    }
}
