// SPDX-License-Identifier: MIT

import ChainEvents
import ChainWire

/// A recorder of batches and of keyframes that its owner makes. Tells when a keyframe is due, and has no forest.
///
/// A keyframe comes batch by batch, from ``beginKeyframe(at:_:now:)`` to ``endKeyframe(_:now:)``. Meanwhile further
/// batches may be recorded; the keyframe has to contain them at its end. So a reader that plays the recording skips the
/// keyframe, and one that begins with the keyframe skips these batches.
///
/// Not thread-safe. Costs what encoding and writing the batches costs.
package struct SegmentRecorder {
    package let process: ProcessDescription
    var writer: RecordingWriter
    private let options: BatchRecorder.Options
    /// The epoch of a resync among the batches that has begun and not ended.
    private var openResync: UInt64?
    /// Whether a resync among the batches is left out, because it is too large for the file. A keyframe has to follow
    /// its end.
    private var isSkipping = false
    /// Whether a keyframe is due because a resync was left out.
    private(set) var hasSkipped = false
    /// Whether a keyframe has begun and not ended.
    package private(set) var isInKeyframe = false
    /// Whether a keyframe was written.
    package private(set) var hasSegment = false
    /// The time of the last keyframe.
    private var keyframeTime: UInt64 = 0
    /// The number of events and snapshots since the last keyframe.
    private var eventsSince = 0
    /// The number of batches since the last keyframe.
    private var batchesSince = 0
    /// The number of the last batch.
    private var sequence: UInt64 = 0
    /// The time of the last batch.
    package private(set) var lastTime: UInt64 = 0
    /// How many events were lost before the recording began; nil until it begins.
    private var lostBefore: UInt64?
    /// How far the recording is.
    package private(set) var progress = RecordingProgress()

    package init(_ process: ProcessDescription, _ writer: RecordingWriter, options: BatchRecorder.Options) {
        (self.process, self.writer, self.options) = (process, writer, options)
    }

    /// Whether a resync among the batches has begun and not ended: the state is then incomplete.
    package var isInResync: Bool { openResync != nil }

    /// Returns a batch with its number and time in the recording. Times in a recording must not decrease, because its
    /// moments depend on that, so an earlier time is raised.
    package mutating func numbered(_ batch: EventBatch) -> EventBatch {
        var batch = batch
        (sequence, lastTime) = (sequence + 1, max(lastTime, batch.time))
        (batch.sequence, batch.time) = (sequence, lastTime)
        return batch
    }

    /// Notes the mark of a resync, without recording the batch.
    mutating func note(_ resync: Resync?) {
        switch resync {
        case .begin(let epoch)?: openResync = epoch
        case .end(let epoch)?: if openResync == epoch { openResync = nil }
        case nil: break
        }
    }

    /// Appends a batch from ``numbered(_:)`` to the present segment.
    ///
    /// - Parameter now: nanoseconds of a monotonic clock of the caller, for the age of chunks.
    package mutating func record(
        _ batch: EventBatch, running: Int, warnings: UInt32 = RecordingFormat.uncounted, at now: UInt64
    ) throws(RecordingError) {
        note(batch.resync)
        if !isSkipping, !isInKeyframe, isTooLarge(batch) {
            isSkipping = true
            try writer.skip()
        }
        if !isSkipping {
            try writer.append(batch, running: running, warnings: warnings, at: now)
            progress.eventCount += UInt64(batch.events.count)
        } else if openResync == nil {
            (isSkipping, hasSkipped) = (false, true)
        }
        eventsSince += batch.events.count + batch.nodes.count
        batchesSince += 1
        noteProgress(batch)
    }

    /// Takes a resync that has begun for ended, because its end is missing.
    mutating func endResync() { openResync = nil }

    /// Leaves a gap for batches that are missing before the next keyframe, which then corrects what the reader has.
    package mutating func noteGap() throws(RecordingError) { if hasSegment { try writer.skip() } }

    /// Writes the chunk that is being filled.
    package mutating func flush() throws(RecordingError) {
        try writer.flush()
        progress.fileSize = writer.fileSize
    }

    /// Writes the chunk that is being filled if it is at least as old as ``RecordingFormat/chunkDelay``.
    mutating func tick(at now: UInt64) throws(RecordingError) {
        try writer.flush(olderThan: RecordingFormat.chunkDelay, at: now)
        progress.fileSize = writer.fileSize
    }

    /// Ends the recording.
    mutating func finish() throws(RecordingError) {
        try writer.finish()
        progress.fileSize = writer.fileSize
    }

    private mutating func noteProgress(_ batch: EventBatch) {
        if progress.firstTime == 0 { progress.firstTime = batch.time }
        progress.lastTime = batch.time
        // Events that were lost before the recording began are not counted as lost.
        let lostBefore = lostBefore ?? batch.loss.lostCount
        self.lostBefore = lostBefore
        progress.lostCount = batch.loss.lostCount.subtractingClamped(lostBefore)
        progress.fileSize = writer.fileSize
        progress.isRing = writer.sizeLimit.map { writer.fileSize + UInt64(RecordingFormat.chunkLimit) > $0 } ?? false
    }

    // MARK: Keyframes

    /// Returns whether a keyframe is due before the next batch, which has the time `time`.
    package func isKeyframeDue(at time: UInt64) -> Bool {
        // A keyframe within a resync would report nodes that the program has not reported since the resync began.
        guard !isInKeyframe, openResync == nil else { return false }
        guard hasSegment, !hasSkipped else { return true }
        // A ring gives up whole segments, so a segment that fills the file would leave no room for the next segment.
        // Empty batches take room, too.
        if let limit = writer.sizeLimit, writer.segmentSize > limit / 4 { return true }
        if batchesSince >= options.keyframeBatches { return true }
        guard eventsSince > 0 else { return false }
        let elapsed = time.subtractingClamped(keyframeTime)
        guard elapsed >= options.leastInterval else { return false }
        return elapsed >= options.greatestInterval || eventsSince >= options.keyframeEvents
    }

    /// Returns whether a batch of a resync would make the segment longer than a quarter of the size limit.
    private func isTooLarge(_ batch: EventBatch) -> Bool {
        guard openResync != nil || batch.resync != nil, let limit = writer.sizeLimit else { return false }
        var size = writer.segmentSize
        for node in batch.nodes {
            size += 100 + UInt64((node.label ?? "").utf8.count + (node.summary ?? "").utf8.count)
        }
        return size > limit / 4
    }

    /// Begins a segment with a keyframe.
    package mutating func beginKeyframe(
        at time: UInt64, _ totals: ProcessTotals, now: UInt64
    ) throws(RecordingError) {
        lastTime = max(lastTime, time)
        let hello = Hello(process: process, capabilities: [], time: lastTime, totals: totals)
        try writer.beginSegment(hello, at: now)
        (isInKeyframe, hasSkipped, eventsSince, batchesSince) = (true, false, 0, 0)
    }

    /// Appends a batch to the keyframe. The first begins a resync.
    package mutating func recordState(_ batch: EventBatch, now: UInt64) throws(RecordingError) {
        try writer.appendState(numbered(batch), at: now)
    }

    /// Ends the keyframe by the batch that ends the resync. The keyframe has the time of this batch.
    package mutating func endKeyframe(_ batch: EventBatch, now: UInt64) throws(RecordingError) {
        let batch = numbered(batch)
        try writer.appendState(batch, at: now)
        try writer.endState()
        (isInKeyframe, hasSegment, keyframeTime) = (false, true, batch.time)
        noteProgress(batch)
    }
}
