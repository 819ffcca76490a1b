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

    /// What is written.
    var segments: SegmentRecorder
    private let options: Options
    /// The state, as a viewer would have it.
    private var forest: ChainForest
    /// Whether the first state has begun and not ended. Its batches are only applied to the forest, and a keyframe
    /// follows their end.
    private var awaitsEnd = false
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

    package init(_ process: ProcessDescription, _ writer: RecordingWriter, options: Options = Options()) {
        segments = SegmentRecorder(process, writer, options: options)
        self.options = options
        let settledLimit = min(
            options.settledLimit, writer.sizeLimit.map(RecordingFormat.settledLimit(ofSize:)) ?? .max)
        forest = ChainForest(
            process: process.key,
            limits: ForestLimits(settledNodeLimit: settledLimit, settledLeafLimit: settledLimit, changeLimit: 0))
    }

    package var process: ProcessDescription { segments.process }

    /// How far the recording is.
    package var progress: RecordingProgress { segments.progress }

    /// Appends a batch, after a keyframe if one is due. Batches of another run are ignored.
    ///
    /// - Parameter now: nanoseconds of a monotonic clock of the caller, for the age of chunks.
    package mutating func record(_ batch: EventBatch, at now: UInt64) throws(RecordingError) {
        guard batch.process == process.key else { return }
        if !segments.hasSegment, !awaitsEnd {
            awaitsEnd = batch.beginsState
            if options.awaitsState, !awaitsEnd, batch.sequence != 1 { return }
        }
        if !awaitsEnd, segments.isKeyframeDue(at: batch.time) {
            // Events that were lost before the first batch are not counted as lost.
            let (time, loss) = segments.hasSegment ? (forest.now, forest.loss) : (batch.time, batch.loss)
            try writeKeyframe(at: time, loss, now)
        }
        let batch = segments.numbered(batch)
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
        if awaitsEnd {
            segments.note(batch.resync)
        } else {
            try segments.record(batch, running: forest.totals.counts[.running], warnings: warningCount, at: now)
        }
        guard awaitsEnd || segments.hasSkipped, !segments.isInResync else { return }
        awaitsEnd = false
        try writeKeyframe(at: forest.now, batch.loss, now)
    }

    /// Notes that batches are missing after the last one. If a part of the first state is among them, the recording
    /// waits for the next state.
    package mutating func noteGap() {
        guard awaitsEnd else { return }
        awaitsEnd = false
        segments.endResync()
    }

    /// When ``tick(at:)`` has to be called, by the caller's clock; nil while there is nothing to write.
    package var nextTick: UInt64? { segments.writer.openChunkTime?.addingClamped(RecordingFormat.chunkDelay) }

    /// Writes the chunk that is being filled if it is at least as old as ``RecordingFormat/chunkDelay``.
    package mutating func tick(at now: UInt64) throws(RecordingError) {
        try segments.tick(at: now)
    }

    /// Writes the chunk that is being filled.
    package mutating func flush() throws(RecordingError) { try segments.flush() }

    /// Ends the recording.
    package mutating func finish() throws(RecordingError) { try segments.finish() }

    // MARK: Keyframes

    /// The number of nodes in the state.
    package var nodeCount: Int { forest.totals.counts.nodeCount }

    /// Whether a resync has begun and not ended: the state is then incomplete.
    package var isInResync: Bool { segments.isInResync }

    /// Writes the state as the batches of a resync, as a viewer gets them when it attaches. Holds the nodes of one walk
    /// in memory, not the nodes of the whole state.
    private mutating func writeKeyframe(
        at time: UInt64, _ loss: EventCounts, _ now: UInt64
    ) throws(RecordingError) {
        var batch = EventBatch(process: process.key, sequence: 0, time: time)
        batch.loss = loss
        var begin = batch
        begin.resync = .begin(epoch: time)
        (begin.sites, begin.threads, begin.executors) = (forest.sites, forest.threads, forest.executors)
        try segments.beginKeyframe(at: time, ProcessTotals(of: forest.totals), now: now)
        try segments.recordState(begin, now: now)
        let size = options.nodesInBatch
        var next: NodeID? = NodeID.none
        while let first = next {
            // Each walk collects many batches, because it looks at all pages of ids.
            let walk = forest.snapshot(from: first, limit: Self.batchesInWalk * size)
            for start in stride(from: 0, to: walk.nodes.count, by: size) {
                batch.nodes = Array(walk.nodes[start..<min(start + size, walk.nodes.count)])
                try segments.recordState(batch, now: now)
            }
            next = walk.next
        }
        batch.nodes = []
        for reading in forest.frameReadings {
            batch.frames = reading
            try segments.recordState(batch, now: now)
        }
        batch.frames = nil
        batch.events = forest.waitEvents
        batch.resync = .end(epoch: time)
        try segments.endKeyframe(batch, now: now)
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
