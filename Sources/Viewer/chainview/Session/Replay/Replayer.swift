// SPDX-License-Identifier: MIT

import ChainRecording
import Dashboard
import PromiseRuntime

/// Moves in a recording, or in the past of live programs. Another thread reads the recording, because its disk may
/// hang, and the histories, because their recorders first write what they have received. Commands that come meanwhile
/// wait, and are performed in their order.
final class Replayer {
    private enum Step {
        case command(ReplayCommand)
        /// Something to do with the playback, or with what was read.
        case other((Replayer) -> Void)

        var changesMarks: Bool { if case .command(let command) = self { command.changesMarks } else { false } }
    }

    /// A playback of the past with the actions that show its first command.
    private struct Past {
        var playback: Playback
        var start: [Action]
        var actions: [Action]
    }

    /// A playback that another thread uses.
    private struct LentPlayback: @unchecked Sendable {
        // Sendable: this thread does not use the playback while `lent` is set.
        let playback: Playback
    }

    /// The histories that looking back reads; nil for a recording.
    let histories: LiveHistories?
    /// Shows the result of a move or of another command.
    var dispatch: (Action) -> Void = { _ in }
    /// The recording that is shown, or the past of the sources; nil while the sources are shown live.
    private var playback: Playback?
    /// The moment that is shown while another thread uses the playback of a recording; nil while none does.
    private var lent: (wall: UInt64, time: UInt64)?
    private let thread: ReadingThread
    private var isReading = false
    /// Whether the thread reads for a command that changes the marks.
    private var readsForMarks = false
    private var waiting: [Step] = []
    private var isPerforming = false
    /// What was read of the histories, until it was used.
    private var readHistory: LaterHistory?

    /// - Parameters:
    ///   - playback: the recording; not to be used by the caller after the first command. Nil for live programs.
    ///   - wake: called on another thread when ``takeResult()`` has something to do.
    init(_ playback: Playback?, _ histories: LiveHistories?, wake: @escaping @Sendable () -> Void) {
        self.playback = playback
        self.histories = histories
        thread = ReadingThread(wake: wake)
    }

    deinit { thread.stop() }

    /// The moment that is shown; nil while the sources are shown live.
    var shown: (wall: UInt64, time: UInt64)? { lent ?? playback.map { ($0.wall, $0.time) } }

    /// Whether the shown moment changes by itself, or is about to change.
    var isMoving: Bool { lent != nil || playback?.isMoving == true }

    // MARK: The queue

    /// Performs a command after those that wait. If there is no playback, begins to look back.
    func perform(_ command: ReplayCommand) {
        // Of several moments to which the pointer is dragged, the last one counts.
        if case .scrub = command, case .command(.scrub)? = waiting.last { waiting.removeLast() }
        waiting.append(.command(command))
        performWaiting()
    }

    /// Performs what waits, until there is something to read. Does nothing within a step, so that the actions of the
    /// step come before what they cause.
    private func performWaiting() {
        guard !isPerforming else { return }
        isPerforming = true
        defer { isPerforming = false }
        while !isReading, !waiting.isEmpty {
            switch waiting.removeFirst() {
            case .command(let command): performNow(command)
            case .other(let step): step(self)
            }
        }
    }

    /// Begins to read on the other thread; `take` is performed with what was read, before what waits.
    private func read<Value>(
        for command: ReplayCommand? = nil, _ work: @escaping @Sendable () -> Value,
        take: @escaping (Replayer, Value) -> Void
    ) {
        (isReading, readsForMarks) = (true, command?.changesMarks == true)
        thread.start {
            let value = work()
            return { take($0, value) }
        }
    }

    /// Goes on after a read, if it has ended; returns whether it has.
    func takeResult() -> Bool {
        guard let take = thread.takeResult() else { return false }
        isReading = false
        waiting.insert(.other(take), at: 0)
        performWaiting()
        return true
    }

    /// Performs what waits up to the last command that changes the marks, until a time of the monotonic clock. Returns
    /// false if such a command is still to be performed.
    func finishMarks(until end: UInt64) -> Bool {
        while isReading && readsForMarks || waiting.contains(where: \.changesMarks) {
            guard thread.awaitEnd(by: end) else { return false }
            _ = takeResult()
        }
        return true
    }

    /// Does something with the playback as soon as no other thread uses it.
    private func whenReturned(_ use: @escaping (Replayer) -> Void) {
        if lent == nil { use(self) } else { waiting.append(.other(use)) }
    }

    // MARK: Commands

    private func performNow(_ command: ReplayCommand) {
        guard let playback else { return lookBack(command) }
        if histories == nil, command.reads { return lend(playback, for: command) { $0.perform(command) } }
        let actions = playback.perform(command)
        guard !playback.isWaiting else { return waiting.insert(.command(command), at: 0) }
        actions.forEach(dispatch)
        returnIfOver()
    }

