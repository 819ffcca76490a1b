// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "ChainLock.h"

bool chain_is_new_child;

#if defined(__linux__)

#include "ChainClock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline void pause_processor(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// The word is 0 while free, 1 while held, 2 while held with threads that may sleep (Drepper, "Futexes are tricky").
void chain_lock_acquire_contended(chain_lock *lock) {
    for (int attempt = 0; attempt < 40; attempt++) {
        uint32_t free = 0;
        if (__atomic_load_n(&lock->word, __ATOMIC_RELAXED) == 0
            && __atomic_compare_exchange_n(&lock->word, &free, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
        pause_processor();
    }
    while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE) != 0) {
        syscall(SYS_futex, &lock->word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
    }
}

void chain_lock_wake(chain_lock *lock) { syscall(SYS_futex, &lock->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0); }

void chain_semaphore_signal(chain_semaphore *semaphore) {
    __atomic_fetch_add(&semaphore->count, 1, __ATOMIC_SEQ_CST);
    // A thread that increments `sleepers` after this load finds the new count in the kernel, and does not sleep.
    if (__atomic_load_n(&semaphore->sleepers, __ATOMIC_SEQ_CST) > 0)
        syscall(SYS_futex, &semaphore->count, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

bool chain_semaphore_wait(chain_semaphore *semaphore, uint64_t limit) {
    uint64_t begin = limit == UINT64_MAX ? 0 : chain_monotonic_ns();
    while (true) {
        uint32_t count = __atomic_load_n(&semaphore->count, __ATOMIC_RELAXED);
        while (count > 0) {
            if (__atomic_compare_exchange_n(
                    &semaphore->count, &count, count - 1, true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return true;
        }
        struct timespec rest;
        if (limit != UINT64_MAX) {
            uint64_t passed = chain_monotonic_ns() - begin;
            if (passed >= limit) return false;
            rest.tv_sec = (time_t)((limit - passed) / 1000000000);
            rest.tv_nsec = (long)((limit - passed) % 1000000000);
        }
        __atomic_fetch_add(&semaphore->sleepers, 1, __ATOMIC_SEQ_CST);
        // The kernel measures a relative limit by the monotonic clock.
        syscall(
            SYS_futex, &semaphore->count, FUTEX_WAIT_PRIVATE, 0, limit == UINT64_MAX ? NULL : &rest, NULL, 0);
        __atomic_fetch_sub(&semaphore->sleepers, 1, __ATOMIC_RELAXED);
    }
}

#endif
