// SPDX-License-Identifier: MIT

import ChainModel
import ChainText
import Frames

/// The details of a program.
enum ProgramDetail {
    /// Returns all lines, wrapped to a width.
    static func lines(of program: Program, _ state: borrowing State, width: Int) -> [DetailLine] {
        let glyphs = state.options.glyphs
        var text = DetailWriter(width: width, glyphs: glyphs)
        addLink(of: program, wall: state.wall, to: &text)
        text.gap()
        text.field("name", program.shownName)
        if let info = program.info {
            text.field("pid", "\(info.pid)")
            if info.startTime > 0 {
                let time = ClockText.seconds(info.startTime, offset: state.options.clockOffset)
                let age = DurationText.coarse(state.wall &- min(state.wall, info.startTime))
                text.field("since", "\(time), \(age)")
            }
            if info.wallOffset > 0, program.wasReached {
                let time = program.shownNow &+ info.wallOffset
                let clock = ClockText.seconds(time, offset: state.options.clockOffset)
                text.field("its clock", clock + (program.isClockStopped ? ", standing still here" : ""))
            }
            if info.isReadFromOutside {
                text.field(
                    "read", "from outside: history begins now; not shown: values, errors, what happened before")
            }
            text.field(
                "commands", state.isReplaying || state.options.isReadOnly || info.isReadOnly ? "read-only" : "cancel")
        }
        if program.wasReached { addCounts(of: program, program.forest, to: &text) }
        return text.lines
    }

    private static func addLink(of program: Program, wall: UInt64, to text: inout DetailWriter) {
        let glyphs = text.glyphs
        let word = glyphs.link(of: program) + " " + ProgramText.word(program, wall: wall)
        switch program.connection {
        case .live: text.add(DetailLine(word, program.reading == nil ? .running : .dim))
        case .replay: text.add(DetailLine(word, .dim))
        case .ended(let reason):
            text.add(DetailLine(word, .dim))
            text.wrap(reason, style: .normal)
        case .absent(_, let failure):
            text.add(DetailLine(word, .dim))
            if let failure { text.wrap(failure, style: .warning) }
        case .lost(let disconnection):
            text.add(DetailLine(word, .warning))
            text.wrap(disconnection.reason, style: .warning)
            guard !disconnection.isSilence else { break }
            let again = disconnection.attempt == 1 ? "once" : "\(disconnection.attempt) times"
            let tried = disconnection.attempt == 0 ? "not tried yet" : "tried \(again)"
            var next = disconnection
            next.reason = ""
            text.wrap("\(tried), \(ProgramText.retry(next, wall: wall, glyphs))", style: .dim)
        }
        if let restart = program.restart {
            let ago = DurationText.coarse(wall &- min(wall, restart.time))
            text.wrap("restarted \(ago) ago; it was pid \(restart.oldPid)", style: .warning)
        }
    }

    private static func addCounts(of program: Program, _ forest: borrowing ChainForest, to text: inout DetailWriter) {
        let totals = forest.totals
        func grouped(_ count: some BinaryInteger) -> String { CountText.grouped(Int(clamping: count)) }
        text.gap()
        text.field("chains", "\(grouped(totals.chainCount)), \(grouped(totals.liveChainCount)) of them live")
        text.field("nodes", grouped(totals.nodeCount))
        for state in NodeState.allCases where totals.counts[state] > 0 {
            let word = forest.isReadFromOutside && state == .fulfilled ? "ended" : state.word
            text.field("", "\(text.glyphs.state(state.role)) \(grouped(totals.counts[state])) \(word)")
        }
        text.gap()
        let loss = forest.loss
        text.field("events", "\(grouped(loss.madeCount)) made, \(CountText.short(program.rate.shown)) a second")
        text.field("lost", "\(grouped(loss.lostInRings)) in the program, \(grouped(loss.lostAtClient)) on the way")
        if totals.refusedCount > 0 { text.field("", "\(grouped(totals.refusedCount)) past the limit of nodes") }
        if totals.evictedCount > 0 {
            text.field("evicted", "\(grouped(totals.evictedCount)) that settled long ago")
        }
        switch program.info?.flightRecorder {
        case .recording: text.field("flight rec.", "chainview record TARGET --last 30s fetches the last 30 seconds")
        case .ended: text.field("flight rec.", "has ended, because its file could not be written")
        case nil, .some(.none): break
        }
        var missing = program.info?.missingTaskFacts ?? []
        if program.info?.isReadFromOutside == true { missing.remove(.outcome) }
        for words in missing.words { text.field("not shown", words) }
    }
}
