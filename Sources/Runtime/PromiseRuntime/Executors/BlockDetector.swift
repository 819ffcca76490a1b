// SPDX-License-Identifier: MIT

/// A detector that finds by sampling whether one thread is blocked. A blocked thread has been in one job for at least a
/// limit, with next to no processor time. It waits for something other than a processor. Times are in nanoseconds.
package struct BlockDetector: Sendable {
    // The kernel's id of the thread.
    private var thread: UInt32 = 0
    // The thread's `progress`, which changes with each job.
    private var progress: UInt64 = 0
    // The last check of this job, and the processor time that the thread had used by then.
    private var last: (time: UInt64, used: UInt64)?
    // The time since which no check found the job using the processor.
    private var since: UInt64 = 0
    private(set) var isBlocked = false
    private var hasReported = false

    /// Makes a detector for one thread.
    package init() {}

    /// The result of a check.
    package enum Verdict: Equatable {
        /// The thread has begun another job since the last check, or has no job.
        case moves
        /// The thread is still in the same job.
        case stuck
        /// The thread has been blocked for `nanoseconds`; `isNew` is true once per job.
        case blocked(nanoseconds: UInt64, isNew: Bool)
    }

    /// Checks the thread at time `now`. `progress` is odd while the thread is in a job, and differs from job to job. `used` returns the thread's processor time, nil if that is unknown; it is not
    /// called before the second check of a job. `isWaiting` is not called before `limit` has passed without use of the
    /// processor.
    package mutating func check(
        thread: UInt32, progress: UInt64, now: UInt64, limit: UInt64, used: () -> UInt64?, isWaiting: () -> Bool
    ) -> Verdict {
        guard thread == self.thread, progress == self.progress, progress & 1 == 1 else {
            self = BlockDetector()
            self.thread = thread
            self.progress = progress
            return .moves
        }
        guard let used = used() else { return .stuck }
        defer { last = (now, used) }
        // Less than an eighth of the time does not count as use, so that a polling job counts as blocked, too.
        guard let last, used < last.used + (now - min(now, last.time)) / 8 + 1 else {
            since = now
            isBlocked = false
            return .stuck
        }
        let duration = now - min(now, since)
        if isBlocked { return .blocked(nanoseconds: duration, isNew: false) }
        guard duration >= limit, isWaiting() else { return .stuck }
        isBlocked = true
        defer { hasReported = true }
        return .blocked(nanoseconds: duration, isNew: !hasReported)
    }
}
