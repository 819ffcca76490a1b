// SPDX-License-Identifier: MIT

// What happens when a thread ends, what happens at a fork, and the threads of this package.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Calls `detach` with the calling thread's `ring` when the thread ends, after setting the field to NULL. Other
/// destructors of the thread may record after that: if the thread then takes another ring, call this function again.
/// All threads call the `detach` that was passed last. Returns false if the system has no key or memory left, or makes
/// no further round of destructors on this thread.
bool chain_thread_release_ring_at_exit(void (*detach)(void *ring));

/// Returns a number that is 0 at first, and in a child of a fork is one more than in its parent. In a child the forking
/// thread has no ring and a new thread id; the parent's other threads do not exist.
uint64_t chain_fork_generation(void);

/// Returns the file name of the running program; an empty string if it is unknown. Valid as long as the program runs.
const char *chain_program_name(void);

/// Returns how many processors the calling thread may use, at least 1.
int chain_processor_count(void);

/// Blocks forks, and other callers of this function, until chain_fork_allow. Not nested; the code in between must not
/// fork.
void chain_fork_hold(void);

/// Lets forks, and other callers of chain_fork_hold, go on. Called on the thread that called chain_fork_hold.
void chain_fork_allow(void);

/// The modules that take part in a fork, in the order in which their locks are taken.
typedef enum chain_fork_module { CHAIN_FORK_PROMISES, CHAIN_FORK_TASKS, CHAIN_FORK_MODULES } chain_fork_module;

/// A module's handlers, called on the forking thread. While they run, chain_fork_hold waits, and no descriptor of
/// ChainSockets.h is opened or closed. The functions may take locks that are leaves in the order of locks, and must not
/// fork.
typedef struct chain_fork_handlers {
    void (*before_fork)(void);    ///< Called in the order of modules.
    void (*in_parent)(void);      ///< Called after the fork, in the opposite order.
    void (*in_child)(void);       ///< Called in the opposite order, on the child's only thread.
} chain_fork_handlers;

/// Sets the handlers that are called at each later fork, in place of the module's earlier handlers; keeps the pointer.
void chain_fork_set_handlers(chain_fork_module module, const chain_fork_handlers *handlers);

/// Copies the calling thread's name for viewers, NUL-terminated: "main" for the main thread. Copies an empty string if
/// the thread has the program's name, which threads inherit on Linux. (A thread that was started by a named thread
/// inherits that thread's name, and that name is copied.)
void chain_thread_display_name(char *buffer, size_t size);

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

/// Returns the calling thread's handle for the functions below, which is not the handle of chain_thread_start.
uintptr_t chain_thread_usage_handle(void);

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

/// A thread that runs a handler of a promise, or a Swift task.
typedef struct chain_running_thread {
    uintptr_t handle;   ///< For chain_thread_cpu_ns.
    uint32_t id;        ///< Its chain_thread_id.
    uint64_t node;      ///< The node of the handler or, without a handler, of the task.
} chain_running_thread;

/// Copies up to `limit` threads that run a handler or a task at this moment, and returns their number. Looks at each
/// thread that has called chain_thread_id and has not ended: some nanoseconds for each.
size_t chain_threads_running(chain_running_thread *threads, size_t limit);

#ifdef __cplusplus
}
#endif
