// SPDX-License-Identifier: MIT

import ChainModel
import PromiseRuntime

/// A recorded run of promises under virtual time, on one thread: the same program makes the same events in each run.
///
///     let run = RecordedRun()
///     run.record { checkout(42) }     // code that makes promises
///     run.runUntilIdle()              // an hour of delays takes no time
///     assertChain(run, matches: """
///         fulfilled promise order 42 = thanks · total 3.2s
///         """)
///
/// Handlers on the runtime's executor run on the thread that drives the run. Work on other executors (`on:`,
/// `Promise(async:)`) is recorded, but runs in real time, and the run does not wait for it.
public final class RecordedRun: Sendable {
    /// The runtime in which ``record(_:)`` makes promises.
    public let runtime: ChainRuntime
    /// The runtime's clock.
    public let clock: VirtualClock
    /// The runtime's executor.
    public let executor: ManualExecutor

    private let recorder: RunRecorder
    private static let process = ProcessKey(rawValue: 1)

    /// Makes an empty run.
    ///
    /// - Parameter capturesValues: whether the descriptions of values are recorded.
    public init(capturesValues: Bool = true) {
        clock = VirtualClock()
        executor = ManualExecutor(name: "virtual")
        runtime = ChainRuntime(clock: clock, executor: executor)
        recorder = RunRecorder(clock: clock)
        _ = runtime.startRecording(into: recorder, capturesValues: capturesValues)
    }

    /// Runs `body` immediately; promises that it makes belong to this run. Their handlers do not run yet.
    @discardableResult
    public func record<Result>(_ body: () throws -> Result) rethrows -> Result { try runtime.run(body) }

    /// Runs asynchronous code; promises that it makes, and scopes (`withChain`), belong to this run and are on its
    /// clock. The code runs on Swift's executors: a promise that it awaits has to be driven from another task.
    @_disfavoredOverload
    @discardableResult
    public func record<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await runtime.run(isolation: isolation, body)
    }

    // MARK: Driving

    /// Runs ready handlers, advances to the next timer, and repeats, up to and including `moment`
    /// (``VirtualClock/elapsed``).
    ///
    /// - Parameter limit: the maximum number of handlers and timer deadlines to run, so that an endless program ends
    ///   the test.
    /// - Returns: false if the limit was reached while more handlers were ready or more timers were due.
    @discardableResult
    public func run(until moment: Duration, limit: Int = 1_000_000) -> Bool {
        let end = VirtualClock.start.advanced(by: moment)
        guard drive(until: end, limit: limit) else { return false }
        clock.advance(by: clock.now.duration(to: end))
        return true
    }

    /// Runs ready handlers, advances to the next timer, and repeats, until no handler is ready and no timer is set.
    ///
    /// - Parameter limit: the maximum number of handlers and timer deadlines to run; an endless program never becomes
    ///   idle.
    /// - Returns: false if the limit was reached while more handlers were ready or more timers were due.
    @discardableResult
    public func runUntilIdle(limit: Int = 100_000) -> Bool { drive(until: nil, limit: limit) }

    private func drive(until end: ChainInstant?, limit: Int) -> Bool {
        var left = limit
        while true {
            left -= executor.runAll(limit: left)
            if left <= 0, executor.pendingCount > 0 { return false }
            guard let deadline = clock.nextDeadline, end.map({ deadline <= $0 }) ?? true else { return true }
            guard left > 0 else { return false }
            clock.advanceToNextTimer()
            left -= 1
        }
    }

    // MARK: Results

    /// The events so far, as a dashboard would receive them. O(events).
    public var batch: EventBatch { recorder.batch(process: Self.process) }

    /// The forest of the events so far; nodes are numbered from 1 in the order of their first record. O(events).
    package var forest: ChainForest {
        var forest = ChainForest(process: Self.process)
        forest.apply(batch)
        return forest
    }

    /// The promises as they are now. O(events).
    public var tree: ChainTree { ChainTree(forest: forest, start: VirtualClock.start.nanoseconds, showsTimes: true) }

    /// Returns the promises as they were at a moment of ``VirtualClock/elapsed``; for a moment that has not come yet,
    /// as they are now. O(events).
    public func tree(at moment: Duration) -> ChainTree {
        var (forest, batch) = (ChainForest(process: Self.process), batch)
        batch.time = min(batch.time, VirtualClock.start.advanced(by: moment).nanoseconds)
        let end = batch.time
        batch.events.removeAll { $0.time > end }
        forest.apply(batch)
        return ChainTree(forest: forest, start: VirtualClock.start.nanoseconds, showsTimes: true)
    }

    /// Returns the first promise with a label, in the order of creation, that is not released yet; nil if there is
    /// none.
    public func promise(labelled label: String) -> AnyPromise? {
        let batch = batch
        // A loop, because a lazy `compactMap` looks up each promise twice. In between, the promise may be released.
        for event in batch.events where event.kind == .created && batch.text(of: event) == label {
            if let promise = recorder.node(numbered: event.node).flatMap({ runtime.liveNode($0) }) { return promise }
        }
        return nil
    }

    /// Cancels the first node with a label and all pending nodes under it, from the top, as a dashboard does.
    ///
    /// - Returns: the number of these nodes that had not settled, spans not counted.
    @discardableResult
    public func cancelTree(labelled label: String, by viewer: String = "viewer") -> Int {
        let forest = forest
        let batch = batch
        guard let event = batch.events.first(where: { $0.kind == .created && batch.text(of: $0) == label }),
            let top = forest.index(of: event.node)
        else { return 0 }
        var live: [NodeIndex] = []
        var stack = [top]
        while let index = stack.popLast() {
            if forest.state(of: index).isLive, forest.node(index).kind != .span { live.append(index) }
            var child = forest.lastChild(of: index)
            while let next = child {
                stack.append(next)
                child = forest.previousSibling(of: next)
            }
        }
        for index in live {
            recorder.node(numbered: forest.node(index).id).flatMap { runtime.liveNode($0) }?.cancel(by: .viewer(viewer))
        }
        return live.count
    }
}
