// SPDX-License-Identifier: MIT

// The steps of tasks, as the interposed functions see them.
#pragma once

#include "TaskRuntime.h"
#include "TaskTable.h"

/// Reports the creation of a task that the function which made it has not reported; also the task's end, if the task
/// has ended.
void chain_tasks_report_stray(const chain_task *task);

#if defined(__linux__)

/// The functions that observe tasks, with the signatures of the interposed functions. They are called while tasks are
/// observed; those for entering and leaving tasks also after chain_tasks_set_probe.
created chain_observed_create(size_t flags, void *options, const void *type, void *entry, void *closure) SWIFTCC;
void chain_observed_enter(char *state);
void chain_observed_exit(char *state);

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
