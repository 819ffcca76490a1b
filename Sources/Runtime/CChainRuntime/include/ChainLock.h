// SPDX-License-Identifier: MIT

// A lock and a semaphore that survive a fork.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if !defined(__linux__)
#include <os/lock.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// A mutex of four bytes, all zero when it is free. It keeps no thread's id on Linux, so the thread that forked may
/// unlock it in the child. (Synchronization.Mutex keeps the id of the thread that locked it. The child inherits that
/// id, and is ended when it contends for the mutex.) On Linux a waiting thread spins for 40 pause instructions, then
/// sleeps in the kernel. Not recursive; not fair.
typedef struct chain_lock {
#if defined(__linux__)
    uint32_t word;
#else
    os_unfair_lock word;
#endif
} chain_lock;

/// Whether this process is a child of a fork in which the fork handlers still run, on its only thread. Set by
/// ChainForks.c.
extern bool chain_is_new_child;

#if defined(__linux__)

/// The slow paths: acquiring a lock that is held, and releasing a lock for which threads may sleep.
void chain_lock_acquire_contended(chain_lock *lock);
void chain_lock_wake(chain_lock *lock);

/// Locks; together with unlocking about 8 ns if the lock is free.
static inline void chain_lock_acquire(chain_lock *lock) {
    uint32_t free = 0;
    bool is_ours = __atomic_compare_exchange_n(&lock->word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
    if (__builtin_expect(!is_ours, false)) chain_lock_acquire_contended(lock);
}

/// Unlocks. Called on the thread that locked or, if that thread has forked meanwhile, on its copy in the child.
static inline void chain_lock_release(chain_lock *lock) {
    // 2: a thread may sleep.
    if (__builtin_expect(__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) == 2, false)) chain_lock_wake(lock);
}

/// Unlocks in a fork handler what the thread locked before the fork, in the parent and in the child.
static inline void chain_lock_release_after_fork(chain_lock *lock) { chain_lock_release(lock); }

#else

static inline void chain_lock_acquire(chain_lock *lock) { os_unfair_lock_lock(&lock->word); }
static inline void chain_lock_release(chain_lock *lock) { os_unfair_lock_unlock(&lock->word); }

static inline void chain_lock_release_after_fork(chain_lock *lock) {
    // The lock has the id of the parent's thread, and unlocking it on a thread with another id would end the child.
    if (chain_is_new_child) lock->word = OS_UNFAIR_LOCK_INIT; else os_unfair_lock_unlock(&lock->word);
}

#endif

#if defined(__linux__)

/// A counting semaphore that measures limited waits by the monotonic clock. (The semaphores of the C library and of
/// Dispatch measure them by the wall clock: when that is set back, they wait too long.) It holds no lock, so a child of
/// a fork can use every semaphore. Begins with zeros.
typedef struct chain_semaphore {
    uint32_t count;
    /// How many threads sleep or are about to.
    uint32_t sleepers;
} chain_semaphore;

/// Increments the count, and wakes a waiting thread.
void chain_semaphore_signal(chain_semaphore *semaphore);

/// Waits until the count is above 0, and decrements it. Returns false after `limit` nanoseconds; UINT64_MAX waits
/// without a limit.
bool chain_semaphore_wait(chain_semaphore *semaphore, uint64_t limit);

#endif

#ifdef __cplusplus
}
#endif
