// SPDX-License-Identifier: MIT

import ChainModel
import ChainText

// The changes of a program's connection. They concern the live programs, even while their past is shown.
extension World {
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
        let programIndex = live.addedProgramIndex(for: source, name: name)
        if case .absent = live.programs[programIndex].connection {
            live.programs[programIndex].name = name
            live.programs[programIndex].connection = .absent(attempt: attempt, lastFailure: failure)
        } else {
            let since = live.programs[programIndex].connection.disconnection?.since ?? live.wall
            lose(
                source,
                .init(since: since, reason: failure ?? "connection lost", attempt: attempt, nextAttempt: live.wall))
        }
        updateViewport()
    }

    mutating func connect(_ source: SourceID, _ info: ProcessDescription) {
        let programIndex = live.addedProgramIndex(for: source, name: info.name)
        let old = live.programs[programIndex].info
        if let old, old.key != info.key, isFrozen {
            // The old run is still shown; ``toggleFreeze()`` replaces it on resuming.
            if live.programs[programIndex].frozenBuffer?.successor?.key != info.key {
                notify(restartWords(of: programIndex, from: old, to: info) + "; p shows the new run", .warning)
            }
            let time = live.wall
            live.programs[programIndex].frozenBuffer?.setSuccessor(info, wall: time)
            live.programs[programIndex].connection = .live
            return updateViewport()
        }
        detail.answers.retryRefused(source)
        let disconnection = live.programs[programIndex].connection.disconnection
        if let old, old.key != info.key {
            replace(programIndex, by: info, at: live.wall)
            notify(restartWords(of: programIndex, from: old, to: info), .warning)
        } else {
            live.programs[programIndex].connect(info, options)
            if old == nil {
                live.programs[programIndex].apply(settings)
                if isFrozen { live.programs[programIndex].freeze() }
            }
            if let disconnection {
                let gone = DurationText.coarse(live.wall &- min(live.wall, disconnection.since))
                let what = disconnection.isSilence ? "responds again" : "is back"
                notify("\(live.programs[programIndex].shownName) \(what), after \(gone)")
            }
        }
        updateViewport()
    }

    /// Shows a program's chains in the tree. Drops a filter that finds none of them: it has found the program's name.
    mutating func open(program source: SourceID) {
        guard let programIndex = programIndex(of: source) else { return }
        let mayMatch =
            world.programs[programIndex].isScanning || world.programs[programIndex].outline.filterState.matchCount > 0
        if filter.isActive, !mayMatch { dropFilter() }
        world.programs[programIndex].isFolded = false
        select(RowID(source: source))
        show(.chains)
    }

    /// Returns a message such as `shop restarted (pid 12 → 34)`.
    private func restartWords(
        of programIndex: Int, from old: ProcessDescription, to new: ProcessDescription
    ) -> String {
        let pids = old.pid == new.pid ? "pid \(new.pid)" : "pid \(old.pid) \(options.glyphs.right) \(new.pid)"
        return "\(live.programs[programIndex].shownName) restarted (\(pids))"
    }

    /// Replaces a run of a program by a new one, which connected at `time`, in nanoseconds since 1970.
    mutating func replace(_ programIndex: Int, by info: ProcessDescription, at time: UInt64) {
        let old = live.programs[programIndex].info
        live.programs[programIndex].connect(info, options)
        if let old { live.programs[programIndex].restart = Restart(time: time, oldPid: old.pid) }
        live.programs[programIndex].apply(settings)
        let source = live.programs[programIndex].source
        // The shown rows are those of the past.
        guard lookingBack == nil else { return }
        tags.removeAll { $0.source == source }
        if selection?.source == source, selection?.isProgram == false {
            selection = showsPrograms ? RowID(source: source) : nil
            if !showsPrograms { tree.following = .first }
        }
        if let anchor = tree.anchor?.rowID, anchor.source == source, !anchor.isProgram { tree.anchor = nil }
    }

    mutating func lose(_ source: SourceID, _ disconnection: Connection.Disconnection) {
        let programIndex = live.addedProgramIndex(for: source, name: "")
        if live.programs[programIndex].info == nil {
            // The program was never reached, so there are no rows to mark as lost.
            live.programs[programIndex].connection = .absent(
                attempt: disconnection.attempt + 1, lastFailure: disconnection.reason)
        } else {
            if live.programs[programIndex].connection.disconnection == nil {
                let what = disconnection.isSilence || disconnection.hasStopped ? "" : " cannot be reached"
                notify("\(live.programs[programIndex].shownName)\(what): \(disconnection.reason)", .warning)
            }
            live.programs[programIndex].lose(disconnection, wall: live.wall)
        }
        updateViewport()
    }

    mutating func end(_ source: SourceID, _ reason: String) {
        let programIndex = live.addedProgramIndex(for: source, name: "")
        live.programs[programIndex].connection = .ended(reason)
        if live.showsPrograms { notify("\(live.programs[programIndex].shownName) ended: \(reason)", .warning) }
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
