import ChainEvents
import Foundation
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
        // In the last of the four rounds ThreadSanitizer has left the thread already, and dies of what follows.
        private static let rounds = [1, 2]
    #else
        private static let rounds = [1, 2, 4]
    #endif

    @Test(arguments: rounds)
    func takesOrCountsWhatDestructorsRecord(rounds: Int) {
        let bench = Bench()
        let late = LateRecorder(bench, rounds: rounds)
        onThread {
            pthread_setspecific(late.key, Unmanaged.passUnretained(late).toOpaque())
            bench.record(.queued, 1)
        }
        bench.collector.collectNow()
        #expect(late.round.withLock { $0 } == rounds)
        let loss = bench.loss
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
        // Every thread begins with the program's own name: that says nothing of it.
        #expect(bench.batches.flatMap(\.threads.values) == ["loader"])
        #expect(bench.events[0].thread != 0 && bench.events[1].thread != 0)
        #expect(bench.events[0].thread != bench.events[1].thread)
    }

    #if !canImport(Darwin) && !TSAN
        @Test func aForkedChildRecordsNothing() {
            let bench = Bench()
            bench.record(.queued, 1)
            // What the child will do is done here once: it must not need a lock of the language's own runtime, which
            // another thread may hold at the moment of the fork.
            #expect(childIsRight(bench, made: 2))
            var status = ended(forking: { childIsRight(bench, made: 2) })
            for _ in 0..<3 where status == nil { status = ended(forking: { childIsRight(bench, made: 2) }) }
            #expect(status == 0)
            bench.collector.collectNow()
            #expect(bench.events.map(\.node.rawValue) == [1, 2])
        }

        /// Whether the recorder has made that many events after one more in the process that it belongs to, none more in
        /// a child of it, and whether a new one records.
        private func childIsRight(_ bench: Bench, made: UInt64) -> Bool {
            bench.record(.queued, 2)
            let own = Recorder(clock: RealClock())
            own.record(EventRecord(.queued, node: NodeID(3)), text: nil)
            return bench.recorder.counts.made == made && own.counts == RingCounts(made: 1, lost: 0)
        }

        /// The exit status of a child that does `body`; nil if it had to be killed.
        private func ended(forking body: () -> Bool) -> Int32? {
            let child = forkForTest()
            if child == 0 { _exit(body() ? 0 : 1) }
            var status: Int32 = -1
            if wait(seconds: 5, until: { waitpid(child, &status, WNOHANG) == child }) { return status }
            kill(child, SIGKILL)
            waitpid(child, &status, 0)
            return nil
        }

        /// Swift hides `fork`, as a child may do little; this one records and leaves.
        private func forkForTest() -> pid_t {
            typealias Fork = @convention(c) () -> pid_t
            let fork = dlsym(nil, "fork")!
            return unsafeBitCast(fork, to: Fork.self)()
        }
    #endif
}
