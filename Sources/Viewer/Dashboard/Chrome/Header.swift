// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

/// A part of the header.
struct HeaderItem {
    var parts: [(text: String, style: Style)]
    /// The item of the highest rank is left out first; an item without a rank is never left out.
    var rank: Int?
    /// The blanks before the item; nil for the usual number.
    var gap: Int?
    /// The least width that the item counts with, so that a number of another length does not make items come and go.
    var reserved = 0

    func width(_ glyphs: Glyphs) -> Int { max(reserved, parts.reduce(0) { $0 + glyphs.width(of: $1.text) }) }
}

/// The ranks of header items; the item of the highest rank is left out first. The five sparklines have the ranks from
/// `sparkline` on.
private enum HeaderRank {
    static let state = 1, inFlight = 2, pid = 3, failed = 4, oldest = 5, running = 6, queued = 7, mode = 8, clock = 9
    static let chains = 10, noQueue = 11, sparkline = 12, failedInAll = 17, rate = 18, nodes = 19, title = 20
}

extension Painter {
    /// Draws the bar at the top: the program, its connection, its load, its totals, and the time of day. A recording of
    /// a clock without a relation to the time of day has no such time; its position is among the program's items.
    mutating func paintHeader(_ state: borrowing State) {
        let columns = frame.size.columns
        frame.fill(row: 0, column: 0, style: .header)
        let usualGap = columns < 100 ? 2 : 3
        let hasClock = state.wall > 0 && state.replayedProgram?.hasTimeOfDay ?? true
        let clock = !hasClock ? "" : ClockText.seconds(state.wall, offset: state.options.clockOffset)
        let all = items(of: state) + [HeaderItem(parts: [(clock, .header)], rank: HeaderRank.clock)]
        var items = fitting(all, into: columns - 2, gap: usualGap, rank: \.rank) {
            $0.width(glyphs) + ($0.gap ?? usualGap) - usualGap
        }
        if items.last?.rank == HeaderRank.clock {
            items.removeLast()
            frame.write(clock, row: 0, column: columns - clock.count - 1, style: .header)
        }
        var column = 1
        for (index, item) in items.enumerated() {
            if index > 0 { column += item.gap ?? usualGap }
            for part in item.parts {
                column += frame.write(
                    part.text, row: 0, column: column, maxColumns: columns - 1 - column, style: part.style)
            }
        }
    }

    private func items(of state: borrowing State) -> [HeaderItem] {
        guard !state.world.programs.isEmpty else {
            return [
                HeaderItem(parts: [("chainview", .headerAccent)], rank: nil),
                HeaderItem(parts: [("waiting for a program", .header)], rank: HeaderRank.state),
            ]
        }
        var items = [HeaderItem(parts: [("chainview", .headerAccent)], rank: HeaderRank.title)]
        items += state.showsPrograms ? programs(of: state) : program(state.world.programs[0], state)
        let reached = state.world.programs.filter(\.wasReached)
        guard !reached.isEmpty else { return items }
        let outsideCount = reached.count { $0.info?.isReadFromOutside == true }
        if outsideCount > 0 {
            let words = reached.count == 1 ? "read from outside" : "\(outsideCount) read from outside"
            // What is not shown, and why, depends on it.
            items.append(HeaderItem(parts: [(words, .headerAccent)], rank: HeaderRank.failed))
        }
        if state.options.isReadOnly
            || outsideCount < reached.count && reached.allSatisfy({ $0.info?.isReadOnly == true })
        {
            items.append(HeaderItem(parts: [("read-only", .headerAccent)], rank: HeaderRank.mode))
        }
        let missing = reached.reduce(into: TaskFacts()) { $0.formUnion($1.info?.shownMissingTaskFacts ?? []) }
        if !missing.isEmpty {
            let text = "tasks without \(missing.names.joined(separator: ", "))"
            items.append(HeaderItem(parts: [(text, .headerAccent)], rank: HeaderRank.mode))
        }
        if let words = state.frameWords {
            items.append(HeaderItem(parts: [(words, .headerAccent)], rank: HeaderRank.mode))
        }
        for recording in state.recordings {
            let text =
                recording.isStopping
                ? "\(glyphs.live) stopping the recording\(glyphs.ellipsis)"
                : "\(glyphs.live) recording " + recording.text
            items.append(HeaderItem(parts: [(text, .headerAccent)], rank: HeaderRank.failed))
        }
        if state.world.programs.contains(where: \.hasCounts) {
            items += load(of: state)
            items += totals(of: state)
        }
        func mode(_ text: String) { items.append(HeaderItem(parts: [(text, .header)], rank: HeaderRank.mode)) }
        switch state.tree.following {
        case .newest: mode("following newest")
        case .selected: mode("following selected")
        case .first, .nothing: break
        }
        if state.tree.order.column == .start, state.tree.order.isInverted { mode("oldest first") }
        return items
    }

