// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

// A node's durations as bars, and its steps as a table.
extension NodeFacts {
    /// A duration of the node, drawn as a bar.
    private struct Bar {
        var name: String
        /// When the duration began, in nanoseconds of the program's clock.
        var start: UInt64
        /// In nanoseconds.
        var duration: UInt64
        /// Whether the duration still grows.
        var isRunning: Bool
        var isLowerBound: Bool
        var style: Style
    }

    private static let barNameWidth = 6
    /// The fewest columns in which bars are drawn; with fewer columns, only the durations are written.
    private static let leastBarWidth = 8

    /// Adds a line for each of wait, run and total that the node has: its bar on a common time axis, and its duration.
    func addTimes(to text: inout DetailWriter) {
        let bars = bars()
        guard !bars.isEmpty else { return }
        let origin = bars.map(\.start).min()!
        let extent = max(1, bars.map { $0.start - origin + $0.duration }.max()!)
        let room = text.width - Self.barNameWidth - DurationText.width - 1
        defer { text.gap() }
        for bar in bars {
            let time = bar.isRunning ? DurationText.running(bar.duration) : DurationText.settled(bar.duration)
            let duration = DurationText.atLeast(time, text.glyphs, if: bar.isLowerBound)
            var parts: [(String, Style)] = [(DetailWriter.left(bar.name, Self.barNameWidth), .dim)]
            if room >= Self.leastBarWidth {
                func cell(_ time: UInt64) -> Int { Int(Double(time) / Double(extent) * Double(room) + 0.5) }
                let first = min(room - 1, cell(bar.start - origin))
                // A bar takes at least one cell.
                let end = max(first + 1, min(room, cell(bar.start - origin + bar.duration)))
                parts.append((String(repeating: " ", count: first), .normal))
                parts.append((String(repeating: text.glyphs.bars[3], count: end - first), bar.style))
                parts.append((String(repeating: " ", count: room - end), .normal))
            }
            parts.append(
                (DetailWriter.right(duration, DurationText.width + 1), bar.isRunning ? .number : Style.number.dimmed))
            text.add(parts)
        }
    }

    /// Returns the bars of the durations that the node has.
    private func bars() -> [Bar] {
        let timing = forest.timing(of: node, now: program.shownNow)
        let bounds = forest.lowerBounds(of: node)
        var bars: [Bar] = []
        // The run or the suspension of a live task counts from the time at which the task last began to run or was
        // suspended.
        let switched = view.isLive ? forest.lastSwitchTime(of: node) : nil
        if let wait = timing.wait, let start = view.isSuspended ? switched : view.queued {
            bars.append(
                Bar(
                    name: "wait", start: start, duration: wait, isRunning: view.isWaitGrowing,
                    isLowerBound: bounds.state && view.isWaitGrowing, style: .queued))
        }
        if let run = timing.run, let started = switched ?? view.started {
            bars.append(
                Bar(
                    name: "run", start: started, duration: run, isRunning: view.activity == .running,
                    isLowerBound: bounds.state && view.activity == .running, style: .running))
        }
        if let total = timing.total {
            let end = view.settled ?? program.shownNow
            bars.append(
                Bar(
                    name: "total", start: end - min(total, end), duration: total, isRunning: view.isLive,
                    isLowerBound: bounds.total, style: Style(view.state.role)))
        }
        return bars
    }

    private static let whenWidth = 12

    /// Adds the table of steps: the time, the time since the previous step (in a wide pane only), and what happened.
    ///
    /// The first time is as ``clock(_:)`` formats it; all other times are relative to the first. If the node is live or
    /// still runs, a last line shows its state at the present moment.
    func addHistory(to text: inout DetailWriter) {
        let steps = forest.history(of: node)
        guard let first = steps.first else { return }
        let hasAfter = text.width >= 40
        let head =
            DetailWriter.right("when", Self.whenWidth)
            + (hasAfter ? DetailWriter.right("after", DurationText.width + 2) : "")
        text.add([(head + "  step", .title)])
        let wordColumns = max(8, text.width - head.count - 2)
        func add(_ when: String, _ after: String, _ words: String, _ style: Style, _ timeStyle: Style) {
            for (index, piece) in TextWrap.lines(words, columns: wordColumns, charset: text.glyphs.charset).enumerated()
            {
                let isFirst = index == 0
                text.add([
                    (DetailWriter.right(isFirst ? when : "", Self.whenWidth), timeStyle),
                    (hasAfter ? DetailWriter.right(isFirst ? after : "", DurationText.width + 2) : "", timeStyle),
                    ("  " + piece, style),
                ])
            }
        }
        var last = first.time
        for (index, step) in steps.enumerated() {
            let time = max(step.time, first.time)
            let when = index == 0 ? clock(step.time) : "+" + DurationText.settled(time - first.time)
            let after = index == 0 ? "" : DurationText.settled(time - min(last, time))
            last = time
            let (words, style) = words(for: step.kind, text.glyphs)
            add(when, after, words, style, Style.number.dimmed)
        }
        guard view.isLive || view.activity == .running else { return }
        let now = max(program.shownNow, last)
        add(
            "+" + DurationText.running(now - first.time), DurationText.running(now - last),
            "now, "
                + (view.isLive
                    ? NodeText.state(of: view.index, isRoot: false, in: forest, now: now).word : "still on its thread"),
            view.isLive ? Style(view.state.role) : .warning, .number)
    }

    /// Returns the words for a step, and their style.
    private func words(for step: HistoryStep.Kind, _ glyphs: Glyphs) -> (String, Style) {
        switch step {
        case .created: return ("created", .normal)
        case .seen: return ("first seen", .normal)
        case .queued(let executor): return (forest.executors[executor].map { "queued on \($0)" } ?? "queued", .normal)
        case .started(let thread):
            let name = forest.threads[thread].map { ThreadText.name($0, ellipsis: glyphs.ellipsis) }
            return (name.map { "started on \($0)" } ?? "started", .normal)
        case .ended: return ("handler ended", .normal)
        case .adopted(let other): return ("follows \(NodeText.name(of: other, in: forest))", .normal)
        case .linked(let other): return ("member \(NodeText.name(of: other, in: forest))", .normal)
        case .cancelRequested: return ("cancel requested", .cancelled)
        case .settled(let settlement):
            switch settlement {
            case .pending: return ("pending", .pending)
            case .unknown: return ("unknown", .unknown)
            case .fulfilled: return ("fulfilled", .fulfilled)
            case .rejected: return ("rejected", .rejected)
            case .skippedFulfilled: return ("skipped, passing a value on", .skipped)
            case .skippedRejected: return ("skipped, passing an error on", .skipped)
            case .abandoned: return ("abandoned", .abandoned)
            case .cancelled: return ("cancelled", .cancelled)
            }
        }
    }
}
