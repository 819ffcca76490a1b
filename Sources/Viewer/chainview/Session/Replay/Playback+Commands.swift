// SPDX-License-Identifier: MIT

import Dashboard

extension Playback {
    /// Performs a command. Returns the actions that show the result.
    func perform(_ command: ReplayCommand) -> [Action] {
        begin()
        switch command {
        case .togglePlaying:
            isPlaying.toggle()
            lastTick = 0
            if isPlaying, time >= range.upperBound { return seek(to: range.lowerBound) }
        case .faster: speedIndex = min(speedIndex + 1, Self.speeds.count - 1)
        case .slower: speedIndex = max(speedIndex - 1, 0)
        case .nextEvent:
            isPlaying = false
            return move(to: nextEventTime() ?? (extendHistory() ? nextEventTime() : nil) ?? range.upperBound)
        case .previousEvent:
            isPlaying = false
            return move(to: previousEventTime() ?? range.lowerBound)
        case .nextNotable, .previousNotable:
            let isNext = command == .nextNotable
            guard let notable = notable(isNext: isNext) ?? (isNext && extendHistory() ? notable(isNext: true) : nil)
            else {
                return [.message("no rejection, warning or mark \(isNext ? "follows" : "before")")]
            }
            isPlaying = false
            return move(to: notable.time) + [.message(notable.words)]
        case .move(let distance):
            let (moment, isOutside) =
                distance < 0
                ? time.subtractingReportingOverflow(distance.magnitude) : time.addingReportingOverflow(UInt64(distance))
            return move(to: isOutside ? (distance < 0 ? 0 : .max) : moment)
        case .seek(let moment):
            let isEarly = moment < range.lowerBound
            let note = Action.message("nothing was recorded so early: this is the beginning")
            return move(to: moment) + (isEarly ? [note] : [])
        case .scrub(let moment):
            scrubbed = moment
            return []
        case .mark(let name, let moment): return mark(name, at: moment ?? time)
        case .unmark(let name): return unmark(name)
        }
        return showMomentAgain()
    }

    private func nextEventTime() -> UInt64? { tracks.indices.compactMap { tracks[$0].nextEventTime() }.min() }

    private func previousEventTime() -> UInt64? { tracks.compactMap { $0.previousEventTime() }.max() }

    // MARK: Rejections, warnings and marks

    private struct Notable {
        var time: UInt64
        var words: String
    }

    /// Returns the nearest rejection, warning or mark: after the shown moment if `isNext` is true, and before it
    /// otherwise.
    private func notable(isNext: Bool) -> Notable? {
        // Marks come first, because `min` and `max` return the first of several elements with the same time.
        var found = marks.marks.filter { isNext ? $0.time > time : $0.time < time }
            .map { Notable(time: $0.time, words: "mark: \($0.name)") }
        for track in tracks {
            let rejection = isNext ? track.nextRejectionTime() : track.previousRejectionTime()
            if let rejection { found.append(Notable(time: rejection, words: "a rejection")) }
        }
        if let warning = warning(isNext: isNext) { found.append(warning) }
        return isNext ? found.min { $0.time < $1.time } : found.max { $0.time < $1.time }
    }

    /// Returns the nearest end of an interval of the series in which the number of open warnings rose.
    private func warning(isNext: Bool) -> Notable? {
        let entries = series.entries
        func rose(_ index: Int) -> Bool { entries[index].warnings > entries[index - 1].warnings }
        func moment(_ index: Int) -> UInt64 { min(series.end(of: index), range.upperBound) }
        guard entries.count > 1 else { return nil }
        let all = 1..<entries.count
        let index =
            isNext
            ? all.first { rose($0) && moment($0) > time } : all.last { rose($0) && moment($0) < time }
        guard let index else { return nil }
        let count = Int(entries[index].warnings)
        return Notable(time: moment(index), words: "\(count) open \(count == 1 ? "warning" : "warnings")")
    }

    private func mark(_ name: String?, at moment: UInt64) -> [Action] {
        marks.refresh()
        let name = marks.set(name, at: moment)
        return saved("marked: \(DisplayText.shown(name))")
    }

    private func unmark(_ name: String) -> [Action] {
        marks.refresh()
        guard marks.remove(name) else { return [.report("there is no mark \(DisplayText.shown(name))")] }
        return saved("the mark \(DisplayText.shown(name)) is removed")
    }

    private func saved(_ message: String) -> [Action] {
        let shown = Action.marks(marks.marks)
        if let problem = marks.save() { return [shown, .report(problem)] }
        return [shown, .message(message)]
    }
}
