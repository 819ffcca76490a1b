// SPDX-License-Identifier: MIT

// The originals of the interposed functions, and the functions that are called in their place. Of the latter, those for
// jobs are always called. Those for creating, entering and leaving tasks are called while tasks are observed. Those for
// entering and leaving tasks are also called after chain_tasks_set_probe.
#pragma once

#include "TaskTable.h"

#if defined(__linux__)

#define SWIFTCC __attribute__((swiftcall))
#define WEAK __attribute__((weak, visibility("default")))

typedef struct created { void *task, *context; } created;
typedef SWIFTCC created (*create_function)(size_t, void *, const void *, void *, void *);
typedef void (*context_function)(char *);
typedef SWIFTCC void (*run_function)(void *, void *, void *);
typedef SWIFTCC void (*run_both_function)(void *, void *, void *, void *, void *);
typedef void (*async_function)(void *, void *, void (*)(void *));
typedef void (*after_function)(uint64_t, void *, void *, void (*)(void *));

struct originals {
    create_function create;
    context_function enter, exit;
    // `immediate` is the function of Task.immediate, in Swift 6.2 and later; NULL in earlier versions.
    run_function run, run_on_task_executor, immediate;
    run_both_function run_on_both;
    async_function async;
    after_function after;
    SWIFTCC void *(*current)(void);
    SWIFTCC uint64_t (*task_id)(void *);
    SWIFTCC size_t (*job_flags)(void *);
    // In Swift 6.2 and later. NULL in earlier versions, where no task has a name.
    const char *(*name)(void);
    SWIFTCC void (*cancel)(void *);
    void *(*retain)(void *);
    void (*release)(void *);
    // The fixed part of a task, in bytes.
    size_t task_size;
    // The runtime's functions in which a new task begins to run; NULL if the runtime does not export the address.
    const void *adapters[2];
    // Whether the runtime is linked statically, with --wrap.
    bool is_static;
    // The bounds of a dynamic runtime's code; NULL with a static runtime.
    const char *runtime_begin, *runtime_end;
};

extern struct originals chain_original;

/// The functions that observe, with the signatures of the interposed functions.
created chain_observed_create(size_t flags, void *options, const void *type, void *entry, void *closure) SWIFTCC;
void chain_observed_enter(char *state);
void chain_observed_exit(char *state);
void chain_observed_run(void *job, void *identity, void *implementation) SWIFTCC;
void chain_observed_run_on_task_executor(void *job, void *identity, void *implementation) SWIFTCC;
void chain_observed_immediate(void *task, void *identity, void *implementation) SWIFTCC;
void chain_observed_run_on_both(void *job, void *serial, void *implementation, void *task, void *other) SWIFTCC;
void chain_observed_async(void *queue, void *context, void (*work)(void *));
void chain_observed_after(uint64_t when, void *queue, void *context, void (*work)(void *));

/// The task that runs on a thread. Use its id, not its slot, unless the task is known to be in the table, because a
/// slot is reused for other tasks.
typedef struct running_task {
    chain_task *slot;    ///< NULL if no task with a node runs.
    const char *memory;
    uint64_t id, node;
    uint32_t epoch;      ///< How often observation had ended when the task was looked up.
} running_task;

/// Notes that a job begins on this thread. Returns the task that ran on the thread until then, for chain_job_end.
running_task chain_job_begin(void);

/// Ends a job that has returned. If a task is still noted as running on this thread, that task has ended, because a
/// suspended task is noted as having left. Then `outer` runs again.
void chain_job_end(running_task outer);

/// Reports steps to this observer from now on, or to no observer if `given` is NULL.
void chain_steps_report(const chain_task_observer *given);

/// Forgets, for every thread, which task runs on it.
void chain_steps_forget(void);

/// Sets the calling thread's probe.
void chain_steps_set_probe(chain_task_probe *given);

#endif
