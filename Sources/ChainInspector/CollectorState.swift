import ChainEvents
import ChainModel

/// All that the collector knows, under its lock: it reads rings, numbers names, gives times, and folds.
struct CollectorState {
    let process: ProcessKey
    let options: CollectorOptions
    private(set) var forest: ChainForest
    private var names = NameTables()
    private var calibration = Calibration()
    /// The pass under way: how far each ring will be read.
    private var merge: RingMerge?
    /// How many passes have ended.
    private(set) var passCount: UInt64 = 0
    private var sequence: UInt64 = 0
    private var deliveredCount: UInt64 = 0
    private(set) var loss = EventCounts()
    /// Events lost before the pass under way began to look, and before the last one that ended did. Of the latter all
    /// that came before them was read: who is not in the registry then, and is told of later, ended with a later loss.
    private var passLossCount: UInt64 = 0
    private(set) var mendableLossCount: UInt64 = 0
    /// The time of the last batch, and of the last pass and the one before it: the moments before they looked.
    private(set) var time: UInt64 = 0
    private var passTime: UInt64 = 0
    private(set) var previousPassTime: UInt64 = 0

    /// Batches that nobody was given yet, and who has to be told of them.
    var outbox: [EventBatch] = []
    var subscriptions: [BatchSubscription] = []
    var walk = RegistryWalk()
    var watches = CancelWatches()
    /// The rings are gone: nothing may be read any more.
    var isClosed = false

    init(process: ProcessKey, options: CollectorOptions) {
        self.process = process
        self.options = options
        forest = ChainForest(process: process, limits: options.forest)
    }

    /// Whether a pass is under way.
    var isInPass: Bool { merge != nil }

    /// Goes on with the pass under way, or begins one: reads at most one batch.
    mutating func collect(from recorder: Recorder, runtime: any ObservedRuntime) {
        var merge = self.merge ?? beginPass(recorder)
        self.merge = nil
        var batch = makeBatch()
        read(&merge, into: &batch, recorder: recorder, runtime: runtime)
        merge.release()
        let isEnded = merge.isAtEnd
        if isEnded {
            recorder.pool.retire(merge.leftRings)
            mendableLossCount = passLossCount
        } else {
            self.merge = merge
        }
        deliveredCount += UInt64(batch.events.count)
        let lostBefore = loss.lostInRings
        count(recorder)
        if !batch.events.isEmpty || loss.lostInRings != lostBefore || time >= lastTold + options.heartbeat {
            tell(&batch)
        }
        if isEnded { passCount += 1 }
        // As many steps as there were events: what comes in can be forgotten at the same rate.
        forest.retain(now: time, budget: max(4096, batch.events.count))
    }

    private mutating func beginPass(_ recorder: Recorder) -> RingMerge {
        recorder.allowWake()
        previousPassTime = passTime
        passTime = recorder.clock.now
        passLossCount = recorder.counts.lost
        let merge = RingMerge(recorder.pool.active)
        // After the look at the rings: whatever will be read lies before this anchor.
        if recorder.usesCycleCounter {
            let anchor = Calibration.measure(recorder.clock)
            calibration.add(anchor)
            time = max(time, anchor.time)
        } else {
            time = max(time, recorder.clock.now)
        }
        return merge
    }

    private mutating func read(
        _ merge: inout RingMerge, into batch: inout EventBatch, recorder: Recorder, runtime: any ObservedRuntime
    ) {
        while batch.events.count < options.batchLimit, let (ring, slot, text) = merge.next() {
            if !ring.header.pointee.isNamed {
                ring.header.pointee.isNamed = true
                names.learn(thread: ring.header.pointee.thread, name: ring.threadName)
            }
            // A kind that nobody knows cannot come from this process's own runtime.
            guard let kind = EventKind(rawValue: slot.kind) else { continue }
            let told = recorder.usesCycleCounter ? calibration.time(of: slot.ticks) : slot.ticks
            let time = max(told, ring.header.pointee.lastTime)
            ring.header.pointee.lastTime = time
            var event = ChainEvent(
                time: time, kind, node: NodeID(rawValue: slot.node), other: NodeID(rawValue: slot.other),
                thread: ring.header.pointee.thread, detail: slot.detail, flags: EventFlags(rawValue: slot.flags))
            if slot.file != nil { event.site = names.number(CallSite(file: slot.file, line: slot.line)) }
            if kind == .queued { names.learn(executor: slot.detail, name: runtime.executorName) }
            if let text {
                batch.texts.append(text)
                event.text = UInt32(batch.texts.count)
            }
            batch.events.append(event)
        }
    }

    private mutating func count(_ recorder: Recorder) {
        let counts = recorder.counts
        loss.madeCount = counts.made
        loss.lostInRings = counts.lost
        loss.deliveredCount = deliveredCount
    }

    // MARK: Batches

    private var lastTold: UInt64 = 0

    func makeBatch() -> EventBatch { EventBatch(process: process, sequence: 0, time: time) }

    /// Folds a batch and hands it to everybody.
    mutating func tell(_ batch: inout EventBatch) {
        sequence += 1
        batch.sequence = sequence
        batch.time = time
        batch.loss = loss
        names.tell(&batch)
        lastTold = time
        forest.apply(batch)
        for subscription in subscriptions { subscription.push(batch) }
        outbox.append(batch)
        watches.note(batch, in: forest)
    }

    /// Puts the tables into a late comer's first batch.
    func tellNames(_ batch: inout EventBatch) { names.tellAll(&batch) }

    /// The number of a call site, for nodes that come from the registry.
    mutating func number(_ callSite: CallSite) -> SiteID { names.number(callSite) }

    /// Learns the name of an executor, for nodes that come from the registry.
    mutating func learn(executor: ExecutorID, runtime: any ObservedRuntime) {
        names.learn(executor: executor, name: runtime.executorName)
    }
}
