// SPDX-License-Identifier: MIT

// What is read from the memory of a task.
#pragma once

#include "TaskTable.h"

/// The offsets that chain_tasks_set_layout has set.
extern chain_task_layout chain_layout;

/// Returns whether the memory of a task has the flag *cancelled*, which the runtime sets on any thread; false if that
/// is not known.
static inline bool chain_task_is_flagged(const void *task) {
    if (chain_layout.status == 0) return false;
    _Atomic uint32_t *status = (_Atomic uint32_t *)((char *)task + chain_layout.status);
    return (atomic_load_explicit(status, memory_order_acquire) & 0x100) != 0;
}

/// Returns whether a retained task has returned or thrown; false if that is not known.
bool chain_task_has_outcome(const chain_task *task);

#if defined(__linux__)

/// The function of a task, and the context of its closure; each is NULL if it is not known.
typedef struct chain_task_beginning { const char *function; void *closure; } chain_task_beginning;

/// Returns the name with which a task is made, from the option records that are passed as it is made; NULL for none.
const char *chain_task_name_in_options(const void *options);

/// Returns the name of the calling task; NULL if it has none, or if the runtime has no names of tasks.
const char *chain_task_current_name(void);

/// Returns whether a task that starts or resumes now may have run before.
bool chain_task_may_have_run(const char *task);

/// Returns the function and the closure of a task that has not run yet.
chain_task_beginning chain_task_read_beginning(const char *task);

/// Returns how a retained task has ended; CHAIN_TASK_RETURNED if that is not known.
uint8_t chain_task_outcome(const chain_task *task);

/// Copies to `task` the frames in which the calling thread's task will continue; `memory` is the runtime's task.
void chain_task_copy_frames(const char *memory, chain_task *task);

/// Fills a probe as a task begins to run.
void chain_task_probe_enter(chain_task_probe *probe, void *task, const char *state);

/// Fills a probe as that task stops running.
void chain_task_probe_exit(chain_task_probe *probe, char *state);

#endif
