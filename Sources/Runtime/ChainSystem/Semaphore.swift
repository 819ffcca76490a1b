// SPDX-License-Identifier: MIT

import CChainRuntime

#if !os(Linux)
    import Dispatch
#endif

/// A counting semaphore, 0 at first. Limits are measured by the monotonic clock, and `DispatchSemaphore` on Linux
/// measures them by the wall clock: if that is set back by an hour, a wait of 20 ms lasts an hour.
///
/// A child of a fork can use every semaphore.
@usableFromInline
package final class Semaphore: @unchecked Sendable {
    #if os(Linux)
        // Sendable: the C functions change the state atomically, at a fixed address for as long as this object lives.
        private let state = UnsafeMutablePointer<chain_semaphore>.allocate(capacity: 1)

        package init() { state.initialize(to: chain_semaphore()) }

        deinit { state.deallocate() }

        /// Increments the count, and wakes a waiting thread.
        @usableFromInline
        package func signal() { chain_semaphore_signal(state) }

        /// Waits until the count is above 0, and decrements it.
        package func wait() { _ = chain_semaphore_wait(state, .max) }

        /// Waits as ``wait()`` does, for at most `nanoseconds`; returns false if the count was 0 until then.
        package func wait(nanoseconds: UInt64) -> Bool { chain_semaphore_wait(state, nanoseconds) }
    #else
        // Sendable: Dispatch's semaphores are. Here they measure limits by the monotonic clock.
        private let semaphore = DispatchSemaphore(value: 0)

        package init() {}

        @usableFromInline
        package func signal() { semaphore.signal() }
        package func wait() { semaphore.wait() }

        package func wait(nanoseconds: UInt64) -> Bool {
            let limit: DispatchTime =
                nanoseconds == .max ? .distantFuture : .now() + .nanoseconds(Int(clamping: nanoseconds))
            return semaphore.wait(timeout: limit) == .success
        }
    #endif

    /// Waits as ``wait()`` does, for at most `limit`; returns false if the count was 0 until then.
    package func wait(for limit: Duration) -> Bool { wait(nanoseconds: limit.clampedNanoseconds) }
}

extension Duration {
    /// The duration in nanoseconds, clamped to the range from 0 to about 292 years.
    package var clampedNanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        if seconds < 0 || (seconds == 0 && attoseconds <= 0) { return 0 }
        guard seconds < 9_223_372_036 else { return UInt64(Int64.max) }
        return UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000)
    }
}
