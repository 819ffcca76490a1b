// SPDX-License-Identifier: MIT

// The cycle counter and the clocks.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the cycle counter if it is one clock for the whole machine, and otherwise the monotonic clock in
/// nanoseconds. On x86 the first call decides: the counter has to be invariant (CPUID 80000007h, EDX bit 8), and Linux
/// must not have fallen back to another clock. On ARM the counter is always one clock. Reading the counter costs 10 to
/// 18 ns, to which testing the decision adds nothing measurable; reading the clock costs 22 to 42 ns.
uint64_t chain_ticks(void);

/// Returns whether chain_ticks reads x86's cycle counter.
bool chain_ticks_are_cycles(void);

/// Returns what chain_ticks decides on x86 for these facts: whether the counter is one clock for the whole machine.
/// `clocksource` is the name of Linux's clock, empty if the name is not known.
bool chain_counter_is_trusted(bool is_invariant, const char *clocksource);

/// Returns the nanoseconds of the monotonic clock.
uint64_t chain_monotonic_ns(void);

/// Returns the nanoseconds of the wall clock since 1970: 0 before 1970, and UINT64_MAX after the year 2554.
uint64_t chain_wall_ns(void);

/// Returns seconds and a rest of below a second as nanoseconds, clamped to the range of the result.
uint64_t chain_nanoseconds(int64_t seconds, int64_t rest);

#ifdef __cplusplus
}
#endif
