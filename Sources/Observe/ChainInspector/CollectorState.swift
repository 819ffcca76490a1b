// SPDX-License-Identifier: MIT

import ChainModel

/// The state under the collector's lock: it reads rings, interns names, calibrates times, and applies batches.
struct CollectorState {
    let process: ProcessKey
    let options: CollectorOptions
    private(set) var forest: ChainForest
    private var names = NameTables()
    private var calibration = Calibration()
    /// The file of the rings, if they outlive the process.
    private var ringFile: RingFile?
    /// The pass under way, which has fixed how far each ring will be read; else nil.
    private var merge: RingMerge?
    /// How many passes have ended.
    private(set) var passCount: UInt64 = 0
    /// The number of the last published batch.
    private var sequence: UInt64 = 0
    private var deliveredCount: UInt64 = 0
    private(set) var counts = EventCounts()
    /// Events lost before the last pass fixed the ends of the rings.
    private var lostBeforePass: UInt64 = 0
    /// Events lost before the last finished pass fixed the ends of the rings. A walk over the registry recovers from
    /// these losses, because all events before them were applied.
    private(set) var recoverableLossCount: UInt64 = 0
    /// The time of new batches: the time just after the last pass fixed the ends of the rings, in nanoseconds of the
    /// program's clock. Before the first pass, the time when the collector was made.
    private(set) var time: UInt64
    /// The time just before the last pass fixed the ends of the rings.
    private var passTime: UInt64 = 0
    /// The ``passTime`` of the pass before the last pass.
    private(set) var previousPassTime: UInt64 = 0

    /// Batches that are to be moved to the collector's outbox.
    var outbox: [EventBatch] = []
    var subscriptions: [BatchSubscription] = []
    var walk = RegistryWalk()
    var taskBudget = TaskBudget()
    private var stalls = StallSampler()
    var cancellations = OngoingCancellations()
    /// Whether the collector is closed, so that the rings may not be read any more.
    var isClosed = false

    init(process: ProcessKey, options: CollectorOptions, time: UInt64) {
        self.process = process
        self.options = options
        self.time = time
        forest = ChainForest(process: process, limits: options.forest)
    }

    /// Sets the file of the rings. The file also gets what a reader of the rings needs: the anchors of the
    /// ``Calibration``, and the numbers of call sites.
    mutating func use(_ file: RingFile) { (ringFile, names.ringFile) = (file, file) }

    /// Whether a pass is under way.
    var isInPass: Bool { merge != nil }

    /// Continues the pass under way, or begins a pass; reads and publishes at most one batch.
    mutating func collect(from recorder: Recorder, runtime: any ObservedRuntime) {
        var merge = self.merge ?? beginPass(recorder)
        self.merge = nil
        var batch = makeBatch()
        read(&merge, into: &batch, recorder: recorder, runtime: runtime)
        merge.release(to: recorder.pool)
        let isEnded = merge.isAtEnd
        if isEnded {
            recorder.pool.retire(merge.detachedRings)
            recoverableLossCount = lostBeforePass
        } else {
            self.merge = merge
        }
        deliveredCount += UInt64(batch.events.count)
        let lostBefore = counts.lostInRings
        count(recorder)
        if !batch.events.isEmpty || counts.lostInRings != lostBefore
            || time >= lastPublished.addingClamped(options.heartbeat)
        {
            publish(&batch)
        }
        if isEnded { passCount += 1 }
        // At least as many steps as events, so that eviction keeps up with creation.
        forest.evictSettled(now: time, budget: max(4096, batch.events.count))
    }

    private mutating func beginPass(_ recorder: Recorder) -> RingMerge {
        recorder.allowWake()
        previousPassTime = passTime
        passTime = recorder.clock.nanoseconds
        lostBeforePass = recorder.counts.lost
        let merge = RingMerge(recorder.pool.active)
        // The anchor is taken after the ends of the rings were fixed, so that all events of this pass are before it.
        if recorder.usesCycleCounter {
            let anchor = Calibration.measure(recorder.clock)
            calibration.add(anchor)
            ringFile?.note(anchor)
            time = max(time, anchor.time)
        } else {
            time = max(time, recorder.clock.nanoseconds)
        }
        return merge
    }

    private mutating func read(
        _ merge: inout RingMerge, into batch: inout EventBatch, recorder: Recorder, runtime: any ObservedRuntime
    ) {
        while batch.events.count < options.batchLimit, let (ring, block, slot, text) = merge.next() {
            if ring.header.pointee.namedEpoch != names.threadEpoch {
                ring.header.pointee.namedEpoch = names.threadEpoch
                names.learn(thread: block.thread, name: block.threadName)
            }
            // The process's own runtime records known kinds only.
            guard let kind = EventKind(rawValue: slot.kind) else { continue }
            let recordedTime = recorder.usesCycleCounter ? self.time(of: slot.ticks) : slot.ticks
            let time = max(recordedTime, ring.header.pointee.lastTime)
            ring.header.pointee.lastTime = time
            var event = ChainEvent(
                time: time, kind, node: NodeID(rawValue: slot.node), other: NodeID(rawValue: slot.other),
                thread: block.thread, detail: slot.detail, flags: EventFlags(rawValue: slot.flags))
            if slot.file != nil { event.site = names.number(CallSite(filePointer: slot.file, line: slot.line)) }
            if kind == .queued { names.learn(executor: slot.detail, name: runtime.executorName) }
            if let text {
                batch.texts.append(text)
                event.text = UInt32(batch.texts.count)
            }
            batch.events.append(event)
        }
    }

    /// Returns the time at which the cycle counter read `ticks`. The last anchor must be later.
    func time(of ticks: UInt64) -> UInt64 { calibration.time(of: ticks) }

    private mutating func count(_ recorder: Recorder) {
        let recorded = recorder.counts
        counts.madeCount = recorded.made
        counts.lostInRings = recorded.lost
        counts.deliveredCount = deliveredCount
    }

    /// Returns the events of threads that are blocked in the system, or not any more. `now` is the program's clock.
    mutating func sampleStalls(now: UInt64) -> [ChainEvent] {
        stalls.sample(forest, now: now, probe: options.stallProbe)
    }

    // MARK: Batches

    private var lastPublished: UInt64 = 0

    func makeBatch() -> EventBatch { EventBatch(process: process, sequence: 0, time: time) }

    /// Applies a batch to the forest and enqueues it for all subscriptions.
    mutating func publish(_ batch: inout EventBatch) {
        sequence += 1
        batch.sequence = sequence
        batch.time = time
        batch.loss = counts
        names.moveNew(to: &batch)
        lastPublished = time
        forest.apply(batch)
        batch.runningCount = forest.totals.counts[.running]
        for subscription in subscriptions { subscription.push(batch) }
        outbox.append(batch)
        cancellations.note(batch, in: forest)
    }

    /// Adds the name tables to a late subscriber's first batch.
    func addNames(to batch: inout EventBatch) { names.addAll(to: &batch) }

    /// Interns the call site of a node from the registry.
    mutating func number(_ callSite: CallSite) -> SiteID { names.number(callSite) }

    /// Adds the name of the executor of a node from the registry.
    mutating func learn(executor: ExecutorID, runtime: any ObservedRuntime) {
        names.learn(executor: executor, name: runtime.executorName)
    }
}
