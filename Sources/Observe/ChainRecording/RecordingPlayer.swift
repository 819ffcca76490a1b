// SPDX-License-Identifier: MIT

import ChainEvents

/// A position in a recording. Moving it returns the batches that lead to a moment.
///
/// The state at a moment is the state after all batches up to the moment. Events of the next batch are included if they
/// are not later than the moment. (Batches of the same time, such as the parts of one batch, count as one.) Advancing
/// returns the batches since the present moment. Seeking returns the batches that lead from an empty forest to a
/// moment, from a keyframe on. All batches of the same time are in memory together.
package struct RecordingPlayer {
    package let file: RecordingFile
    /// The present moment, in nanoseconds of the program's clock.
    package private(set) var time: UInt64
    /// The chunk that is read next.
    private var nextChunk = 0
    /// The batches of the chunks that were read last.
    private var batches: [EventBatch] = []
    /// The index in ``batches`` of the first batch that was not returned as a whole.
    private var nextBatch = 0
    /// The number of the last chunk that was read or skipped.
    private var number: UInt32 = 0
    /// The time up to which events of the next batch were returned; nil if nothing of that batch was returned.
    private var partTime: UInt64?
    /// Whether a chunk since the last keyframe is missing or unreadable: the next keyframe then corrects the state.
    private var hasGap = false
    /// Whether all chunks of the keyframe that is being read could be read so far: only a whole keyframe corrects the
    /// state.
    private var isKeyframeWhole = false

    /// Makes a player before the first moment: it has returned no batch.
    package init(_ file: RecordingFile) {
        self.file = file
        time = file.range.lowerBound
    }

    /// The moments that can be moved to.
    package var range: ClosedRange<UInt64> { file.range }

    // MARK: Seeking

    /// Moves to a moment, or to the nearest one in ``range``. Returns the batches that lead to it from an empty forest.
    package mutating func seek(to moment: UInt64) -> [EventBatch] {
        let moment = min(max(moment, range.lowerBound), range.upperBound)
        var index = file.segments.lastIndex { $0.time <= moment } ?? 0
        while true {
            let segment = file.segments[index]
            if let state = keyframe(of: segment) {
                (nextChunk, batches, nextBatch, partTime) = (segment.keyframe.upperBound, [], 0, nil)
                (time, hasGap, isKeyframeWhole) = (segment.time, false, false)
                number = file.chunks[segment.keyframe.upperBound - 1].header.number
                return state + advance(to: moment)
            }
            // A damaged keyframe is skipped: more batches are then applied, to the state of an earlier keyframe.
            guard index > 0 else { break }
            index -= 1
        }
        // No keyframe before the moment can be read, so only the batches are left.
        (nextChunk, batches, nextBatch, partTime) = (0, [], 0, nil)
        (hasGap, isKeyframeWhole) = (true, false)
        time = range.lowerBound
        return advance(to: moment)
    }

    /// Returns the state that a segment begins with; nil if the keyframe is damaged, or over
    /// ``RecordingFormat/keyframeLimit``.
    private func keyframe(of segment: RecordingSegment) -> [EventBatch]? {
        let size = file.chunks[segment.keyframe].reduce(0) { $0 + Int($1.header.rawCount) }
        guard size <= RecordingFormat.keyframeLimit else { return nil }
        var state: [EventBatch] = []
        for chunk in segment.keyframe where file.chunks[chunk].header.kind == .keyframe {
            guard let batches = file.batches(ofChunk: chunk) else { return nil }
            state += batches
        }
        return state
    }

    // MARK: Advancing

    /// Advances to a moment, but stops after about `limit` batches, events and nodes. Returns the batches in between;
    /// none if the moment is before the present one.
    package mutating func advance(to moment: UInt64, limit: Int = .max) -> [EventBatch] {
        guard moment >= time else { return [] }
        var (result, rest): ([EventBatch], Int) = ([], limit)
        while fill() {
            let batch = batches[nextBatch]
            // Batches of the same time are not separated.
            guard batch.time <= moment, rest > 0 || batch.time == time else { break }
            let new = remainder(of: batch, from: partTime)
            rest -= 1 + new.events.count + new.nodes.count
            result.append(new)
            time = max(time, batch.time)
            nextBatch += 1
            if isEndOfGroup(after: batch) { partTime = nil }
        }
        guard rest > 0 else { return result }
        time = max(time, min(moment, range.upperBound))
        result += part(until: time)
        return result
    }

    /// Returns events of the next batch and of the other batches of its time, if that time is after `moment`. They are
    /// the events that are not later than `moment` and were not returned before.
    private mutating func part(until moment: UInt64) -> [EventBatch] {
        guard fill() else { return [] }
        let (group, from) = (batches[nextBatch].time, partTime)
        guard group > moment, from.map({ $0 < moment }) ?? true else { return [] }
        var result: [EventBatch] = []
        var index = nextBatch
        while index < batches.count, batches[index].time == group {
            var part = remainder(of: batches[index], from: from)
            part.time = moment
            part.events.removeAll { $0.time > moment }
            (part.nodes, part.frames, part.resync, part.loss) = ([], nil, nil, EventCounts())
            if !part.events.isEmpty || from == nil { result.append(part) }
            index += 1
        }
        partTime = moment
        return result
    }

    /// Returns a batch without the names and events that were returned before.
    private func remainder(of batch: EventBatch, from: UInt64?) -> EventBatch {
        guard let from else { return batch }
        var batch = batch
        batch.events.removeAll { $0.time <= from }
        (batch.sites, batch.threads, batch.executors) = ([:], [:], [:])
        return batch
    }

    /// Returns whether `batch`, which precedes the next batch, is the last of its time.
    private mutating func isEndOfGroup(after batch: EventBatch) -> Bool {
        !fill() || batches[nextBatch].time != batch.time
    }

    /// Reads chunks until the next batch and all other batches of its time are in memory. Returns false at the end of
    /// the recording.
    private mutating func fill() -> Bool {
        guard nextBatch >= batches.count else { return true }
        (batches, nextBatch) = ([], 0)
        while let header = nextHeader(), batches.isEmpty || header.firstTime <= batches[batches.count - 1].time {
            read(header)
        }
        return !batches.isEmpty
    }

    /// Returns the header of the chunk to read next. Skips keyframes, which repeat the state, unless a chunk before
    /// them is missing or unreadable.
    private mutating func nextHeader() -> ChunkHeader? {
        while nextChunk < file.chunks.count {
            let header = file.chunks[nextChunk].header
            if header.number != number &+ 1 { (hasGap, isKeyframeWhole) = (true, false) }
            if header.kind == .batches || header.kind == .keyframe && hasGap { return header }
            number = header.number
            nextChunk += 1
        }
        return nil
    }

    private mutating func read(_ header: ChunkHeader) {
        let read = file.batches(ofChunk: nextChunk)
        nextChunk += 1
        number = header.number
        isKeyframeWhole = read != nil && (isKeyframeWhole || header.flags.contains(.beginsKeyframe))
        guard var read else { return hasGap = true }
        if header.flags.contains(.endsKeyframe) {
            hasGap = hasGap && !isKeyframeWhole
            // The end of an incomplete state would settle the nodes of the lost chunk, for good.
            if !isKeyframeWhole { read.removeAll { if case .end? = $0.resync { true } else { false } } }
        }
        batches += read
    }
}

