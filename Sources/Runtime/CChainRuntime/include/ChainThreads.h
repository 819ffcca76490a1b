// SPDX-License-Identifier: MIT

// Ids and names of threads, what happens when a thread ends, and the threads of this package.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the kernel's id of the calling thread, cached in its record (gettid costs 160 to 240 ns).
uint32_t chain_thread_id(void);

/// Returns the calling thread's handle for the functions of ChainProbe.h, which is not the handle of
/// chain_thread_start.
uintptr_t chain_thread_usage_handle(void);

/// Calls `release(object)` when the calling thread ends; for at most one object of each thread (PromiseRuntime's run
/// loop). Does nothing where the system has no thread key or memory left.
void chain_thread_release_at_exit(void *object, void (*release)(void *object));

/// Calls `detach` with the calling thread's `ring` when the thread ends, after setting the field to NULL. Other
/// destructors of the thread may record after that: if the thread then takes another ring, call this function again.
/// All threads call the `detach` that was passed last. Returns false if the system has no key or memory left, or makes
/// no further round of destructors on this thread.
bool chain_thread_release_ring_at_exit(void (*detach)(void *ring));

/// Copies the calling thread's name, NUL-terminated, into `buffer`; an empty string if the thread has no name.
void chain_thread_name(char *buffer, size_t size);

/// Names the calling thread, cut to 15 bytes (the limit of Linux). Only for threads of this package.
void chain_thread_set_name(const char *name);

/// Copies the calling thread's name for viewers, NUL-terminated: "main" for the main thread. Copies an empty string if
/// the thread has the program's name, which threads inherit on Linux. (A thread that was started by a named thread
/// inherits that thread's name, and that name is copied.)
void chain_thread_display_name(char *buffer, size_t size);

/// Blocks every signal on the calling thread, as the threads of an embedded library must do, except faults and the signal
/// by which Swift's runtime suspends threads to report a crash (SIGPROF, on Linux).
void chain_block_signals(void);

/// Starts a thread with that name (15 bytes at most). With `blocks_signals` all signals but faults (and SIGPROF, see
/// chain_block_signals) are blocked from its first instruction on. Without `blocks_signals` the new thread has the
/// signal mask of the calling thread. If the calling thread was started with `blocks_signals`, the mask of its starter
/// counts instead, and so on from starter to starter. Returns false if the system has no thread or memory left.
/// `handle` is for chain_thread_join or chain_thread_detach, once.
bool chain_thread_start(
    const char *name, bool blocks_signals, void (*body)(void *), void *context, uintptr_t *handle);

/// Gives the calling thread, which is about to run code of the program, the signal mask that it would have without
/// `blocks_signals`. Returns false if the thread was started without `blocks_signals`, or has that mask already.
bool chain_thread_begin_program(void);

/// Blocks the signals again, after chain_thread_begin_program returned true.
void chain_thread_end_program(void);

/// Returns whether `handle` is the handle of the calling thread.
bool chain_thread_is(uintptr_t handle);

/// Waits for a thread to end.
void chain_thread_join(uintptr_t handle);

/// Detaches a thread: its memory is freed when it ends.
void chain_thread_detach(uintptr_t handle);

#ifdef __cplusplus
}
#endif
