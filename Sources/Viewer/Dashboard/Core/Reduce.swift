// SPDX-License-Identifier: MIT

import ChainModel
import ChainText

/// Changes the state by one action and returns the effects to perform. Pure: the same state and action give the same
/// new state and effects.
///
/// A batch costs O(its events and nodes), a key on a node O(its chain). Neither of these actions walks all nodes.
package func reduce(into state: inout State, _ action: Action) -> [Effect] {
    let effects = apply(action, to: &state)
    // Columns are measured only here, because one action may update the rows several times.
    if !state.tree.isMeasured {
        let context = ViewContext(state)
        state.tree.measureColumns(context)
    }
    return effects
}

private func apply(_ action: Action, to state: inout State) -> [Effect] {
    switch action {
    case .connecting(let source, let name, let attempt, let failure):
        state.noteConnecting(for: source, name: name, attempt: attempt, failure: failure)
    case .connected(let source, let process): state.connect(source, process)
    case .reconnecting(let source, let since, let reason, let attempt, let next, let hasStopped):
        state.lose(
            source,
            Connection.Disconnection(
                since: since, reason: reason, attempt: attempt, nextAttempt: next, hasStopped: hasStopped))
    case .received(let source, let batch): state.receive(source, batch)
    case .replayed(let source, let step): state.replay(source, step)
    case .series(let series):
        state.timeStrip.show(series)
        state.updateViewport()
    case .marks(let marks):
        state.timeStrip.show(marks)
        state.followMarks()
        state.updateViewport()
    case .tickLive(let wall, let monotonic): return state.tickLive(wall: wall, monotonic: monotonic)
    case .returnedToNow: state.returnToNow()
    case .recording(let recordings): state.show(recordings)
    case .replied(let source, let reply): return state.handle(reply, from: source)
    case .ended(let source, let reason): state.end(source, reason)
    case .tick(let wall, let monotonic):
        state.tick(wall: wall, monotonic: monotonic)
        return (state.lookingBack == nil ? state.ring() : []) + state.call { $0.detail.answers.ask(&$1) }.effects
            + state.askForFrames()
            + state.takeSoughtBaseline()
    case .work: state.world.work(state.options.warnings)
    case .resized(let size):
        state.size = size
        state.updateViewport()
    case .key(let key): return state.press(key)
    case .typed(let text): state.type(characters: text)
    case .mouse(let mouse): return state.handle(mouse)
    case .pasted(let text): state.paste(text)
    case .perform(let intent): return state.handle(intent)
    case .restore(let old):
        state.restore(old)
        state.defaults = state.viewSettings
    case .resume(let old): state.resume(old)
    case .report(let text): state.notify(text, .warning)
    case .message(let text): state.notify(text)
    }
    return []
}

extension State {
    mutating func receive(_ source: SourceID, _ batch: EventBatch) {
        guard let programIndex = live.programIndex(of: source) else { return }
        live.programs[programIndex].receive(batch, frozenLimit: options.frozenLimit / live.programs.count)
        if isFrozen { revision += 1 }
    }

    /// Applies the forests' changes to the rows; returns whether there were any.
    @discardableResult
    mutating func applyForestChanges() -> Bool {
        var isMoved = false
        for programIndex in world.programs.indices where world.programs[programIndex].applyForestChanges() {
            isMoved = true
        }
        world.linkPrograms()
        if isMoved { forgetEvictedTags() }
        return isMoved
    }

    /// Removes the tags of evicted nodes, but not in a recording, which can go back to a time at which the nodes exist.
    mutating func forgetEvictedTags() {
        guard !tags.isEmpty, !isReplaying else { return }
        tags = presentTags
    }

    mutating func tick(wall newWall: UInt64, monotonic: UInt64) {
        // The header's clock, ages and sparklines change once a second.
        let isNewSecond = newWall / 1_000_000_000 != wall / 1_000_000_000
        var isChanged = isNewSecond
        // A message from before the first tick expires relative to that tick, because the time was not known before.
        if wall == 0, let status, !status.isSticky { self.status?.until = newWall &+ Self.duration(of: status.tone) }
        world.wall = newWall
        clampDeadlines()
        if let until = status?.until, wall >= until {
            status = nil
            isChanged = true
        }
        // Whether rows may have changed in any way, not only whether rows moved.
        var isMoved = false
        updateInsightDemand()
        for programIndex in world.programs.indices {
            if world.programs[programIndex].rate.tick(wall) { isChanged = true }
            if world.programs[programIndex].tick(wall: wall, monotonic: monotonic) { isMoved = true }
        }
        world.linkPrograms()
        for programIndex in world.programs.indices {
            if !world.programs[programIndex].isFrozen, tidy(programIndex) { isMoved = true }
        }
        if isNewSecond, world.foldIdlePrograms() { isMoved = true }
        countCancelled()
        noteFigureWidths()
        if world.workInTick(options.warnings) { isMoved = true }
        if callView({ $0.tick($1) }).result { isMoved = true }
        if isMoved {
            forgetEvictedTags()
            updateViewport()
        } else {
            let key = redrawKey()
            if key != drawnKey {
                drawnKey = key
                isChanged = true
            }
            if isChanged { revision += 1 }
        }
    }

