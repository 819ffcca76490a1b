import ChainEvents
import ChainRows

/// The live programs while their past is shown: they go on unseen, with the choices that the user had made for them.
struct LookingBack {
    var programs: [Program]
    var calledChains: CalledChains
    /// Their time, in nanoseconds since 1970.
    var wall: UInt64
    /// The choices as of when the past was first shown, to find what has changed since.
    var filter: Filter, order: TreeOrder, alerts: [Alert], foldedSites: [String]
}

// The past of live programs: all of them at one moment, because chains that lead from one to another make sense only so.
// They stand aside whole, and so need nothing to be shown as they are now.
extension State {
    /// Puts the live programs aside.
    mutating func lookBack() {
        for programIndex in programs.indices { programs[programIndex].keepChoices() }
        lookingBack = LookingBack(
            programs: programs, calledChains: calledChains, wall: wall, filter: filter, order: order, alerts: alerts,
            foldedSites: foldedSites)
        programs = programs.map { live in
            var past = Program(source: live.source, name: live.name)
            (past.info, past.kept, past.isFolded) = (live.info, live.kept, live.isFolded)
            past.connection = .ended("no past is kept of it")
            return past
        }
        calledChains = CalledChains()
        timeStrip = TimeStrip()
    }

    /// Shows the live programs again, with what the user has set meanwhile.
    mutating func returnToNow() {
        guard let aside = lookingBack else { return }
        for programIndex in programs.indices { programs[programIndex].keepChoices() }
        let past = programs
        (programs, calledChains, wall, lookingBack) = (aside.programs, aside.calledChains, aside.wall, nil)
        for programIndex in programs.indices {
            if let kept = past.first(where: { $0.source == programs[programIndex].source }) {
                (programs[programIndex].kept, programs[programIndex].isFolded) = (kept.kept, kept.isFolded)
            }
            applyChanges(since: aside, to: programIndex)
            if programs[programIndex].isReached { programs[programIndex].restoreChoices() }
        }
        isDraggingStrip = false
        divideTags()
        absentTags = []
        _ = follow()
        updateViewport()
        notify("now")
    }

    private mutating func applyChanges(since aside: LookingBack, to programIndex: Int) {
        if filter != aside.filter { programs[programIndex].setFilter(filter) }
        if order != aside.order { programs[programIndex].setOrder(order) }
        if foldedSites != aside.foldedSites { programs[programIndex].setInitialFolds(initialFolds) }
        guard alerts.map(\.id) != aside.alerts.map(\.id) else { return }
        programs[programIndex].alertWatches.removeAll()
        for alert in alerts { programs[programIndex].setAlert(alert) }
    }

    /// Does something to the live programs while they stand aside; what is shown stays as it is.
    ///
    /// - Parameter isQuiet: whether nothing on the screen can change.
    mutating func withLivePrograms(isQuiet: Bool = false, _ body: (inout State) -> [Effect]) -> [Effect] {
        guard var aside = lookingBack else { return body(&self) }
        let shown = (selection, tags, absentTags, following, tree, wall)
        lookingBack = nil
        swap(&programs, &aside.programs)
        swap(&calledChains, &aside.calledChains)
        wall = aside.wall
        let effects = body(&self)
        swap(&programs, &aside.programs)
        swap(&calledChains, &aside.calledChains)
        aside.wall = wall
        lookingBack = aside
        (selection, tags, absentTags, following, tree, wall) = shown
        if !isQuiet { updateViewport() }
        return effects
    }

    /// How many warnings of the live programs are open, also while their past is shown; in the order of the sources.
    public var liveWarningCounts: [Int] { (lookingBack?.programs ?? programs).map(\.insight.warnings.count) }

    /// Lets time pass for the live programs.
    mutating func tickLive(wall newWall: UInt64, process: UInt64) -> [Effect] {
        guard lookingBack != nil else { return [] }
        let effects = withLivePrograms(isQuiet: true) { state in
            state.wall = newWall
            for programIndex in state.programs.indices {
                _ = state.programs[programIndex].rate.tick(newWall)
                _ = state.programs[programIndex].tick(wall: newWall, process: process)
                _ = state.programs[programIndex].tickInsight(state.options.warnings, wall: newWall)
            }
            return state.ringAlerts()
        }
        for programIndex in programs.indices { showDistance(of: programIndex) }
        return effects
    }

    // MARK: How far behind

    /// How far a moment is behind the live program of a source.
    func distance(behind source: SourceID, _ position: ReplayPosition) -> UInt64 {
        guard position.isPast, let live = lookingBack?.programs.first(where: { $0.source == source }) else { return 0 }
        return live.shownNow.subtractingClamped(position.time)
    }

    /// Updates what the header shows: each second while the moment stands still, because tenths would draw it each time.
    private mutating func showDistance(of programIndex: Int) {
        guard var position = programs[programIndex].connection.replay else { return }
        let behind = distance(behind: programs[programIndex].source, position)
        let difference = max(behind, position.behind) - min(behind, position.behind)
        guard difference >= (position.isPlaying ? 100_000_000 : 1_000_000_000) else { return }
        position.behind = behind
        programs[programIndex].connection = .replay(position)
        revision += 1
    }

    /// The present moment of live programs that have a past.
    var presentPosition: ReplayPosition? {
        guard options.keepsHistory, let program = programs.first(where: \.isReached) else { return nil }
        return ReplayPosition(time: program.shownNow, range: 0...program.shownNow, isPast: true)
    }

    /// The keys for time that act now, the first ones first.
    var timeKeys: [KeyMap.Context] {
        guard let position = replayPosition else { return options.keepsHistory ? [.live] : [] }
        return position.isPast ? [.past, .replay] : [.replay]
    }
}

extension Action {
    /// Whether it comes from a live program.
    var isOfSource: Bool {
        switch self {
        case .connecting, .connected, .reconnecting, .received, .replied, .ended: true
        default: false
        }
    }

    /// Whether it changes a forest alone.
    var isBatch: Bool { if case .received = self { true } else { false } }
}

// MARK: Recording

extension State {
    mutating func show(_ new: [RecordingStatus]) {
        guard new != recordings else { return }
        recordings = new
        revision += 1
    }

    /// `R` and `:record`: the selected program, or the first one.
    mutating func record(into path: String?) -> [Effect] {
        if isReplaying, lookingBack == nil {
            return refuse("this is a recording already", .warning)
        }
        guard let programIndex = selectedProgramIndex ?? programs.indices.first else {
            return refuse("there is no program to record yet")
        }
        return [.record(programs[programIndex].source, path: path)]
    }
}
