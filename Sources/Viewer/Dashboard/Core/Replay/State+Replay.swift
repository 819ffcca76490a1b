// SPDX-License-Identifier: MIT

import ChainEvents
import ChainRows
import ChainText
import Frames

/// The programs at present, while their past is shown.
struct LookingBack {
    var live: World
    /// The user's filter and order when the past was first shown; if the user has changed them before the return, the
    /// live programs get the new filter and order.
    let filter: Filter, order: TreeOrder
}

// A dashboard that shows a recording, or the past of live programs. Its time is that of the recording: each tick
// carries the time of day of the shown moment.
extension State {
    /// The position of the recording or past that is shown; nil for live programs.
    var replayPosition: ReplayPosition? { replayedProgram?.connection.replay }

    /// The first program that is shown at a moment of a recording; the moments of all programs are those of its clock.
    var replayedProgram: Program? {
        world.programs.firstIndex { $0.connection.replay != nil }.map { world.programs[$0] }
    }

    /// Applies a step to another moment of a recording.
    mutating func replay(_ source: SourceID, _ step: ReplayStep) {
        if step.position.isPast, lookingBack == nil { lookBack() }
        let programIndex = world.addedProgramIndex(for: source, name: step.process.name)
        let isFresh = step.isFresh || world.programs[programIndex].info?.key != step.process.key
        if isFresh {
            // If the run is the same, it keeps its initial folds: call sites that the user has added to them since the
            // run began are for later runs.
            let isSameRun = world.programs[programIndex].info?.key == step.process.key
            let initialFolds = isSameRun ? world.programs[programIndex].initialFolds : self.initialFolds
            world.programs[programIndex].keepChoices()
            world.programs[programIndex].begin(step.process, options)
            world.programs[programIndex].apply(settings)
            world.programs[programIndex].initialFolds = initialFolds
        }
        var position = step.position
        position.behind = distance(behind: source, position)
        world.programs[programIndex].show(position)
        for batch in step.batches { world.programs[programIndex].receive(batch, frozenLimit: .max) }
        // The events of a jump did not happen within the present second, so they do not count in the rate.
        if isFresh {
            world.programs[programIndex].rate = RateMeter()
            world.programs[programIndex].stateArrival.finish()
        }
        applyForestChanges()
        if isFresh {
            world.programs[programIndex].restoreChoices()
        } else {
            world.programs[programIndex].restoreArrivals()
        }
        if isFresh { updateRowsAnew() } else { updateViewport() }
    }

    /// Makes the rows of all views anew. With a new forest the numbers of events, threads and warnings and the counts
    /// of call sites start again. So they may equal the numbers from which the old rows were made.
    mutating func updateRowsAnew() {
        forgetRows()
        // The call sites are counted before the rows are made, because the rows show the counts.
        updateInsightDemand()
        updateViewport()
    }

    /// What is applied to a program with a new forest.
    var settings: ProgramSettings {
        ProgramSettings(filter: filter, alerts: alerts.all, initialFolds: initialFolds, order: tree.order)
    }

    /// Passes a command on to the recording that is shown, or to the past of live programs; refuses the command if
    /// there is neither. Gives up a sought baseline.
    mutating func replay(_ command: ReplayCommand) -> [Effect] {
        soughtBaseline = nil
        if let source = replayedProgram?.source { return [.replay(source, command)] }
        guard options.keepsHistory else {
            return refuse("only a recording has other moments: chainview record makes one, chainview replay shows it")
        }
        guard let programIndex = world.programs.indices.first(where: { world.programs[$0].wasReached }) else {
            return refuse("there is no past yet")
        }
        let source = world.programs[programIndex].source
        switch command {
        // A frozen picture is marked at the moment that it shows.
        case .mark(let name, nil) where isFrozen:
            return [.replay(source, .mark(name, at: world.programs[programIndex].shownNow))]
        case .mark, .unmark: return [.replay(source, command)]
        // The past is looked at from the present, so a frozen picture resumes first.
        default: return (isFrozen ? toggleFreeze() : []) + [.replay(source, command)]
        }
    }

