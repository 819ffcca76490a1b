// SPDX-License-Identifier: MIT

// What a thread of this process does: its processor time, and what it waits for.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns how many nanoseconds of processor time a thread of this process has used; 0 if that is not known, for
/// example because the thread has ended.
uint64_t chain_thread_cpu_ns(uintptr_t handle);

/// Returns whether a thread waits for something other than a processor; true if that is not known. `id` is the thread's
/// chain_thread_id. On Linux the call opens a file, which takes some microseconds.
bool chain_thread_is_waiting(uintptr_t handle, uint32_t id);

/// What a thread is blocked in: the raw values of ChainEvents' `SystemWait`, which are part of the wire format.
enum {
    CHAIN_WAIT_UNKNOWN, CHAIN_WAIT_FUTEX, CHAIN_WAIT_SLEEP, CHAIN_WAIT_READ, CHAIN_WAIT_WRITE, CHAIN_WAIT_RECEIVE,
    CHAIN_WAIT_SEND, CHAIN_WAIT_POLL, CHAIN_WAIT_EPOLL, CHAIN_WAIT_CONNECT, CHAIN_WAIT_ACCEPT, CHAIN_WAIT_FILE_LOCK,
    CHAIN_WAIT_SYNC, CHAIN_WAIT_CHILD, CHAIN_WAIT_SIGNAL, CHAIN_WAIT_OPEN, CHAIN_WAIT_OTHER, CHAIN_WAIT_PAGE
};

/// Returns what a thread of this process is blocked in, CHAIN_WAIT_UNKNOWN or one of the following. It is unknown for a
/// thread that is on a processor, and on systems other than Linux. On Linux the call opens a file, which takes some
/// microseconds.
uint16_t chain_thread_wait(uint32_t id);

/// Returns what a thread is blocked in that waits in the system call of this number, which is -1 for a thread that is
/// blocked outside of a system call: one of the constants above. CHAIN_WAIT_UNKNOWN on systems other than Linux.
uint16_t chain_system_call_wait(long number);

#ifdef __cplusplus
}
#endif
