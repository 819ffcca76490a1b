import ChainEvents
import ChainModel
import Frames

/// One line of the detail pane: stretches of text in styles.
struct DetailLine {
    var parts: [(text: String, style: Style)]

    init(_ text: String, _ style: Style = .normal) { parts = [(text, style)] }
    init(_ parts: [(String, Style)]) { self.parts = parts.map { (text: $0.0, style: $0.1) } }
}

/// What is told of the selected node.
enum DetailText {
    private static let nameWidth = 9
    private static let linkLimit = 12

    /// A value is no error, so it does not look like one.
    private static func style(ofSummary state: NodeState) -> Style {
        switch state {
        case .rejected: .error
        case .abandoned: .abandoned
        case .cancelled: .cancelled
        default: .normal
        }
    }

    /// All lines, wrapped to a width.
    static func lines(of state: borrowing State, width: Int) -> [DetailLine] {
        guard width > 12 else { return [] }
        if let selection = state.selection, selection.node == nil, let place = state.selectedPlace {
            return ProgramDetail.lines(of: state.observed[place], state, width: width)
        }
        guard let (place, node) = state.selectedNode else { return [DetailLine("nothing is selected", .dim)] }
        let process = state.observed[place]
        let forest = process.forest!
        var text = DetailWriter(width: width, glyphs: state.options.glyphs)
        let view = forest.node(node)
        let glyphs = state.options.glyphs
        var word = [(glyphs.state(view.state.role) + " " + view.state.word, Style(view.state.role))]
        if view.marks.contains(.cancelRequested) { word.append(("  cancel requested", .cancelled)) }
        if view.marks.contains(.stillOnThread) { word.append(("  still on a thread", .warning)) }
        if view.marks.contains(.unhandled) { word.append(("  nobody handled it", .warning)) }
        if view.marks.contains(.settledAgain) { word.append(("  settled again", .warning)) }
        text.add(DetailLine(word))
        if let summary = forest.summary(of: node) { text.wrap(summary, style: Self.style(ofSummary: view.state)) }
        if let canceller = forest.canceller(of: node) { text.field("cancel", "asked for by \(canceller)") }
        text.gap()
        text.field("id", "\(view.id) \(glyphs.dot) \(view.kind.word)")
        if let site = forest.site(of: node), !site.fileID.isEmpty {
            text.field("made at", "\(site.fileID):\(site.line)")
        }
        addTimings(of: node, view, in: forest, now: process.shownNow, to: &text)
        if view.executor != 0 {
            text.field("executor", forest.executors[view.executor] ?? "number \(view.executor)")
        }
        if view.thread != 0 {
            let name = forest.threads[view.thread]
            text.field("thread", name.map { "\($0) (\(view.thread))" } ?? "\(view.thread)")
        }
        addRelatives(of: node, in: forest, to: &text)
        addMarks(view, node, in: forest, to: &text)
        text.gap()
        addHistory(of: node, process, clockOffset: state.options.clockOffset, to: &text)
        if let answer = state.selection.flatMap({ state.descriptions[$0] }) {
            add(answer, clockOffset: state.options.clockOffset, to: &text)
        }
        return text.lines
    }

    /// What the program said when it was asked.
    private static func add(_ answer: Descriptions.Answer, clockOffset: Int, to text: inout DetailWriter) {
        switch answer {
        case .refused(let reason):
            text.gap()
            text.add(DetailLine(reason, .dim))
        case .told(let entries, let time):
            guard !entries.isEmpty else { return }
            text.gap()
            text.add(DetailLine("asked of the program at \(ClockText.seconds(time, offset: clockOffset))", .title))
            for entry in entries { text.entry(entry.name, entry.text) }
        }
    }

    private static func addTimings(
        of node: NodeIndex, _ view: NodeView, in forest: borrowing ChainForest, now: UInt64, to text: inout DetailWriter
    ) {
        let timing = forest.timing(of: node, now: now)
        var parts: [String] = []
        func add(_ name: String, _ duration: UInt64?, isRunning: Bool) {
            guard let duration else { return }
            parts.append("\(name) " + (isRunning ? DurationText.running(duration) : DurationText.settled(duration)))
        }
        add("wait", timing.wait, isRunning: view.state == .queued)
        add("run", timing.run, isRunning: view.activity == .running)
        add("total", timing.total, isRunning: view.isLive)
        if !parts.isEmpty { text.field("times", parts.joined(separator: " \(text.glyphs.dot) ")) }
    }

    private static func addRelatives(of node: NodeIndex, in forest: borrowing ChainForest, to text: inout DetailWriter)
    {
        func describe(_ other: NodeIndex) -> String {
            let view = forest.node(other)
            return "\(text.glyphs.state(view.state.role)) \(NodeText.name(of: other, in: forest)) \(view.id)"
        }
        if let parent = forest.parent(of: node) { text.field("parent", describe(parent)) }
        if let creator = forest.creator(of: node) { text.field("made by", describe(creator)) }
        let links = forest.links(of: node)
        for link in links.prefix(linkLimit) {
            let name =
                switch link.role {
                case .follows: "follows"
                case .followedBy: "followed"
                case .hasMember: "member"
                case .memberOf: "member of"
                }
            text.field(name, describe(link.node))
        }
        if links.count > linkLimit { text.field("", "and \(links.count - linkLimit) more") }
    }

