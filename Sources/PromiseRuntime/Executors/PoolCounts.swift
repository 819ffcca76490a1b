/// How many of a pool's threads there are and what they do, in one word, so that a submission reads all of it at once.
///
///     0       16         32          48
///     ├ live ─┼ sleeping ┼ searching ┼ blocked
///
/// `sleeping` and `blocked` never count the same thread. All but `searching` change under the pool's lock alone.
struct PoolCounts: Equatable {
    var rawValue: UInt64

    static let live: UInt64 = 1
    static let sleeping: UInt64 = 1 << 16
    static let searching: UInt64 = 1 << 32
    static let blocked: UInt64 = 1 << 48

    /// All threads, those that are just starting included.
    var live: Int { Int(rawValue & 0xFFFF) }
    /// Those that have nothing to do.
    var sleeping: Int { Int(rawValue >> 16 & 0xFFFF) }
    /// Those that look for something to do; who pushes a job needs to wake nobody while there is one.
    var searching: Int { Int(rawValue >> 32 & 0xFFFF) }
    /// Those whose handler blocks.
    var blocked: Int { Int(rawValue >> 48) }

    /// Those that run jobs or look for some: as many as the pool is wide, at most, but for a moment after a block.
    @inline(__always)
    var active: Int { live - sleeping - blocked }

    /// Whether a job that was made ready needs one more thread, and may have it.
    @inline(__always)
    func needsThread(width: Int, limit: Int) -> Bool {
        searching == 0 && active < width && (sleeping > 0 || live < limit)
    }
}