    /// Returns the load: in flight, running, queued, failed and oldest; on a wide screen with sparklines.
    private func load(of state: borrowing State) -> [HeaderItem] {
        let (load, failedLastMinute) = state.headerLoad
        let widestAge = (load.isOldestLeast ? 2 : 0) + 3
        let samples = frame.size.columns < 100 ? [] : state.world.loadSamples()
        var items: [HeaderItem] = []
        func add(
            _ number: String, _ word: String, isStrong: Bool, rank: Int, sparkline: Int, isSum: Bool = false,
            of path: KeyPath<LoadHistory.Sample, Int>
        ) {
            let parts: [(String, Style)] =
                word.hasSuffix(" ")
                ? [(word, .header), (number, isStrong ? .headerAccent : .header)]
                : [(number, isStrong ? .headerAccent : .header), (" " + word, .header)]
            let widest = state.figureWidths[sparkline].columns
            // An age grows soon, up to `59s`. On a narrow screen every cell is needed.
            let reserved =
                frame.size.columns < 100 ? 0 : word.count + (word.hasSuffix(" ") ? max(widestAge, widest) : 1 + widest)
            items.append(HeaderItem(parts: parts, rank: rank, reserved: reserved))
            guard !samples.isEmpty else { return }
            let bars = Sparkline.text(
                samples.map { $0?[keyPath: path] }, until: state.wall / 1_000_000_000,
                cells: frame.size.columns < 140 ? 6 : 10, isSum: isSum, glyphs)
            items.append(HeaderItem(parts: [(bars, .header)], rank: HeaderRank.sparkline + sparkline, gap: 1))
        }
        add(
            CountText.grouped(load.inFlight), "in flight", isStrong: load.inFlight > 0, rank: HeaderRank.inFlight,
            sparkline: 0, of: \.inFlight)
        add(
            CountText.grouped(load.running), "running", isStrong: load.running > 0, rank: HeaderRank.running,
            sparkline: 2, of: \.running)
        let hasQueue = state.world.programs.contains { $0.loadHistory.hasQueued }
        add(
            CountText.grouped(load.queued), "queued", isStrong: load.queued > 0,
            rank: hasQueue ? HeaderRank.queued : HeaderRank.noQueue, sparkline: 3, of: \.queued)
        if let failedLastMinute, let text = load.text(ofFailures: failedLastMinute, glyphs) {
            add(
                text, "failed/min", isStrong: failedLastMinute > 0,
                // A zero is left out before the oldest.
                rank: failedLastMinute > 0 ? HeaderRank.failed : HeaderRank.oldest,
                sparkline: 1, isSum: true, of: \.failed)
        }
        if let oldest = load.oldestText(glyphs) {
            add(oldest, "oldest ", isStrong: true, rank: HeaderRank.oldest, sparkline: 4, of: \.oldest)
        }
        return items
    }

