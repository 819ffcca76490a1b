import CChainRuntime
import ChainEvents
import ChainModel
import ChainSystem
import Foundation
import Synchronization
import Testing

@testable import ChainInspector

/// Threads that are blocked in the system are told from threads that compute.
@Suite struct StallTests {
    /// A thread that runs node 1 in `body`, and a bench that looks at it.
    private struct Runner {
        let bench: Bench
        let join: () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            let bench = Bench()
            self.bench = bench
            join = startThread {
                let thread = chain_thread_current()!
                bench.recorder.record(
                    EventRecord(.created, node: NodeID(1), detail: UInt16(NodeKind.work.rawValue)), text: nil)
                bench.record(.started, 1)
                chain_thread_set_node_id(thread, 1)
                body()
                chain_thread_set_node_id(thread, 0)
                bench.record(.ended, 1)
            }
        }

        /// Collects until an event of this kind was published.
        func collect(until kind: EventKind) -> Bool {
            wait {
                bench.collector.collectNow()
                return bench.events.contains { $0.kind == kind }
            }
        }

        func waits() -> [SystemWait] { bench.events.filter { $0.kind == .stalled }.map(\.systemWait) }
    }

    #if os(Linux)
        @Test func aThreadInASemaphoreIsBlockedInAFutexWait() {
            let gate = DispatchSemaphore(value: 0)
            let runner = Runner { gate.wait() }
            #expect(runner.collect(until: .stalled))
            #expect(runner.waits() == [.futex])
            let event = runner.bench.events.first { $0.kind == .stalled }!
            let started = runner.bench.events.first { $0.kind == .started }!
            #expect(event.node == NodeID(1) && event.thread == started.thread && event.time >= started.time)
            let forest = runner.bench.collector.withState { $0.forest }
            #expect(forest.stall(of: forest.index(of: NodeID(1))!)?.wait == .futex)
            gate.signal()
            runner.join()
            #expect(runner.collect(until: .stallEnded))
            #expect(runner.waits().count == 1)
        }

        @Test func whatAThreadIsBlockedInIsNamed() {
            var ends: [Int32] = [0, 0]
            let isMade = pipe(&ends) == 0
            #expect(isMade)
            let input = ends[0]
            let reader = Runner {
                var byte: UInt8 = 0
                _ = read(input, &byte, 1)
            }
            #expect(reader.collect(until: .stalled))
            #expect(reader.waits() == [.read])
            close(ends[1])
            reader.join()
            close(input)
            let isOver = Lock(false)
            let sleeper = Runner { while !isOver.withLock({ $0 }) { usleep(200_000) } }
            let isSeen = wait {
                sleeper.bench.collector.collectNow()
                return sleeper.waits().last == .sleep
            }
            #expect(isSeen)
            isOver.withLock { $0 = true }
            sleeper.join()
        }
    #endif

    /// What a thread that computes and the test tell each other, without a lock that the thread could be blocked in.
    private final class Computing: Sendable {
        let isOver = Atomic(false)
        let used = Atomic<UInt64>(0)
    }

    @Test func aThreadThatComputesIsNotBlocked() {
        let computing = Computing()
        let runner = Runner {
            let handle = chain_thread_usage_handle()
            while !computing.isOver.load(ordering: .relaxed) {
                computing.used.store(chain_thread_cpu_ns(handle), ordering: .relaxed)
            }
        }
        let hasComputed = wait {
            runner.bench.collector.collectNow()
            return computing.used.load(ordering: .relaxed) > 400_000_000
        }
        #expect(hasComputed)
        computing.isOver.store(true, ordering: .relaxed)
        runner.join()
        #expect(!runner.bench.events.contains { $0.kind == .stalled })
    }

    /// A system whose answers the test sets: one thread, which runs node 1.
    private final class System: Sendable {
        let time = Lock<UInt64>(1)
        let used = Lock<UInt64?>(1)
        let call = Lock(SystemWait.futex)
        let runs = Lock(true)
        let thread = Lock<UInt32>(0)
        let lookCount = Lock(0)

        var probe: StallProbe {
            StallProbe(
                now: { self.time.withLock { $0 } },
                running: {
                    let id = self.thread.withLock { $0 }
                    guard self.runs.withLock({ $0 }) else { return [] }
                    return [chain_running_thread(handle: 0, id: id, node: 1)]
                },
                cpuTime: { _ in self.used.withLock { $0 } }, isWaiting: { _ in true },
                wait: { _ in
                    self.lookCount.withLock { $0 += 1 }
                    return self.call.withLock { $0 }
                })
        }
    }

    /// Returns a bench whose thread runs node 1, and collects every 10 ms.
    private func scene(_ system: System) -> (bench: Bench, look: (Int, UInt64) -> Void) {
        var options = CollectorOptions()
        options.stallProbe = system.probe
        let bench = Bench(collector: options)
        bench.recorder.record(
            EventRecord(.created, node: NodeID(1), detail: UInt16(NodeKind.work.rawValue)), text: nil)
        bench.record(.started, 1)
        system.thread.withLock { $0 = chain_thread_id() }
        return (
            bench,
            { count, using in
                for _ in 0..<count {
                    bench.collector.collectNow()
                    system.time.withLock { $0 += 10_000_000 }
                    system.used.withLock { $0 = $0.map { $0 + using } }
                }
            }
        )
    }

    @Test func aThreadIsAskedForItsCallOnlyOnceItIsBlocked() {
        let system = System()
        let (bench, look) = scene(system)
        look(11, 0)
        #expect(system.lookCount.withLock { $0 } == 0)
        look(20, 0)
        #expect(system.lookCount.withLock { $0 } == 1)
        #expect(bench.events.filter { $0.kind == .stalled }.map(\.systemWait) == [.futex])
        // It has run a little, and sits in another call.
        system.call.withLock { $0 = .sleep }
        look(2, 1_000)
        look(20, 0)
        #expect(bench.events.filter { $0.kind == .stalled }.map(\.systemWait) == [.futex, .sleep])
        #expect(Set(bench.events.filter { $0.kind == .stalled }.map(\.time)).count == 1)
        look(2, 9_000_000)
        #expect(bench.events.filter { $0.kind == .stallEnded }.count == 1)
    }

    @Test func aStallEndsWithTheRun() {
        let system = System()
        let (bench, look) = scene(system)
        look(30, 0)
        system.runs.withLock { $0 = false }
        look(1, 0)
        #expect(bench.events.suffix(1).map(\.kind) == [.stallEnded])
        look(10, 0)
        #expect(bench.events.filter { $0.kind == .stallEnded }.count == 1)
    }

    @Test func nothingIsReportedWhereTheSystemDoesNotSay() {
        let system = System()
        system.used.withLock { $0 = nil }
        let (bench, look) = scene(system)
        look(100, 0)
        #expect(!bench.events.contains { $0.kind == .stalled })
    }
}

// SPDX-License-Identifier: MIT
