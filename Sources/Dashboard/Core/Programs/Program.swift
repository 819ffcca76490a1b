import ChainEvents
import ChainInsight
import ChainModel
import ChainRows

/// One program that is looked at: what it told, how far it can be reached, and which rows it has.
///
/// Uniquely owned and changed in place: a copy that lives while this one changes costs a copy of the forest.
struct Program {
    /// Where it comes from.
    let source: SourceID
    /// What it is called: hostile text until it is escaped.
    var name: String
    /// Who it is; nil until it was reached.
    var info: ProcessDescription?
    /// Its chains, once it was reached.
    var forest: ChainForest?
    var link = Link.absent(attempt: 0, lastFailure: nil)
    var restart: Restart?
    var outline = RowModel()
    var siteFolds = SiteFolds()
    var insight = Insight()
    var rate = RateMeter()
    var requests: [Request] = []
    /// Whether only its own row is shown.
    var isFolded = false
    /// What waits while the picture stands still; nil while it moves.
    var held: Held?
    /// The most events and nodes that waited while the picture stood still.
    var heldHighWater = 0
    private var clock = RemoteClock()
    /// The moment at which running times stand still, since nobody knows what became of them.
    private var lastSeen: UInt64?
    private var changes = ForestChanges()
    /// Whether changes were taken in of which ``follow()`` has not told.
    private var isTakenIn = false
    /// Events and nodes that were folded since the last tick.
    private var foldedCount = 0

    init(source: SourceID, name: String) {
        self.source = source
        self.name = name
    }

    /// Nanoseconds of its clock.
    var now: UInt64 { clock.now }

    /// The moment that is shown, in nanoseconds of its clock.
    var shownNow: UInt64 { held?.now ?? lastSeen ?? now }

    /// What to add to a moment of its clock to get nanoseconds since 1970.
    var wallOffset: UInt64 { info?.wallOffset ?? 0 }

    var isHeld: Bool { held != nil }

    /// Whether its running times stand still.
    var isStill: Bool { held != nil || !link.isLive }

    /// Nodes that have not settled.
    var liveCount: Int { forest?.totals.counts.liveCount ?? 0 }

    /// Events and nodes that it made and that are not in the picture.
    var lostCount: Int { forest.map { Int(clamping: $0.lostCount) } ?? 0 }

    /// How old what stands in the rows of a window is, the least of them, as long as that is to be seen growing; nil where
    /// nothing grows. Any age under `limit` will do. `place` is its own among the programs.
    func growingAge(of window: [State.WindowRow], at programIndex: Int, limit: UInt64) -> UInt64? {
        // All lines in one call: what a copy of the forest's parts costs is paid once.
        guard !isStill, let forest else { return nil }
        var least: UInt64?
        for line in window where line.programIndex == programIndex {
            guard let row = line.tree, let id = line.rowID.id, forest.index(of: id) == row.node else { continue }
            guard let age = growingAge(of: row, in: forest) else { continue }
            least = min(least ?? .max, age)
            if age < limit { break }
        }
        return least
    }

    /// The least of the times that grow in a row; nil where none does.
    private func growingAge(of row: TreeRow, in forest: borrowing ChainForest) -> UInt64? {
        let view = forest.node(row.node)
        var least: UInt64?
        func take(_ age: UInt64?) { if let age { least = min(least ?? .max, age) } }
        var isChain = false
        if row.flags.contains(.root) {
            let chain = forest.chain(of: row.node)
            isChain = chain.nodeCount > 1
            if isChain, chain.settled == nil { take(now &- min(view.created, now)) }
        }
        guard view.isLive || view.activity == .running else { return least }
        let timing = forest.timing(of: row.node, now: now)
        if view.state == .queued { take(timing.wait) }
        if view.activity == .running { take(timing.run) }
        if view.isLive, !isChain { take(timing.total) }
        return least
    }

    /// Whether nothing but the passing of time can change its rows.
    var isIdle: Bool {
        if isReached, outline.isBusy { return false }
        guard let forest, !isStill else { return insight.sites.isIdle }
        return forest.totals.counts.liveCount == 0 && !outline.awaitsDeadlines && insight.isIdle
    }
}

/// A command on its way, and who was marked for it.
struct Request {
    var id: UInt64
    var nodes: [NodeID]
}

/// What of one program waits while the picture stands still.
struct Held {
    /// The moment that is shown, in nanoseconds of the program's clock.
    var now: UInt64
    var batches: [EventBatch] = []
    /// Events and nodes that wait.
    var waitingCount = 0
    var highWaterMark = 0
    /// The limit was passed: what had waited was dropped, but for the tables.
    var isOverflown = false
    /// Events that were dropped.
    var droppedCount = 0
    /// A new run of the program, which takes the place of this one when the picture goes on; batches that wait are its.
    var successor: ProcessDescription?

    init(now: UInt64) { self.now = now }
}

// MARK: What it says

