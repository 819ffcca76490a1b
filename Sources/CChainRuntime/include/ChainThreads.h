// The C shim's part about threads that end, processes that fork, and threads of our own.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Has `leave` called with this thread's `ring`, set to NULL before, when the thread ends; to be asked for again if a
/// ring is taken after that, as other destructors may still record. One function a program. False where that can not
/// be had: the system has no key left, or makes no further round of destructors on this thread.
bool chain_thread_at_exit(void (*leave)(void *ring));

/// 0, and one more in each child that this process was forked into. In a child the forking thread has no ring and a new
/// thread id; the parent's other threads are not there.
uint64_t chain_fork_generation(void);

/// Has other threads wait that want to fork, or to hold forks themselves, until chain_fork_allow: so a child never finds
/// half done what is done in between. Not nested; nothing in between may fork.
void chain_fork_hold(void);

/// Ends what chain_fork_hold began, on the same thread.
void chain_fork_allow(void);

/// What PromiseRuntime does on the thread that forks: before the fork, after it in the parent, and in the child, which
/// has that thread alone. Called within the gate of chain_fork_hold, and while no socket is opened or closed; the
/// functions may lock what is a leaf in the order of locks, and must not fork.
typedef struct chain_fork_handlers {
    void (*before_fork)(void);
    void (*in_parent)(void);
    void (*in_child)(void);
} chain_fork_handlers;

/// Has these called at each fork from now on; they are kept, not copied. One set a program.
void chain_fork_handle(const chain_fork_handlers *handlers);

/// The calling thread's name as a viewer should see it, NUL-terminated: "main" for the one that `main` runs on, an
/// empty string where it has no name but the one that all threads of the process begin with.
void chain_thread_own_name(char *buffer, size_t size);

/// Starts a thread with that name (15 bytes at most). With `blocks_signals` all signals but faults are blocked from its
/// first instruction on; else it inherits the mask of the calling thread. False where the system has no thread left.
/// `handle` is for chain_thread_join or chain_thread_detach, once.
bool chain_thread_start(
    const char *name, bool blocks_signals, void (*body)(void *), void *context, uintptr_t *handle);

/// Whether the calling thread is that one.
bool chain_thread_is(uintptr_t handle);

/// Waits for a thread to end.
void chain_thread_join(uintptr_t handle);

/// Lets a thread end unwaited for.
void chain_thread_detach(uintptr_t handle);

/// The calling thread, as chain_thread_cpu_ns wants it.
uintptr_t chain_thread_handle(void);

/// How many nanoseconds of processor time a thread of this process has used; 0 where that is not known, as of a thread
/// that is gone.
uint64_t chain_thread_cpu_ns(uintptr_t handle);

/// Whether a thread waits for something other than a processor; true where that is not known. `id` is
/// chain_thread_id's. Opens a file on Linux: some microseconds.
bool chain_thread_is_waiting(uintptr_t handle, uint32_t id);

#ifdef __cplusplus
}
#endif
