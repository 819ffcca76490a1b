#define _GNU_SOURCE
#include "ChainLock.h"

#if defined(__linux__)

#include <linux/futex.h>
#include <sys/syscall.h>
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

#endif