    /// Whether the filter or the view needs the frames of all live tasks.
    var readsAllFrames: Bool { filter.query?.readsFrames == true || views[view].readsAllFrames }

    /// Requests the frames that are missing of live programs.
    mutating func askForFrames() -> [Effect] {
        guard lookingBack == nil else { return [] }
        let window = view == .chains ? tree.window : []
        return world.askForFrames(readsAll: readsAllFrames, window: window, &lastCommandID)
    }

    /// How many tasks' frames were read or searched, in words; nil if none are needed, or if all of them were read.
    var frameWords: String? {
        guard readsAllFrames || filter.query?.searchesFrames == true else { return nil }
        return world.frameWords(readsAll: readsAllFrames)
    }

    /// Notes the widths of the header's figures, in the order of their sparklines.
    mutating func noteFigureWidths() {
        let (load, failedLastMinute) = headerLoad
        let texts = [
            CountText.grouped(load.inFlight), load.text(ofFailures: failedLastMinute ?? 0, options.glyphs) ?? "",
            CountText.grouped(load.running), CountText.grouped(load.queued), load.oldestText(options.glyphs) ?? "",
        ]
        for (index, text) in texts.enumerated() { figureWidths[index].note(text, at: wall) }
    }

    /// Rings the alerts of the live programs.
    mutating func ring() -> [Effect] {
        // `live` is of the state, too, so the alerts are taken out of it.
        var alerts = alerts
        let (messages, effects) = alerts.ring(in: &live)
        self.alerts = alerts
        for message in messages { notify(message, .warning) }
        return effects
    }

    /// Reports the cancellations that are complete or overdue.
    mutating func countCancelled() {
        guard !cancellations.isEmpty, !isFrozen else { return }
        for progress in cancellations.count(in: live) { notify(progress.words, progress.isPartial ? .warning : .plain) }
    }

    /// Moves the end of the message, and the end of the hold after a tag, to at most their full durations from now.
    /// These ends may be too far ahead, because the clock was set back or an earlier moment of a recording is shown.
    private mutating func clampDeadlines() {
        if let status, !status.isSticky {
            let until = min(status.until, wall &+ Self.duration(of: status.tone))
            self.status?.until = until
        }
        tagHold = min(tagHold, wall &+ Self.tagHoldDuration)
    }

    /// Archives settled chains. Folds settled chains, nodes that went well with all nodes inside them, and nodes with
    /// many children. Leaves out the chain of the selection, and nodes with the selection inside, unless the
    /// selection follows the first row or the newest chain. Returns whether rows may have changed. The row at the top
    /// of the screen stays there; if its chain is archived, the row that follows the chain takes its place.
    private mutating func tidy(_ programIndex: Int) -> Bool {
        guard wall >= tagHold, world.programs[programIndex].wasReached else { return false }
        let selected =
            tree.following == .nothing || tree.following == .selected
            ? selection.flatMap { world.node(in: programIndex, around: $0) } : nil
        let top = tree.anchor.flatMap { $0.rowID == selection ? nil : world.node(in: programIndex, around: $0.rowID) }
        let done = world.programs[programIndex].tidy(selected: selected, watched: top)
        if let row = done.vacatedRow {
            let last = max(0, world.programs[programIndex].outline.rowCount - 1)
            tree.anchor = world.programs[programIndex].rowID(at: min(row, last)).map {
                ChainsView.Anchor(rowID: $0, line: 0)
            }
        }
        return done.isMoved
    }

