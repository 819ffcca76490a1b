// SPDX-License-Identifier: MIT

import CChainRuntime
import ChainEvents
import ChainModel
import PromiseRuntime

/// The queries of a ``StallSampler`` to the system.
package struct StallProbe: Sendable {
    /// The time in nanoseconds since an arbitrary moment.
    package var now: @Sendable () -> UInt64
    /// The threads that run a handler or a Swift task now.
    package var running: @Sendable () -> [chain_running_thread]
    /// The processor time of a thread in nanoseconds; nil if it is unknown.
    package var cpuTime: @Sendable (chain_running_thread) -> UInt64?
    /// Whether a thread waits for something other than a processor.
    package var isWaiting: @Sendable (chain_running_thread) -> Bool
    /// What a thread that waits is blocked in.
    package var wait: @Sendable (chain_running_thread) -> SystemWait

    /// Makes a probe of these queries.
    package init(
        now: @escaping @Sendable () -> UInt64, running: @escaping @Sendable () -> [chain_running_thread],
        cpuTime: @escaping @Sendable (chain_running_thread) -> UInt64?,
        isWaiting: @escaping @Sendable (chain_running_thread) -> Bool,
        wait: @escaping @Sendable (chain_running_thread) -> SystemWait
    ) {
        self.now = now
        self.running = running
        self.cpuTime = cpuTime
        self.isWaiting = isWaiting
        self.wait = wait
    }

    /// The maximum number of threads that are looked at.
    private static let threadLimit = 1_024

    /// The system's own answers.
    package static let system = StallProbe(
        now: { chain_monotonic_ns() },
        running: {
            Array(unsafeUninitializedCapacity: threadLimit) { buffer, count in
                count = chain_threads_running(buffer.baseAddress!, threadLimit)
            }
        },
        cpuTime: { thread in
            let used = chain_thread_cpu_ns(thread.handle)
            return used == 0 ? nil : used
        },
        isWaiting: { chain_thread_is_waiting($0.handle, $0.id) },
        wait: { SystemWait(rawValue: chain_thread_wait($0.id)) ?? .unknown })
}

/// Finds the threads that are blocked in the system while they run a handler or a task: in a lock, a sleep, a read.
///
/// A thread's processor time is read only if the thread runs the same node as at the last look, and its files in `/proc`
/// only once it has used next to no processor time for 100 ms.
struct StallSampler {
    private struct Track {
        var detector = BlockDetector()
        var stall: ThreadStall?
        /// The thread's processor time when ``stall`` was read.
        var used: UInt64?
    }

    /// How long a thread has to use next to no processor time, in nanoseconds.
    private static let limit: UInt64 = 100_000_000
    /// How long no look follows a look, as a multiple of the time that the look took.
    private static let pause: UInt64 = 200

    private var tracks: [ThreadID: Track] = [:]
    /// When the next look is due, by the clock of the probe.
    private var next: UInt64 = 0

    /// Returns the events of the threads that were found blocked, or not blocked any more, since the last look. `now` is
    /// the time of the program's clock.
    mutating func sample(_ forest: borrowing ChainForest, now: UInt64, probe: StallProbe) -> [ChainEvent] {
        let start = probe.now()
        guard start >= next else { return [] }
        var events: [ChainEvent] = []
        var current: [ThreadID: Track] = [:]
        for thread in probe.running() {
            guard let progress = Self.progress(of: thread, in: forest) else { continue }
            var track = tracks[thread.id] ?? Track()
            check(&track, thread, progress, at: start, now, probe, &events)
            current[thread.id] = track
        }
        for (thread, track) in tracks where current[thread] == nil {
            if let stall = track.stall { events.append(Self.end(of: stall, at: now)) }
        }
        tracks = current
        next = start &+ (probe.now() &- start) &* Self.pause
        return events
    }

    /// Returns a number that differs from run to run of a thread, as ``BlockDetector`` takes it. Nil if the forest does
    /// not know the run yet, and for a handler that waits for a promise, which is reported as such.
    private static func progress(of thread: chain_running_thread, in forest: borrowing ChainForest) -> UInt64? {
        guard let index = forest.index(of: NodeID(thread.node)), case let view = forest.node(index),
            view.occupiesThread, view.thread == thread.id, forest.wait(of: index) == nil
        else { return nil }
        let begun = forest.lastSwitchTime(of: index) ?? view.started ?? 0
        return (thread.node &* 0x9E37_79B9_7F4A_7C15 ^ begun) << 1 | 1
    }

    private func check(
        _ track: inout Track, _ thread: chain_running_thread, _ progress: UInt64, at time: UInt64, _ now: UInt64,
        _ probe: StallProbe, _ events: inout [ChainEvent]
    ) {
        var used: UInt64?
        let verdict = track.detector.check(
            thread: thread.id, progress: progress, now: time, limit: Self.limit,
            used: {
                used = probe.cpuTime(thread)
                return used
            }, isWaiting: { probe.isWaiting(thread) })
        guard case .blocked(let duration, _) = verdict else {
            if let stall = track.stall { events.append(Self.end(of: stall, at: now)) }
            track.stall = nil
            return
        }
        // A thread that has used no processor time since is still in the same call.
        guard track.stall == nil || track.used != used else { return }
        track.used = used
        let wait = probe.wait(thread)
        if let known = track.stall, wait == .unknown || wait == known.wait { return }
        let since = track.stall?.since ?? now &- min(now, duration)
        track.stall = ThreadStall(thread: thread.id, node: NodeID(thread.node), wait: wait, since: since)
        events.append(
            ChainEvent(
                time: since, .stalled, node: NodeID(thread.node), thread: thread.id, detail: wait.rawValue))
    }

    private static func end(of stall: ThreadStall, at now: UInt64) -> ChainEvent {
        ChainEvent(time: max(now, stall.since), .stallEnded, node: stall.node, thread: stall.thread)
    }
}

extension Collector {
    /// Publishes which threads are blocked in the system while they run a node. Takes at most 0.5 % of a processor.
    func sampleStalls() {
        withState { state in
            guard !state.isClosed else { return }
            let events = state.sampleStalls(now: recorder.clock.nanoseconds)
            guard !events.isEmpty else { return }
            var batch = state.makeBatch()
            batch.events = events
            state.publish(&batch)
        }
        publish()
    }
}
