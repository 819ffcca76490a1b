// SPDX-License-Identifier: MIT

import ChainModel

/// The threads of one program that ran handlers. For each thread: what occupies it, since when, and its recent past.
///
/// Lanes are made by applying event batches. How a log is split into batches makes no difference, except for Swift
/// tasks and after a loss of events. Costs some nanoseconds for each event, and memory for at most ``laneLimit``
/// threads. Beyond that number, the longest idle threads are dropped; if no thread is idle, a new thread is left out.
///
/// The forest must have applied a batch before the lanes do, because it shows which entries lost their end event.
/// Handlers of `Promise(async:)` are in no lane, because a suspended task holds no thread. A Swift task that the
/// program reports is in a lane while it runs, according to samples of its state.
package struct ThreadLanes: Sendable {
    /// The maximum number of threads that are distinguished.
    package static let laneLimit = 1_024

    /// The lanes in the order of each thread's first event.
    package private(set) var lanes: [ThreadLane] = []
    /// Changes whenever a lane is added or removed.
    package private(set) var revision = 0
    /// The index of each thread's lane.
    private var indices: [ThreadID: Int] = [:]
    /// The threads of the running Swift tasks.
    private(set) var taskThreads: [NodeID: ThreadID] = [:]
    /// A cache: by the low six bits of a thread's number, the index of the lane that was looked up last.
    private var recent = [Int32](repeating: 0, count: 64)
    /// How many events were lost as of the latest batch.
    private var lostCount: UInt64 = 0

    /// Makes an empty value.
    package init() {}

    /// Applies a batch that the forest has applied.
    package mutating func ingest(_ batch: EventBatch, in forest: ChainForest) {
        guard batch.process == forest.process else { return }
        for snapshot in batch.nodes where snapshot.started != 0 && snapshot.ended == 0 && snapshot.thread != 0 {
            addRunning(snapshot, in: forest)
        }
        batch.events.withUnsafeBufferPointer { events in
            for index in events.indices { ingest(events[index], in: forest) }
        }
        if batch.loss.lostCount > lostCount || batch.resync != nil {
            lostCount = max(lostCount, batch.loss.lostCount)
            prune(at: batch.time, in: forest)
        }
    }

    @inline(__always)
    private mutating func ingest(_ event: ChainEvent, in forest: ChainForest) {
        switch event.kind {
        case .started:
            guard event.thread != 0, !Self.isTask(event.node, in: forest) else { return }
            guard let index = index(of: event.thread, at: event.time) else { return }
            lanes[index].push(event.node, .handler, at: event.time)
        case .resumed:
            // A sample may be recorded after the end of its task.
            guard event.thread != 0, forest.index(of: event.node).map({ forest.state(of: $0).isLive }) ?? false else {
                return
            }
            addTask(event.node, on: event.thread, at: event.time)
        case .ended, .suspended: end(event, in: forest)
        case .fulfilled, .rejected, .cancelled, .abandoned, .skipped:
            if event.flags.contains(.handlerEnded) { end(event, in: forest) }
        case .awaited:
            guard event.thread != 0, let index = index(of: event.thread, at: event.time) else { return }
            lanes[index].push(event.node, .wait, at: event.time)
        case .awaitEnded:
            guard let index = knownIndex(of: event.thread) else { return }
            _ = lanes[index].pop(event.node, .wait, at: event.time)
        case .stalled:
            guard let index = knownIndex(of: event.thread),
                lanes[index].entries.last.map({ $0.node == event.node && $0.kind == .handler }) ?? false
            else { return }
            lanes[index].push(event.node, .stall, at: event.time)
        case .stallEnded:
            guard let index = knownIndex(of: event.thread) else { return }
            _ = lanes[index].pop(event.node, .stall, at: event.time)
        default: break
        }
    }

    /// Records that a Swift task runs on a thread. Removes the task's entry on any other thread, and the entries of
    /// other tasks on this thread, because samples of their suspensions may be missing.
    private mutating func addTask(_ task: NodeID, on thread: ThreadID, at time: UInt64) {
        if let last = taskThreads[task], last != thread { removeTask(task, at: time) }
        guard let index = index(of: thread, at: time) else { return }
        for entry in lanes[index].entries where entry.node != task && taskThreads[entry.node] == thread {
            removeTask(entry.node, at: time)
        }
        taskThreads[task] = thread
        lanes[index].push(task, .handler, at: time)
    }

    private mutating func removeTask(_ task: NodeID, at time: UInt64) {
        guard let thread = taskThreads.removeValue(forKey: task), let index = knownIndex(of: thread) else { return }
        lanes[index].prune(at: time) { $0.node != task || $0.kind == .wait }
    }

    @inline(__always)
    private mutating func end(_ event: ChainEvent, in forest: ChainForest) {
        if !taskThreads.isEmpty, taskThreads[event.node] != nil { return removeTask(event.node, at: event.time) }
        if let index = knownIndex(of: event.thread), lanes[index].pop(event.node, .handler, at: event.time) { return }
        // The handler ended on another thread than it began on, as the handler of a task may.
        guard let node = forest.index(of: event.node) else { return }
        let thread = forest.node(node).thread
        guard thread != event.thread, let index = knownIndex(of: thread) else { return }
        lanes[index].prune(at: event.time) { $0.node != event.node || $0.kind == .wait }
    }

    private static func isTask(_ id: NodeID, in forest: ChainForest) -> Bool {
        forest.index(of: id).map { forest.kind(of: $0).runsInTask } ?? false
    }

    /// Adds a running handler that a snapshot reports.
    private mutating func addRunning(_ snapshot: NodeSnapshot, in forest: ChainForest) {
        guard let node = forest.index(of: snapshot.id), forest.node(node).occupiesThread else { return }
        if let since = forest.lastSwitchTime(of: node) {
            return addTask(snapshot.id, on: snapshot.thread, at: since)
        }
        guard let index = index(of: snapshot.thread, at: snapshot.started) else { return }
        lanes[index].push(snapshot.id, .handler, at: snapshot.started)
    }

    /// Removes the entries that have ended according to the forest, and the entries of evicted nodes. Also removes from
    /// ``taskThreads`` the tasks that no longer run.
    private mutating func prune(at time: UInt64, in forest: ChainForest) {
        taskThreads = taskThreads.filter { task, _ in
            forest.index(of: task).map { forest.node($0).occupiesThread } ?? false
        }
        for index in lanes.indices where !lanes[index].entries.isEmpty {
            let entries = lanes[index].entries
            let still = entries.map { Self.isActive($0, in: forest) && forest.index(of: $0.node) != nil }
            guard still.contains(false) else { continue }
            lanes[index].prune(at: time) { entry in
                zip(entries, still).contains { $0 == entry && $1 }
            }
        }
    }

    /// The size of the table of lanes.
    package var queueStatistics: QueueStatistics {
        QueueStatistics(name: "threads", count: lanes.count, highWaterMark: lanes.count, limit: Self.laneLimit)
    }

    // MARK: Lanes

    @inline(__always)
    private mutating func knownIndex(of thread: ThreadID) -> Int? {
        let latest = Int(recent[Int(thread & 63)])
        if latest < lanes.count, lanes[latest].thread == thread { return latest }
        guard let index = indices[thread] else { return nil }
        recent[Int(thread & 63)] = Int32(index)
        return index
    }

    @inline(__always)
    private mutating func index(of thread: ThreadID, at time: UInt64) -> Int? {
        knownIndex(of: thread) ?? add(thread, at: time)
    }

    private mutating func add(_ thread: ThreadID, at time: UInt64) -> Int? {
        if lanes.count >= Self.laneLimit { dropIdle() }
        guard lanes.count < Self.laneLimit else { return nil }
        revision += 1
        indices[thread] = lanes.count
        lanes.append(ThreadLane(thread, at: time))
        return lanes.count - 1
    }

    /// Drops half of the idle lanes, beginning with the longest idle.
    private mutating func dropIdle() {
        let idle = lanes.filter { $0.entries.isEmpty }.sorted {
            ($0.lastEventTime, $0.thread) < ($1.lastEventTime, $1.thread)
        }
        let gone = Set(idle.prefix((idle.count + 1) / 2).map(\.thread))
        guard !gone.isEmpty else { return }
        revision += 1
        lanes.removeAll { gone.contains($0.thread) }
        indices = Dictionary(uniqueKeysWithValues: lanes.enumerated().map { ($1.thread, $0) })
    }
}

// MARK: Reading

extension ThreadLanes {
    /// Returns the lane of a thread; nil if the thread ran nothing, or has no lane because of ``laneLimit``.
    package func lane(of thread: ThreadID) -> ThreadLane? { indices[thread].map { lanes[$0] } }

    /// Returns what occupies a thread at present, outermost first, without the entries that have ended according to the
    /// forest. Empty for an idle thread.
    package static func entries(of lane: ThreadLane, in forest: ChainForest) -> [ThreadLane.Entry] {
        lane.entries.filter { isActive($0, in: forest) }
    }

    /// Returns whether an entry continues according to the forest. The entry of a node that the forest does not have
    /// continues.
    private static func isActive(_ entry: ThreadLane.Entry, in forest: ChainForest) -> Bool {
        guard let node = forest.index(of: entry.node) else { return true }
        let view = forest.node(node)
        switch entry.kind {
        case .handler: return view.occupiesThread
        case .wait: return view.isLive
        case .stall: return forest.stall(of: node) != nil
        }
    }
}