    /// The least width of a screen on which the header has whole words for the kept chains.
    private static let longHeaderColumns = 160

    /// Returns the counts of chains, failures, nodes and lost events, and the event rate.
    private func totals(of state: borrowing State) -> [HeaderItem] {
        let reached = state.world.programs.filter(\.wasReached)
        var load = ProgramLoad()
        for program in reached { load += program.load }
        var items: [HeaderItem] = []
        func add(
            _ count: Int, _ one: String, _ many: String, rank: Int, style: Style = .header, text: String? = nil
        ) {
            let number = text ?? CountText.grouped(count)
            items.append(
                HeaderItem(parts: [(number, style), (" " + (count == 1 ? one : many), .header)], rank: rank))
        }
        let chains = frame.size.columns < Self.longHeaderColumns ? load.shortChainWords : load.chainWords
        items.append(HeaderItem(parts: [(chains, .header)], rank: HeaderRank.chains))
        if let text = load.text(ofFailures: load.failedCount, glyphs) {
            add(
                load.failedCount, "failed", "failed", rank: HeaderRank.failedInAll,
                style: load.failedCount > 0 ? .headerAccent : .header, text: text)
        }
        add(
            reached.reduce(0) { $0 + $1.forest.totals.counts.nodeCount }, "node", "nodes", rank: HeaderRank.nodes)
        let rate = reached.reduce(0) { $0 + $1.rate.shown }
        items.append(HeaderItem(parts: [("\(CountText.short(rate)) ev/s", .header)], rank: HeaderRank.rate))
        let lost = Int(clamping: reached.reduce(0 as UInt64) { $0.addingClamped(UInt64(clamping: $1.lostCount)) })
        if lost > 0 {
            // The text is not "lost" alone, because "lost" is also a state of the connection.
            let isNarrow = frame.size.columns < 100
            add(
                lost, isNarrow ? "ev lost" : "event lost", isNarrow ? "ev lost" : "events lost",
                rank: HeaderRank.state, style: .headerAccent)
        }
        return items
    }

    /// Returns the items of the only program: its name, pid and connection, and a restart in the last minute.
    private func program(_ program: Program, _ state: borrowing State) -> [HeaderItem] {
        let name = glyphs.cut(program.name, to: 24)
        var items = [HeaderItem(parts: [(name.isEmpty ? "?" : name, .headerAccent)], rank: nil)]
        if let info = program.info {
            items.append(HeaderItem(parts: [("\(info.pid)", .header)], rank: HeaderRank.pid, gap: 1))
        }
        let link = (
            glyphs.link(of: program) + " " + ProgramText.word(program, wall: state.wall),
            Style.headerAccent
        )
        switch program.connection {
        case .live:
            items.append(HeaderItem(parts: [frozen(state) ?? link], rank: HeaderRank.state))
            if let restart = ProgramText.restart(of: program, wall: state.wall) {
                items.append(HeaderItem(parts: [(restart, .headerAccent)], rank: HeaderRank.mode))
            }
        case .lost(let disconnection):
            let retry = ProgramText.retry(disconnection, wall: state.wall, glyphs)
            let shown = glyphs.cut(retry, to: 44)
            items.append(
                HeaderItem(parts: [link, (" \(glyphs.dot) ", .header), (shown, .header)], rank: HeaderRank.state))
            if let frozen = frozen(state) { items.append(HeaderItem(parts: [frozen], rank: HeaderRank.state)) }
        case .ended, .absent, .replay:
            items.append(HeaderItem(parts: [link], rank: HeaderRank.state))
            if let frozen = frozen(state) { items.append(HeaderItem(parts: [frozen], rank: HeaderRank.state)) }
        }
        return items
    }