// MARK: Events

extension RecordingPlayer {
    /// Returns the time of the first event after the present moment; nil at the end.
    package mutating func nextEventTime() -> UInt64? {
        var ahead = self
        while ahead.fill() {
            let group = ahead.batches[ahead.nextBatch].time
            var next: UInt64?
            while ahead.fill(), ahead.batches[ahead.nextBatch].time == group {
                for event in ahead.batches[ahead.nextBatch].events where event.time > time {
                    next = min(next ?? .max, event.time)
                }
                ahead.nextBatch += 1
            }
            if let next { return next }
        }
        return nil
    }

    /// Returns the time of the next rejection after the present moment; nil for none. Reads only chunks with a
    /// rejection.
    package func nextRejectionTime() -> UInt64? {
        for index in file.chunks.indices where file.chunks[index].header.lastTime >= time {
            if let next = rejections(in: index).filter({ $0 > time }).min() { return next }
        }
        return nil
    }

    /// Returns the time of the last rejection before the present moment; nil for none.
    package func previousRejectionTime() -> UInt64? {
        // The first batch of a chunk may end after the moment and still have events from before the moment.
        for index in file.chunks.indices.reversed()
        where index == 0 || file.chunks[index - 1].header.lastTime <= time {
            if let last = rejections(in: index).filter({ $0 < time }).max() { return last }
        }
        return nil
    }

    private func rejections(in index: Int) -> [UInt64] {
        let header = file.chunks[index].header
        let before = index > 0 ? file.chunks[index - 1].header.counts.rejected : 0
        guard header.kind == .batches, header.counts.rejected > before else { return [] }
        return (file.batches(ofChunk: index) ?? []).flatMap(\.events).filter { $0.kind == .rejected }.map(\.time)
    }

    /// Returns the time of the last event before the present moment; nil at the beginning.
    package func previousEventTime() -> UInt64? {
        var index = min(nextChunk, file.chunks.count)
        var last: UInt64?
        while index > 0 {
            index -= 1
            guard file.chunks[index].header.kind == .batches else { continue }
            for batch in file.batches(ofChunk: index) ?? [] {
                for event in batch.events where event.time < time { last = max(last ?? 0, event.time) }
            }
            if last != nil { return last }
        }
        return nil
    }
}
