/// Whether one worker is blocked, as far as one can tell by looking now and then: it is if over a limit of time it was in
/// one job, used next to no processor time, and waits for something else than a processor.
struct BlockWatch {
    // The kernel's id of the thread, and the job that it is in.
    private var thread: UInt32 = 0
    private var progress: UInt64 = 0
    // The last look at this job, and since when no look saw it use the processor.
    private var last: (time: UInt64, used: UInt64)?
    private var since: UInt64 = 0
    private(set) var isBlocked = false
    private var hasWarned = false

    enum Verdict: Equatable {
        /// It has begun another job since the last look, or has none.
        case moves
        /// It is still in the job that it was in.
        case stuck
        /// It has been blocked for so many nanoseconds; `isNew` once a job.
        case blocked(nanoseconds: UInt64, isNew: Bool)
    }

    /// Looks at a worker at time `now`. `used` gives its processor time, nil where nobody knows; it is not asked before
    /// the second look at one job, nor is `isWaiting` before the limit.
    mutating func look(
        thread: UInt32, progress: UInt64, now: UInt64, limit: UInt64, used: () -> UInt64?, isWaiting: () -> Bool
    ) -> Verdict {
        guard thread == self.thread, progress == self.progress, progress & 1 == 1 else {
            self = BlockWatch()
            self.thread = thread
            self.progress = progress
            return .moves
        }
        guard let used = used() else { return .stuck }
        defer { last = (now, used) }
        // An eighth, so that one who polls is blocked, too.
        guard let last, used < last.used + (now - last.time) / 8 + 1 else {
            since = now
            isBlocked = false
            return .stuck
        }
        if isBlocked { return .blocked(nanoseconds: now - since, isNew: false) }
        guard now - since >= limit, isWaiting() else { return .stuck }
        isBlocked = true
        defer { hasWarned = true }
        return .blocked(nanoseconds: now - since, isNew: !hasWarned)
    }
}
