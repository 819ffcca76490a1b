// SPDX-License-Identifier: MIT

import CChainRuntime

#if TSAN
    /// The lock word under ThreadSanitizer, which misses the atomics of inlined C, but intercepts pthread's mutex.
    @usableFromInline
    package typealias LockWord = pthread_mutex_t

    extension LockWord {
        @usableFromInline
        static func initialize(_ word: UnsafeMutablePointer<LockWord>) {
            word.initialize(to: pthread_mutex_t())
            pthread_mutex_init(word, nil)
        }

        @usableFromInline
        static func acquire(_ word: UnsafeMutablePointer<LockWord>) { pthread_mutex_lock(word) }

        @usableFromInline
        static func release(_ word: UnsafeMutablePointer<LockWord>) { pthread_mutex_unlock(word) }

        static func releaseAfterFork(_ word: UnsafeMutablePointer<LockWord>) { release(word) }
    }
#else
    /// The lock word: four bytes without the id of a thread, so that it survives a fork.
    @usableFromInline
    package typealias LockWord = chain_lock

    extension LockWord {
        @inlinable
        static func initialize(_ word: UnsafeMutablePointer<LockWord>) { word.initialize(to: chain_lock()) }

        @inlinable
        @inline(__always)
        static func acquire(_ word: UnsafeMutablePointer<LockWord>) { chain_lock_acquire(word) }

        @inlinable
        @inline(__always)
        static func release(_ word: UnsafeMutablePointer<LockWord>) { chain_lock_release(word) }

        static func releaseAfterFork(_ word: UnsafeMutablePointer<LockWord>) { chain_lock_release_after_fork(word) }
    }
#endif

/// A lock and the state that it protects; a copy shares both. Not recursive, not fair.
///
/// Locking and unlocking take 8 ns if no other thread holds the lock. A child of a fork can use every lock that was
/// free at the fork, or was held by the forking thread. `Synchronization.Mutex` ends a child that waits for a mutex of
/// the forking thread (see `chain_lock`).
@frozen
@usableFromInline
package struct Lock<State>: @unchecked Sendable {
    // Sendable: the state is reached only while the lock is held.
    /// Holds the state and, after it, the lock word, which must not move.
    @usableFromInline let buffer: ManagedBuffer<State, LockWord>

    /// Makes a free lock; one allocation.
    @inlinable
    package init(_ state: State) {
        buffer = .create(minimumCapacity: 1) { buffer in
            buffer.withUnsafeMutablePointerToElements { LockWord.initialize($0) }
            return state
        }
    }

    /// Calls `body` with the lock held.
    @inlinable
    @inline(__always)
    package func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try buffer.withUnsafeMutablePointers { state, word in
            LockWord.acquire(word)
            defer { LockWord.release(word) }
            return try body(&state.pointee)
        }
    }
}

/// Locking around a fork, for fork handlers.
extension Lock {
    /// Locks on the thread that is about to fork.
    package func lockForFork() { buffer.withUnsafeMutablePointerToElements { LockWord.acquire($0) } }

    /// Unlocks on the same thread, in the parent and in the child.
    package func unlockAfterFork() { buffer.withUnsafeMutablePointerToElements { LockWord.releaseAfterFork($0) } }

    /// Calls `body` with the state, between ``lockForFork()`` and ``unlockAfterFork()``.
    package func whileForking<Result>(_ body: (inout State) -> Result) -> Result {
        buffer.withUnsafeMutablePointerToHeader { body(&$0.pointee) }
    }

    /// Leaks the state: for the child of a fork, because a thread of the parent may have been changing the state.
    package func leak() { _ = Unmanaged.passRetained(buffer) }
}
