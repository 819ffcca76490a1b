// SPDX-License-Identifier: MIT

// System calls on other processes that Swift cannot make. All fail with ENOSYS where the system is not Linux.
#ifndef CCHAINOUTSIDE_H
#define CCHAINOUTSIDE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// Copies memory of a process into `buffer`. Returns the number of bytes copied, which is less than `size` where the
/// memory ends, or the negative error number.
ptrdiff_t outside_read(pid_t pid, uint64_t address, void *buffer, size_t size);

/// Copies `count` parts of memory (at most 16), one after the other, to `buffer`, which has the size of all. Returns the
/// number of bytes copied before the first that could not be, or the negative error number.
ptrdiff_t outside_read_parts(
    pid_t pid, const uint64_t *addresses, const size_t *sizes, size_t count, void *buffer, size_t size);

/// Makes short sleeps of the calling thread hardly longer than asked for: the system otherwise adds 50 µs.
void outside_sleep_precisely(void);

/// Opens a file below an open folder for reading, as if the folder were the root: links in the path do not lead out of
/// it. Returns the descriptor, which is closed on exec, or the negative error number.
int outside_open_below(int folder, const char *path);

/// The registers of a stopped thread from which its stack is read.
typedef struct outside_registers {
    uint64_t instruction, stack, frame;
} outside_registers;

/// Asks a thread to stop, as a debugger does: no signal is sent, and no other process notices. The calling thread is the
/// only one that may release it; if that thread ends, the system releases it. Returns 0, or the negative error number.
int outside_stop(pid_t thread);

/// Returns 1 once a thread that was asked to stop has stopped, 2 if it has ended, 0 if neither has happened yet, or the
/// negative error number. `*signal` is the signal that the thread was about to get, which `outside_release` passes on.
int outside_has_stopped(pid_t thread, int *signal);

/// Lets a stopped thread go on. Returns 0, or the negative error number.
int outside_release(pid_t thread, int signal);

/// Reads the registers of a stopped thread. Returns 0, or the negative error number.
int outside_read_registers(pid_t thread, outside_registers *registers);

#endif
