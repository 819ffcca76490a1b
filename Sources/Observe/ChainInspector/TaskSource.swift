// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainSystem
import PromiseRuntime

/// The Swift tasks in the program, for the collector; ChainTasks provides them. Any thread may call the methods, with
/// no lock held.
package protocol TaskSource: Sendable {
    /// Returns the tasks that changed state or were cancelled since the last call, at most `limit` of them.
    func changes(limit: Int) -> [TaskChange]
    /// The kinds of facts about tasks that the source cannot provide.
    var missingFacts: TaskFacts { get }
    /// The number of shards of ``liveTasks(shard:)``.
    var shardCount: Int { get }
    /// Returns the tasks of one shard that are alive.
    func liveTasks(shard: Int) -> [LiveNode]
    /// Cancels a task; returns false where the task is gone or cannot be cancelled.
    func cancel(_ id: NodeID) -> Bool
    /// Returns why a live task cannot be cancelled, in one sentence; nil where the task can be cancelled, or is gone.
    func refusal(of id: NodeID) -> String?
    /// Returns the details of a live task; nil where the task is gone.
    func entries(of id: NodeID) -> [NodeDetail.Entry]?
    /// Returns where the suspended tasks of a scope continue; the time of the reading is 0.
    func frames(of scope: FrameScope) -> FrameReading
    /// Returns the nodes of tasks, by their numbers in Swift's runtime; none for tasks that are unknown or have ended.
    func nodes(ofTasks numbers: [UInt64]) -> [NodeID]
    /// Ends the observation of tasks.
    func stop()
}

/// The present state of a task.
package struct TaskChange: Sendable {
    /// The states of a task, with the same raw values as in CChainTasks.
    package enum State: UInt8, Sendable {
        /// The task was made and has not run.
        case queued
        case running, suspended

        fileprivate var event: EventKind {
            switch self {
            case .queued: .queued
            case .running: .resumed
            case .suspended: .suspended
            }
        }
    }

    package var node: NodeID
    package var state: State
    /// When the task entered the state, in ticks.
    package var ticks: UInt64
    /// The thread that the task runs on or ran on last; 0 for none.
    package var thread: ThreadID
    /// Whether this is the first change in which the task was found to be cancelled.
    package var isCancelled: Bool

    package init(node: NodeID, state: State, ticks: UInt64, thread: ThreadID, isCancelled: Bool) {
        (self.node, self.state, self.ticks, self.thread) = (node, state, ticks, thread)
        self.isCancelled = isCancelled
    }
}

extension Inspector {
    /// Publishes the tasks of a source from now on, until the inspector stops.
    package func observe(_ source: some TaskSource) { collector.tasks.withLock { $0 = source } }

    /// The runtime that the inspector records.
    package var recordedRuntime: ChainRuntime { runtime }
}

extension Collector {
    /// The most changes of tasks in one batch.
    private static var changeLimit: Int { 512 }

    /// The longest that a regular call looks at tasks, in nanoseconds of the thread's processor time. Events are
    /// published between two calls.
    private static var sliceLimit: UInt64 { 10_000_000 }

    /// Publishes which tasks are queued, run, are suspended or were cancelled. Regular calls keep to a ``TaskBudget``.
    ///
    /// - Parameter publishes: false leaves the batches to a later call that publishes.
    func sampleTasks(isRegular: Bool, publishes: Bool = true) {
        guard let source = tasks.withLock({ $0 }) else { return }
        guard !isRegular || withState({ $0.taskBudget.allowsLook(at: chain_monotonic_ns()) }) else { return }
        let start = SystemTime.thread
        var time: UInt64 = 0
        var foundMany = false
        for _ in 0..<256 where !isRegular || time < Self.sliceLimit {
            let changes = source.changes(limit: Self.changeLimit)
            time = SystemTime.thread - start
            guard !changes.isEmpty else { break }
            // The rings are read first, because they contain the creation of these tasks by now.
            pass(publishes: false)
            withState { $0.publish(changes, inCycles: recorder.usesCycleCounter) }
            // If there are fewer changes than the limit, all tasks were looked at.
            if changes.count < Self.changeLimit { break }
            foundMany = true
        }
        if isRegular {
            let (time, now) = (SystemTime.thread - start, chain_monotonic_ns())
            withState { $0.taskBudget.spend(time, until: now, foundMany: foundMany) }
        }
        if publishes { publish() }
    }
}

/// The processor time of regular looks at tasks: 1 % of a processor in the long run. What was not used in the last half
/// minute is saved for bursts of new tasks, because 100,000 of them would else read *queued* for 20 s although they run.
/// While looks find many changes they take up to 10 %, until nothing is saved.
struct TaskBudget {
    /// Nanoseconds of time for each nanosecond of looking: in the long run, and during a burst.
    private static let share: UInt64 = 100, burstShare: UInt64 = 10
    /// The longest time that is saved, in nanoseconds.
    private static let limit: Int64 = 300_000_000
    /// The time that looks may take now; below 0 if the last look took longer.
    private var saved = limit
    private var lastTime: UInt64 = 0
    /// The earliest time of the next look.
    private var next: UInt64 = 0

    /// Returns whether tasks may be looked at. `now` is in nanoseconds of the monotonic clock, and does not go back.
    mutating func allowsLook(at now: UInt64) -> Bool {
        if lastTime != 0 { saved = min(Self.limit, saved + Int64((now - lastTime) / Self.share)) }
        lastTime = now
        return saved > 0 && now >= next
    }

    /// Subtracts the time of a look that has ended at `now`.
    mutating func spend(_ time: UInt64, until now: UInt64, foundMany: Bool) {
        saved -= Int64(clamping: time)
        next = now &+ time &* ((foundMany ? Self.burstShare : Self.share) - 1)
    }
}

extension Collector {
    /// Returns where suspended tasks continue. The reading has the time before the tasks are looked at, so that a task
    /// that runs meanwhile counts as changed after the reading.
    func frames(of scope: FrameScope) -> CommandReply.Outcome {
        answer { source in
            let time = recorder.clock.nanoseconds
            var reading = source.frames(of: scope)
            reading.time = time
            return .frames(reading)
        }
    }

    /// Returns the nodes of tasks, by their numbers in Swift's runtime.
    func nodes(ofTasks numbers: [UInt64]) -> CommandReply.Outcome {
        answer { .nodes($0.nodes(ofTasks: numbers)) }
    }

    private func answer(_ body: (any TaskSource) -> CommandReply.Outcome) -> CommandReply.Outcome {
        tasks.withLock { $0 }.map(body) ?? .refused("This program does not show its tasks")
    }
}

extension CollectorState {
    fileprivate mutating func publish(_ changes: [TaskChange], inCycles: Bool) {
        var batch = makeBatch()
        for change in changes {
            if change.isCancelled {
                batch.events.append(ChainEvent(time: time, .cancelRequested, node: change.node))
            }
            let time = inCycles ? time(of: change.ticks) : time
            guard change.state == .queued || change.thread != 0 else { continue }
            batch.events.append(
                ChainEvent(time: time, change.state.event, node: change.node, thread: change.thread))
        }
        publish(&batch)
    }
}
