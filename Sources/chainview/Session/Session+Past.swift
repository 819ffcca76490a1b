import ChainRecording
import Dashboard

// Moving in a recording, and in the past of live programs. Other threads read the histories, because their recorders
// first write what they have received, and the recording, because its disk may hang.
extension Session {
    /// A playback of the past with the actions that show its first command.
    private struct Past {
        var playback: Playback
        var start: [Action]
        var actions: [Action]
    }

    /// Performs a command of replay. If there is no playback, begins to look back. Commands that come while another
    /// thread reads for a command are performed after it.
    func replay(_ command: ReplayCommand) {
        guard waiting.isEmpty, lent == nil else { return waiting.append { $0.replay(command) } }
        guard let playback else { return lookBack(command) }
        guard histories != nil else { return lend(playback, isAwaited: command.changesMarks) { $0.perform(command) } }
        let actions = playback.perform(command)
        guard !playback.isWaiting else { return waiting.append { $0.replay(command) } }
        for action in actions { dispatch(action) }
        returnIfOver()
        reportDamage()
    }

    /// Reads on another thread, takes what was read, and performs what waits for it. There is one read at a time.
    private func read<Value>(
        isAwaited: Bool = false, _ work: @escaping @Sendable () -> Value,
        take: @escaping @Sendable (Session, Value) -> Void
    ) {
        isReading = true
        background.start("chainview.replay", isAwaited: isAwaited) {
            let value = Handover(value: work())
            return { session in
                session.isReading = false
                take(session, value.value)
                let waiting = session.waiting
                session.waiting = []
                for action in waiting { action(session) }
            }
        }
    }

    // MARK: A recording

    /// Lets another thread use the playback of a recording, and shows the actions that result.
    func lend(_ playback: Playback, isAwaited: Bool = false, _ use: @escaping @Sendable (Playback) -> [Action]) {
        lent = (playback.wall, playback.time)
        let handed = Handover(value: playback)
        read(isAwaited: isAwaited) {
            use(handed.value)
        } take: { session, actions in
            session.lent = nil
            for action in actions { session.dispatch(action) }
            session.reportDamage()
        }
    }

    /// Does something with the playback as soon as no other thread uses it.
    func whenReturned(_ action: @escaping (Session) -> Void) {
        if lent == nil { action(self) } else { waiting.append(action) }
    }

    /// Reports damage that was found since the last report.
    func reportDamage() { if let damage = playback?.newDamage() { dispatch(.report(damage)) } }

    // MARK: The past of live programs

    /// Begins to read the past of the live programs for a command.
    private func lookBack(_ command: ReplayCommand) {
        guard let histories else { return }
        guard !isReading else { return waiting.append { $0.replay(command) } }
        let (recorded, marks) = (histories.histories, histories.marks)
        read {
            Result { () throws(LiveHistory.Missing) in
                let playback = try LiveHistories.playback(of: recorded, marks)
                // The playback starts at the end of the past, which is what the dashboard shows.
                let start = playback.start()
                return Past(playback: playback, start: start, actions: playback.perform(command))
            }
        } take: { session, past in
            session.show(past, after: command)
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

    /// Returns what was recorded since the histories were last read, or begins to read it. What was read serves the
    /// commands that wait, and the next tick of the playback.
    private func laterHistory() -> LaterHistory {
        if let readHistory { return readHistory }
        guard !isReading, let histories else { return .waiting }
        let recorded = histories.histories
        read {
            (try? LiveHistories.files(of: recorded)).map(LaterHistory.files) ?? .missing
        } take: { session, history in
            session.readHistory = session.playback == nil ? nil : history
        }
        return .waiting
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

extension ReplayCommand {
    /// Whether the command sets or removes a mark.
    fileprivate var changesMarks: Bool {
        switch self {
        case .mark, .unmark: true
        default: false
        }
    }
}
