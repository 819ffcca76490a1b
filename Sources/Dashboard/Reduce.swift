import ChainEvents
import ChainModel
import Frames

/// Changes the state by one action and says what is to be done about it. Pure: the same states and actions give the
/// same states and effects.
///
/// Costs: a batch costs its events, a key the chain it is in; neither ever walks all nodes.
public func reduce(into state: inout State, _ action: Action) -> [Effect] {
    switch action {
    case .connecting, .reconnecting: break
    case .connected(let source, let process):
        state.source = source
        state.connect(process)
    case .received(_, let batch): state.receive(batch)
    case .replied(_, let reply): state.take(reply)
    case .ended(_, let reason):
        state.ending = reason
        state.revision += 1
    case .tick(let wall, let process): state.tick(wall: wall, process: process)
    case .resized(let size):
        state.size = size
        state.arrange()
    case .key(let key): return state.press(key)
    case .mouse(let mouse): return state.handle(mouse)
    case .pasted(let text):
        if case .filter(let typed) = state.mode { state.type(typed + text.filter { !$0.isNewline }) }
    case .perform(let intent): return state.perform(intent)
    case .report(let text): state.say(text, .warning)
    }
    return []
}

extension State {
    static let scanBudget = 4_000

    mutating func connect(_ info: ProcessInfo) {
        if process?.key != info.key {
            forest = ChainForest(process: info.key, limits: options.limits)
            outline = Outline()
            selection = nil
            following = .first
            anchor = nil
            tags = []
            requests = []
            frozen = nil
            now = 0
        }
        process = info
        ending = nil
        arrange()
    }

    mutating func receive(_ batch: EventBatch) {
        guard batch.process == forest?.process else { return }
        rate.add(batch.events.count)
        if frozen != nil {
            hold(batch)
            return
        }
        fold(batch)
    }

    private mutating func fold(_ batch: EventBatch) {
        forest?.apply(batch)
        now = max(now, batch.time)
    }

    /// Takes in what the forest changed since the last time; true if there was anything.
    @discardableResult
    mutating func follow() -> Bool {
        guard forest != nil else { return false }
        forest!.takeChanges(into: &changes)
        guard !changes.isEmpty else { return false }
        outline.follow(changes, of: forest!, now: now)
        if !changes.evicted.isEmpty, !tags.isEmpty { tags.removeAll { forest!.index(of: $0) == nil } }
        return true
    }

    mutating func tick(wall newWall: UInt64, process: UInt64) {
        let oldMinute = (wall / 60_000_000_000, options.clockOffset)
        wall = newWall
        var isChanged = rate.tick(wall)
        if (wall / 60_000_000_000, options.clockOffset) != oldMinute { isChanged = true }
        if let until = status?.until, wall >= until {
            status = nil
            isChanged = true
        }
        var isMoved = false
        if frozen == nil, forest != nil {
            if ending == nil { now = max(now, process) }
            forest!.retain(now: now)
            isMoved = follow()
            if outline.hasDue(now: now) {
                retire()
                isMoved = true
            }
            if outline.hasTidy(now: now) {
                outline.tidy(in: forest!, now: now, selected: following == .nobody ? selectedIndex : nil)
                isMoved = true
            }
        }
        if forest != nil, outline.scan(in: forest!, budget: Self.scanBudget) { isMoved = true }
        if isMoved {
            arrange()
        } else {
            let step = currentStep()
            if step != runningStep {
                runningStep = step
                isChanged = true
            }
            if isChanged { revision += 1 }
        }
    }

    /// Lets settled chains go down, but for the one that the user is in; the picture's top stays on what stays.
    private mutating func retire() {
        let pinned = following == .nobody ? selectedIndex.map { forest!.root(of: $0) } : nil
        if let anchor, anchor.id != selection, let index = forest!.index(of: anchor.id) {
            let root = forest!.root(of: index)
            let old = outline.key(of: root)
            let row = outline.firstRow(ofChain: root)
            outline.retire(in: forest!, now: now, pinned: pinned)
            if outline.key(of: root) != old, let row { holdTop(at: row) }
        } else {
            outline.retire(in: forest!, now: now, pinned: pinned)
        }
    }

    private mutating func holdTop(at row: Int) {
        let rows = outline.rows(from: min(row, max(0, outline.rowCount - 1)), count: 1, in: forest!)
        anchor = rows.first.map { Anchor(id: forest!.node($0.node).id, line: 0) }
    }

    /// A number that changes when a running time on the screen is to be drawn anew.
    func currentStep() -> UInt64 {
        guard let forest, frozen == nil else { return 0 }
        var step: UInt64 = 0
        for line in window {
            guard forest.index(of: line.id) == line.row.node else { continue }
            let isLive =
                line.row.flags.contains(.root)
                ? forest.chain(of: line.row.node).liveCount > 0 : forest.state(of: line.row.node).isLive
            guard isLive else { continue }
            let age = shownNow &- min(forest.node(line.row.node).created, shownNow)
            // The finest grain on the screen decides; each running time counts from another moment, so tenths of
            // the clock itself stand for all of those under ten seconds.
            if age < 11_000_000_000 { return 1 << 62 | shownNow / 100_000_000 }
            step = 1 << 61 | shownNow / 1_000_000_000
        }
        return step
    }

    // MARK: Freezing

    mutating func toggleFreeze() -> [Effect] {
        guard forest != nil else { return [] }
        guard let old = frozen else {
            follow()
            frozen = Frozen(now: now)
            say("frozen: everything on the screen can be explored; p goes on")
            arrange()
            return []
        }
        frozen = nil
        for batch in old.batches { fold(batch) }
        follow()
        arrange()
        guard old.isOverflown else {
            say("live again")
            return []
        }
        say("more came than is kept while frozen: asked the program for its state", .warning)
        return [.requestSnapshot(source)]
    }

    private mutating func hold(_ batch: EventBatch) {
        guard frozen != nil else { return }
        frozen!.waitingCount += batch.events.count + batch.nodes.count
        if frozen!.waitingCount > options.frozenLimit, !frozen!.isOverflown { frozen!.isOverflown = true }
        if frozen!.isOverflown {
            // What was told of names is not told again: it is kept, all in one batch.
            var tables = EventBatch(process: batch.process, sequence: batch.sequence, time: batch.time)
            for old in frozen!.batches + [batch] {
                tables.sites.merge(old.sites) { $1 }
                tables.threads.merge(old.threads) { $1 }
                tables.executors.merge(old.executors) { $1 }
                tables.loss = old.loss
            }
            frozen!.batches = [tables]
        } else {
            frozen!.batches.append(batch)
        }
        revision += 1
    }

    // MARK: Words

    static let statusDuration: UInt64 = 6_000_000_000

    mutating func say(_ text: String, _ tone: Status.Tone = .plain) {
        status = Status(text: text, tone: tone, until: wall &+ Self.statusDuration)
        revision += 1
    }

    mutating func take(_ reply: CommandReply) {
        guard let place = requests.firstIndex(where: { $0.id == reply.command }) else { return }
        let request = requests.remove(at: place)
        switch reply.outcome {
        case .described: break
        case .accepted(let count):
            if count > 0 { say("cancellation asked of \(count) \(count == 1 ? "node" : "nodes")") }
        case .refused(let reason):
            forest?.unmarkCancelRequested(request.nodes)
            follow()
            say("refused: \(reason)", .warning)
            arrange()
        }
    }
}
