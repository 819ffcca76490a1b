import ChainEvents
import ChainModel
import Frames

extension Painter {
    private struct Item {
        var parts: [(text: String, style: Style)]
        /// Those with the highest number give way first.
        var rank: Int

        func width(_ charset: Charset) -> Int { parts.reduce(0) { $0 + TextWidth.of($1.text, charset: charset) } }
    }

    /// The bar at the top: who, whether it moves, how much, and the time.
    mutating func paintHeader(_ state: borrowing State) {
        let columns = frame.size.columns
        frame.fill(row: 0, column: 0, style: .header)
        let clock = state.wall == 0 ? "" : ClockText.minutes(state.wall, offset: state.options.clockOffset)
        let shown = fit(items(of: state), into: columns - 2 - (clock.isEmpty ? 0 : clock.count + 2))
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
        var items: [Item] = []
        guard let process = state.process, let forest = state.forest else {
            items.append(Item(parts: [("chainview", .headerAccent)], rank: 0))
            items.append(Item(parts: [("waiting for a program", .header)], rank: 1))
            return items
        }
        items.append(Item(parts: [("chainview", .headerAccent)], rank: 9))
        let name = SafeText.cut(process.name, to: 24, ellipsis: glyphs.ellipsis, charset: glyphs.charset)
        items.append(
            Item(parts: [(name.isEmpty ? "?" : name, .headerAccent), (" \(process.pid)", .header)], rank: 0))
        items.append(Item(parts: [status(of: state)], rank: 1))
        let counts = forest.totals.counts
        items.append(counted(forest.totals.chainCount, "chain", "chains", rank: 5))
        items.append(counted(counts.nodeCount, "node", "nodes", rank: 6))
        let running = counts[.running]
        items.append(counted(running, "running", "running", rank: 3, style: running > 0 ? .headerAccent : .header))
        let rejected = counts[.rejected] + counts[.abandoned]
        items.append(
            counted(rejected, "rejected", "rejected", rank: 2, style: rejected > 0 ? .headerAccent : .header))
        items.append(Item(parts: [("\(CountText.short(state.rate.shown)) ev/s", .header)], rank: 7))
        let lost = Int(clamping: forest.loss.lostCount &+ forest.totals.refusedCount)
        // Shown losses are never the first to go.
        items.append(counted(lost, "lost", "lost", rank: lost > 0 ? 1 : 8, style: lost > 0 ? .headerAccent : .header))
        if state.following == .newest { items.append(Item(parts: [("following", .header)], rank: 4)) }
        return items
    }

    private func counted(_ count: Int, _ one: String, _ many: String, rank: Int, style: Style = .header) -> Item {
        Item(parts: [(CountText.grouped(count), style), (" " + (count == 1 ? one : many), .header)], rank: rank)
    }

    private func status(of state: borrowing State) -> (String, Style) {
        if state.ending != nil { return ("\(glyphs.pending) ended", .headerAccent) }
        if let frozen = state.frozen {
            let waiting = CountText.grouped(frozen.waitingCount)
            return (
                "\(glyphs.frozen) frozen, \(waiting)\(frozen.isOverflown ? " (too many)" : "") wait", .headerAccent
            )
        }
        return ("\(glyphs.live) live", .headerAccent)
    }

    /// Drops items by rank until the rest fits.
    private func fit(_ items: [Item], into width: Int) -> [Item] {
        var items = items
        while items.reduce(-3, { $0 + $1.width(glyphs.charset) + 3 }) > width, items.count > 1 {
            let worst = items.indices.max { items[$0].rank < items[$1].rank }!
            items.remove(at: worst)
        }
        return items
    }
}
