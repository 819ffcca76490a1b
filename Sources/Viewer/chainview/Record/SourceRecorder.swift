// SPDX-License-Identifier: MIT

import ChainBus
import ChainInsight
import ChainModel
import ChainRecording
import ChainSource
import ChainSystem
import PromiseRuntime
import Synchronization

/// A recorder of the program of a source, into a file or into memory, on a thread of its own.
///
/// The recording begins when the source is live, and the program's state is complete. It ends by itself when the source
/// has ended, when the file cannot be written, or when another run of the program begins. A recording for looking back
/// (`isHistory`) then starts over with the other run instead.
final class SourceRecorder: Sendable {
    /// Why a recording ended.
    enum Ending {
        /// The owner stopped the recording, or the source was stopped.
        case stopped
        /// The program has ended, was started again, or could not be reached. The text is the reason, in one sentence.
        case ended(String)
        case failed(RecordingError)
    }

    /// The progress of the recording, as of the last batch.
    struct Report {
        var progress = RecordingProgress()
        var process: ProcessDescription?
        var ending: Ending?

        /// Whether nothing was recorded, and the file is as it was.
        var isEmpty: Bool { progress.firstTime == 0 }
    }

    private struct State {
        var report = Report()
        var isStopping = false
        /// Requests to flush, signalled once all batches received before the request are written.
        var flushes: [Semaphore] = []
    }

    private let source: any BatchSource
    private let storage: any RecordingStorage & Sendable
    private let limit: UInt64?
    private let codec: (any PayloadCodec)?
    private let isHistory: Bool
    private let openWarnings: (@Sendable () -> Int)?
    private let whenBegun: (@Sendable () -> Void)?
    private let batches: BatchMailbox
    private let statuses: Mailbox<SourceStatus>
    private let bag = DisposeBag()
    private let woken: Semaphore
    private let hasEnded = Semaphore()
    private let state = Mutex(State())

    /// The limit of events and nodes that wait to be written.
    private static let eventLimit = 400_000
    /// The id of every command that a recorder sends; no dashboard uses it.
    private static let commandID: UInt64 = 1 << 62

    /// Subscribes to a source, which the owner starts and stops.
    ///
    /// - Parameters:
    ///   - isHistory: whether the recording is read while written, and starts over with another run of the program.
    ///   - openWarnings: returns how many warnings of the program are open; if nil, the recorder counts them itself.
    ///   - whenBegun: called once, when the recording has replaced what the file held.
    init(
        _ source: any BatchSource, into storage: any RecordingStorage & Sendable, limit: UInt64?,
        codec: (any PayloadCodec)? = nil, isHistory: Bool = false,
        openWarnings: (@Sendable () -> Int)? = nil, whenBegun: (@Sendable () -> Void)? = nil
    ) {
        let woken = Semaphore()
        self.source = source
        self.storage = storage
        (self.limit, self.codec) = (limit, codec)
        self.isHistory = isHistory
        self.openWarnings = openWarnings
        self.whenBegun = whenBegun
        self.woken = woken
        batches = BatchMailbox(limit: Self.eventLimit, waits: source.isPatient, wake: { woken.signal() })
        statuses = Mailbox(limit: 1_000, wake: { woken.signal() })
        source.status.subscribe(statuses).disposed(by: bag)
        source.batches.subscribe(batches).disposed(by: bag)
        Signals.startThread("chainview.record") { [self] in run() }
    }

    var report: Report { state.withLock { $0.report } }

    /// Ends the recording; batches received so far are written.
    func stop() {
        state.withLock { $0.isStopping = true }
        woken.signal()
    }

    /// Waits for the end of the recording, for `time` at most; returns whether it has ended.
    func wait(for time: Duration) -> Bool {
        guard hasEnded.wait(for: time) else { return false }
        hasEnded.signal()
        return true
    }

    /// Writes the batches received so far. Waits for `time` at most; returns false if they are not written by then.
    func flush(within time: Duration) -> Bool {
        let done = Semaphore()
        let isOver = state.withLock { state in
            if state.report.ending == nil { state.flushes.append(done) }
            return state.report.ending != nil
        }
        guard !isOver else { return true }
        woken.signal()
        return done.wait(for: time)
    }

    // MARK: The thread

    private func run() {
        var writing = Writing(
            into: storage, limit: limit, codec: codec, isHistory: isHistory, openWarnings: openWarnings)
        var hasBegun = false
        while writing.ending == nil {
            // Read before `drain`, so that batches that came before the stop are written.
            let (isStopping, flushes) = state.withLock { state in
                defer { state.flushes = [] }
                return (state.isStopping, state.flushes)
            }
            // Until the program is known, its first batches wait: without the first of all, a recording would begin with
            // the next state, and a program that sends none would have no recording.
            let knewProgram = writing.report.process != nil
            var mail = knewProgram ? batches.drain() : ([], false)
            for status in statuses.drain().elements { writing.take(status) }
            if !knewProgram, writing.report.process != nil { mail = batches.drain() }
            var wantsState = writing.take(mail, at: SystemClock.shared.nanoseconds)
            // The last batches may have come after `batches.drain()` and before `statuses.drain()`.
            if writing.ending != nil { wantsState = writing.take(batches.drain(), at: SystemClock.shared.nanoseconds) }
            if isStopping, writing.ending == nil { writing.ending = .stopped }
            if !flushes.isEmpty { writing.flush() }
            if writing.ending != nil { writing.finish() }
            if !hasBegun, !writing.report.isEmpty {
                hasBegun = true
                whenBegun?()
            }
            state.withLock { $0.report = writing.report }
            for flush in flushes { flush.signal() }
            if wantsState, let process = writing.report.process {
                source.send(ViewerCommand(id: Self.commandID, process: process.key, request: .resync))
            }
            // Waits without a limit while no chunk is being filled, because all other work wakes the thread.
            if writing.ending == nil { _ = woken.wait(nanoseconds: writing.pause) }
        }
        // A flush that was requested since the last round has nothing to wait for.
        let flushes = state.withLock { state in
            state.report = writing.report
            return state.flushes
        }
        for flush in flushes { flush.signal() }
        batches.close()
        statuses.close()
        bag.dispose()
        hasEnded.signal()
    }
}

