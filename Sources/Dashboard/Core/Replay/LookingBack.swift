import ChainRows

/// The live programs while their past is shown. They are kept up to date, so that they can be shown again at once.
struct LookingBack {
    var programs: [Program]
    var calledChains: CalledChains
    /// The present time of the live programs, in nanoseconds since 1970.
    var wall: UInt64
    /// The user's filter and order when the past was first shown; if the user has changed them before the return, the
    /// live programs get the new filter and order.
    var filter: Filter, order: TreeOrder
}

// The past of live programs. All programs are shown at the same moment, because chains lead from one to another.
extension State {
    /// Puts the live programs aside, and replaces them with programs that show no moment yet.
    mutating func lookBack() {
        for programIndex in programs.indices { programs[programIndex].keepChoices() }
        lookingBack = LookingBack(
            programs: programs, calledChains: calledChains, wall: wall, filter: filter, order: order)
        for id in views.ids { views[id].willLookBack() }
        programs = programs.map { live in
            var past = Program(source: live.source, name: live.name)
            (past.info, past.kept, past.isFolded) = (live.info, live.kept, live.isFolded)
            past.initialFolds = live.initialFolds
            past.connection = .ended("no past is kept of it")
            return past
        }
        calledChains = CalledChains()
        timeStrip = TimeStrip()
        // The hold ends at a time of day of the live programs, which may be far ahead of the past.
        tagHold = 0
    }

    /// Shows the live programs again, with the choices that the user has made while their past was shown.
    mutating func returnToNow() {
        guard let aside = lookingBack else { return }
        for programIndex in programs.indices { programs[programIndex].keepChoices() }
        let past = programs
        (programs, calledChains, wall, lookingBack) = (aside.programs, aside.calledChains, aside.wall, nil)
        restartCancelDeadlines()
        for programIndex in programs.indices {
            let shown = past.first { $0.source == programs[programIndex].source }
            applyChoices(made: shown, since: aside, to: programIndex)
            programs[programIndex].frameReader.restart()
        }
        isDraggingStrip = false
        for id in views.ids { views[id].didReturnToNow() }
        divideTags()
        absentTags = []
        // Links that were made while the past was shown follow the grouping at that time.
        relinkPrograms()
        _ = applyForestChanges()
        updateRowsAnew()
        notify("now")
    }

    /// Applies the user's choices that have changed since the programs were put aside. `shown` is the program with its
    /// past, in which the choices about single nodes were made.
    private mutating func applyChoices(made shown: Program?, since aside: LookingBack, to programIndex: Int) {
        if let shown { programs[programIndex].isFolded = shown.isFolded }
        let isSameRun = shown?.info?.key == programs[programIndex].info?.key
        // A run that began while the past was shown has the filter and the order of that time.
        if !isSameRun || filter != aside.filter { programs[programIndex].setFilter(filter) }
        if !isSameRun || order != aside.order { programs[programIndex].setOrder(order) }
        // Another run has other nodes with the same ids.
        guard isSameRun, let shown else { return }
        programs[programIndex].kept = shown.kept
        // The key `*` has emptied the initial folds. Call sites that were added to them while the past was shown are
        // for later runs.
        if shown.initialFolds.isEmpty { programs[programIndex].initialFolds = InitialFolds() }
        if programs[programIndex].wasReached { programs[programIndex].restoreChoices() }
    }

    /// Calls `body` on a state of the live programs while their past is shown; what is shown stays as it is.
    ///
    /// - Parameter isQuiet: whether the rows on the screen need no update afterwards.
    mutating func withLivePrograms(isQuiet: Bool = false, _ body: (inout State) -> [Effect]) -> [Effect] {
        guard var aside = lookingBack else { return body(&self) }
        let shown = (selection, tags, absentTags, following, tree, wall)
        (lookingBack, isUpdatingUnseen) = (nil, true)
        swap(&programs, &aside.programs)
        swap(&calledChains, &aside.calledChains)
        wall = aside.wall
        let effects = body(&self)
        isUpdatingUnseen = false
        swap(&programs, &aside.programs)
        swap(&calledChains, &aside.calledChains)
        aside.wall = wall
        lookingBack = aside
        (selection, tags, absentTags, following, tree, wall) = shown
        if !isQuiet { updateViewport() }
        return effects
    }

