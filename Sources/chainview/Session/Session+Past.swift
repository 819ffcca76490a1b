import Dashboard

// Moving in a recording, and in the past of live programs.
extension Session {
    /// Performs a command of replay. If there is no playback, begins to look back.
    func replay(_ command: ReplayCommand, from source: SourceID) {
        guard let playback else { return lookBack(command) }
        for action in playback.perform(command) { dispatch(action) }
        returnIfOver()
        // Checked after the move, because reading finds damage.
        if let damage = playback.newDamage() { dispatch(.report(damage)) }
    }

    /// Shows the past of the live programs, unless the command only marks a moment or stays in the present.
    private func lookBack(_ command: ReplayCommand) {
        guard let histories else { return }
        do throws(LiveHistory.Missing) {
            let playback = try histories.playback()
            // The playback starts at the end of the past, which is what the dashboard shows.
            let start = playback.start()
            let actions = playback.perform(command)
            switch command {
            case .mark, .unmark:
                histories.keepMarks(of: playback)
                return actions.forEach(dispatch)
            default: break
            }
            let isMove = actions.contains { if case .replayed = $0 { true } else { false } }
            guard isMove, !playback.isOver else {
                let messages = actions.filter { if case .replayed = $0 { false } else { true } }
                return (messages.isEmpty ? [.message("this is now")] : messages).forEach(dispatch)
            }
            self.playback = playback
            for action in actions + start.filter({ if case .replayed = $0 { false } else { true } }) {
                dispatch(action)
            }
        } catch { dispatch(.report(error.reason)) }
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
        dispatch(.returnedToNow)
    }
}