extension Program {
    /// It was reached: goes on where it is the same run, else begins anew.
    mutating func connect(_ new: ProcessDescription, _ options: State.Options) {
        if info?.key != new.key {
            forest = ChainForest(process: new.key, limits: options.limits)
            outline = RowModel(
                longFrom: options.longFrom, chunkLimit: options.chunkLimit, queueLimit: options.queueLimit)
            insight = Insight()
            requests = []
            clock = RemoteClock()
        }
        info = new
        name = new.name
        link = .live
        clock.begin(new)
        lastSeen = nil
    }

    /// It cannot be reached: its clock stands still where it was last heard of.
    mutating func lose(_ outage: Link.Disconnection, wall: UInt64) {
        if case .live = link, let forest {
            let silence = wall &- min(wall, outage.since)
            lastSeen = min(now, max(forest.now, now &- min(now, silence)))
        }
        link = .lost(outage)
    }

    mutating func receive(_ batch: EventBatch, heldLimit: Int) {
        guard batch.process == (held?.successor?.key ?? forest?.process) else { return }
        rate.add(batch.events.count)
        if held != nil {
            held!.take(batch, limit: heldLimit)
            heldHighWater = max(heldHighWater, held!.highWaterMark)
        } else {
            fold(batch)
        }
    }

    private mutating func fold(_ batch: EventBatch) {
        guard forest != nil else { return }
        clock.ingest(batch.time)
        foldedCount += batch.events.count + batch.nodes.count
        if let seen = lastSeen { lastSeen = max(seen, batch.time) }
        batch.forEachPiece(of: Self.pieceLength) { piece, isLast in
            forest!.apply(piece, isLast: isLast)
            insight.threads.ingest(piece, in: forest!)
            if batch.events.count > Self.pieceLength, takeIn() { isTakenIn = true }
        }
        insight.events.ingest(batch, in: forest!)
    }

    /// Events that are folded at once. Of more than that what they changed is taken in between: what they touched is still
    /// near the processor then, and at the end of a large batch no longer.
    private static let pieceLength = 512

    /// Steps of retention in a tick at least.
    private static let retainBudget = 4_096

    /// Takes in what the forest changed; true if there was anything since the last time.
    @discardableResult
    mutating func follow() -> Bool {
        let isChanged = takeIn() || isTakenIn
        isTakenIn = false
        return isChanged
    }

    private mutating func takeIn() -> Bool {
        guard forest != nil else { return false }
        forest!.consumeChanges(into: &changes)
        guard !changes.isEmpty else { return false }
        outline.update(changes, of: forest!, now: now)
        if !siteFolds.isEmpty { foldBySite(changes) }
        insight.follow(changes, of: forest!, now: now)
        return true
    }

    /// Lets time go on; true if that changed the forest.
    mutating func tick(wall: UInt64, process: UInt64) -> Bool {
        guard forest != nil else { return false }
        // What stands still can be sorted, too.
        guard held == nil else { return tickOutline(wall) }
        if link.isLive { clock.tick(wall: wall, own: process) }
        // Twice what came: a node costs a step, and so does an entry that is no longer valid. Else a flood of nodes would
        // stay beyond the limits.
        forest!.retain(now: now, budget: max(Self.retainBudget, 2 * foldedCount))
        foldedCount = 0
        let isChanged = follow()
        return tickOutline(wall) || isChanged
    }

    private mutating func tickOutline(_ wall: UInt64) -> Bool {
        outline.tick(now: shownNow, wall: wall)
    }

    /// Lets the views' own figures follow, a slice at a time; true if that changed anything.
    mutating func tickInsight(_ options: WarningOptions, wall: UInt64) -> Bool {
        guard forest != nil else { return false }
        // What is counted can be counted on while nothing moves; what holds now cannot be told anew.
        guard held == nil else { return insight.sites.tick(forest!, wall: wall) }
        return insight.tick(forest!, now: now, wall: wall, options: options)
    }

    // MARK: Standing still

    /// Stands still from now on.
    mutating func hold() {
        follow()
        held = Held(now: shownNow)
        _ = outline.advanceOrder(at: shownNow)
    }

    /// Goes on with what waited; true if a fresh state has to be asked for.
    mutating func goOn() -> Bool {
        guard let old = held else { return false }
        held = nil
        if old.isOverflown { insight.events.miss(old.droppedCount) }
        for batch in old.batches { fold(batch) }
        follow()
        return old.isOverflown
    }
}

extension Held {
    mutating func take(_ batch: EventBatch, limit: Int) {
        waitingCount += batch.events.count + batch.nodes.count
        // A batch without events takes some memory, too.
        if waitingCount + batches.count > limit { isOverflown = true }
        if !isOverflown { highWaterMark = waitingCount }
        guard isOverflown else { return batches.append(batch) }
        // What was told of names is not told again: it is kept, all in one batch.
        var tables = EventBatch(process: batch.process, sequence: batch.sequence, time: batch.time)
        for old in batches + [batch] {
            droppedCount += old.events.count
            tables.sites.merge(old.sites) { $1 }
            tables.threads.merge(old.threads) { $1 }
            tables.executors.merge(old.executors) { $1 }
            tables.loss = old.loss
        }
        batches = [tables]
    }
}