    /// Returns the items of several programs: the number of programs, and how many of them have each state of
    /// connection.
    private func programs(of state: borrowing State) -> [HeaderItem] {
        var items = [HeaderItem(parts: [("\(state.world.programs.count) programs", .headerAccent)], rank: nil)]
        if let frozen = frozen(state) { items.append(HeaderItem(parts: [frozen], rank: HeaderRank.state)) }
        if let position = state.replayPosition {
            let link = glyphs.connection(.replay(position)) + " " + ReplayTime.words(position)
            items.append(HeaderItem(parts: [(link, .headerAccent)], rank: HeaderRank.state))
        }
        let links = state.world.programs.map(\.connection)
        func add(_ count: Int, _ glyph: String, _ word: String, _ rank: Int) {
            if count > 0 { items.append(HeaderItem(parts: [("\(glyph) \(count) \(word)", .headerAccent)], rank: rank)) }
        }
        let readingCount = state.world.programs.count { $0.reading != nil }
        add(links.count(where: \.isLive) - readingCount, glyphs.live, "live", HeaderRank.mode)
        add(readingCount, glyphs.waiting, "reading state", HeaderRank.state)
        add(links.count { $0.disconnection?.hasStopped == false }, glyphs.lost, "lost", HeaderRank.state)
        add(links.count { $0.disconnection?.hasStopped == true }, glyphs.pending, "stopped", HeaderRank.mode)
        add(links.count(where: \.isEnded), glyphs.pending, "ended", HeaderRank.mode)
        add(links.count(where: \.isAbsent), glyphs.waiting, "absent", HeaderRank.mode)
        return items
    }

    /// Returns `frozen, 120 waiting`, or `frozen, 120 dropped` if too many events arrived; nil if the picture is not
    /// frozen.
    private func frozen(_ state: borrowing State) -> (String, Style)? {
        guard state.isFrozen else { return nil }
        let buffers = state.world.programs.compactMap(\.frozenBuffer)
        let dropped = buffers.reduce(0) { $0 + $1.receivedCount - $1.keptCount }
        let (count, word) = dropped > 0 ? (dropped, "dropped") : (buffers.reduce(0) { $0 + $1.keptCount }, "waiting")
        return ("\(glyphs.frozen) frozen, \(CountText.grouped(count)) \(word)", .headerAccent)
    }
}

/// The greatest width of a figure of the header in the last minute. The figure is placed by it, so that a digit more or
/// less does not make items come and go.
struct FigureWidth {
    private(set) var columns = 0
    /// When a figure of that width was noted last, in nanoseconds since 1970.
    private var time: UInt64 = 0

    mutating func note(_ text: String, at wall: UInt64) {
        guard text.count >= columns || wall &- time >= 60_000_000_000 else { return }
        (columns, time) = (text.count, wall)
    }
}

extension ProcessDescription {
    /// The facts that the header names as missing. That there are no errors is part of *read from outside*.
    fileprivate var shownMissingTaskFacts: TaskFacts {
        isReadFromOutside ? missingTaskFacts.subtracting(.outcome) : missingTaskFacts
    }
}

extension SharedState {
    /// The sum of the programs' loads, and of the chains that failed in the last minute; nil if that is not known. Programs
    /// whose failures cannot be known add none: ``ProgramLoad/hasUnknownFailures``.
    var headerLoad: (load: ProgramLoad, failedLastMinute: Int?) {
        var load = ProgramLoad()
        var failedLastMinute: Int? = 0
        for index in world.programs.indices where world.programs[index].hasCounts {
            load += world.programs[index].shownLoad(wall: wall)
            // A program that had ended before it was observed adds nothing.
            let isObserved = world.programs[index].connection.isLive || world.programs[index].connection.replay != nil
            let hasFailures = !world.programs[index].forest.isReadFromOutside
            guard hasFailures, isObserved || world.programs[index].loadHistory.second != 0 else { continue }
            if let failed = world.programs[index].failedLastMinute {
                failedLastMinute? += failed
            } else {
                failedLastMinute = nil
            }
        }
        return (load, failedLastMinute)
    }
}
