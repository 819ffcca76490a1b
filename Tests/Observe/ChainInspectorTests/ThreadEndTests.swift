import ChainEvents
import ChainSystem
import Foundation
import TerminalHarness
import Testing

@testable import ChainInspector

@Suite struct ThreadEndTests {
    /// Records from the destructor of a thread-specific value, `rounds` times, each in another round of destructors.
    private final class LateRecorder: Sendable {
        let bench: Bench
        let key: pthread_key_t
        let rounds: Int
        let round = Lock(0)

        init(_ bench: Bench, rounds: Int) {
            self.bench = bench
            self.rounds = rounds
            var key = pthread_key_t()
            #if canImport(Darwin)
                pthread_key_create(&key) { LateRecorder.end($0) }
            #else
                pthread_key_create(&key) { LateRecorder.end($0!) }
            #endif
            self.key = key
        }

        static func end(_ context: UnsafeMutableRawPointer) {
            Unmanaged<LateRecorder>.fromOpaque(context).takeUnretainedValue().recordLate(context)
        }

        private func recordLate(_ context: UnsafeMutableRawPointer) {
            let round = round.withLock { round in
                round += 1
                return round
            }
            bench.record(.ended, UInt64(100 + round))
            if round < rounds { pthread_setspecific(key, context) }
        }
    }

    #if TSAN
        // By the last of four rounds ThreadSanitizer has left the thread, and crashes on an event.
        private static let rounds = [1, 2]
    #else
        private static let rounds = [1, 2, 4]
    #endif

    @Test(arguments: rounds)
    func deliversOrCountsEventsOfThreadDestructors(rounds: Int) {
        let bench = Bench()
        let late = LateRecorder(bench, rounds: rounds)
        onThread {
            pthread_setspecific(late.key, Unmanaged.passUnretained(late).toOpaque())
            bench.record(.queued, 1)
        }
        bench.collector.collectNow()
        #expect(late.round.withLock { $0 } == rounds)
        let loss = bench.counts
        #expect(loss.madeCount == UInt64(rounds + 1))
        #expect(loss.madeCount == loss.deliveredCount + loss.lostInRings)
        #expect(bench.events.map(\.node.rawValue).starts(with: [1, 101]))
        bench.collector.collectNow()
        #expect(bench.recorder.pool.footprint.activeCount == 0)
        pthread_key_delete(late.key)
    }

    @Test func namesThreadsThatHaveOne() {
        let bench = Bench()
        onThread(named: "loader") { bench.record(.started, 1) }
        onThread(named: programName()) { bench.record(.started, 2) }
        bench.collector.collectNow()
        // Every thread begins with the program's name, which is therefore no name of a thread.
        #expect(bench.batches.flatMap(\.threads.values) == ["loader"])
        #expect(bench.events[0].thread != 0 && bench.events[1].thread != 0)
        #expect(bench.events[0].thread != bench.events[1].thread)
    }

    #if !TSAN
        /// In a process of its own, because other tests' threads may hold locks of Swift's runtime during a fork here.
        @Test func aForkedChildRecordsNothing() throws {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: builtProduct("ForkProbe"))
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            // The probe's alarm ends a longer wait.
            let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0 && process.terminationReason == .exit, "\(printed)")
            #expect(printed == "child: ok\nparent: ok\n")
        }
    #endif
}

// SPDX-License-Identifier: MIT