    /// Returns the command of a key for recordings; nil for other intents.
    static func replayCommand(of intent: Intent) -> ReplayCommand? {
        switch intent {
        case .play: .togglePlaying
        case .playFaster: .faster
        case .playSlower: .slower
        case .nextEvent: .nextEvent
        case .previousEvent: .previousEvent
        case .nextNotable: .nextNotable
        case .previousNotable: .previousNotable
        case .mark: .mark(nil)
        case .now: .seek(.max)
        case .secondOn: .move(1_000_000_000)
        case .secondBack: .move(-1_000_000_000)
        default: nil
        }
    }

    /// Performs `:at`. The argument may have blanks, as a mark's name may. A text that is a moment never means a mark
    /// of that name; such a mark is reached from the list of marks.
    mutating func seek(_ words: CommandWords) throws(Typing.Problem) -> [Effect] {
        let text = words.rest
        guard !text.isEmpty else { throw words.missing("say when: " + ReplayTime.forms) }
        let range = words.argumentStart..<words.argumentStart + text.count
        guard let position = replayPosition ?? presentPosition else {
            throw Typing.Problem(text: "only a recording has other moments", range: range)
        }
        let isMoment = ReplayTime.isMoment(text)
        if !isMoment, let mark = timeStrip.marks.first(where: { $0.name == text }) { return replay(.seek(mark.time)) }
        if !isReplaying, ReplayTime.isSinceStart(text) {
            throw Typing.Problem(
                text: "a live program has no beginning here: say -\(text) or a time of day", range: range)
        }
        // The past has grown since its end was last read, and its end is the present.
        if position.isPast, text.lowercased() == "end" { return replay(.seek(.max)) }
        guard isMoment, let process = (replayedProgram ?? world.programs.first { $0.wasReached })?.info,
            let moment = ReplayMoment.time(text, at: position, of: process, clockOffset: options.clockOffset)
        else {
            throw Typing.Problem(text: "no moment and no mark of that name: " + ReplayTime.forms, range: range)
        }
        return replay(.seek(moment))
    }

    // MARK: Looking back. All programs are shown at the same moment, because chains lead from one to another.

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
        pointer.drag = nil
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

    // MARK: The time strip

    /// Updates the columns of the time strip to the recording's range and the strip's width.
    mutating func updateTimeStrip(_ layout: Layout) {
        guard let strip = layout.strip, let position = replayPosition else { return }
        timeStrip.update(range: position.range, width: TimeStripLayout(columns: strip.columns).width)
    }

    /// Moves to the moment of the column that is clicked in the strip, or to which the pointer is dragged. Returns nil
    /// for other actions of the mouse.
    mutating func dragTime(_ mouse: Mouse, _ layout: Layout) -> [Effect]? {
        guard let strip = layout.strip, let position = replayPosition else { return nil }
        switch mouse.action {
        case .press where mouse.button == .left && strip.contains(row: mouse.row, column: mouse.column):
            pointer.drag = .strip
        case .drag where pointer.drag == .strip: break
        default: return nil
        }
        let columns = TimeStripLayout(columns: strip.columns)
        let column = min(max(0, mouse.column - columns.start), columns.width - 1)
        // A drag back to the shown column is performed, too, because it undoes an earlier drag that is not shown yet.
        let shown = TimeStrip.column(of: position.time, in: position.range, columns.width)
        guard mouse.action == .drag || column != shown else { return [] }
        return replay(.scrub(TimeStrip.moment(of: column, in: position.range, columns.width)))
    }

    // MARK: Marks

    /// Opens the list of marks, and selects the last mark at or before the shown moment, or else the first mark.
    mutating func listMarks() {
        let marks = timeStrip.marks
        guard !marks.isEmpty else { return notify("no marks; M marks the moment, :mark NAME names it") }
        let moment = (replayPosition ?? presentPosition)?.time ?? 0
        mode = .marks(selected: max(0, (marks.firstIndex { $0.time > moment } ?? marks.count) - 1))
        revision += 1
    }

    /// Keeps the selected index within the marks after they have changed; closes the list if none is left.
    mutating func followMarks() {
        guard case .marks(let selected) = mode else { return }
        mode = timeStrip.marks.isEmpty ? .normal : .marks(selected: min(selected, timeStrip.marks.count - 1))
    }

