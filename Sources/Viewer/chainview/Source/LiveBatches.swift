// SPDX-License-Identifier: MIT

import ChainAttach
import ChainEvents
import ChainSystem
import Dashboard

/// The batches of a program that runs, until it ends, or until it cannot be reached.
///
/// After a lost connection, only a run that a pid identifies is attached to again: a program of this machine, or
/// `ssh:HOST/PID`. At any other target, another run of the program may answer then.
final class LiveBatches: BatchReader {
    let process: ProcessDescription
    /// 0, because no event has to be skipped: what happened before the program was reached comes as the state, between
    /// the marks of a resync.
    let start: UInt64 = 0
    private let feed: Feed
    private let woken: Semaphore
    private var waiting: [EventBatch] = []
    private var nextIndex = 0
    /// Why the batches end; the batches that wait are still returned.
    private var ending: String?

    /// Attaches, and waits until the program has answered.
    convenience init(_ target: Target, symbols: [String] = []) throws {
        let discovery = Discovery.patient
        // Found and probed first, because the error of a probe leads to an exit code.
        let program = try RunningProgram(target, discovery, symbols: symbols)
        if case .prepared = program { try discovery.probe(target) }
        if let notice = program.notice { Streams.printError(notice) }
        var options = AttachOptions(discovery: discovery)
        (options.isReadOnly, options.endsWithRun, options.viewerName) = (true, true, DisplayOptions.viewer)
        try self.init(NamedSource(name: target.description, source: program.source(options)))
    }

    /// Starts a source, and waits until the source is live. ``stop()`` stops the source.
    init(_ source: NamedSource) throws {
        let woken = Semaphore()
        let feed = Feed.all([source], wake: { woken.signal() })[0]
        var (found, first): (ProcessDescription?, [Action]) = (nil, [])
        while found == nil {
            feed.drain { action in
                if case .connected(_, let process) = action, found == nil { found = process }
                first.append(action)
            }
            guard found == nil else { break }
            guard !feed.isOver else {
                feed.stop()
                throw Failure(status: .gone, message: (feed.failure ?? "the program has ended") + ".")
            }
            _ = woken.wait(for: Self.pause)
        }
        process = found!
        (self.feed, self.woken) = (feed, woken)
        // The actions that came with the connection may include its end, which is not repeated.
        for action in first { take(action) }
    }

    private static let pause = Duration.milliseconds(100)

    func next() -> BatchStep {
        if nextIndex >= waiting.count {
            (waiting, nextIndex) = ([], 0)
            drain()
            if waiting.isEmpty, ending == nil, woken.wait(for: Self.pause) { drain() }
        }
        if nextIndex < waiting.count {
            nextIndex += 1
            return .batch(waiting[nextIndex - 1])
        }
        return ending.map { .ended(notes: [$0]) } ?? .nothing
    }

    private func drain() { feed.drain { take($0) } }

    private func take(_ action: Action) {
        switch action {
        case .connected(_, let new) where new.key != process.key: end("the program was started again")
        case .received(_, let batch) where batch.process == process.key: waiting.append(batch)
        case .ended(_, let reason): end(reason)
        default: break
        }
    }

    private func end(_ reason: String) { ending = ending ?? reason }

    func stop() { feed.stop() }
}
