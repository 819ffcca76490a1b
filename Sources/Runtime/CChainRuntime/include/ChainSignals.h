// SPDX-License-Identifier: MIT

// Signals that this package handles for the program.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The result of chain_signal_wait once the watch has ended.
#define CHAIN_SIGNAL_ENDED (-1)

/// Replaces the signal's action: until chain_signal_end the signal only wakes chain_signal_wait. Returns 0, or an error
/// number: EBUSY if the signal is watched already, EINVAL for a number that is no signal or cannot be handled. Opens
/// two descriptors, which a child of a fork does not have.
int chain_signal_watch(int number);

/// Waits for the signal. Returns 0, or CHAIN_SIGNAL_ENDED after chain_signal_end. Only one thread may wait for each
/// signal.
int chain_signal_wait(int number);

/// Restores the signal's former action, unless the program has set a handler since chain_signal_watch, and ends
/// chain_signal_wait. In a child of the process, which has no waiting thread, this function also does the work of
/// chain_signal_close.
void chain_signal_end(int number);

/// Closes the descriptors. Call it once chain_signal_wait has returned CHAIN_SIGNAL_ENDED.
void chain_signal_close(int number);

#ifdef __cplusplus
}
#endif
