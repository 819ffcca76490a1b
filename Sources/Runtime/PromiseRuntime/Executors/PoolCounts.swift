// SPDX-License-Identifier: MIT

/// The counts of a pool's threads in one word, so that a submission reads all of them at once.
///
///     0       16         32          48
///     ├ live ─┼ sleeping ┼ searching ┼ blocked
///
/// `sleeping` and `blocked` never count the same thread. All counts except `searching` change only under the pool's
/// lock.
struct PoolCounts: Equatable {
    var rawValue: UInt64

    static let live: UInt64 = 1
    static let sleeping: UInt64 = 1 << 16
    static let searching: UInt64 = 1 << 32
    static let blocked: UInt64 = 1 << 48

    /// All threads, including threads that are being started.
    var live: Int { Int(rawValue & 0xFFFF) }
    /// Threads that sleep.
    var sleeping: Int { Int(rawValue >> 16 & 0xFFFF) }
    /// Threads that search for a job. While a thread searches, a submitter wakes no other thread.
    var searching: Int { Int(rawValue >> 32 & 0xFFFF) }
    /// Threads blocked by their handler.
    var blocked: Int { Int(rawValue >> 48) }

    /// Threads that run or search for jobs: at most the pool's width, except for a moment after a blocked thread has
    /// resumed.
    @inline(__always)
    var active: Int { live - sleeping - blocked }

    /// Whether a ready job needs one more thread, and the pool may wake or start one.
    @inline(__always)
    func needsThread(width: Int, limit: Int) -> Bool {
        searching == 0 && active < width && (sleeping > 0 || live < limit)
    }
}
