// SPDX-License-Identifier: MIT

import ChainEvents
import ChainModel
import ChainWire

/// A recorder of one run of a program. Applies its batches to a forest of its own, and takes the keyframes from that
/// forest.
///
/// If the first batches are the program's whole state, the recording begins with a keyframe of that state once it is
/// complete. Nothing is written before, because a part of a state would be shown as a moment of the program.
///
/// Not thread-safe. Costs what applying the batches costs, and some 300 ns for each node of a keyframe.
package struct BatchRecorder {
    /// When keyframes are written, and what is in them.
    package struct Options: Sendable {
        /// The number of events and snapshots after which a keyframe is due, but not before ``leastInterval``.
        package var keyframeEvents = 200_000
        /// The number of batches after which a keyframe is due. An idle program sends empty batches, and each of them
        /// may become a chunk. The writer's list of chunks is limited, and has to include a keyframe.
        package var keyframeBatches = 1 << 14
        /// The least time between two keyframes, in nanoseconds. A keyframe comes earlier if ``keyframeBatches`` or the
        /// size limit requires it, or after a resync that was too large for the file.
        package var leastInterval: UInt64 = 250_000_000
        /// The greatest time between two keyframes while events or snapshots are recorded, in nanoseconds. During a
        /// resync no keyframe is due.
        package var greatestInterval: UInt64 = 10_000_000_000
        /// The maximum number of nodes of settled chains in a keyframe, and likewise of settled leaves of live chains;
        /// the newest are kept. Both numbers are lower if the size limit of the file is below 32 MB.
        package var settledLimit = 20_000
        /// Whether a recorder that comes late ignores what comes before the program's whole state: if its first batch is
        /// not the first of the stream, it knows none of the nodes in it.
        package var awaitsState = false
        /// The number of nodes in one batch of a keyframe: few enough that a batch of ordinary nodes need not be cut.
        package var nodesInBatch = 1_024

        package init() {}
    }

    /// The number of batches of a keyframe that one walk over the forest collects.
    private static let batchesInWalk = 64

    package let process: ProcessDescription
    var writer: RecordingWriter
    private let options: Options
    /// The state, as a viewer would have it.
    private var forest: ChainForest
    /// The epoch of a resync that has begun and not ended.
    private var openResync: UInt64?
    /// Whether the resync that has begun is the first state, or is too large for the file. Its batches are then only
    /// applied to the forest, and a keyframe follows the end of the resync.
    private var isSkipping = false
    /// Whether a keyframe was written.
    private var hasSegment = false
    /// The time of the last keyframe.
    private var keyframeTime: UInt64 = 0
    /// The number of events and snapshots since the last keyframe.
    private var eventsSince = 0
    /// The number of batches since the last keyframe.
    private var batchesSince = 0
    /// The number of the last batch.
    private var sequence: UInt64 = 0
    /// How many events were lost before the first batch was closed; nil until that batch comes.
    private var lostBefore: UInt64?
    /// The source of the number of open warnings. The number is read with a batch, every 100 ms of the program's clock.
    package var warningCountSource = WarningCountSource.uncounted {
        didSet {
            let needsChanges = if case .counted = warningCountSource { true } else { false }
            forest.limits.changeLimit = needsChanges ? ForestLimits().changeLimit : 0
        }
    }
    private var warningCount = RecordingFormat.uncounted
    /// The time at which ``warningCount`` was read.
    private var warningTime: UInt64 = 0
    /// How far the recording is.
    package private(set) var progress = RecordingProgress()

    package init(_ process: ProcessDescription, _ writer: RecordingWriter, options: Options = Options()) {
        self.process = process
        self.writer = writer
        self.options = options
        // With this limit, the two kinds of settled nodes in a keyframe, some 100 bytes each, take at most an eighth of
        // a small file.
        let settledLimit = min(options.settledLimit, writer.sizeLimit.map { Int(clamping: $0 / 1_600) } ?? .max)
        forest = ChainForest(
            process: process.key,
            limits: ForestLimits(settledNodeLimit: settledLimit, settledLeafLimit: settledLimit, changeLimit: 0))
    }

    /// Appends a batch, after a keyframe if one is due. Batches of another run are ignored.
    ///
    /// - Parameter now: nanoseconds of a monotonic clock of the caller, for the age of chunks.
    package mutating func record(_ batch: EventBatch, at now: UInt64) throws(RecordingError) {
        guard batch.process == process.key else { return }
        if !hasSegment, !isSkipping {
            isSkipping = batch.beginsState
            if options.awaitsState, !isSkipping, batch.sequence != 1 { return }
        }
        if isKeyframeDue(at: batch.time) {
            // Events that were lost before the first batch are not counted as lost.
            let (time, loss) = hasSegment ? (forest.now, forest.loss) : (batch.time, batch.loss)
            try writeKeyframe(at: time, loss, now)
        }
        var batch = batch
        // Times in a recording must not decrease, because its moments depend on that, so an earlier time is raised.
        batch.time = max(batch.time, progress.lastTime)
        sequence += 1
        batch.sequence = sequence
        forest.apply(batch)
        // The budget grows with the batch, so that eviction keeps up with creation.
        forest.evictSettled(now: forest.now, budget: max(4096, 2 * (batch.events.count + batch.nodes.count)))
        if forest.now >= warningTime.addingClamped(RecordingFormat.countInterval) {
            warningTime = forest.now
            switch warningCountSource {
            case .uncounted: break
            case .counted(let count): warningCount = UInt32(clamping: count(&forest))
            case .known(let count): warningCount = UInt32(clamping: count())
            }
        }
        switch batch.resync {
        case .begin(let epoch)?: openResync = epoch
        case .end(let epoch)?: if openResync == epoch { openResync = nil }
        case nil: break
        }
        if isTooLarge(batch), !isSkipping {
            isSkipping = true
            try writer.skip()
        }
        let isAppended = !isSkipping
        if isAppended {
            try writer.append(batch, running: forest.totals.counts[.running], warnings: warningCount, at: now)
        } else if openResync == nil {
            try writeKeyframe(at: forest.now, batch.loss, now)
        }
        eventsSince += batch.events.count + batch.nodes.count
        batchesSince += 1
        if hasSegment { noteProgress(of: batch, isAppended: isAppended) }
    }

    /// Notes that batches are missing after the last one. If a part of the first state is among them, the recording
    /// waits for the next state.
    package mutating func noteGap() {
        if !hasSegment { (isSkipping, openResync) = (false, nil) }
    }

    /// When ``tick(at:)`` has to be called, by the caller's clock; nil while there is nothing to write.
    package var nextTick: UInt64? { writer.openChunkTime?.addingClamped(RecordingFormat.chunkDelay) }

    /// Writes the chunk that is being filled if it is at least as old as ``RecordingFormat/chunkDelay``.
    package mutating func tick(at now: UInt64) throws(RecordingError) {
        try writer.flush(olderThan: RecordingFormat.chunkDelay, at: now)
        progress.fileSize = writer.fileSize
    }

    /// Writes the chunk that is being filled.
    package mutating func flush() throws(RecordingError) {
        try writer.flush()
        progress.fileSize = writer.fileSize
    }

    /// Ends the recording.
    package mutating func finish() throws(RecordingError) {
        try writer.finish()
        progress.fileSize = writer.fileSize
    }

    private mutating func noteProgress(of batch: EventBatch, isAppended: Bool) {
        if progress.firstTime == 0 { progress.firstTime = batch.time }
        progress.lastTime = max(progress.lastTime, batch.time)
        if isAppended { progress.eventCount += UInt64(batch.events.count) }
        // Events that were lost before the recording began are not counted as lost.
        let lostBefore = lostBefore ?? batch.loss.lostCount
        self.lostBefore = lostBefore
        progress.lostCount = batch.loss.lostCount.subtractingClamped(lostBefore)
        progress.fileSize = writer.fileSize
        progress.isRing = writer.sizeLimit.map { writer.fileSize + UInt64(RecordingFormat.chunkLimit) > $0 } ?? false
    }

    // MARK: Keyframes

    /// Returns whether a batch of a resync would make the segment longer than a quarter of the size limit.
    private func isTooLarge(_ batch: EventBatch) -> Bool {
        guard openResync != nil || batch.resync != nil, let limit = writer.sizeLimit else { return false }
        var size = writer.segmentSize
        for node in batch.nodes {
            size += 100 + UInt64((node.label ?? "").utf8.count + (node.summary ?? "").utf8.count)
        }
        return size > limit / 4
    }

    /// The number of nodes in the state.
    package var nodeCount: Int { forest.totals.counts.nodeCount }

    /// Whether a resync has begun and not ended: the state is then incomplete.
    package var isInResync: Bool { openResync != nil }

    private func isKeyframeDue(at time: UInt64) -> Bool {
        guard hasSegment else { return !isSkipping }
        // A keyframe within a resync would report nodes that the program has not reported since the resync began.
        guard openResync == nil else { return false }
        // A ring gives up whole segments, so a segment that fills the file would leave no room for the next segment.
        // Empty batches take room, too.
        if let limit = writer.sizeLimit, writer.segmentSize > limit / 4 { return true }
        if batchesSince >= options.keyframeBatches { return true }
        guard eventsSince > 0 else { return false }
        let elapsed = time - min(time, keyframeTime)
        guard elapsed >= options.leastInterval else { return false }
        return elapsed >= options.greatestInterval || eventsSince >= options.keyframeEvents
    }

    private mutating func writeKeyframe(
        at time: UInt64, _ loss: EventCounts, _ now: UInt64
    ) throws(RecordingError) {
        var totals = ProcessTotals()
        let counts = forest.totals.counts
        (totals.chainCount, totals.nodeCount) = (UInt64(forest.totals.chainCount), UInt64(counts.nodeCount))
        (totals.liveCount, totals.runningCount) = (UInt64(counts.liveCount), UInt64(counts[.running]))
        totals.rejectedCount = UInt64(forest.totals.outcomes.failedCount)
        let hello = Hello(process: process, capabilities: [], time: time, totals: totals)
        try writer.beginSegment(hello, at: now)
        try writeState(at: time, loss, now)
        try writer.endState()
        (hasSegment, isSkipping, keyframeTime, eventsSince, batchesSince) = (true, false, time, 0, 0)
    }

    /// Writes the state as the batches of a resync, as a viewer gets them when it attaches. Holds the nodes of one walk
    /// in memory, not the nodes of the whole state.
    private mutating func writeState(
        at time: UInt64, _ loss: EventCounts, _ now: UInt64
    ) throws(RecordingError) {
        var begin = stateBatch(at: time, loss)
        begin.resync = .begin(epoch: time)
        (begin.sites, begin.threads, begin.executors) = (forest.sites, forest.threads, forest.executors)
        try writer.appendState(begin, at: now)
        let size = options.nodesInBatch
        var next: NodeID? = NodeID.none
        while let first = next {
            // Each walk collects many batches, because it looks at all pages of ids.
            let walk = forest.snapshot(from: first, limit: Self.batchesInWalk * size)
            for start in stride(from: 0, to: walk.nodes.count, by: size) {
                var batch = stateBatch(at: time, loss)
                batch.nodes = Array(walk.nodes[start..<min(start + size, walk.nodes.count)])
                try writer.appendState(batch, at: now)
            }
            next = walk.next
        }
        for reading in forest.frameReadings {
            var batch = stateBatch(at: time, loss)
            batch.frames = reading
            try writer.appendState(batch, at: now)
        }
        var end = stateBatch(at: time, loss)
        end.events = forest.waitEvents
        end.resync = .end(epoch: time)
        try writer.appendState(end, at: now)
    }

    private mutating func stateBatch(at time: UInt64, _ loss: EventCounts) -> EventBatch {
        sequence += 1
        var batch = EventBatch(process: process.key, sequence: sequence, time: time)
        batch.loss = loss
        return batch
    }
}

extension BatchRecorder {
    /// A source of the number of open warnings.
    package enum WarningCountSource {
        /// No source: open warnings are not counted.
        case uncounted
        /// A function that counts the open warnings in the recorder's forest. The forest lists its changes for that
        /// function.
        case counted((inout ChainForest) -> Int)
        /// A function that returns a number which the caller keeps.
        case known(() -> Int)
    }
}

/// The progress of a recording.
package struct RecordingProgress: Hashable, Sendable {
    /// The times of the beginning and of the last batch, in nanoseconds of the program's clock; 0 while nothing is
    /// recorded.
    package var firstTime: UInt64 = 0, lastTime: UInt64 = 0
    /// The number of recorded events.
    package var eventCount: UInt64 = 0
    /// The number of events that were lost since the beginning, in the program or on the way.
    package var lostCount: UInt64 = 0
    /// The size of the file in bytes.
    package var fileSize: UInt64 = 0
    /// Whether the file has come within a chunk of its size limit: from then on, the oldest segments are given up.
    package var isRing = false

    package init() {}
}
