import CChainRuntime
import ChainEvents
import ChainModel
import ChainSystem
import Foundation
import SeededNumbers
import Synchronization
import TestWaits

@testable import ChainInspector

/// A clock that stands still until it is advanced.
final class StillClock: ChainClock {
    private let time = Atomic<UInt64>(1_000)

    var now: ChainInstant { ChainInstant(nanoseconds: time.load(ordering: .relaxed)) }
    var followsCycleCounter: Bool { false }

    func advance(by nanoseconds: UInt64) { time.add(nanoseconds, ordering: .relaxed) }

    func schedule(at deadline: ChainInstant, _ work: @escaping @Sendable () -> Void) -> any ClockTimer {
        fatalError("no test sets a timer on this clock")
    }
}

/// The system's clock.
final class RealClock: ChainClock {
    var now: ChainInstant { ChainInstant(nanoseconds: chain_monotonic_ns()) }
    var followsCycleCounter: Bool { true }

    func schedule(at deadline: ChainInstant, _ work: @escaping @Sendable () -> Void) -> any ClockTimer {
        fatalError("no test sets a timer on this clock")
    }
}

/// A runtime with live nodes of the test's choice.
final class FakeRuntime: ObservedRuntime {
    private let nodes = Lock<[LiveNode]>([])
    private let cancelled = Lock<[NodeID]>([])
    private let onLook = Lock<(@Sendable (Int) -> Void)?>(nil)

    func executorName(_ id: ExecutorID) -> String? { "executor-\(id)" }
    var shardCount: Int { 4 }

    func liveNodes(shard: Int) -> [LiveNode] {
        onLook.withLock { $0 }?(shard)
        return nodes.withLock { $0.filter { Int($0.snapshot.id.rawValue) % 4 == shard } }
    }

    func cancel(_ id: NodeID, by viewer: String) -> Bool {
        cancelled.withLock { $0.append(id) }
        return true
    }

    /// The nodes that were cancelled, in order.
    var cancelledIDs: [NodeID] { cancelled.withLock { $0 } }

    var capturesValues: Bool { false }
    func detail(of id: NodeID) -> LiveDetail? { nil }

    /// Sets a closure to call before the nodes of a shard are listed.
    func onLook(_ body: @escaping @Sendable (Int) -> Void) { onLook.withLock { $0 = body } }

    func setLive(_ ids: [NodeID]) {
        let live = ids.map { LiveNode(snapshot: NodeSnapshot(id: $0, kind: .pending), callSite: .unknown) }
        nodes.withLock { $0 = live }
    }
}

/// A recorder and its collector, driven by hand, and all batches that were published.
final class Bench: Sendable {
    let recorder: Recorder
    let collector: Collector
    let runtime = FakeRuntime()
    private let published = Lock<[EventBatch]>([])
    static let process = ProcessKey(rawValue: 7)

    init(
        clock: any ChainClock = RealClock(), recorder options: RecorderOptions = RecorderOptions(),
        collector collectorOptions: CollectorOptions = CollectorOptions()
    ) {
        recorder = Recorder(clock: clock, options: options)
        collector = Collector(recorder, of: Bench.process, runtime: runtime, options: collectorOptions)
        _ = collector.batches.subscribe(onNext: { [published] batch in published.withLock { $0.append(batch) } })
    }

    var batches: [EventBatch] { published.withLock { $0 } }
    var events: [ChainEvent] { batches.flatMap(\.events) }
    var counts: EventCounts { collector.withState { $0.counts } }

    /// The text of every event, in order.
    var texts: [String?] { batches.flatMap { batch in batch.events.map { batch.text(of: $0) } } }

    func record(_ kind: EventKind, _ node: UInt64, text: String? = nil) {
        recorder.record(EventRecord(kind, node: NodeID(node)), text: text)
    }
}

/// Runs `body` on a thread of its own and waits for its end.
func onThread(named name: String? = nil, _ body: @escaping @Sendable () -> Void) {
    let thread = startThread(named: name, body)
    thread()
}

/// Starts a thread that runs `body`, and returns a closure that waits for its end.
func startThread(named name: String? = nil, _ body: @escaping @Sendable () -> Void) -> () -> Void {
    final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
    #if canImport(Darwin)
        var handle: pthread_t?
    #else
        var handle = pthread_t()
    #endif
    let context = Unmanaged.passRetained(
        Body {
            if let name { chain_thread_set_name(name) }
            body()
        })
    let result = pthread_create(
        &handle, nil,
        { context in
            #if canImport(Darwin)
                Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
            #else
                Unmanaged<Body>.fromOpaque(context!).takeRetainedValue().run()
            #endif
            return nil
        }, context.toOpaque())
    precondition(result == 0, "no thread could be made")
    return {
        #if canImport(Darwin)
            pthread_join(handle!, nil)
        #else
            pthread_join(handle, nil)
        #endif
    }
}

/// Waits until `condition` holds. Returns false if it does not hold when time is up.
func wait(until condition: () -> Bool) -> Bool { TestWaits.wait(until: condition) }

// SPDX-License-Identifier: MIT
