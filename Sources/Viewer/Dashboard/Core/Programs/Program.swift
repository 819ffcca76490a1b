// SPDX-License-Identifier: MIT

import ChainInsight
import ChainModel
import ChainRows

/// One observed program: its connection, its forest, and its rows.
///
/// Keep a single copy of a program, and change it in place: with a second copy the next change would copy the whole
/// forest.
struct Program {
    let source: SourceID
    /// The program's name: hostile text until it is escaped.
    var name: String
    /// The run of the program; nil until it was reached.
    var info: ProcessDescription?
    /// The chains; empty until the program was reached.
    var forest = ChainForest(process: ProcessKey(rawValue: 0))
    var connection = Connection.absent(attempt: 0, lastFailure: nil)
    var restart: Restart?
    var outline = Outline()
    var initialFolds = InitialFolds()
    var insight = Insight()
    var alertWatches = AlertWatches()
    var stateArrival = StateArrival()
    var rate = RateMeter()
    /// The load of the last minute.
    var loadHistory = LoadHistory()
    var frameReader = FrameReader()
    var cancelRequests: [CancelRequest] = []
    /// The maximum number of ``cancelRequests`` at one time.
    var cancelRequestHighWater = 0
    /// Whether only the row of the program is shown, not the rows of its chains. Until the user folds or unfolds it, it
    /// is folded while ``isIdleFolded`` says so.
    var isFolded: Bool {
        get { foldChoice ?? isIdleFolded }
        set { foldChoice = newValue }
    }
    private var foldChoice: Bool?
    /// Whether the program is folded because it does nothing; see ``State/foldIdlePrograms()``.
    var isIdleFolded = false
    var kept = KeptChoices()
    /// The batches that wait while the picture is frozen; nil while it is live.
    var frozenBuffer: FrozenBuffer?
    /// The maximum number of events and nodes that ``frozenBuffer`` has held, over all freezes.
    var frozenHighWater = 0
    /// The revision of the warnings that were last passed to the filter; nil for none.
    var filterWarningsRevision: UInt64?
    /// The events of this run that were dropped while the screen was frozen.
    private var droppedCount: UInt64 = 0
    private var clock = RemoteClock()
    /// The moment at which running times stop while the connection is lost.
    private var lastSeen: UInt64?
    private var changes = ForestChanges()
    /// Whether changes were applied after the last call of ``applyForestChanges()``.
    private var hasAppliedChanges = false
    /// Events and nodes that were applied since the last tick.
    private var appliedCount = 0

    init(source: SourceID, name: String) {
        self.source = source
        self.name = name
    }

    /// The present, in nanoseconds of the program's clock.
    var now: UInt64 { clock.now }

    /// The moment that is shown, in nanoseconds of the program's clock.
    var shownNow: UInt64 { frozenBuffer?.now ?? lastSeen ?? now }

    /// Nanoseconds to add to a moment of the program's clock to get nanoseconds since 1970.
    var wallOffset: UInt64 { info?.wallOffset ?? 0 }

    var isFrozen: Bool { frozenBuffer != nil }

    /// Whether the program's running times do not advance.
    var isClockStopped: Bool { frozenBuffer != nil || !connection.isMoving }

    /// The program's load, and the counts of its chains' outcomes, at ``shownNow``.
    var load: ProgramLoad { ProgramLoad(forest, now: shownNow) }

    /// Returns ``load`` as the screen shows it: with the oldest chain's age at the last full second, so that the age
    /// changes only with the header's clock. If the program's clock is stopped, the age does not change, so it is shown
    /// as it is; so it is for a program that is read from outside, because its rows have the same age. `wall` is in
    /// nanoseconds since 1970.
    func shownLoad(wall: UInt64) -> ProgramLoad {
        var shown = load
        if !isClockStopped, !forest.isReadFromOutside {
            shown.oldest = shown.oldest?.subtractingClamped(wall % 1_000_000_000)
        }
        return shown
    }

    /// The state that is being read; nil if the shown state is up to date, or if the connection does not last.
    var reading: StateArrival.Reading? { connection.isLive ? stateArrival.reading : nil }

    /// Whether there are counts to show: not before the first nodes of the program's state have come.
    var hasCounts: Bool {
        wasReached && reading?.isBlank != true && (stateArrival.hasBegun || !connection.isLive)
    }

    /// Nodes that have not settled.
    var liveCount: Int { forest.totals.counts.liveCount }

    /// How many events were lost, plus how many times a node was refused because the forest was full.
    var lostCount: Int { Int(clamping: forest.lostCount) }

