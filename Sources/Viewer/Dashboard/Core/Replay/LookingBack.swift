// SPDX-License-Identifier: MIT

import ChainRows

/// The programs at present, while their past is shown.
struct LookingBack {
    var live: World
    /// The user's filter and order when the past was first shown; if the user has changed them before the return, the
    /// live programs get the new filter and order.
    let filter: Filter, order: TreeOrder
}

// The past of live programs. All programs are shown at the same moment, because chains lead from one to another.
extension State {
    /// Shows programs at no moment yet. The live programs are kept up to date meanwhile.
    mutating func lookBack() {
        for programIndex in world.programs.indices { world.programs[programIndex].keepChoices() }
        for id in ViewID.allCases { views[id].willLookBack() }
        var past = World()
        (past.wall, past.isGrouped, past.hidesUnmatched) = (world.wall, world.isGrouped, world.hidesUnmatched)
        past.programs = world.programs.map { live in
            var past = Program(source: live.source, name: live.name)
            (past.info, past.kept, past.isFolded) = (live.info, live.kept, live.isFolded)
            past.initialFolds = live.initialFolds
            past.connection = .ended("no past is kept of it")
            return past
        }
        lookingBack = LookingBack(live: world, filter: filter, order: tree.order)
        world = past
        timeStrip = TimeStrip()
        // The hold ends at a time of day of the live programs, which may be far ahead of the past.
        tagHold = 0
    }

    /// Shows the live programs again, with the choices that the user has made while their past was shown.
    mutating func returnToNow() {
        guard lookingBack != nil else { return }
        for programIndex in world.programs.indices { world.programs[programIndex].keepChoices() }
        // Swapped, because with a second copy of the live world the next change would copy its forests.
        swap(&world, &lookingBack!.live)
        let (past, filter, order) = (lookingBack!.live.programs, lookingBack!.filter, lookingBack!.order)
        lookingBack = nil
        (world.isGrouped, world.hidesUnmatched) = (tree.order.isGrouped, self.filter.hidesUnmatched)
        for programIndex in world.programs.indices {
            let shown = past.first { $0.source == world.programs[programIndex].source }
            applyChoices(madeIn: shown, since: (filter, order), to: programIndex)
            world.programs[programIndex].frameReader.restart()
        }
        isDraggingStrip = false
        for id in ViewID.allCases { views[id].didReturnToNow() }
        // Links that were made while the past was shown follow the grouping at that time.
        world.relinkPrograms()
        _ = applyForestChanges()
        forgetEvictedTags()
        updateRowsAnew()
        notify("now")
    }

    /// Applies the user's choices that have changed while the past was shown. The choices about single nodes were made
    /// in the program's past.
    private mutating func applyChoices(
        madeIn past: Program?, since before: (filter: Filter, order: TreeOrder), to programIndex: Int
    ) {
        if let past { world.programs[programIndex].isFolded = past.isFolded }
        let isSameRun = past?.info?.key == world.programs[programIndex].info?.key
        // A run that began while the past was shown has the filter and the order of that time.
        if !isSameRun || filter != before.filter { world.programs[programIndex].setFilter(filter) }
        if !isSameRun || tree.order != before.order { world.programs[programIndex].setOrder(tree.order) }
        // Another run has other nodes with the same ids.
        guard isSameRun, let past else { return }
        world.programs[programIndex].kept = past.kept
        // The key `*` has emptied the initial folds. Call sites that were added to them while the past was shown are
        // for later runs.
        if past.initialFolds.isEmpty { world.programs[programIndex].initialFolds = InitialFolds() }
        if world.programs[programIndex].wasReached { world.programs[programIndex].restoreChoices() }
    }

    /// The numbers of open warnings of the live programs, even while their past is shown, in the order of the sources.
    package var liveWarningCounts: [Int] { live.programs.map(\.insight.warnings.count) }

    /// Advances the clocks of the live programs while their past is shown, does their background work, and rings their
    /// alerts.
    mutating func tickLive(wall: UInt64, monotonic: UInt64) -> [Effect] {
        guard lookingBack != nil else { return [] }
        live.wall = wall
        for programIndex in live.programs.indices {
            _ = live.programs[programIndex].rate.tick(wall)
            _ = live.programs[programIndex].tick(wall: wall, monotonic: monotonic)
        }
        // Work that is not done here piles up until the return.
        live.linkPrograms()
        live.workOnce(options.warnings)
        countCancelled()
        for programIndex in world.programs.indices { showDistance(of: programIndex) }
        return ring()
    }

    // MARK: How far behind

    /// Returns the time from a moment of the past to the live program's present, in nanoseconds; 0 in a recording.
    func distance(behind source: SourceID, _ position: ReplayPosition) -> UInt64 {
        guard position.isPast, let live = live.programs.first(where: { $0.source == source }) else { return 0 }
        return live.shownNow.subtractingClamped(position.time)
    }

    /// Updates the distance that the header shows: by tenths of a second while playing, else by seconds, because each
    /// change draws a frame.
    private mutating func showDistance(of programIndex: Int) {
        guard var position = world.programs[programIndex].connection.replay else { return }
        let behind = distance(behind: world.programs[programIndex].source, position)
        let difference = max(behind, position.behind) - min(behind, position.behind)
        guard difference >= (position.isPlaying ? 100_000_000 : 1_000_000_000) else { return }
        position.behind = behind
        world.programs[programIndex].connection = .replay(position)
        revision += 1
    }

    /// The present moment of the first program that was reached; nil if there is none, or if no past is kept.
    var presentPosition: ReplayPosition? {
        guard options.keepsHistory, let program = world.programs.first(where: \.wasReached) else { return nil }
        return ReplayPosition(time: program.shownNow, range: 0...program.shownNow, isPast: true)
    }

    /// The contexts of keys for time that apply in this state, the context that takes precedence first.
    var timeKeys: [KeyMap.Context] {
        guard let position = replayPosition else { return options.keepsHistory ? [.live] : [] }
        return position.isPast ? [.past, .replay] : [.replay]
    }
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
        guard let programIndex = selectedProgramIndex ?? world.programs.indices.first else {
            return refuse("there is no program to record yet")
        }
        let source = world.programs[programIndex].source
        // While the past is shown, the programs on the screen are no live ones.
        let live = live.programs.first { $0.source == source } ?? world.programs[programIndex]
        if case .ended = live.connection, !recordings.contains(where: { $0.source == source }) {
            return refuse("\(live.shownName) has ended: there is nothing more to record", .warning)
        }
        return [.record(source, path: path)]
    }
}