    /// Advances a playback that moves. `now` is the viewer's clock, in nanoseconds.
    func tick(_ now: UInt64) {
        guard lent == nil, let playback else { return }
        if histories == nil {
            guard playback.isMoving else { return }
            return lend(playback) { $0.tick(now, clock: { SystemClock.shared.nanoseconds }) }
        }
        playback.tick(now, clock: { SystemClock.shared.nanoseconds }).forEach(dispatch)
        readHistory = nil
        returnIfOver()
    }

    /// Excludes the time until the next tick from the playing time.
    func skipPause() { whenReturned { $0.playback?.skipPause() } }

    // MARK: A recording

    /// Lets the other thread use the playback of a recording, and shows the actions that result.
    private func lend(
        _ playback: Playback, for command: ReplayCommand? = nil, _ use: @escaping @Sendable (Playback) -> [Action]
    ) {
        lent = (playback.wall, playback.time)
        let handed = LentPlayback(playback: playback)
        read(for: command) {
            use(handed.playback)
        } take: { replayer, actions in
            replayer.lent = nil
            actions.forEach(replayer.dispatch)
            replayer.reportDamage()
        }
    }

    /// Reports damage that was found in the recording by another reader.
    func note(_ damage: [RecordingDamage]) {
        whenReturned { replayer in
            replayer.playback?.tracks[0].file.note(damage)
            replayer.reportDamage()
        }
    }

    /// Reports damage that was found since the last report.
    private func reportDamage() { if let damage = playback?.newDamage() { dispatch(.report(damage)) } }

    // MARK: The past of live programs

    /// Begins to read the past of the live programs for a command.
    private func lookBack(_ command: ReplayCommand) {
        guard let histories else { return }
        let (recorded, marks) = (histories.histories, histories.marks)
        read(for: command) {
            Result { () throws(LiveHistory.Missing) in
                let playback = try LiveHistories.playback(of: recorded, marks)
                // The playback starts at the end of the past, which is what the dashboard shows.
                let start = playback.start()
                return Past(playback: playback, start: start, actions: playback.perform(command))
            }
        } take: { replayer, past in
            replayer.show(past, after: command)
        }
    }

    /// Shows the past of the live programs, unless the command only marks a moment or stays in the present.
    private func show(_ result: Result<Past, LiveHistory.Missing>, after command: ReplayCommand) {
        guard let histories else { return }
        guard case .success(let past) = result else {
            if case .failure(let missing) = result { dispatch(.report(missing.reason)) }
            return
        }
        past.playback.later = { [weak self] in self?.laterHistory() ?? .missing }
        guard !command.changesMarks else {
            histories.keepMarks(of: past.playback)
            return past.actions.forEach(dispatch)
        }
        let isMove = past.actions.contains(where: \.isMove)
        guard isMove, !past.playback.isOver else {
            let messages = past.actions.filter { !$0.isMove }
            return (messages.isEmpty ? [.message("this is now")] : messages).forEach(dispatch)
        }
        playback = past.playback
        (past.actions + past.start.filter { !$0.isMove }).forEach(dispatch)
    }

    /// Returns what was recorded since the histories were last read, or begins to read it. What was read serves the
    /// commands that wait, and the next tick of the playback.
    private func laterHistory() -> LaterHistory {
        if let readHistory { return readHistory }
        guard !isReading, let histories else { return .waiting }
        let recorded = histories.histories
        read {
            (try? LiveHistories.files(of: recorded)).map(LaterHistory.files) ?? .missing
        } take: { replayer, history in
            replayer.readHistory = replayer.playback == nil ? nil : history
        }
        return .waiting
    }

    /// The marks of the live programs, by the time of day.
    var liveMarks: MarkList {
        guard let histories else { return MarkList() }
        return playback?.wallMarks ?? histories.marks
    }

    /// Shows the live programs again if the end of their past is reached.
    private func returnIfOver() {
        guard let histories, let playback, playback.isOver else { return }
        histories.keepMarks(of: playback)
        self.playback = nil
        readHistory = nil
        dispatch(.returnedToNow)
    }
}

extension Action {
    /// Whether the action shows another moment.
    fileprivate var isMove: Bool { if case .replayed = self { true } else { false } }
}

extension ReplayCommand {
    /// Whether the command sets or removes a mark.
    fileprivate var changesMarks: Bool {
        switch self {
        case .mark, .unmark: true
        default: false
        }
    }

    /// Whether performing the command may wait for a file. A scrub only notes a moment for the next tick.
    fileprivate var reads: Bool { if case .scrub = self { false } else { true } }
}