    private static func addMarks(
        _ view: NodeView, _ node: NodeIndex, in forest: borrowing ChainForest, to text: inout DetailWriter
    ) {
        var marks: [String] = []
        if view.marks.contains(.external) { marks.append("settled by a resolver") }
        if view.marks.contains(.seenLate) { marks.append("its making was not seen") }
        if view.marks.contains(.released) { marks.append("released") }
        if let evicted = forest.evictedCounts(of: node) {
            marks.append("\(CountText.grouped(evicted.count)) under it are no longer kept")
        }
        if !marks.isEmpty { text.field("notes", marks.joined(separator: ", ")) }
    }

    private static func addHistory(
        of node: NodeIndex, _ process: Observed, clockOffset: Int, to text: inout DetailWriter
    ) {
        let forest = process.forest!
        let steps = forest.history(of: node)
        guard let first = steps.first else { return }
        let offset = process.info?.wallOffset ?? 0
        for (place, step) in steps.enumerated() {
            let time =
                place == 0
                ? ClockText.milliseconds(step.time &+ offset, offset: clockOffset)
                : "+" + DurationText.settled(step.time &- min(first.time, step.time))
            let padding = String(repeating: " ", count: max(0, 12 - time.count))
            text.add(DetailLine([(padding + time, .number), ("  ", .normal), words(for: step.kind, in: forest)]))
        }
    }

    private static func words(for step: HistoryStep.Kind, in forest: borrowing ChainForest) -> (String, Style) {
        switch step {
        case .created: ("made", .normal)
        case .seen: ("first heard of", .normal)
        case .queued(let executor):
            (forest.executors[executor].map { "queued on \($0)" } ?? "queued", .normal)
        case .started(let thread): (forest.threads[thread].map { "started on \($0)" } ?? "started", .normal)
        case .ended: ("handler ended", .normal)
        case .adopted(let other): ("follows \(NodeText.name(of: other, in: forest))", .normal)
        case .linked(let other): ("member \(NodeText.name(of: other, in: forest))", .normal)
        case .cancelRequested: ("cancel requested", .cancelled)
        case .settled(let settlement): settled(settlement)
        }
    }

    private static func settled(_ settlement: Settlement) -> (String, Style) {
        switch settlement {
        case .pending: ("pending", .pending)
        case .unknown: ("ended, unseen", .unknown)
        case .fulfilled: ("fulfilled", .fulfilled)
        case .rejected: ("rejected", .rejected)
        case .skippedFulfilled: ("skipped, passing a value on", .skipped)
        case .skippedRejected: ("skipped, passing an error on", .skipped)
        case .abandoned: ("abandoned", .abandoned)
        case .cancelled: ("cancelled", .cancelled)
        }
    }
}

extension Painter {
    /// The pane beside or below the tree.
    mutating func paintDetail(_ state: borrowing State) {
        guard let area = layout.detail else { return }
        let isBeside = area.row == 1
        let inner = Area(
            row: area.row + 1, column: area.column + 2, rows: area.rows - 1, columns: area.columns - 4)
        let title = state.selectionName ?? "details"
        if isBeside {
            for row in area.row..<(area.row + area.rows) {
                frame.write(glyphs.vertical, row: row, column: area.column, style: .border)
            }
            frame.write(
                title, row: area.row, column: inner.column, maxColumns: inner.columns, style: Style.title,
                ellipsis: glyphs.ellipsis)
        } else {
            let line = String(repeating: glyphs.horizontal, count: area.columns)
            frame.write(line, row: area.row, column: 0, style: .border)
            let shown = SafeText.cut(title, to: area.columns - 8, ellipsis: glyphs.ellipsis, charset: glyphs.charset)
            frame.write(" \(shown) ", row: area.row, column: 2, style: .title)
        }
        let lines = DetailText.lines(of: state, width: inner.columns)
        let first = min(state.detailScroll, max(0, lines.count - inner.rows))
        for (place, line) in lines.dropFirst(first).prefix(inner.rows).enumerated() {
            var column = inner.column
            for part in line.parts {
                column += frame.write(
                    part.text, row: inner.row + place, column: column,
                    maxColumns: inner.column + inner.columns - column, style: part.style, ellipsis: glyphs.ellipsis)
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

extension State {
    /// What the selected node or program is called.
    fileprivate var selectionName: String? {
        if let (place, node) = selectedNode { return NodeText.name(of: node, in: observed[place].forest!) }
        guard let selection, selection.node == nil, let place = selectedPlace else { return nil }
        return observed[place].shownName
    }
}
