// SPDX-License-Identifier: MIT

import ChainInsight
import ChainText
import Frames

/// How one thread spent its time, as of one moment.
struct ThreadStatistics {
    /// One second of the strip of past seconds.
    enum Cell: Hashable {
        /// Before the thread's first event.
        case unknown
        case idle
        /// Busy at least as long as waiting; the busy time in eighths of the second, rounded up.
        case busy(Int)
        /// Waiting for nodes longer than busy; the waiting time in eighths of the second, rounded up.
        case waiting(Int)
    }

    /// The last whole seconds, the latest last, without the current second.
    let cells: [Cell]
    /// How long the thread has been in its innermost handler or wait, in nanoseconds; nil if idle.
    let age: UInt64?
    /// How long the innermost wait has lasted, in nanoseconds, even if another handler runs on top of the wait; nil
    /// without a wait.
    let waitAge: UInt64?
    /// The busy time in per cent of the strip's known seconds; nil if no second is known.
    let recent: Int?
    /// The busy time in per cent of the time since the thread's first event; nil if no time has passed.
    let total: Int?

    init(_ lane: ThreadLane, _ activity: ThreadActivity, at time: UInt64, seconds: Int) {
        let kind = activity.entries.last?.kind
        age = activity.since.map { time &- min(time, $0) }
        waitAge = activity.wait.map { time &- min(time, $0.since) }
        let current = time / Self.second
        var cells: [Cell] = []
        var (busy, known): (UInt64, UInt64) = (0, 0)
        let kept = UInt64(max(1, min(seconds, ThreadLane.secondCount - 1)))
        for number in current &- min(current, kept)..<current {
            guard let usage = lane.usage(ofSecond: number, now: time, kind) else {
                cells.append(.unknown)
                continue
            }
            busy += usage.busy
            known += Self.second
            let most = max(usage.busy, usage.blocked)
            let level = Int(min(8, (most * 8 + Self.second - 1) / Self.second))
            cells.append(most == 0 ? .idle : usage.blocked > usage.busy ? .waiting(level) : .busy(level))
        }
        while cells.count < seconds { cells.insert(.unknown, at: 0) }
        self.cells = cells
        recent = known == 0 ? nil : Int(busy * 100 / known)
        let total = lane.total(now: time, kind)
        self.total = total.of == 0 ? nil : Int(min(100, Double(total.usage.busy) / Double(total.of) * 100))
    }

    private static let second: UInt64 = 1_000_000_000

    /// A number that changes when the drawn lane changes.
    var redrawKey: UInt64 {
        var hasher = Hasher()
        hasher.combine(cells)
        hasher.combine(age.map(DurationText.step))
        hasher.combine(waitAge.map(DurationText.step))
        hasher.combine(recent)
        hasher.combine(total)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}

extension Glyphs {
    /// The glyph of a blocked thread.
    var blocked: String { frozen }

    /// Returns the text and style of one second of the strip.
    func cell(_ cell: ThreadStatistics.Cell) -> (text: String, style: Style) {
        let isASCII = charset == .ascii
        switch cell {
        case .unknown: return (" ", .normal)
        case .idle: return (isASCII ? "_" : dot, .guide)
        case .busy(let level): return (bars[min(max(level, 1), bars.count) - 1], .running)
        case .waiting(let level):
            let shades = isASCII ? ["w", "w", "W"] : ["░", "▒", "▓"]
            return (shades[min(2, max(0, level - 1) * 3 / 8)], .pending)
        }
    }
}

/// The column spans of the view of threads at one width.
struct ThreadColumns: Equatable {
    var word = ColumnSpan()
    var thread = ColumnSpan()
    var node = ColumnSpan()
    var since = ColumnSpan()
    var strip = ColumnSpan()
    var recent = ColumnSpan()
    var total = ColumnSpan()

    init(width: Int) {
        let seconds = width >= 190 ? 60 : width >= 140 ? 30 : width >= 110 ? 20 : 16
        // One column at the right is for the scroll bar.
        let spans = ColumnLayout.spans(
            from: Columns.glyph + 2, to: width - 1,
            [
                width >= 96 ? .fixed(7) : nil,
                .fixed(width >= 170 ? 26 : width >= 110 ? 16 : width >= 60 ? 14 : 10),
                .rest,
                width >= 44 ? .fixed(DurationText.width) : nil,
                width >= 70 ? .fixed(seconds) : nil,
                width >= 60 ? .fixed(4) : nil,
                width >= 96 ? .fixed(5) : nil,
            ])
        (word, thread, node, since) = (spans[0], spans[1], spans[2], spans[3])
        (strip, recent, total) = (spans[4], spans[5], spans[6])
    }

    init(_ context: ViewContext) { self.init(width: context.layout.content.columns) }
}
