import ChainEvents
import ChainModel
import PromiseRuntime

/// A run of promises under virtual time, on one thread, every step of it recorded: the same program gives the same
/// events, however busy the machine is.
///
///     let run = RecordedRun()
///     run.make { checkout(42) }       // whatever makes promises
///     run.runUntilIdle()              // an hour of delays takes no time
///     assertChain(run, matches: """
///         fulfilled promise order 42 = "thanks" · total 3.2s
///         """)
///
/// Handlers run on the thread that drives the run, if they run on the runtime's executor: work that is sent elsewhere
/// (`on:` another executor, `Promise(async:)`) is recorded, but when it runs is the system's affair.
public final class RecordedRun: Sendable {
    /// The runtime in which ``make(_:)`` makes promises.
    public let runtime: ChainRuntime
    /// Its clock.
    public let clock: VirtualClock
    /// Its executor.
    public let executor: ManualExecutor

    private let recorder: RunRecorder
    private static let process = ProcessKey(rawValue: 1)

    /// Makes a run in which nothing has happened.
    ///
    /// - Parameter capturesValues: whether the descriptions of values are recorded.
    public init(capturesValues: Bool = true) {
        clock = VirtualClock()
        executor = ManualExecutor(name: "virtual")
        runtime = ChainRuntime(clock: clock, executor: executor)
        recorder = RunRecorder(clock: clock)
        _ = runtime.startRecording(into: recorder, capturesValues: capturesValues)
    }

    /// Runs `body` at once so that the promises which it makes belong to this run; their handlers do not run yet.
    @discardableResult
    public func make<Result>(_ body: () throws -> Result) rethrows -> Result { try runtime.run(body) }

    // MARK: Driving

    /// Runs what is ready, goes on to the next timer, and so on, until `moment` of the clock (``VirtualClock/elapsed``):
    /// what falls due then has run.
    ///
    /// - Parameter limit: at most so many handlers and timers, lest a program that never rests keeps the test for ever.
    /// - Returns: false where the limit was reached first.
    @discardableResult
    public func run(until moment: Duration, limit: Int = 1_000_000) -> Bool {
        let end = VirtualClock.start + moment.clampedNanoseconds
        guard drive(until: end, limit: limit) else { return false }
        if clock.now < end { clock.advance(by: .nanoseconds(Int64(end - clock.now))) }
        return true
    }

    /// Runs what is ready, goes on to the next timer, and so on, until nothing is ready and no timer is set.
    ///
    /// - Parameter limit: at most so many handlers and timers; a story that goes on for ever never rests.
    /// - Returns: false where the limit was reached first.
    @discardableResult
    public func runUntilIdle(limit: Int = 100_000) -> Bool { drive(until: .max, limit: limit) }

    private func drive(until end: UInt64, limit: Int) -> Bool {
        var left = limit
        while true {
            left -= executor.runAll(limit: left)
            guard left > 0 else { return false }
            guard let deadline = clock.nextDeadline, deadline <= end else { return true }
            clock.advanceToNextTimer()
            left -= 1
        }
    }

    // MARK: What happened

    /// All that happened so far, as a dashboard would be told of it. O(events).
    public var batch: EventBatch { recorder.batch(process: Self.process) }

    /// All that happened so far, folded; nodes are numbered from 1 in the order of making. O(events).
    public var forest: ChainForest {
        var forest = ChainForest(process: Self.process)
        forest.apply(batch)
        return forest
    }

    /// The live promise of the first node, in the order of making, with that label; nil where there is none.
    public func promise(labelled label: String) -> AnyPromise? {
        let batch = batch
        let created = batch.events.filter { $0.kind == .created && batch.text(of: $0) == label }
        return created.lazy.compactMap { self.recorder.node(numbered: $0.node) }
            .compactMap { self.runtime.liveNode($0) }.first
    }

    /// Cancels what a dashboard would if somebody asked there to cancel the first node with that label: all that is
    /// pending of it and of what stands under it, from the top.
    ///
    /// - Returns: how many nodes that were, before what their cancellation led to.
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
            if forest.state(of: index).isLive { live.append(index) }
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
