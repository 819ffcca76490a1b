// SPDX-License-Identifier: MIT

// The functions of the runtime: the originals of the interposed functions, and others.
#pragma once

#include "CChainTasks.h"

/// Retain, release and cancel a task.
void *chain_task_retain(void *task);
void chain_task_release(void *task);
void chain_task_cancel_now(void *task);

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

/// Set by TaskHooks.c before the first call of an interposed function.
extern struct originals chain_original;

#endif