/// A counter of the open warnings of a recorded program, by the default limits.
private final class WarningCounter {
    private var table = WarningTable()
    private var changes = ForestChanges()

    func count(in forest: inout ChainForest) -> Int {
        forest.consumeChanges(into: &changes)
        table.update(with: changes, of: forest, now: forest.now)
        _ = table.tick(forest, now: forest.now, options: WarningOptions())
        return table.count
    }
}

/// The state of a recorder's thread.
private struct Writing {
    private var writer: RecordingWriter?
    private var recorder: BatchRecorder?
    private let storage: any RecordingStorage
    private let limit: UInt64?
    private let codec: (any PayloadCodec)?
    private let isHistory: Bool
    private let openWarnings: (@Sendable () -> Int)?
    /// The number of nodes of a state that is being loaded.
    private var loadedCount = 0
    private(set) var report = SourceRecorder.Report()

    var ending: SourceRecorder.Ending? {
        get { report.ending }
        set { report.ending = newValue }
    }

    init(
        into storage: any RecordingStorage, limit: UInt64?, codec: (any PayloadCodec)?, isHistory: Bool,
        openWarnings: (@Sendable () -> Int)?
    ) {
        self.storage = storage
        (self.limit, self.codec) = (limit, codec)
        self.isHistory = isHistory
        self.openWarnings = openWarnings
        beginFile()
    }

    private mutating func beginFile() {
        writer = RecordingWriter(storage, id: .random(in: 1...UInt64.max), limit: limit, codec: codec)
    }

    mutating func take(_ status: SourceStatus) {
        switch status {
        case .live(let process), .replaying(let process, _):
            if let recorder, recorder.process.key != process.key {
                guard isHistory else {
                    ending = ending ?? .ended("the program was started again")
                    return
                }
                startOver()
            }
            if recorder == nil { begin(process) }
        case .ended(.failed(let reason)): ending = ending ?? .ended(reason)
        case .ended(.finished): ending = ending ?? .ended("the program has ended")
        case .ended(.stopped): ending = ending ?? .stopped
        case .idle, .connecting, .reconnecting: break
        }
    }

    private mutating func begin(_ process: ProcessDescription) {
        guard let writer else { return }
        var options = isHistory ? .history : BatchRecorder.Options()
        options.awaitsState = true
        var begun = BatchRecorder(process, writer, options: options)
        if let openWarnings {
            begun.warningCountSource = .known(openWarnings)
        } else {
            let warnings = WarningCounter()
            begun.warningCountSource = .counted { warnings.count(in: &$0) }
        }
        recorder = begun
        self.writer = nil
        report.process = process
    }

    /// Discards what was recorded, for another run of the program.
    private mutating func startOver() {
        (recorder, loadedCount, report) = (nil, 0, SourceRecorder.Report())
        try? storage.truncate(to: 0)
        beginFile()
    }

    /// Writes batches. Returns whether batches after them were dropped, so that the state has to be sent again.
    mutating func take(_ mail: (batches: [EventBatch], hasDropped: Bool), at now: UInt64) -> Bool {
        do throws(RecordingError) {
            for batch in mail.batches {
                try checkSize(batch)
                try recorder?.record(batch, at: now)
            }
            try recorder?.tick(at: now)
        } catch { fail(error) }
        if mail.hasDropped { recorder?.noteGap() }
        if let progress = recorder?.progress { report.progress = progress }
        return mail.hasDropped
    }

    /// Throws before the state of the program would take more than half of a history's limit of memory.
    private mutating func checkSize(_ batch: EventBatch) throws(RecordingError) {
        guard isHistory, let limit else { return }
        if case .begin? = batch.resync { loadedCount = 0 }
        loadedCount += batch.nodes.count
        let size = UInt64(max(loadedCount, recorder?.nodeCount ?? 0)) * Self.nodeSize
        if size > limit / 2 { throw .limitTooSmall }
    }

    /// About how many bytes a node takes in a keyframe.
    private static let nodeSize: UInt64 = 100

    /// Writes the batches that wait for their chunk to fill.
    mutating func flush() {
        do throws(RecordingError) { try recorder?.flush() } catch { fail(error) }
        if let progress = recorder?.progress { report.progress = progress }
    }

    /// The nanoseconds until batches that wait for their chunk to fill have to be written; without a limit if no
    /// batches wait.
    var pause: UInt64 {
        guard let tick = recorder?.nextTick else { return .max }
        return tick.subtractingClamped(SystemClock.shared.nanoseconds)
    }

    private mutating func fail(_ error: RecordingError) {
        ending = .failed(error)
        guard isHistory else { return }
        // A failed history is not read, so its memory is freed.
        recorder = nil
        try? storage.truncate(to: 0)
    }

    mutating func finish() {
        if case .failed = ending { return }
        do throws(RecordingError) { try recorder?.finish() } catch { ending = .failed(error) }
        if let progress = recorder?.progress { report.progress = progress }
    }
}