    /// Returns the least of the times that grow in this program's rows of `window`, in nanoseconds; nil if none grows.
    /// The search stops at the first time under `limit`. `programIndex` is the index of this program.
    func growingAge(of window: [ChainsView.WindowRow], at programIndex: Int, limit: UInt64) -> UInt64? {
        guard wasReached, !isClockStopped else { return nil }
        var least: UInt64?
        for line in window where line.programIndex == programIndex {
            guard let row = line.tree, let id = line.rowID.id, forest.index(of: id) == row.node else { continue }
            guard let age = growingAge(of: row, in: forest) else { continue }
            least = min(least ?? .max, age)
            if age < limit { break }
        }
        return least
    }

    /// Returns the least of the times that grow in a row; nil if none grows.
    private func growingAge(of row: TreeRow, in forest: borrowing ChainForest) -> UInt64? {
        let view = forest.node(row.node)
        var least: UInt64?
        func include(_ age: UInt64?) { if let age { least = min(least ?? .max, age) } }
        var isChain = false
        if row.flags.contains(.root) {
            let chain = forest.chain(of: row.node)
            isChain = chain.nodeCount > 1
            if isChain, chain.settled == nil { include(now &- min(view.created, now)) }
        }
        guard view.isLive || view.activity == .running else { return least }
        let timing = forest.timing(of: row.node, now: now)
        if view.isWaitGrowing { include(timing.wait) }
        if view.activity == .running { include(timing.run) }
        if view.isLive, !isChain { include(timing.total) }
        return least
    }

    /// Whether one tick each second suffices, because no work is under way and no time of a live node grows.
    var isIdle: Bool {
        if wasReached, !outline.isIdle(ignoresDeadlines: isClockStopped) || alertWatches.hasWork { return false }
        return isClockStopped ? insight.areFiguresIdle : forest.totals.counts.liveCount == 0 && insight.isIdle
    }
}

/// The batches of one program that arrive while the picture is frozen.
struct FrozenBuffer {
    /// The moment that is shown, in nanoseconds of the program's clock.
    var now: UInt64
    var batches: [EventBatch] = []
    /// How many events and nodes arrived since the freeze, including dropped events and nodes.
    var receivedCount = 0
    /// Whether the limit was passed. If so, all events and nodes were dropped; only the tables of names are kept.
    var hasOverflowed = false
    /// Events that were dropped.
    var droppedCount = 0
    /// A new run of the program, which replaces the shown run on resuming; the kept batches are of the new run.
    var successor: ProcessDescription?
    /// When the new run connected, in nanoseconds since 1970.
    var successorTime: UInt64 = 0

    init(now: UInt64) { self.now = now }

    /// Events and nodes that are kept.
    var keptCount: Int { hasOverflowed ? 0 : receivedCount }
}

// MARK: Connection and events

extension Program {
    /// Continues with the same run of the program, or starts over with a new one.
    mutating func connect(_ new: ProcessDescription, _ options: State.Options) {
        if info?.key != new.key { begin(new, options) }
        info = new
        name = new.name
        connection = .live
        frameReader = FrameReader()
        clock.begin(new)
        lastSeen = nil
    }

    /// Resets forest, rows and statistics for a run of which nothing is known yet.
    mutating func begin(_ new: ProcessDescription, _ options: State.Options) {
        if info?.key != new.key { kept = KeptChoices() }
        (info, name) = (new, new.name)
        forest = ChainForest(of: new, limits: options.limits)
        filterWarningsRevision = nil
        outline = Outline(queueLimit: options.queueLimit)
        insight = Insight()
        loadHistory = LoadHistory()
        stateArrival = StateArrival()
        droppedCount = 0
        cancelRequests = []
        clock = RemoteClock()
    }

    /// Shows a moment of a recording.
    mutating func show(_ position: ReplayPosition) {
        connection = .replay(position)
        clock.jump(to: position.time)
    }

    /// Marks the connection as lost; ``shownNow`` stops at the time of the last message.
    mutating func lose(_ disconnection: Connection.Disconnection, wall: UInt64) {
        if case .live = connection, wasReached {
            let silence = wall &- min(wall, disconnection.since)
            lastSeen = min(now, max(forest.now, now &- min(now, silence)))
        }
        connection = .lost(disconnection)
    }

    mutating func receive(_ batch: EventBatch, frozenLimit: Int) {
        guard batch.process == (frozenBuffer?.successor ?? info)?.key else { return }
        rate.add(batch.events.count)
        if frozenBuffer != nil {
            frozenBuffer!.append(batch, limit: frozenLimit)
            frozenHighWater = max(frozenHighWater, frozenBuffer!.keptCount)
        } else {
            apply(batch)
        }
    }

