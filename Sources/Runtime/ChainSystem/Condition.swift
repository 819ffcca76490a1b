// SPDX-License-Identifier: MIT

/// A POSIX mutex with a condition that threads wait for.
@usableFromInline
package final class Condition: @unchecked Sendable {
    // Sendable: mutex and condition are POSIX objects made to be shared, at fixed addresses for as long as this object
    // lives.
    @usableFromInline let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    /// Makes an unlocked mutex.
    package init() {
        pthread_mutex_init(mutex, nil)
        #if os(Linux)
            var attributes = pthread_condattr_t()
            pthread_condattr_init(&attributes)
            pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
            pthread_cond_init(condition, &attributes)
            pthread_condattr_destroy(&attributes)
        #else
            pthread_cond_init(condition, nil)
        #endif
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    /// Calls `body` with the mutex held.
    @inlinable
    package func withLock<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Unlocks the mutex until the condition is signalled, then locks it again. Call it with the mutex held, and in a
    /// loop, because it may also return without a signal.
    package func wait() { pthread_cond_wait(condition, mutex) }

    /// As ``wait()``, but for at most `nanoseconds`.
    package func wait(nanoseconds: UInt64) {
        #if os(Linux)
            var limit = timespec()
            clock_gettime(CLOCK_MONOTONIC, &limit)
            let total = UInt64(limit.tv_nsec) &+ min(nanoseconds, 1 << 60)
            limit.tv_sec += Int(total / 1_000_000_000)
            limit.tv_nsec = Int(total % 1_000_000_000)
            pthread_cond_timedwait(condition, mutex, &limit)
        #else
            var relative = timespec(
                tv_sec: Int(min(nanoseconds, 1 << 60) / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            pthread_cond_timedwait_relative_np(condition, mutex, &relative)
        #endif
    }

    /// Wakes one waiting thread.
    package func signal() { pthread_cond_signal(condition) }
    /// Wakes all waiting threads.
    package func broadcast() { pthread_cond_broadcast(condition) }
}