    /// Returns a number that changes when the passing of time alone changes the picture.
    func redrawKey() -> UInt64 {
        // Of programs that are read from outside, the header shows the oldest age as it is, in seconds.
        var ages: UInt64 = 0
        for program in world.programs where program.forest.isReadFromOutside {
            ages = ages &* 31 &+ (program.shownLoad(wall: wall).oldest ?? 0) / 1_000_000_000
        }
        return redrawKeyOfRows() &+ ages &* 0x9E37_79B9
    }

    private func redrawKeyOfRows() -> UInt64 {
        let second = wall / 1_000_000_000
        // The header shows how long ago a connection was lost, or a program restarted.
        let isInSeconds = world.programs.contains {
            $0.connection.disconnection != nil || $0.restart?.isShown(at: wall) == true
        }
        let (model, context) = (views[view], ViewContext(self))
        let needsDetailKey = !model.redrawKeyCoversDetail && model.describesSelection(in: context)
        return (model.redrawKey(in: context) &* 31 &+ (needsDetailKey ? context.detailRedrawKey : 0)) &* 31
            &+ (isInSeconds ? second : 0)
    }

    // MARK: Freezing

    mutating func toggleFreeze() -> [Effect] {
        if isReplaying { return replay(.togglePlaying) }
        guard world.programs.contains(where: \.wasReached) else { return refuse("there is nothing to freeze yet") }
        guard isFrozen else {
            for programIndex in world.programs.indices where world.programs[programIndex].wasReached {
                world.programs[programIndex].freeze()
            }
            frozenAt = wall
            notify("frozen: everything on the screen can be explored; p resumes")
            updateViewport()
            return []
        }
        frozenAt = nil
        cancellations.restartDeadlines(wall: live.wall)
        var effects: [Effect] = []
        for programIndex in world.programs.indices where world.programs[programIndex].isFrozen {
            if let buffer = world.programs[programIndex].frozenBuffer, let successor = buffer.successor {
                let link = world.programs[programIndex].connection
                replace(programIndex, by: successor, at: buffer.successorTime)
                world.programs[programIndex].connection = link
            }
            if world.programs[programIndex].resume() {
                effects.append(.requestSnapshot(world.programs[programIndex].source))
            }
        }
        forgetEvictedTags()
        updateViewport()
        if effects.isEmpty {
            notify("live again")
        } else {
            notify("too many events while frozen: asked the program for its state", .warning)
        }
        return effects
    }

    // MARK: Messages

    /// Returns how long a message stays at most if it is not sticky, in nanoseconds.
    private static func duration(of tone: Status.Tone) -> UInt64 { tone == .plain ? 5_000_000_000 : 6_000_000_000 }

    /// Shows a message for 5 s, or a warning for 6 s; a sticky message stays without a limit of time. The next key or
    /// click ends plain and sticky messages; in a recording, it ends warnings, too.
    mutating func notify(_ text: String, _ tone: Status.Tone = .plain, isSticky: Bool = false) {
        // In a recording, the next tick is at the moment that was just moved to.
        let now = replayedProgram.map { $0.shownNow &+ $0.wallOffset } ?? wall
        status = Status(
            text: text, tone: tone, until: isSticky ? .max : now &+ Self.duration(of: tone), isSticky: isSticky)
        revision += 1
    }

    /// Shows the reason why nothing is done; returns no effects.
    mutating func refuse(_ reason: String, _ tone: Status.Tone = .plain) -> [Effect] {
        notify(reason, tone)
        return []
    }

    private mutating func takeFrames(_ reply: CommandReply, in programIndex: Int) -> Bool {
        guard live.handleFrames(reply, in: programIndex) else { return false }
        revision += 1
        return true
    }

    mutating func handle(_ reply: CommandReply, from source: SourceID) -> [Effect] {
        if let rowID = detail.answers.record(reply.outcome, to: reply.command, at: wall) {
            if rowID == selection { revision += 1 }
            return call { $0.detail.openAnswered(rowID, &$1) }.effects
        }
        if detail.take(reply, at: live.wall) {
            callDetail { $0.scrollToThreadStack($1, $2) }
            return []
        }
        guard let programIndex = live.programIndex(of: source), !takeFrames(reply, in: programIndex),
            let request = live.programs[programIndex].takeCancelRequest(reply.command)
        else { return [] }
        switch reply.outcome {
        case .described, .frames, .nodes: break
        // Only the events of the cancellation change rows.
        case .accepted: break
        case .refused(let reason):
            cancellations.drop(request.id, of: source)
            live.programs[programIndex].unmarkCancelRequested(request.nodes)
            notify("refused: \(reason)", .warning)
            updateViewport()
        }
        return []
    }
}