    private mutating func apply(_ batch: EventBatch) {
        guard wasReached else { return }
        if connection.replay == nil { clock.ingest(batch.time) }
        // What fails while a state is read is counted at its end.
        let hasOldFailures = !batch.nodes.isEmpty || batch.resync != nil
        let failedBefore = hasOldFailures ? load.failedCount : 0
        appliedCount += batch.events.count + batch.nodes.count
        if let seen = lastSeen { lastSeen = max(seen, batch.time) }
        var counted = batch
        counted.loss.lostAtClient = counted.loss.lostAtClient.addingClamped(droppedCount)
        counted.forEachPiece(of: Self.pieceLength) { piece, isLast in
            forest.apply(piece, isLast: isLast)
            insight.threads.ingest(piece, in: forest)
            if batch.events.count > Self.pieceLength, consumeForestChanges() { hasAppliedChanges = true }
        }
        if hasOldFailures { loadHistory.skip(failures: load.failedCount - failedBefore) }
        // The events that were dropped here have a note of their own, so they are not noted as lost, too.
        insight.events.ingest(batch, in: forest)
        stateArrival.note(batch)
    }

    /// Batches of more events are applied in pieces of this length. The rows are updated after each piece, while the
    /// touched nodes are still in the processor's cache (`screen.fold.10k`).
    private static let pieceLength = 512

    /// The minimum budget of a tick, in steps of retention.
    private static let evictionBudget = 4_096

    /// Applies the changes of the forest to the rows; returns whether there were any since the last call.
    @discardableResult
    mutating func applyForestChanges() -> Bool {
        let isChanged = consumeForestChanges() || hasAppliedChanges
        hasAppliedChanges = false
        if isChanged { outline.weighNoted(in: forest) }
        return isChanged
    }

    private mutating func consumeForestChanges() -> Bool {
        guard wasReached else { return false }
        forest.consumeChanges(into: &changes)
        guard !changes.isEmpty else { return false }
        outline.update(changes, of: forest, now: now)
        if !initialFolds.isEmpty { foldNewNodesInitially(changes) }
        if !alertWatches.isEmpty { alertWatches.update(changes, of: forest) }
        insight.follow(changes, of: forest, now: now)
        return true
    }

    /// Advances the clock, evicts settled nodes and updates the rows; returns whether the forest or its rows changed.
    mutating func tick(wall: UInt64, monotonic: UInt64) -> Bool {
        guard wasReached else { return false }
        // A frozen picture can still be sorted.
        guard frozenBuffer == nil else { return tickRows(wall) }
        if connection.isLive { clock.tick(wall: wall, own: monotonic) }
        // The budget is twice the applied count, because a node costs a step, and so does a stale entry of a queue.
        // With less, a flood of nodes would stay beyond the limits.
        forest.evictSettled(now: now, budget: max(Self.evictionBudget, 2 * appliedCount)) {
            insight.willEvict($0, in: $1)
        }
        appliedCount = 0
        let isChanged = applyForestChanges()
        observeLoad(at: wall)
        return tickRows(wall) || isChanged
    }

    private mutating func tickRows(_ wall: UInt64) -> Bool {
        outline.tick(in: forest, now: shownNow, wall: wall, isClockStopped: isClockStopped)
    }

    /// Does a slice of the work on the views' statistics; returns whether the slice changed anything.
    mutating func tickInsight(_ options: WarningOptions, wall: UInt64) -> Bool {
        guard wasReached else { return false }
        // Counts may finish while frozen; warnings may not, because they depend on the time.
        guard frozenBuffer == nil else {
            return insight.tickFigures(forest, now: shownNow, wall: wall, isClockStopped: false)
        }
        defer { updateFilterWarnings() }
        return insight.tick(forest, now: now, wall: wall, isClockStopped: isClockStopped, options: options)
    }

    // MARK: Freezing

    /// Stops applying batches.
    mutating func freeze() {
        applyForestChanges()
        frozenBuffer = FrozenBuffer(now: shownNow)
        _ = outline.advanceOrder(in: forest, at: shownNow)
    }

    /// Applies the kept batches; returns whether a snapshot has to be requested.
    mutating func resume() -> Bool {
        guard let old = frozenBuffer else { return false }
        frozenBuffer = nil
        frameReader.restart()
        if old.hasOverflowed {
            insight.events.noteDropped(old.droppedCount)
            droppedCount += UInt64(old.droppedCount)
        }
        for batch in old.batches { apply(batch) }
        applyForestChanges()
        return old.hasOverflowed
    }
}

extension FrozenBuffer {
    mutating func append(_ batch: EventBatch, limit: Int) {
        receivedCount += batch.events.count + batch.nodes.count
        // A batch without events takes some memory, too.
        if receivedCount + batches.count > limit { hasOverflowed = true }
        guard hasOverflowed else { return batches.append(batch) }
        // Names are sent once, so the tables are kept, all in one batch.
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
