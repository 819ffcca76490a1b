// What is read from the memory of a task.
#pragma once

#include "TaskTable.h"

/// The function of a task that has not yet run, and the context of its closure; NULL where that is not known.
typedef struct chain_task_beginning { const char *function; void *closure; } chain_task_beginning;
chain_task_beginning chain_task_begins(const char *task);

/// Returns how a retained task has ended.
uint8_t chain_task_outcome(const chain_task *task);

/// Copies where the calling thread's task will continue.
void chain_task_copy_frames(const char *memory, chain_task *task);

/// Reads what the layout is verified by, as the task of a probe begins and stops to run.
void chain_task_read_entry(chain_task_probe *probe, void *task, const char *state);
void chain_task_read_exit(chain_task_probe *probe, char *state);
