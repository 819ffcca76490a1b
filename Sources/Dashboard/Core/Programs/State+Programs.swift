import ChainModel
import ChainText

// Lookup of programs and nodes by identity, and the changes of a program's connection.
extension State {
    /// Returns the index of a source's program; adds a program called `name` if the source is new.
    mutating func addedProgramIndex(for source: SourceID, name: String) -> Int {
        let programIndex = programs.firstIndex { $0.source >= source } ?? programs.count
        guard programIndex == programs.count || programs[programIndex].source != source else { return programIndex }
        programs.insert(Program(source: source, name: name), at: programIndex)
        return programIndex
    }

}

extension Program {
    /// The name for use in a sentence.
    var shownName: String { name.isEmpty ? "the program" : name }

    func rowID(of node: NodeIndex) -> RowID {
        RowID(source: source, node: NodeKey(process: forest.process, id: forest.id(of: node)))
    }
}

// MARK: Connections

extension State {
    /// Notes an attempt to connect to a program that was not reached yet, or to reconnect.
    mutating func noteConnecting(for source: SourceID, name: String, attempt: Int, failure: String?) {
        let programIndex = addedProgramIndex(for: source, name: name)
        if case .absent = programs[programIndex].connection {
            programs[programIndex].name = name
            programs[programIndex].connection = .absent(attempt: attempt, lastFailure: failure)
        } else {
            let since = programs[programIndex].connection.disconnection?.since ?? wall
            lose(
                source, .init(since: since, reason: failure ?? "connection lost", attempt: attempt, nextAttempt: wall))
        }
        updateViewport()
    }

    mutating func connect(_ source: SourceID, _ info: ProcessDescription) {
        let programIndex = addedProgramIndex(for: source, name: info.name)
        let old = programs[programIndex].info
        if let old, old.key != info.key, isFrozen {
            // The old run is still shown; ``toggleFreeze()`` replaces it on resuming.
            if programs[programIndex].frozenBuffer?.successor?.key != info.key {
                notify(restartWords(of: programIndex, from: old, to: info) + "; p shows the new run", .warning)
            }
            let time = wall
            programs[programIndex].frozenBuffer?.setSuccessor(info, wall: time)
            programs[programIndex].connection = .live
            return updateViewport()
        }
        nodeDetails.retryRefused(source)
        let disconnection = programs[programIndex].connection.disconnection
        if let old, old.key != info.key {
            replace(programIndex, by: info, at: wall)
            notify(restartWords(of: programIndex, from: old, to: info), .warning)
        } else {
            programs[programIndex].connect(info, options)
            if old == nil {
                applySettings(to: programIndex)
                if isFrozen { programs[programIndex].freeze() }
            }
            if let disconnection {
                let gone = DurationText.coarse(wall &- min(wall, disconnection.since))
                let what = disconnection.isSilence ? "responds again" : "is back"
                notify("\(programs[programIndex].shownName) \(what), after \(gone)")
            }
        }
        updateViewport()
    }

    /// More programs than this are folded while they are idle.
    private static let unfoldedProgramCount = 4

    /// With many programs, folds those in which nothing was in flight and nothing failed for a minute, so that the busy
    /// ones are on the screen. Returns whether a program was folded or unfolded.
    mutating func foldIdlePrograms() -> Bool {
        let isCrowded = programs.count > Self.unfoldedProgramCount
        var isChanged = false
        for programIndex in programs.indices {
            let program = programs[programIndex]
            let isIdle = isCrowded && program.wasReached && program.liveCount == 0 && !program.loadHistory.hasLoad
            guard isIdle != program.isIdleFolded else { continue }
            programs[programIndex].isIdleFolded = isIdle
            isChanged = true
        }
        return isChanged
    }

    /// Shows a program's chains in the tree. Drops a filter that finds none of them: it has found the program's name.
    mutating func open(program source: SourceID) {
        guard let programIndex = programIndex(of: source) else { return }
        let mayMatch = programs[programIndex].isScanning || programs[programIndex].outline.filterState.matchCount > 0
        if filter.isActive, !mayMatch { dropFilter() }
        programs[programIndex].isFolded = false
        select(RowID(source: source))
        show(.chains)
    }

    /// Returns a message such as `shop restarted (pid 12 → 34)`.
    private func restartWords(
        of programIndex: Int, from old: ProcessDescription, to new: ProcessDescription
    ) -> String {
        let pids = old.pid == new.pid ? "pid \(new.pid)" : "pid \(old.pid) \(options.glyphs.right) \(new.pid)"
        return "\(programs[programIndex].shownName) restarted (\(pids))"
    }

    /// Replaces a run of a program by a new one, which connected at `time`, in nanoseconds since 1970.
    mutating func replace(_ programIndex: Int, by info: ProcessDescription, at time: UInt64) {
        let old = programs[programIndex].info
        programs[programIndex].connect(info, options)
        if let old { programs[programIndex].restart = Restart(time: time, oldPid: old.pid) }
        applySettings(to: programIndex)
        let source = programs[programIndex].source
        tags.removeAll { $0.source == source }
        absentTags.removeAll { $0.source == source }
        if selection?.source == source, selection?.isProgram == false {
            selection = showsPrograms ? RowID(source: source) : nil
            if !showsPrograms { following = .first }
        }
        if let anchor = tree.anchor?.rowID, anchor.source == source, !anchor.isProgram { tree.anchor = nil }
    }

    mutating func lose(_ source: SourceID, _ disconnection: Connection.Disconnection) {
        let programIndex = addedProgramIndex(for: source, name: "")
        if programs[programIndex].info == nil {
            // The program was never reached, so there are no rows to mark as lost.
            programs[programIndex].connection = .absent(
                attempt: disconnection.attempt + 1, lastFailure: disconnection.reason)
        } else {
            if programs[programIndex].connection.disconnection == nil {
                let what = disconnection.isSilence || disconnection.hasStopped ? "" : " cannot be reached"
                notify("\(programs[programIndex].shownName)\(what): \(disconnection.reason)", .warning)
            }
            programs[programIndex].lose(disconnection, wall: wall)
        }
        updateViewport()
    }

    mutating func end(_ source: SourceID, _ reason: String) {
        let programIndex = addedProgramIndex(for: source, name: "")
        programs[programIndex].connection = .ended(reason)
        if showsPrograms { notify("\(programs[programIndex].shownName) ended: \(reason)", .warning) }
        updateViewport()
    }
}

extension FrozenBuffer {
    /// Drops the buffered batches, so that the buffer is for batches of a new run, which replaces the shown run on
    /// resuming. `wall` is when the new run connected, in nanoseconds since 1970; if the same run connects repeatedly,
    /// its first time is kept.
    mutating func setSuccessor(_ info: ProcessDescription, wall: UInt64) {
        let time = successor?.key == info.key ? successorTime : wall
        self = FrozenBuffer(now: now)
        successor = info
        successorTime = time
    }
}
