// SPDX-License-Identifier: MIT

import CChainRuntime
import Synchronization

/// A pipe that wakes the thread that polls it. ``wake()`` may be called from any thread, and never waits for the pipe.
package final class Waker: Sendable {
    /// The end to poll.
    private let readingEnd: Descriptor
    private let writingEnd: Lock<Descriptor?>
    /// Whether the pipe has a byte that was not cleared, so that another byte would be of no use.
    private let isSignalled = Atomic<Bool>(false)
    /// The fork generation in which the pipe was opened.
    private let generation = chain_fork_generation()

    /// Opens the pipe; throws if the system has no descriptors left.
    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        _ = try SystemError.check(chain_pipe(&ends))
        readingEnd = Descriptor(owning: ends[0])
        writingEnd = Lock(Descriptor(owning: ends[1]))
    }

    /// The reading end's entry for `poll`.
    package var pollEntry: pollfd { readingEnd.pollEntry() }

    /// Wakes the thread, now or when it polls next.
    package func wake() {
        guard !isSignalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        // In the child of a fork the pipe is closed, and another file may have its number.
        guard generation == chain_fork_generation() else { return }
        writingEnd.withLock { end in
            var byte: UInt8 = 0
            // A full pipe wakes the thread without another byte. The reading end is closed last, so there is no
            // SIGPIPE.
            if let end { _ = write(end.number, &byte, 1) }
        }
    }

    /// Empties the pipe. The polling thread then sees all writes that other threads made before ``wake()``.
    package func clear() {
        var bytes = (0 as UInt64, 0 as UInt64)
        while withUnsafeMutableBytes(of: &bytes, { read(readingEnd.number, $0.baseAddress!, $0.count) }) > 0 {}
        _ = isSignalled.exchange(false, ordering: .acquiringAndReleasing)
    }

    /// Closes the pipe; after that, ``wake()`` does nothing. To be called on the polling thread. Releasing the waker
    /// closes the pipe, too.
    package func close() {
        writingEnd.withLock { $0.take() }?.close()
        readingEnd.close()
    }
}
