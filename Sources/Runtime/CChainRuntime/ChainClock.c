// SPDX-License-Identifier: MIT

#include "ChainClock.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif

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
