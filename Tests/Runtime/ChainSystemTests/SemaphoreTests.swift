import ChainSystem
import Testing

struct SemaphoreTests {
    @Test func signalsAreCounted() {
        let semaphore = Semaphore()
        #expect(!semaphore.wait(nanoseconds: 0))
        for _ in 0..<3 { semaphore.signal() }
        semaphore.wait()
        #expect(semaphore.wait(nanoseconds: 0) && semaphore.wait(for: .seconds(60)) && !semaphore.wait(nanoseconds: 0))
    }

    @Test func aLimitIsWaitedOut() {
        let semaphore = Semaphore()
        let duration = ContinuousClock().measure { #expect(!semaphore.wait(for: .milliseconds(20))) }
        #expect(duration >= .milliseconds(20))
        #expect(!semaphore.wait(for: .seconds(-1)))
    }

    /// Each thread waits for its turn, so that a lost wake would hang.
    @Test func aSignalWakesAWaitingThread() throws {
        let (ping, pong) = (Semaphore(), Semaphore())
        let thread = try #require(
            SystemThread("semaphore") {
                for _ in 0..<5_000 {
                    ping.wait()
                    pong.signal()
                }
            })
        for round in 0..<5_000 {
            ping.signal()
            if round.isMultiple(of: 2) { pong.wait() } else { #expect(pong.wait(for: .seconds(300))) }
        }
        thread.join()
    }

    @Test func eachSignalLetsOneThreadOn() throws {
        let (semaphore, passed) = (Semaphore(), Lock(0))
        let threads = try (0..<4).map { number in
            try #require(
                SystemThread("semaphore-\(number)") {
                    for _ in 0..<1_000 {
                        semaphore.wait()
                        passed.withLock { $0 += 1 }
                    }
                })
        }
        for _ in 0..<4_000 { semaphore.signal() }
        for thread in threads { thread.join() }
        #expect(passed.withLock { $0 } == 4_000 && !semaphore.wait(nanoseconds: 0))
    }
}

// SPDX-License-Identifier: MIT
