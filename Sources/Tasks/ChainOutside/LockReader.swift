// SPDX-License-Identifier: MIT

import ChainEvents
import ChainSystem

/// A lock that a thread waits for, as read at one time.
struct LockReading: Hashable, Sendable {
    /// The kinds of locks that contain the id of their owner.
    enum Kind: Sendable {
        /// A `pthread_mutex_t` of glibc, which is also in `NSLock` and `NIOLock`.
        case mutex
        /// `Synchronization.Mutex`, or a `pthread_mutex_t` with inheritance of priorities.
        case inheriting
    }

    let address: UInt64
    let kind: Kind
    let owner: ThreadID
}

/// Reads the owners of the locks that threads are blocked in. Semaphores and condition variables have none, and other
/// locks are not told from them.
struct LockReader {
    let memory: ProcessMemory

    // Operations of `futex`, without the bits for private futexes and for the clock.
    private static let wait: UInt64 = 0, lockInheriting: UInt64 = 6, waitBitset: UInt64 = 9,
        lockInheriting2: UInt64 = 13
    private static let operation: UInt64 = 0x7F
    /// The value of a contended mutex, for which its waiters wait.
    private static let contended: UInt32 = 2
    /// The bits of the thread in a futex with an owner.
    private static let owner: UInt32 = 0x3FFF_FFFF
    /// The types of a mutex, and the flag for one with elision. Others are shared, robust or inherit priorities.
    private static let kinds: UInt32 = 0x303

    /// Returns the lock that a thread is blocked in; nil if it is blocked in none that has a known owner.
    func lock(_ call: BlockingCall, _ threads: Set<ThreadID>) -> LockReading? {
        guard call.wait == .futex, call.first & 3 == 0 else { return nil }
        switch call.second & Self.operation {
        case Self.lockInheriting, Self.lockInheriting2:
            guard let word = halves(call.first, 1)?[0], case let owner = word & Self.owner, threads.contains(owner)
            else {
                return nil
            }
            return LockReading(address: call.first, kind: .inheriting, owner: owner)
        case Self.wait, Self.waitBitset:
            // The futex is the first of: state, depth, owner, number of users, kind.
            guard call.third & 0xFFFF_FFFF == UInt64(Self.contended), let mutex = halves(call.first, 5),
                mutex[0] == Self.contended, threads.contains(mutex[2]), mutex[3] > 0, mutex[3] <= UInt32(threads.count),
                mutex[4] & ~Self.kinds == 0
            else { return nil }
            return LockReading(address: call.first, kind: .mutex, owner: mutex[2])
        default: return nil
        }
    }

    private func halves(_ address: UInt64, _ count: Int) -> [UInt32]? {
        let halves = [UInt32](unsafeUninitializedCapacity: count) { buffer, filled in
            filled = memory.read(address, into: UnsafeMutableRawBufferPointer(buffer)) / 4
        }
        return halves.count == count ? halves : nil
    }
}
