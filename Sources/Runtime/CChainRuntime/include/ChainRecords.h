// SPDX-License-Identifier: MIT

// A record of each thread, and the list of the records of threads that have a thread id, so that one thread can see what
// all others run.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A thread's record for chainview, zeroed when the thread starts. Each field belongs to the module named beside it.
typedef struct chain_thread {
    void *ring;               ///< ChainInspector: this thread's event ring, NULL until it records.
    void *runtime;            ///< PromiseRuntime: the runtime of the running handler, unretained, or NULL.
    void *node;               ///< PromiseRuntime: the promise of the running handler, unretained, or NULL.
    void *loop;               ///< PromiseRuntime: this thread's run loop, released at the thread's end, or NULL.
    uint64_t next_id;         ///< PromiseRuntime: the next node id in this thread's block of ids.
    uint64_t end_id;          ///< PromiseRuntime: one past the last id in that block.
    void *worker;             ///< PromiseRuntime: the pool's worker on this thread, unretained, or NULL.
    uint64_t node_id;         ///< PromiseRuntime: the id of `node`, 0 for none; read by other threads.
    uint32_t thread_id;       ///< ChainThreads.c: the kernel's thread id, 0 until `chain_thread_id` is called.
    uint64_t task_node;       ///< ChainTasks: the id of the node of the running task, 0 for none; read by other threads.
    uint32_t *task_naming;    ///< ChainTasks: 0 if spans do not name the running task, else the next name's number; or NULL.
    uint64_t task_creator_id; ///< PromiseRuntime: the id of the node under which a task is to be made, 0 for none.
    bool fires_timers;        ///< PromiseRuntime: whether this is the thread of SystemClock's timers.
    uintptr_t usage_handle;   ///< ChainThreads.c: the thread's handle for `chain_thread_cpu_ns`.
    struct chain_thread *next, *previous;   ///< The neighbours in the list of threads.
} chain_thread;

extern _Thread_local chain_thread chain_this_thread;

/// The calling thread's record; never NULL, valid until the thread ends. About 1 ns.
static inline chain_thread * chain_thread_current(void) { return &chain_this_thread; }

/// Returns the number, from 1 on, of a name that a span or scope gives to the running task; 0 if they do not name it.
static inline uint32_t chain_task_next_name(void) {
    uint32_t *naming = chain_this_thread.task_naming;
    uint32_t number = naming == NULL ? 0 : __atomic_load_n(naming, __ATOMIC_RELAXED);
    if (number != 0) __atomic_store_n(naming, number + 1, __ATOMIC_RELAXED);
    return number;
}

/// Sets the id of the node of the running handler, for other threads to read.
static inline void chain_thread_set_node_id(chain_thread *thread, uint64_t id) {
    __atomic_store_n(&thread->node_id, id, __ATOMIC_RELAXED);
}

/// Returns the id of the node of the handler that runs on a live thread; 0 for none. From any thread.
static inline uint64_t chain_thread_node_id(const chain_thread *thread) {
    return __atomic_load_n(&thread->node_id, __ATOMIC_RELAXED);
}

/// Sets the id of the node of the running task, for other threads to read.
static inline void chain_thread_set_task_node(chain_thread *thread, uint64_t id) {
    __atomic_store_n(&thread->task_node, id, __ATOMIC_RELAXED);
}

/// Adds the calling thread to the list until it ends; leaves it out where the system has no thread key or memory left.
/// For ChainThreads.c, once the record has the thread id and the handle.
void chain_threads_insert(chain_thread *thread);

/// Resets the calling thread's record, and empties the list, in a child of a fork, which has only the forking thread.
/// Takes no lock. For ChainForks.c.
void chain_threads_clear_in_child(void);

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
