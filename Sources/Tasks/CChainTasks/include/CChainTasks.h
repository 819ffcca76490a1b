// SPDX-License-Identifier: MIT

// The Swift tasks, seen by interposing functions that the concurrency runtime calls or exports. Linux only: elsewhere
// nothing is interposed, and chain_tasks_missing returns the reason.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CHAIN_TASK_FRAMES = 12 };

/// How a task ended.
enum { CHAIN_TASK_RETURNED, CHAIN_TASK_THREW, CHAIN_TASK_CANCELLED };

/// The state of a task, kept in the lowest two bits of a word in the table of live tasks (TaskTable.h).
enum { CHAIN_TASK_CREATED, CHAIN_TASK_RUNNING, CHAIN_TASK_SUSPENDED };

/// The functions that receive the steps of tasks, on the thread of the step; `created` and `ended` are also called on
/// the thread that calls chain_tasks_changes. None of these functions may block.
typedef struct chain_task_observer {
    /// Returns a new node's id.
    uint64_t (*new_node)(void);
    /// Returns the node in which the calling code runs, 0 for none; `current` is the node of the calling task.
    uint64_t (*creator)(uint64_t current);
    /// Returns a lasting reference to a task's code: `entry` is its async function pointer or, if NULL, `address` is
    /// its function; `closure` is the context of its closure. NULL if the code has no name.
    void *(*code)(const void *entry, const void *closure, const void *address);
    /// Returns whether a code is the program's main function.
    bool (*is_main)(const void *code);
    /// A task was made; `is_late`: before observation began, or first reported by chain_tasks_changes; `is_separate`: it
    /// is in a group of `creator`, and is to be drawn as a separate chain.
    void (*created)(uint64_t node, uint64_t creator, void *code, bool is_late, bool is_separate);
    /// A task has a name of its own.
    void (*named)(uint64_t node, const char *name);
    /// A task has ended; `outcome` is CHAIN_TASK_RETURNED or one of the following.
    void (*ended)(uint64_t node, int outcome);
} chain_task_observer;

/// Offsets within a task of the runtime, in bytes. An offset that was not verified is 0.
typedef struct chain_task_layout {
    uint32_t status;    ///< The flags of the task, among them *cancelled*.
    uint32_t resume;    ///< Where the task continues: an address, and after it the context of its asynchronous frames.
    uint32_t entry;     ///< How far the task's function and closure lie before its first context.
    uint32_t parent;    ///< The parent of a child task.
    uint32_t future;    ///< The task's outcome; two words further in a child task, three in a child of a group.
} chain_task_layout;

/// Returns what is missing for observing tasks; NULL if nothing is missing. That is the name of the first function or
/// variable that was not found, or `swift_task_create` if functions are not interposed. Elsewhere than on Linux it is
/// the reason why tasks cannot be observed, as a clause.
const char *chain_tasks_missing(void);

/// Observes tasks from now on, and copies the observer. To be called again only after chain_tasks_stop.
void chain_tasks_observe(const chain_task_observer *observer);

/// Ends observing, and forgets all tasks.
void chain_tasks_stop(void);

/// Ends observing in a child of a fork, which has only the forking thread. Takes no lock.
void chain_tasks_stop_in_child(void);

/// Sets the offsets at which the memory of tasks is read.
void chain_tasks_set_layout(chain_task_layout layout);

/// Sets from when on the tasks that a task makes are separate chains: after so many nanoseconds and so many tasks. By
/// default 10 s and 100. A task of an async let is never separate, because it cannot be cancelled without its parent.
void chain_tasks_set_separation(uint64_t nanoseconds, uint32_t count);

/// Adds the calling task, which was made before observation began. Does nothing outside of a task.
void chain_tasks_add_current(void);

/// A copy of what is known about a task.
typedef struct chain_task_view {
    uint64_t node, creator;
    uint64_t ticks;     ///< Since when the task is in its state, in ticks of chain_ticks.
    uint32_t thread;    ///< The thread on which the task runs or ran last; 0 before it has run.
    uint32_t runs;      ///< How often the task has run.
    uint8_t state;      ///< CHAIN_TASK_CREATED or one of the following.
    bool is_cancelled;  ///< Cancelled; chain_tasks_changes sets this only in its first copy after the cancellation.
    bool is_separate;   ///< Drawn as a separate chain, in a group of `creator`.
    bool can_cancel;    ///< False if only the task's parent can be cancelled.
    void *code;         ///< The reference that the observer returned, or NULL.
    void *frames[CHAIN_TASK_FRAMES];    ///< Where the task continues, innermost first; only of a suspended task.
} chain_task_view;

