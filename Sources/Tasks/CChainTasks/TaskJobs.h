// SPDX-License-Identifier: MIT

// The jobs of the runtime, which run tasks.
#pragma once

#include "TaskRuntime.h"

#if defined(__linux__)

/// The functions that observe jobs, with the signatures of the interposed functions. They are always called.
void chain_observed_run(void *job, void *identity, void *implementation) SWIFTCC;
void chain_observed_run_on_task_executor(void *job, void *identity, void *implementation) SWIFTCC;
void chain_observed_immediate(void *task, void *identity, void *implementation) SWIFTCC;
void chain_observed_run_on_both(void *job, void *serial, void *implementation, void *task, void *other) SWIFTCC;
void chain_observed_async(void *queue, void *context, void (*work)(void *));
void chain_observed_after(uint64_t when, void *queue, void *context, void (*work)(void *));

#endif
