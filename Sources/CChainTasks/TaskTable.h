// The table of live tasks: slots by the id that the runtime gives each task, in shards with a lock each.
#pragma once

#include "CChainTasks.h"

#include "CChainRuntime.h"

#include <stdatomic.h>

typedef struct chain_task {
    /// The runtime's id of the task, and the node that made it.
    uint64_t id, creator;
    /// The task's node. Atomic, because a thread may begin to run the task while observation ends: then the slot may be
    /// another task's already, and the thread's `running_task` is of an older generation.
    _Atomic uint64_t node;
    /// The runtime's task. Atomic, as the state, because the thread that runs it uses both without the lock.
    _Atomic(void *) task;
    void *code;
    /// The state, in the lowest two bits, and the ticks at which it began.
    _Atomic uint64_t word;
    /// The word that chain_tasks_changes copied last.
    uint64_t copied;
    _Atomic uint32_t thread, runs;
    /// The task's memory lasts while it is in the table.
    bool is_retained;
    /// Whether its creation was reported. Until then the function that makes the task is expected to report it.
    bool is_reported;
    /// It has ended, and stays in the table until its creation is reported.
    bool has_ended;
    /// When a sweep first found it unreported, in nanoseconds of the monotonic clock; 0 if none has.
    uint64_t unreported_since;
    /// A child of a discarding group.
    bool is_discarding;
    /// How it ended: CHAIN_TASK_RETURNED or one of the following.
    uint8_t outcome;
    _Atomic bool is_cancelled;
    /// Whether chain_tasks_changes has copied that it is cancelled.
    bool copied_cancelled;
    _Atomic(void *) frames[CHAIN_TASK_FRAMES];
    struct chain_task *next_free;
} chain_task;

/// A part of the table. Open addressing with linear probing, at most half full; removal shifts entries back. Slots never
/// move, because the thread that runs a task writes to its slot without the lock.
typedef struct chain_task_shard {
    chain_lock lock;
    chain_task **entries;
    size_t capacity, count;
    chain_task *free;
} __attribute__((aligned(64))) chain_task_shard;

/// The shards, by the id of the task modulo their number.
extern chain_task_shard chain_table_shards[CHAIN_TASK_SHARDS];

/// Returns the task with that id; NULL for none.
chain_task *chain_table_find(uint64_t id);

/// Returns the task with that id; NULL for none. The caller holds the lock of its shard.
chain_task *chain_table_find_locked(uint64_t id);

/// Returns the id of the task that may be that of a node: of the newest node with the same remainder.
uint64_t chain_table_likely_id(uint64_t node);

/// Returns the task with that id, or a new one with these facts, created now; NULL without memory.
chain_task *chain_table_insert(uint64_t id, uint64_t node, void *task, bool *is_new);

/// Locks the shard of a task.
void chain_table_lock(uint64_t id);

/// Unlocks the shard of a task.
void chain_table_unlock(uint64_t id);

/// Removes a task from the table; its shard is locked.
void chain_table_remove(chain_task *task);

/// Forgets all tasks, and releases those that are retained.
void chain_table_clear(void);

/// Forgets all tasks in a child of a fork, where another thread of the parent may have held the locks.
void chain_table_clear_in_child(void);

/// Makes the lock of chain_tasks_changes anew, in a child of a fork.
void chain_sweep_lock_reset_in_child(void);

static inline uint64_t chain_task_word(unsigned state, uint64_t ticks) { return ticks << 2 | state; }

/// The offsets in use.
extern chain_task_layout chain_layout;

/// Reports the creation of a task, and its end, where the function that made it has not.
void chain_tasks_report_stray(const chain_task *task);

/// Call the runtime's functions.
void *chain_task_retain(void *task);
void chain_task_release(void *task);
void chain_task_cancel_now(void *task);
