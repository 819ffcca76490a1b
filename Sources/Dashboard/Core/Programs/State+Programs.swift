import ChainEvents
import ChainModel
import ChainText

// The programs, and who of them a name means.
extension State {
    /// A program's place among the observed ones.
    func place(of source: SourceID) -> Int? { observed.firstIndex { $0.source == source } }

    /// The same; a source that is new takes its place among the others.
    mutating func placeMade(for source: SourceID, name: String) -> Int {
        let place = observed.firstIndex { $0.source >= source } ?? observed.count
        guard place == observed.count || observed[place].source != source else { return place }
        observed.insert(Program(source: source, name: name), at: place)
        return place
    }

    /// Where a node that is (still) there stands; nil for programs.
    func find(_ subject: RowID) -> (place: Int, node: NodeIndex)? {
        guard let key = subject.node, let place = place(of: subject.source), observed[place].info?.key == key.process,
            let node = observed[place].forest?.index(of: key.id)
        else { return nil }
        return (place, node)
    }

    /// Which runs of programs are looked at; nil for one that was not reached yet.
    var processKeys: [ProcessKey?] { observed.map(\.info?.key) }

    /// Whether there is (still) such a node or program.
    func contains(_ subject: RowID) -> Bool {
        subject.node == nil ? place(of: subject.source) != nil : find(subject) != nil
    }

    /// The selected node and the program that it is in.
    var selectedNode: (place: Int, node: NodeIndex)? { selection.flatMap(find) }

    /// The program that is selected, or that the selected node is in.
    var selectedPlace: Int? { selection.flatMap { place(of: $0.source) } }

    /// Of a program, the selected node.
    func selectedNode(in place: Int) -> NodeIndex? {
        guard let found = selectedNode, found.place == place else { return nil }
        return found.node
    }

    /// The name of a node.
    func subject(_ node: NodeIndex, in place: Int) -> RowID { observed[place].subject(node) }

    /// What a program is called in a sentence.
    func name(of place: Int) -> String { observed[place].shownName }
}

extension Program {
    /// What it is called in a sentence.
    var shownName: String { name.isEmpty ? "the program" : name }

    func subject(_ node: NodeIndex) -> RowID {
        RowID(source: source, node: NodeKey(process: forest!.process, id: forest!.id(of: node)))
    }
}

// MARK: What happens to them

extension State {
    mutating func look(for source: SourceID, name: String, attempt: Int, failure: String?) {
        let place = placeMade(for: source, name: name)
        if case .absent = observed[place].link {
            observed[place].name = name
            observed[place].link = .absent(attempt: attempt, lastFailure: failure)
        } else {
            let since = observed[place].link.outage?.since ?? wall
            lose(
                source, .init(since: since, reason: failure ?? "it is gone", attempt: attempt, nextAttempt: wall))
        }
        updateViewport()
    }

    mutating func connect(_ source: SourceID, _ info: ProcessDescription) {
        let place = placeMade(for: source, name: info.name)
        let old = observed[place].info
        if let old, old.key != info.key, isFrozen {
            // The picture of the old one can still be explored; see ``toggleFreeze()``.
            observed[place].held?.wait(for: info)
            observed[place].link = .live
            return updateViewport()
        }
        descriptions.askAnew(source)
        let outage = observed[place].link.outage
        if let old, old.key != info.key {
            replace(place, by: info)
            let pids = old.pid == info.pid ? "pid \(info.pid)" : "pid \(old.pid) \(options.glyphs.right) \(info.pid)"
            say("\(observed[place].shownName) restarted (\(pids))", .warning)
        } else {
            observed[place].connect(info, options)
            if old == nil {
                observed[place].setFilter(filter)
                observed[place].foldSites(foldedSites)
                observed[place].setOrder(order)
                if isFrozen { observed[place].hold() }
            }
            if let outage {
                let gone = DurationText.coarse(wall &- min(wall, outage.since))
                let what = outage.isSilence ? "goes on" : "is back"
                say("\(observed[place].shownName) \(what), after \(gone)")
            }
        }
        updateViewport()
    }

    /// Puts a new run of a program into the place of the old one.
    mutating func replace(_ place: Int, by info: ProcessDescription) {
        let old = observed[place].info
        observed[place].connect(info, options)
        if let old { observed[place].restart = Restart(time: wall, oldPid: old.pid) }
        observed[place].setFilter(filter)
        observed[place].foldSites(foldedSites)
        observed[place].setOrder(order)
        let source = observed[place].source
        tags.removeAll { $0.source == source }
        if selection?.source == source, selection?.isProgram == false {
            selection = showsPrograms ? RowID(source: source) : nil
            if !showsPrograms { following = .first }
        }
        if anchor?.subject.source == source, anchor?.subject.isProgram == false { anchor = nil }
    }

    mutating func lose(_ source: SourceID, _ outage: Link.Disconnection) {
        let place = placeMade(for: source, name: "")
        if observed[place].info == nil {
            // It was never there.
            observed[place].link = .absent(attempt: outage.attempt + 1, lastFailure: outage.reason)
        } else {
            if observed[place].link.outage == nil {
                let what = outage.isSilence ? "" : " cannot be reached"
                say("\(observed[place].shownName)\(what): \(outage.reason)", .warning)
            }
            observed[place].lose(outage, wall: wall)
        }
        updateViewport()
    }

    mutating func end(_ source: SourceID, _ reason: String) {
        let place = placeMade(for: source, name: "")
        observed[place].link = .ended(reason)
        if showsPrograms { say("\(observed[place].shownName) ended: \(reason)", .warning) }
        updateViewport()
    }
}

extension Held {
    /// From now on what waits is that of a new run.
    mutating func wait(for info: ProcessDescription) {
        self = Held(now: now)
        successor = info
    }
}
