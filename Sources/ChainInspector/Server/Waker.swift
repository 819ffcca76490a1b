import CChainRuntime
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Wakes a thread that polls: a pipe, of which that thread has the reading end. Safe from any thread; never blocks.
final class Waker: Sendable {
    /// The end to poll.
    let readingEnd: Int32
    private let writingEnd: Lock<Int32?>
    private let isSignalled = Atomic<Bool>(false)
    private let generation = chain_fork_generation()

    /// Throws where the system has no descriptors left.
    init() throws(ServerFailure) {
        var ends: [Int32] = [-1, -1]
        let result = chain_pipe(&ends)
        guard result == 0 else { throw ServerFailure("There is no pipe to be had", errorNumber: -result) }
        readingEnd = ends[0]
        writingEnd = Lock(ends[1])
    }

    /// Wakes the thread, now or when it polls next.
    func wake() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // In a child of the process the number is somebody else's.
        guard generation == chain_fork_generation() else { return }
        writingEnd.withLock { end in
            // Full means that the thread will wake anyway; nobody reads from a closed end, so no SIGPIPE.
            var byte: UInt8 = 0
            if let end { _ = write(end, &byte, 1) }
        }
    }

    /// Empties the pipe; what was set before a ``wake()`` is seen after this.
    func clear() {
        var bytes = (0 as UInt64, 0 as UInt64)
        while withUnsafeMutableBytes(of: &bytes, { read(readingEnd, $0.baseAddress!, $0.count) }) > 0 {}
        _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Gives the pipe back; ``wake()`` does nothing from now on. By the thread that polls.
    func close() {
        if let end = writingEnd.withLock({ $0.take() }) { chain_close(end) }
        chain_close(readingEnd)
    }
}
