import ChainRecording
import Dashboard

// Moving in a recording, and in the past of live programs. The histories are read on other threads, because their
// recorders first write what they have received.
extension Session {
    /// A playback of the past with the actions that show its first command.
    private struct Past {
        var playback: Playback
        var start: [Action]
        var actions: [Action]
    }

    /// Performs a command of replay. If there is no playback, begins to look back. Commands that come while a history
    /// is read are performed after it.
    func replay(_ command: ReplayCommand) {
        guard waitingCommands.isEmpty else { return waitingCommands.append(command) }
        guard let playback else { return lookBack(command) }
        let actions = playback.perform(command)
        guard !playback.isWaiting else { return waitingCommands.append(command) }
        for action in actions { dispatch(action) }
        returnIfOver()
        // Checked after the move, because reading finds damage.
        if let damage = playback.newDamage() { dispatch(.report(damage)) }
    }

    /// Performs the commands that waited for a history.
    private func replayWaiting() {
        let commands = waitingCommands
        waitingCommands = []
        for command in commands { replay(command) }
    }

    /// Begins to read the past of the live programs for a command.
    private func lookBack(_ command: ReplayCommand) {
        guard let histories else { return }
        waitingCommands = [command]
        let (recorded, marks) = (histories.histories, histories.marks)
        background.start("chainview.past") {
            let result: Result<Past, LiveHistory.Missing>
            do throws(LiveHistory.Missing) {
                let playback = try LiveHistories.playback(of: recorded, marks)
                // The playback starts at the end of the past, which is what the dashboard shows.
                let start = playback.start()
                result = .success(Past(playback: playback, start: start, actions: playback.perform(command)))
            } catch { result = .failure(error) }
            let past = Handover(value: result)
            return { session in session.show(past.value, after: command) }
        }
    }

    /// Shows the past of the live programs, unless the command only marks a moment or stays in the present.
    private func show(_ result: Result<Past, LiveHistory.Missing>, after command: ReplayCommand) {
        guard let histories, playback == nil else { return }
        waitingCommands.removeFirst()
        defer { replayWaiting() }
        guard case .success(let past) = result else {
            if case .failure(let missing) = result { dispatch(.report(missing.reason)) }
            return
        }
        past.playback.later = { [weak self] in self?.laterHistory() ?? .missing }
        switch command {
        case .mark, .unmark:
            histories.keepMarks(of: past.playback)
            return past.actions.forEach(dispatch)
        default: break
        }
        let isMove = past.actions.contains { if case .replayed = $0 { true } else { false } }
        guard isMove, !past.playback.isOver else {
            let messages = past.actions.filter { if case .replayed = $0 { false } else { true } }
            return (messages.isEmpty ? [.message("this is now")] : messages).forEach(dispatch)
        }
        playback = past.playback
        for action in past.actions + past.start.filter({ if case .replayed = $0 { false } else { true } }) {
            dispatch(action)
        }
    }

    /// Returns what was recorded since the histories were last read, or begins to read it.
    private func laterHistory() -> LaterHistory {
        if let readHistory { return readHistory }
        guard !isReadingHistory, let histories else { return .waiting }
        isReadingHistory = true
        let recorded = histories.histories
        background.start("chainview.past") {
            let read = Handover(value: (try? LiveHistories.files(of: recorded)).map(LaterHistory.files) ?? .missing)
            return { session in session.take(read.value) }
        }
        return .waiting
    }

    /// Takes what was read of the histories: for the commands that wait, and for the next tick of the playback.
    private func take(_ read: LaterHistory) {
        isReadingHistory = false
        guard playback != nil else { return }
        readHistory = read
        replayWaiting()
    }

    /// The marks of the live programs, by the time of day.
    var liveMarks: MarkList {
        guard let histories else { return MarkList() }
        return playback?.wallMarks ?? histories.marks
    }

    /// Shows the live programs again if the end of their past is reached.
    func returnIfOver() {
        guard let histories, let playback, playback.isOver else { return }
        histories.keepMarks(of: playback)
        self.playback = nil
        readHistory = nil
        dispatch(.returnedToNow)
    }
}