/// Copies up to `limit` tasks that have changed since this function copied them last, and returns their number. If more
/// tasks have changed, the next call continues where this call stopped.
size_t chain_tasks_changes(chain_task_view *views, size_t limit);

enum { CHAIN_TASK_SHARDS = 64 };

/// Copies up to `limit` live tasks of one of the CHAIN_TASK_SHARDS shards, and returns their number.
size_t chain_tasks_in_shard(unsigned shard, chain_task_view *views, size_t limit);

/// Copies the task of a node; returns false if the task has ended.
bool chain_task_find(uint64_t node, chain_task_view *view);

/// The most nodes that chain_tasks_find looks for.
enum { CHAIN_TASK_FIND_LIMIT = 256 };

/// Copies the tasks of at most CHAIN_TASK_FIND_LIMIT nodes, in any order, and returns their number. Each node is looked
/// up; if that finds not all of them, the table is walked once.
size_t chain_tasks_find(const uint64_t *nodes, size_t count, chain_task_view *views);

/// Writes the nodes of tasks, by their numbers in the runtime (`swift_task_getJobTaskId`); 0 for unknown ones.
void chain_tasks_nodes(const uint64_t *ids, size_t count, uint64_t *nodes);

/// Cancels the task of a node. Returns 1; 0 if the task has ended; -1 if only its parent can be cancelled. Runs
/// cancellation handlers of the program.
int chain_task_cancel(uint64_t node);

/// Returns the number of tasks in the table.
size_t chain_tasks_count(void);

// MARK: Checks of the layout

/// The facts of tasks that the calling thread ran, read at presumed offsets, which are not verified yet.
typedef struct chain_task_probe {
    void *task;             ///< The task that ran last.
    void *entry;            ///< The function of the first task that ran.
    int64_t state;          ///< The argument of swift_task_enterThreadLocalContext, as an offset from `task`.
    uint32_t status;        ///< The flags of `task` when it was suspended or had ended.
    void *frames[CHAIN_TASK_FRAMES];    ///< Its frames at that time.
    unsigned exits;         ///< How often a task was suspended or ended.
} chain_task_probe;

/// From now on, reads the tasks of the calling thread into a probe, instead of reporting their steps. NULL ends
/// probing.
void chain_tasks_set_probe(chain_task_probe *probe);

/// Returns the calling task; NULL for none.
void *chain_tasks_current(void);

/// Returns the offset of the first word after the fixed part of a task, as the runtime states it.
size_t chain_task_fixed_size(void);

/// Returns the version of the layout of tasks, as the runtime states it for debuggers; 0 if the runtime states no
/// version.
uint32_t chain_task_layout_version(void);

/// Copies memory of this process; returns false, without a fault, if the memory is not mapped.
bool chain_copy_memory(const void *from, void *to, size_t count);

/// Copies the first words, up to four, that a closure's context may capture, and returns how many. Words past the end
/// of a smaller context are copied, too.
size_t chain_context_words(const void *context, uintptr_t words[4]);

// MARK: Names

/// Returns whether the program's file has a symbol table; false if it was stripped, true if that is not known.
bool chain_program_has_symbols(void);

/// Copies the mangled symbol of the function at an address, from the image's symbol table or its dynamic symbols.
/// Returns false if the function has no symbol; `errno` then says why the image's file could not be read, or is 0 if it
/// was read or if no image contains the address. Reading the file takes about a millisecond.
bool chain_symbol_name(const void *address, char *buffer, size_t size);

/// Writes the file name of the image that contains an address, and the offset of the address in that image, for
/// `addr2line -e shop 0x2f40`: `shop+0x2f40`. Returns false if no image contains the address.
bool chain_address_name(const void *address, char *buffer, size_t size);

/// Returns the first address of the image that contains an address; NULL for none.
const void *chain_image_base(const void *address);

#ifdef __cplusplus
}
#endif
