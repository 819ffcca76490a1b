import ChainEvents
import ChainModel
import Frames

/// Changes the state by one action and says what is to be done about it. Pure: the same states and actions give the
/// same states and effects.
///
/// Costs: a batch costs its events, a key the chain it is in; neither ever walks all nodes.
public func reduce(into state: inout State, _ action: Action) -> [Effect] {
    switch action {
    case .connecting(let source, let name, let attempt, let failure):
        state.look(for: source, name: name, attempt: attempt, failure: failure)
    case .connected(let source, let process): state.connect(source, process)
    case .reconnecting(let source, let since, let reason, let attempt, let next):
        state.lose(source, Link.Disconnection(since: since, reason: reason, attempt: attempt, nextAttempt: next))
    case .received(let source, let batch): state.receive(source, batch)
    case .replied(let source, let reply): state.take(source, reply)
    case .ended(let source, let reason): state.end(source, reason)
    case .tick(let wall, let process):
        state.tick(wall: wall, process: process)
        return state.askForDetail()
    case .work: state.work()
    case .resized(let size):
        state.size = size
        state.updateViewport()
    case .key(let key): return state.press(key)
    case .mouse(let mouse): return state.handle(mouse)
    case .pasted(let text): state.paste(text)
    case .perform(let intent): return state.perform(intent)
    case .recall(let old): state.recall(old)
    case .report(let text): state.say(text, .warning)
    case .told(let text): state.say(text)
    }
    return []
}

extension State {
    mutating func receive(_ source: SourceID, _ batch: EventBatch) {
        guard let programIndex = programIndex(of: source) else { return }
        programs[programIndex].receive(batch, heldLimit: options.frozenLimit / programs.count)
        if isFrozen { revision += 1 }
    }

    /// Takes in what the forests changed since the last time; true if there was anything.
    @discardableResult
    mutating func follow() -> Bool {
        var isMoved = false
        for programIndex in programs.indices where programs[programIndex].follow() { isMoved = true }
        if isMoved { forgetEvictedTags() }
        return isMoved
    }

    private mutating func forgetEvictedTags() {
        if !tags.isEmpty { tags = tags.filter { find($0) != nil } }
    }

    mutating func tick(wall newWall: UInt64, process: UInt64) {
        let oldMinute = (wall / 60_000_000_000, options.clockOffset)
        wall = newWall
        var isChanged = (wall / 60_000_000_000, options.clockOffset) != oldMinute
        if let until = status?.until, wall >= until {
            status = nil
            isChanged = true
        }
        var isMoved = false
        countSitesIfSeen()
        for programIndex in programs.indices {
            if programs[programIndex].rate.tick(wall) { isChanged = true }
            if programs[programIndex].tick(wall: wall, process: process) { isMoved = true }
            if !programs[programIndex].isHeld, tidy(programIndex) { isMoved = true }
        }
        if workInTick() { isMoved = true }
        if tickEvents() { isMoved = true }
        if isMoved {
            forgetEvictedTags()
            updateViewport()
        } else {
            let step = currentStep()
            if step != runningStep {
                runningStep = step
                isChanged = true
            }
            if isChanged { revision += 1 }
        }
    }

    /// Lets what is over go down or fold, where the user is not in it; true if anything did.
    private mutating func tidy(_ programIndex: Int) -> Bool {
        let selected = following == .nobody || following == .selected ? selectedNode(in: programIndex) : nil
        var isMoved = false
        if programs[programIndex].hasDue {
            retire(programIndex, selected: selected)
            isMoved = true
        }
        if programs[programIndex].tidy(selected: selected) { isMoved = true }
        return isMoved
    }

    /// Lets settled chains go down, but for the one that the user is in; the picture's top stays on what stays.
    private mutating func retire(_ programIndex: Int, selected: NodeIndex?) {
        guard let anchor, anchor.rowID != selection, let (owner, node) = find(anchor.rowID), owner == programIndex
        else {
            _ = programs[programIndex].retire(selected: selected, watched: nil)
            return
        }
        guard let row = programs[programIndex].retire(selected: selected, watched: node) else { return }
        // The chain at the top went: what is where it was stays there now.
        let last = max(0, programs[programIndex].outline.rowCount - 1)
        self.anchor = programs[programIndex].rowID(at: min(row, last)).map { Anchor(rowID: $0, line: 0) }
    }

    /// A number that changes when a time on the screen is to be drawn anew.
    func currentStep() -> UInt64 {
        let second = wall / 1_000_000_000
        // The header says how long ago a link was lost, or a program restarted.
        var isInSeconds = programs.contains { $0.link.outage != nil || $0.restart?.isShown(at: wall) == true }
        if view != .chains { return (viewStep &* 31 &+ detailStep) &* 31 &+ (isInSeconds ? second : 0) }
        // The finest grain on the screen decides; each running time counts from another moment, so tenths of the clock
        // itself stand for all of those under ten seconds.
        let tenths: UInt64 = 11_000_000_000
        for programIndex in programs.indices {
            guard let age = programs[programIndex].growingAge(of: window, at: programIndex, limit: tenths) else {
                continue
            }
            if age < tenths { return 1 << 62 | wall / 100_000_000 }
            isInSeconds = true
        }
        if window.contains(where: { $0.tree == nil && $0.rowID.isProgram }) { isInSeconds = true }
        let step = isInSeconds ? 1 << 61 | second : 0
        return selectedLine == nil ? step &* 31 &+ detailStep : step
    }

    // MARK: Freezing

    mutating func toggleFreeze() -> [Effect] {
        guard programs.contains(where: \.isReached) else {
            say("there is nothing to freeze yet")
            return []
        }
        isFrozen.toggle()
        if isFrozen {
            for programIndex in programs.indices where programs[programIndex].isReached {
                programs[programIndex].hold()
            }
            say("frozen: everything on the screen can be explored; p goes on")
            updateViewport()
            return []
        }
        var effects: [Effect] = []
        for programIndex in programs.indices where programs[programIndex].isHeld {
            if let successor = programs[programIndex].held?.successor {
                let link = programs[programIndex].link
                replace(programIndex, by: successor)
                programs[programIndex].link = link
            }
            if programs[programIndex].goOn() { effects.append(.requestSnapshot(programs[programIndex].source)) }
        }
        forgetEvictedTags()
        updateViewport()
        if effects.isEmpty {
            say("live again")
        } else {
            say("more came than is kept while frozen: asked the program for its state", .warning)
        }
        return effects
    }

    // MARK: Words

    static let statusDuration: UInt64 = 6_000_000_000

    mutating func say(_ text: String, _ tone: Status.Tone = .plain) {
        status = Status(text: text, tone: tone, until: wall &+ Self.statusDuration)
        revision += 1
    }

    /// What is said of a key that goes to rows where there are none.
    var whyEmpty: String {
        let isHiding = filter.hidesRest && view != .threads && view != .timeline
        return isHiding ? "nothing matches; Esc drops the filter" : "there is nothing here yet"
    }

    mutating func take(_ source: SourceID, _ reply: CommandReply) {
        if let rowID = descriptions.take(reply.outcome, to: reply.command, at: wall) {
            if rowID == selection { revision += 1 }
            return
        }
        guard let programIndex = programIndex(of: source),
            let request = programs[programIndex].takeRequest(reply.command)
        else { return }
        switch reply.outcome {
        case .described: break
        case .accepted(let count):
            if count > 0 { say("cancellation asked of \(count) \(count == 1 ? "node" : "nodes")") }
        case .refused(let reason):
            programs[programIndex].unmark(request.nodes)
            say("refused: \(reason)", .warning)
            updateViewport()
        }
    }
}
