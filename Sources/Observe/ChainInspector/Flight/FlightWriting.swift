// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainRecording
import PromiseRuntime

/// The recording of a flight recorder, for its thread.
struct FlightWriting {
    private var recorder: SegmentRecorder
    private let clock: any ChainClock
    private let options: InspectorOptions.FlightRecorder
    private let path: String
    private(set) var hasFailed = false
    /// When the recording was written last, in nanoseconds of the monotonic clock.
    private var flushTime: UInt64 = 0
    /// Whether batches were recorded since the last write.
    private var isUnflushed = false

    /// The kinds of events that trigger a dump.
    private let kinds: [EventKind]
    /// The kind of the first event of ``kinds`` that was recorded since the last ``dumpIfTriggered()``.
    private var trigger: EventKind?
    /// When the last dump was triggered, in nanoseconds of the monotonic clock.
    private var triggerTime: UInt64 = 0
    private var triggerCount = 0
    private let totals: () -> ProcessTotals
    /// Makes the file of a dump, and calls the closure to fill it. The reason is for the sentence on standard error.
    private let dump: (_ reason: String, FlightRecorder.Copying) -> Void

    /// Nanoseconds between two writes. Two reads of the rings may be as far apart, so a killed program loses 250 ms at
    /// most.
    private static let flushInterval: UInt64 = 100_000_000
    /// The most dumps by triggers.
    private static let triggerLimit = 8

    init(
        _ process: ProcessDescription, _ clock: any ChainClock, _ options: InspectorOptions.FlightRecorder,
        _ file: FlightFile, totals: @escaping () -> ProcessTotals,
        dump: @escaping (_ reason: String, FlightRecorder.Copying) -> Void
    ) {
        self.clock = clock
        self.options = options
        (self.totals, self.dump) = (totals, dump)
        path = file.path
        kinds = options.dumpTriggers.map { $0.event.kind }
        recorder = SegmentRecorder(
            process,
            RecordingWriter(file.storage, id: chain_random(), limit: options.limit, codec: PayloadColumns()),
            options: BatchRecorder.Options())
    }

    /// The most settled nodes of a keyframe. They are fewer than in other recordings, because they are half of the cost
    /// where most nodes settle immediately.
    static func settledLimit(_ options: InspectorOptions.FlightRecorder) -> Int {
        min(5_000, RecordingFormat.settledLimit(ofSize: options.limit))
    }

    mutating func record(_ part: BatchSubscription.Part) {
        do throws(RecordingError) { try write(part, at: chain_monotonic_ns()) } catch { return fail(error) }
        isUnflushed = true
        guard !part.isKeyframe, !kinds.isEmpty, trigger == nil else { return }
        trigger = part.batch.events.first { kinds.contains($0.kind) }?.kind
    }

    private mutating func write(_ part: BatchSubscription.Part, at now: UInt64) throws(RecordingError) {
        let batch = part.batch
        guard part.isKeyframe else {
            // Before the end of the first keyframe, batches are only a part of that keyframe.
            guard recorder.hasSegment else { return }
            return try recorder.record(recorder.numbered(batch), running: batch.runningCount, at: now)
        }
        if case .begin? = batch.resync {
            if part.followsGap { try recorder.noteGap() }
            try recorder.beginKeyframe(at: batch.time, totals(), now: now)
        }
        if case .end? = batch.resync {
            try recorder.endKeyframe(batch, now: now)
        } else {
            try recorder.recordState(batch, now: now)
        }
    }

    /// Whether a keyframe has to follow the last batch.
    var isKeyframeDue: Bool { recorder.isKeyframeDue(at: recorder.lastTime) }

    /// Whether a part of the program's state is still missing.
    var isInState: Bool { recorder.isInKeyframe || recorder.isInResync }

    /// The nanoseconds until the next write; nil if there is nothing to write.
    var flushDelay: UInt64? {
        guard isUnflushed else { return nil }
        return Self.flushInterval.subtractingClamped(chain_monotonic_ns().subtractingClamped(flushTime))
    }

    mutating func flushIfDue() {
        guard flushDelay == 0 else { return }
        (isUnflushed, flushTime) = (false, chain_monotonic_ns())
        do throws(RecordingError) { try recorder.flush() } catch { return fail(error) }
        recorder.forget(before: clock.nanoseconds.subtractingClamped(options.maxAge.clampedNanoseconds))
    }

    private mutating func fail(_ error: RecordingError) {
        (hasFailed, isUnflushed) = (true, false)
        // The file is removed at an exit, while this thread may still write.
        guard error != .removed || !chain_removes_own_files() else { return }
        chain_log("chainview: the flight recorder has ended, because its file \(path) \(error.description)\n")
    }

    /// Copies the last `span` nanoseconds into another file, and returns the size of that file in bytes.
    mutating func copy(_ span: UInt64, to target: RecordingFileStorage) -> Result<UInt64, RecordingError> {
        let begin = clock.nanoseconds.subtractingClamped(min(span, options.maxAge.clampedNanoseconds))
        return Result { () throws(RecordingError) in
            try recorder.writeExcerpt(from: begin, of: path, to: target)
        }
    }

    /// Dumps the recording if an event has triggered a dump: at most ``triggerLimit`` times, and not within `dumpSpan`
    /// of the last triggered dump.
    mutating func dumpIfTriggered() {
        guard let kind = trigger else { return }
        trigger = nil
        let (now, span) = (chain_monotonic_ns(), options.dumpSpan.clampedNanoseconds)
        guard triggerCount < Self.triggerLimit, triggerCount == 0 || now - min(now, triggerTime) >= span else { return }
        (triggerCount, triggerTime) = (triggerCount + 1, now)
        let reason = options.dumpTriggers.first { $0.event.kind == kind }?.event.words ?? ""
        // A copy, because the call must not access `self` while the closure changes it.
        let dump = dump
        dump(reason) { copy(span, to: $0) }
    }
}
