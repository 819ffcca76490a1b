import ChainEvents
import ChainModel

/// The threads of one program that ran handlers: who runs on each, since when, and what of its recent past is known.
///
/// A fold of event batches; how a log is split into batches makes no difference. Costs some nanoseconds an event, and
/// memory by the number of threads: at most ``laneLimit``, of which those are dropped first that have been idle for the
/// longest. What was lost on the way is set right by the forest, which must have taken in a batch before this does.
///
/// Handlers of `Promise(async:)` are in no lane: a task that is suspended holds no thread.
public struct ThreadLanes: Sendable {
    /// The most threads that are told apart.
    public static let laneLimit = 1_024

    /// The lanes in the order in which the threads were first heard of.
    public private(set) var lanes: [ThreadLane] = []
    /// Changes whenever a lane comes or goes.
    public private(set) var revision = 0
    private var places: [ThreadID: Int] = [:]
    /// By the last bits of a thread, the place of the lane that was looked up last: no dictionary is asked for most events.
    private var recent = [Int32](repeating: 0, count: 64)
    private var lostCount: UInt64 = 0

    /// Makes it empty.
    public init() {}

    /// Takes in what a program said, which is in the forest by now.
    public mutating func ingest(_ batch: EventBatch, in forest: borrowing ChainForest) {
        guard batch.process == forest.process else { return }
        for snapshot in batch.nodes where snapshot.started != 0 && snapshot.ended == 0 && snapshot.thread != 0 {
            takeUp(snapshot, in: forest)
        }
        batch.events.withUnsafeBufferPointer { events in
            for place in events.indices { ingest(events[place], in: forest) }
        }
        if batch.loss.lostCount > lostCount || batch.resync != nil {
            lostCount = max(lostCount, batch.loss.lostCount)
            prune(at: batch.time, in: forest)
        }
    }

    @inline(__always)
    private mutating func ingest(_ event: ChainEvent, in forest: borrowing ChainForest) {
        switch event.kind {
        case .started:
            guard event.thread != 0, !Self.isTask(event.node, in: forest) else { return }
            guard let place = place(of: event.thread, at: event.time) else { return }
            lanes[place].push(event.node, .handler, at: event.time)
        case .ended: end(event, in: forest)
        case .fulfilled, .rejected, .cancelled, .abandoned, .skipped:
            if event.flags.contains(.handlerEnded) { end(event, in: forest) }
        case .awaited:
            guard event.thread != 0, let place = place(of: event.thread, at: event.time) else { return }
            lanes[place].push(event.node, .wait, at: event.time)
        case .awaitEnded:
            guard let place = known(event.thread) else { return }
            _ = lanes[place].pop(event.node, .wait, at: event.time)
        default: break
        }
    }

    @inline(__always)
    private mutating func end(_ event: ChainEvent, in forest: borrowing ChainForest) {
        if let place = known(event.thread), lanes[place].pop(event.node, .handler, at: event.time) { return }
        // It ended on another thread than it began on, as tasks do.
        guard let node = forest.index(of: event.node) else { return }
        let thread = forest.node(node).thread
        guard thread != event.thread, let place = known(thread) else { return }
        lanes[place].prune(at: event.time) { $0.node != event.node || $0.kind != .handler }
    }

    private static func isTask(_ id: NodeID, in forest: borrowing ChainForest) -> Bool {
        forest.index(of: id).map { forest.kind(of: $0) == .task } ?? false
    }

    /// Somebody who runs, told to a late comer.
    private mutating func takeUp(_ snapshot: NodeSnapshot, in forest: borrowing ChainForest) {
        guard snapshot.kind != .task, let node = forest.index(of: snapshot.id),
            forest.node(node).activity == .running, let place = place(of: snapshot.thread, at: snapshot.started)
        else { return }
        lanes[place].push(snapshot.id, .handler, at: snapshot.started)
    }

    private mutating func prune(at time: UInt64, in forest: borrowing ChainForest) {
        for place in lanes.indices where !lanes[place].entries.isEmpty {
            let entries = lanes[place].entries
            let still = entries.map { Self.isStill($0, in: forest) && forest.index(of: $0.node) != nil }
            guard still.contains(false) else { continue }
            lanes[place].prune(at: time) { entry in
                zip(entries, still).contains { $0 == entry && $1 }
            }
        }
    }

    /// The lanes that are kept.
    public var queueStatistics: QueueStatistics {
        QueueStatistics(name: "threads", count: lanes.count, highWaterMark: lanes.count, limit: Self.laneLimit)
    }

    // MARK: Lanes

    @inline(__always)
    private mutating func known(_ thread: ThreadID) -> Int? {
        let latest = Int(recent[Int(thread & 63)])
        if latest < lanes.count, lanes[latest].thread == thread { return latest }
        guard let place = places[thread] else { return nil }
        recent[Int(thread & 63)] = Int32(place)
        return place
    }

    @inline(__always)
    private mutating func place(of thread: ThreadID, at time: UInt64) -> Int? {
        known(thread) ?? add(thread, at: time)
    }

    private mutating func add(_ thread: ThreadID, at time: UInt64) -> Int? {
        if lanes.count >= Self.laneLimit { dropIdle() }
        guard lanes.count < Self.laneLimit else { return nil }
        revision += 1
        places[thread] = lanes.count
        lanes.append(ThreadLane(thread, at: time))
        return lanes.count - 1
    }

    /// Drops half of those that are idle, longest idle first.
    private mutating func dropIdle() {
        let idle = lanes.filter { $0.entries.isEmpty }.sorted { ($0.mark, $0.thread) < ($1.mark, $1.thread) }
        let gone = Set(idle.prefix((idle.count + 1) / 2).map(\.thread))
        guard !gone.isEmpty else { return }
        revision += 1
        lanes.removeAll { gone.contains($0.thread) }
        places = Dictionary(uniqueKeysWithValues: lanes.enumerated().map { ($1.thread, $0) })
    }
}

// MARK: What they say

extension ThreadLanes {
    /// The lane of a thread; nil where it ran nothing, or was dropped.
    public func lane(of thread: ThreadID) -> ThreadLane? { places[thread].map { lanes[$0] } }

    /// What a thread is in now, from the outside in: without what the forest knows to be over though its end was not
    /// heard. Nothing for a thread that is idle.
    public static func entries(of lane: ThreadLane, in forest: borrowing ChainForest) -> [ThreadLane.Entry] {
        lane.entries.filter { isStill($0, in: forest) }
    }

    /// Whether it goes on as far as the forest knows; who is not in there is believed.
    private static func isStill(_ entry: ThreadLane.Entry, in forest: borrowing ChainForest) -> Bool {
        guard let node = forest.index(of: entry.node) else { return true }
        let view = forest.node(node)
        switch entry.kind {
        case .handler: return view.activity == .running && view.kind != .task
        case .wait: return view.isLive
        }
    }
}
