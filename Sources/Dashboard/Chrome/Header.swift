import ChainEvents
import ChainModel
import ChainText
import Frames

extension Painter {
    private struct Item {
        var parts: [(text: String, style: Style)]
        /// Those with the highest number give way first.
        var rank: Int

        func width(_ charset: Charset) -> Int { parts.reduce(0) { $0 + TextWidth.of($1.text, charset: charset) } }
    }

    /// Draws the bar at the top: the program, its connection, its counts, and the time.
    mutating func paintHeader(_ state: borrowing State) {
        let columns = frame.size.columns
        frame.fill(row: 0, column: 0, style: .header)
        let clock = state.wall == 0 ? "" : ClockText.minutes(state.wall, offset: state.options.clockOffset)
        let room = columns - 2 - (clock.isEmpty ? 0 : clock.count + 2)
        let charset = glyphs.charset
        let shown = fitting(items(of: state), into: room, gap: 3, rank: \.rank) { $0.width(charset) }
        var column = 1
        for item in shown {
            for part in item.parts {
                column += frame.write(
                    part.text, row: 0, column: column, maxColumns: columns - 1 - column, style: part.style)
            }
            column += 3
        }
        if column + clock.count < columns {
            frame.write(clock, row: 0, column: columns - clock.count - 1, style: .header)
        }
    }

    private func items(of state: borrowing State) -> [Item] {
        guard !state.programs.isEmpty else {
            return [
                Item(parts: [("chainview", .headerAccent)], rank: 0),
                Item(parts: [("waiting for a program", .header)], rank: 1),
            ]
        }
        var items = [Item(parts: [("chainview", .headerAccent)], rank: 9)]
        items += state.showsPrograms ? programs(of: state) : program(state.programs[0], state)
        let reached = state.programs.filter(\.isReached)
        guard !reached.isEmpty else { return items }
        if state.options.isReadOnly || reached.allSatisfy({ $0.info?.isReadOnly == true }) {
            items.append(Item(parts: [("read-only", .headerAccent)], rank: 1))
        }
        let totals = reached.map { $0.forest.totals }
        let sum = { (count: (ForestTotals) -> Int) in totals.reduce(0) { $0 + count($1) } }
        items.append(counted(sum { $0.chainCount }, "chain", "chains", rank: 5))
        items.append(counted(sum { $0.counts.nodeCount }, "node", "nodes", rank: 6))
        let running = sum { $0.counts[.running] }
        items.append(counted(running, "running", "running", rank: 3, style: running > 0 ? .headerAccent : .header))
        let rejected = sum { $0.counts[.rejected] + $0.counts[.abandoned] }
        items.append(
            counted(rejected, "rejected", "rejected", rank: 2, style: rejected > 0 ? .headerAccent : .header))
        let rate = reached.reduce(0) { $0 + $1.rate.shown }
        items.append(Item(parts: [("\(CountText.short(rate)) ev/s", .header)], rank: 7))
        let lost = Int(clamping: reached.reduce(0 as UInt64) { $0.addingClamped(UInt64(clamping: $1.lostCount)) })
        // Shown losses are never the first to go.
        items.append(counted(lost, "lost", "lost", rank: lost > 0 ? 1 : 8, style: lost > 0 ? .headerAccent : .header))
        switch state.following {
        case .newest: items.append(Item(parts: [("following newest", .header)], rank: 4))
        case .selected: items.append(Item(parts: [("following selected", .header)], rank: 4))
        case .first, .nothing: break
        }
        if state.order.column == .start, state.order.isInverted {
            items.append(Item(parts: [("newest first", .header)], rank: 4))
        }
        return items
    }

    /// The one program: its name and its connection.
    private func program(_ program: Program, _ state: borrowing State) -> [Item] {
        let name = SafeText.cut(program.name, to: 24, ellipsis: glyphs.ellipsis, charset: glyphs.charset)
        let pid = program.info.map { " \($0.pid)" } ?? ""
        var items = [Item(parts: [(name.isEmpty ? "?" : name, .headerAccent), (pid, .header)], rank: 0)]
        let link = (
            glyphs.link(program.connection) + " " + ProgramText.word(program.connection, wall: state.wall),
            Style.headerAccent
        )
        switch program.connection {
        case .live:
            items.append(Item(parts: [frozen(state) ?? link], rank: 1))
            if let restart = ProgramText.restart(of: program, wall: state.wall) {
                items.append(Item(parts: [(restart, .headerAccent)], rank: 2))
            }
        case .ended: items.append(Item(parts: [link], rank: 1))
        case .lost(let outage):
            let retry = ProgramText.retry(outage, wall: state.wall, glyphs)
            let shown = SafeText.cut(retry, to: 44, ellipsis: glyphs.ellipsis, charset: glyphs.charset)
            items.append(Item(parts: [link, (" \(glyphs.dot) ", .header), (shown, .header)], rank: 1))
            if let frozen = frozen(state) { items.append(Item(parts: [frozen], rank: 1)) }
        case .absent: items.append(Item(parts: [link], rank: 1))
        }
        return items
    }

    /// Several programs: how many of them can be reached.
    private func programs(of state: borrowing State) -> [Item] {
        var items = [Item(parts: [("\(state.programs.count) programs", .headerAccent)], rank: 0)]
        if let frozen = frozen(state) { items.append(Item(parts: [frozen], rank: 1)) }
        let links = state.programs.map(\.connection)
        func add(_ count: Int, _ glyph: String, _ word: String, _ rank: Int) {
            if count > 0 { items.append(Item(parts: [("\(glyph) \(count) \(word)", .headerAccent)], rank: rank)) }
        }
        add(links.count(where: \.isLive), glyphs.live, "live", 2)
        add(links.count { $0.outage != nil }, glyphs.lost, "lost", 1)
        add(links.count(where: \.isEnded), glyphs.pending, "ended", 3)
        add(links.count(where: \.isAbsent), glyphs.waiting, "absent", 3)
        return items
    }

    private func counted(_ count: Int, _ one: String, _ many: String, rank: Int, style: Style = .header) -> Item {
        Item(parts: [(CountText.grouped(count), style), (" " + (count == 1 ? one : many), .header)], rank: rank)
    }

    private func frozen(_ state: borrowing State) -> (String, Style)? {
        guard state.isFrozen else { return nil }
        let buffers = state.programs.compactMap(\.frozenBuffer)
        let waiting = CountText.grouped(buffers.reduce(0) { $0 + $1.waitingCount })
        let isOverflown = buffers.contains(where: \.isOverflown)
        return ("\(glyphs.frozen) frozen, \(waiting)\(isOverflown ? " (too many)" : "") wait", .headerAccent)
    }
}
