import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Processor time of this thread that one of `count` rounds of `body` takes, in nanoseconds: what others do on the
/// machine does not count.
func nanosecondsEach(_ count: Int, _ body: () -> Void) -> Double {
    let start = time(of: CLOCK_THREAD_CPUTIME_ID)
    for _ in 0..<count { body() }
    return Double(time(of: CLOCK_THREAD_CPUTIME_ID) - start) / Double(count)
}

/// Processor time of all threads of the process that one of `units` takes, where `body` does them all, in nanoseconds.
func processNanoseconds(per units: Int, _ body: () -> Void) -> Double {
    let start = time(of: CLOCK_PROCESS_CPUTIME_ID)
    body()
    return Double(time(of: CLOCK_PROCESS_CPUTIME_ID) - start) / Double(units)
}

private func time(of clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Runs `body` on that many threads of their own, and waits for them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ index: Int) -> Void) {
    let group = DispatchGroup()
    for index in 0..<count {
        group.enter()
        Thread {
            body(index)
            group.leave()
        }.start()
    }
    group.wait()
}

/// Waits for asynchronous work, on a thread that is not one of its pool.
func waitFor(_ body: @escaping @Sendable () async -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
        await body()
        isDone.signal()
    }
    isDone.wait()
}

/// How many chains have ended, of which somebody waits for the last. A global, so that the handlers which count need not
/// capture it.
enum Ended {
    private static let left = Atomic(0)
    private static let isOver = DispatchSemaphore(value: 0)

    /// Says of how many chains ``wait()`` will wait for.
    static func expect(_ count: Int) { left.store(count, ordering: .relaxed) }

    /// Notes that one has ended.
    static func one() {
        if left.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { isOver.signal() }
    }

    static func wait() { isOver.wait() }
}

/// Keeps the optimiser from finding out that a result is not used.
@inline(never)
func use<Value>(_ value: Value) {}

/// Nanoseconds of the clock on the wall that never goes back.
func monotonicNanoseconds() -> UInt64 { time(of: CLOCK_MONOTONIC) }

/// Gives the processor to others.
func pause() { sched_yield() }
