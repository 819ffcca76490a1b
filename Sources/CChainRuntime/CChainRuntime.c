// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "CChainRuntime.h"

#include "ChainForks.h"
#include "ChainRunning.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/random.h>
#include <sys/syscall.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

_Thread_local chain_thread chain_this_thread;

uint32_t chain_thread_id(void) {
    chain_thread *thread = &chain_this_thread;
    if (thread->thread_id == 0) {
        // Registers the fork handlers, which reset the id in a child.
        chain_forks_watch();
#if defined(__linux__)
        thread->thread_id = (uint32_t)syscall(SYS_gettid);
#else
        uint64_t id = 0;
        pthread_threadid_np(NULL, &id);
        thread->thread_id = (uint32_t)id;
#endif
        chain_threads_insert(thread);
    }
    return thread->thread_id;
}

typedef struct exit_action {
    void *object;
    void (*release)(void *object);
} exit_action;

static pthread_key_t exit_key;
static bool has_exit_key;
static pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;

static void run_exit_action(void *pointer) {
    exit_action action = *(exit_action *)pointer;
    free(pointer);
    chain_this_thread.loop = NULL;
    action.release(action.object);
}

static void make_exit_key(void) { has_exit_key = pthread_key_create(&exit_key, run_exit_action) == 0; }

void chain_thread_release_at_exit(void *object, void (*release)(void *object)) {
    pthread_once(&exit_key_once, make_exit_key);
    exit_action *action = has_exit_key ? malloc(sizeof *action) : NULL;
    if (action == NULL) return;
    *action = (exit_action){object, release};
    pthread_setspecific(exit_key, action);
}

void chain_thread_name(char *buffer, size_t size) {
    if (size == 0) return;
    buffer[0] = '\0';
    if (pthread_getname_np(pthread_self(), buffer, size) != 0) buffer[0] = '\0';
}

void chain_thread_set_name(const char *name) {
    char cut[16];
    strncpy(cut, name, sizeof cut - 1);
    cut[sizeof cut - 1] = '\0';
#if defined(__linux__)
    pthread_setname_np(pthread_self(), cut);
#else
    pthread_setname_np(cut);
#endif
}

uint64_t chain_nanoseconds(int64_t seconds, int64_t rest) {
    uint64_t result;
    if (seconds < 0) return 0;
    if (__builtin_mul_overflow((uint64_t)seconds, 1000000000ull, &result)) return UINT64_MAX;
    return __builtin_add_overflow(result, (uint64_t)rest, &result) ? UINT64_MAX : result;
}

static uint64_t read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return chain_nanoseconds(now.tv_sec, now.tv_nsec);
}

uint64_t chain_monotonic_ns(void) { return read_clock(CLOCK_MONOTONIC); }
uint64_t chain_wall_ns(void) { return read_clock(CLOCK_REALTIME); }

#if defined(__x86_64__)

// Returns whether the cycle counter runs at one rate in all states of the processor and on all cores.
static bool is_invariant(void) {
    unsigned highest, ebx, ecx, features;
    if (!__get_cpuid(0x80000000u, &highest, &ebx, &ecx, &features) || highest < 0x80000007u) return false;
    __get_cpuid(0x80000007u, &highest, &ebx, &ecx, &features);
    return (features & 1u << 8) != 0;
}

enum { undecided, from_counter, from_clock };
static _Atomic int ticks_source;

__attribute__((noinline)) static bool decide_ticks(void) {
    char clocksource[64] = "";
#if defined(__linux__)
    int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t count = read(file, clocksource, sizeof clocksource - 1);
        clocksource[count > 0 ? count : 0] = '\0';
        clocksource[strcspn(clocksource, "\n")] = '\0';
        close(file);
    }
#endif
    bool isTrusted = chain_counter_is_trusted(is_invariant(), clocksource);
    // Relaxed, because all threads come to the same decision.
    atomic_store_explicit(&ticks_source, isTrusted ? from_counter : from_clock, memory_order_relaxed);
    return isTrusted;
}

bool chain_ticks_are_cycles(void) {
    int source = atomic_load_explicit(&ticks_source, memory_order_relaxed);
    return __builtin_expect(source == from_counter, true) || (source == undecided && decide_ticks());
}

#else

bool chain_ticks_are_cycles(void) { return false; }

#endif

bool chain_counter_is_trusted(bool is_invariant, const char *clocksource) {
    // The clocks that Linux falls back to where the counter stops, jumps or differs between cores. The clocks of
    // virtual machines ("kvm-clock", "hyperv_clocksource_tsc_page") are not among them, because they are read from the
    // counter.
    static const char *const fallbacks[] = {"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"};
    for (size_t index = 0; index < sizeof fallbacks / sizeof *fallbacks; index++) {
        if (strcmp(clocksource, fallbacks[index]) == 0) return false;
    }
    return is_invariant;
}

uint64_t chain_ticks(void) {
#if defined(__x86_64__)
    return chain_ticks_are_cycles() ? __rdtsc() : chain_monotonic_ns();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return chain_monotonic_ns();
#endif
}

// The Swift runtime's own entry point: returns NULL when deinit has begun (stable ABI, used by unowned references).
extern void *swift_tryRetain(void *object);

bool chain_try_retain(void *object) { return swift_tryRetain(object) != NULL; }

extern char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

char *chain_demangle(const char *symbol) { return swift_demangle(symbol, strlen(symbol), NULL, NULL, 0); }

void chain_block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    // Faults stay enabled, because they have to reach the program's handlers.
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGTRAP);
#if defined(__linux__)
    // For its report of a crash, Swift's runtime suspends all other threads by this signal. It complains of each thread
    // that blocks it.
    sigdelset(&all, SIGPROF);
#endif
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}

uint64_t chain_random(void) {
    uint64_t value = 0;
#if defined(__linux__)
    ssize_t count;
    do count = getrandom(&value, sizeof value, 0);
    while (count < 0 && errno == EINTR);
    if (count == (ssize_t)sizeof value) return value;
    // A sandbox may refuse the call.
    int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    count = file < 0 ? -1 : read(file, &value, sizeof value);
    if (file >= 0) close(file);
    if (count != (ssize_t)sizeof value) {
        value = chain_monotonic_ns() ^ (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)&value;
    }
#else
    arc4random_buf(&value, sizeof value);
#endif
    return value;
}