    /// Handles a key while the list of marks is shown.
    mutating func handleInMarks(_ intent: Intent, _ selected: Int) -> [Effect] {
        switch intent {
        case .accept: return goToMark(selected)
        case .remove: return replay(.unmark(timeStrip.marks[selected].name))
        case .quit: return [.quit]
        case .back: mode = .normal
        default: mode = .marks(selected: MarksBox(self, selected: selected).selection(after: intent))
        }
        revision += 1
        return []
    }

    mutating func goToMark(_ index: Int) -> [Effect] {
        mode = .normal
        revision += 1
        return replay(.seek(timeStrip.marks[index].time))
    }

    /// Performs `:mark`, `:unmark` or `:marks`.
    mutating func perform(
        marking name: CommandTable.Name, _ words: CommandWords
    ) throws(Typing.Problem) -> [Effect] {
        guard replayPosition ?? presentPosition != nil else {
            throw Typing.Problem(text: "only moments of a recording have marks", range: words.words[0].range)
        }
        switch name {
        case .mark:
            guard words.rest.isEmpty || !ReplayTime.isMoment(words.rest) else {
                throw Typing.Problem(
                    text: "\(words.rest) is a moment itself: choose another name", range: words.words[1].range)
            }
            return replay(.mark(words.rest.isEmpty ? nil : words.rest))
        case .unmark:
            guard !words.rest.isEmpty else { throw words.missing("say which mark; :marks lists them") }
            return replay(.unmark(words.rest))
        default:
            try words.noMore(than: 0)
            listMarks()
            return []
        }
    }

    // MARK: Baselines

    /// Performs `:baseline`: makes the shown moment the baseline, or another one, which is shown until its figures are
    /// counted.
    mutating func perform(baseline words: CommandWords) throws(Typing.Problem) -> [Effect] {
        guard isViewCompared, !words.rest.isEmpty else { return handle(.baseline) }
        guard words.rest != "off" else {
            changeBaseline { $0.endBaseline(&$1) }
            return []
        }
        let position = replayPosition
        let effects = try seek(words)
        guard case .replay(_, .seek(let moment))? = effects.last else { return effects }
        let pause = position?.isPlaying == true ? replay(.togglePlaying) : []
        soughtBaseline = (moment, position?.time ?? .max, !pause.isEmpty)
        return pause + effects
    }

    /// Whether the shown view has a baseline.
    private var isViewCompared: Bool { view.type is any ComparedView.Type }

    private mutating func changeBaseline(_ change: (inout any ComparedView, inout ViewContext) -> Void) {
        callView { view, context in
            guard var compared = view as? any ComparedView else { return }
            change(&compared, &context)
            view = compared
        }
        updateViewport()
    }

    /// Makes the shown moment the baseline if `:baseline` sought it and its figures are counted; returns to the moment
    /// before, and plays on if it played.
    mutating func takeSoughtBaseline() -> [Effect] {
        guard let sought = soughtBaseline, let position = replayPosition,
            position.time == min(max(sought.moment, position.range.lowerBound), position.range.upperBound),
            isViewCompared, !world.programs.contains(where: { $0.wasReached && $0.insight.hasFigureWork })
        else { return [] }
        changeBaseline { $0.makeBaseline(&$1) }
        return replay(.seek(sought.back)) + (sought.wasPlaying ? replay(.togglePlaying) : [])
    }

    // MARK: Recording

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

/// What the user has set for all programs.
struct ProgramSettings {
    let filter: Filter
    let alerts: [Alert]
    let initialFolds: InitialFolds
    let order: TreeOrder
}

extension Program {
    /// Applies what the user has set to a new forest.
    mutating func apply(_ settings: ProgramSettings) {
        setFilter(settings.filter)
        alertWatches.removeAll()
        // Alerts do not ring for the past of live programs.
        if connection.replay?.isPast != true { for alert in settings.alerts { setAlert(alert) } }
        setInitialFolds(settings.initialFolds)
        setOrder(settings.order)
    }
}