    /// The numbers of open warnings of the live programs, even while their past is shown, in the order of the sources.
    public var liveWarningCounts: [Int] { (lookingBack?.programs ?? programs).map(\.insight.warnings.count) }

    /// Advances the clocks of the live programs while their past is shown, does their background work, and rings their
    /// alerts.
    mutating func tickLive(wall newWall: UInt64, monotonic: UInt64) -> [Effect] {
        guard lookingBack != nil else { return [] }
        let effects = withLivePrograms(isQuiet: true) { state in
            state.wall = newWall
            for programIndex in state.programs.indices {
                _ = state.programs[programIndex].rate.tick(newWall)
                _ = state.programs[programIndex].tick(wall: newWall, monotonic: monotonic)
            }
            // Work that is not done here piles up until the return.
            state.linkPrograms()
            _ = state.workOnce()
            return state.ringAlerts()
        }
        for programIndex in programs.indices { showDistance(of: programIndex) }
        return effects
    }

    // MARK: How far behind

    /// Returns the time from a moment of the past to the live program's present, in nanoseconds; 0 in a recording.
    func distance(behind source: SourceID, _ position: ReplayPosition) -> UInt64 {
        guard position.isPast, let live = lookingBack?.programs.first(where: { $0.source == source }) else { return 0 }
        return live.shownNow.subtractingClamped(position.time)
    }

    /// Updates the distance that the header shows: by tenths of a second while playing, else by seconds, because each
    /// change draws a frame.
    private mutating func showDistance(of programIndex: Int) {
        guard var position = programs[programIndex].connection.replay else { return }
        let behind = distance(behind: programs[programIndex].source, position)
        let difference = max(behind, position.behind) - min(behind, position.behind)
        guard difference >= (position.isPlaying ? 100_000_000 : 1_000_000_000) else { return }
        position.behind = behind
        programs[programIndex].connection = .replay(position)
        revision += 1
    }

    /// The present moment of the first program that was reached; nil if there is none, or if no past is kept.
    var presentPosition: ReplayPosition? {
        guard options.keepsHistory, let program = programs.first(where: \.wasReached) else { return nil }
        return ReplayPosition(time: program.shownNow, range: 0...program.shownNow, isPast: true)
    }

    /// The contexts of keys for time that apply in this state, the context that takes precedence first.
    var timeKeys: [KeyMap.Context] {
        guard let position = replayPosition else { return options.keepsHistory ? [.live] : [] }
        return position.isPast ? [.past, .replay] : [.replay]
    }
}

extension Action {
    /// Whether the action comes from the source of a live program.
    var isOfSource: Bool {
        switch self {
        case .connecting, .connected, .reconnecting, .received, .replied, .ended: true
        default: false
        }
    }

    /// Whether the action only changes a forest.
    var isBatch: Bool { if case .received = self { true } else { false } }
}

// MARK: Recording

extension State {
    mutating func show(_ new: [RecordingStatus]) {
        guard new != recordings else { return }
        recordings = new
        revision += 1
    }

    /// Performs `R` and `:record`: starts or stops a recording of the selected program, or of the first program if none
    /// is selected.
    mutating func record(into path: String?) -> [Effect] {
        if isReplaying, lookingBack == nil {
            return refuse("this is a recording already", .warning)
        }
        guard let programIndex = selectedProgramIndex ?? programs.indices.first else {
            return refuse("there is no program to record yet")
        }
        let source = programs[programIndex].source
        // While the past is shown, the programs on the screen are no live ones.
        let live = lookingBack?.programs.first { $0.source == source } ?? programs[programIndex]
        if case .ended = live.connection, !recordings.contains(where: { $0.source == source }) {
            return refuse("\(live.shownName) has ended: there is nothing more to record", .warning)
        }
        return [.record(source, path: path)]
    }
}
