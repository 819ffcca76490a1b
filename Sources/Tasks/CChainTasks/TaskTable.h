// SPDX-License-Identifier: MIT

// The table of live tasks: slots (records of tasks), found by the id that the runtime gives each task, in shards with a
// lock each.
#pragma once

#include "CChainTasks.h"

#include "CChainRuntime.h"

#include <stdatomic.h>

typedef struct chain_task {
    /// The runtime's id of the task, and the node that made the task.
    uint64_t id, creator;
    /// The task's node. Atomic, because a thread that begins to run the task while observation ends may read the slot
    /// after its reuse for another task. The epoch in the thread's `running_task` is then out of date,
    /// so that the thread forgets the task.
    _Atomic uint64_t node;
    /// The runtime's task. This field and `word` are atomic, because the thread that runs the task uses them without
    /// the lock.
    _Atomic(void *) task;
    void *code;
    /// The state, in the lowest two bits, and the ticks at which it began.
    _Atomic uint64_t word;
    /// The word that chain_tasks_changes copied last.
    uint64_t copied;
    _Atomic uint32_t thread, runs;
    /// Whether the runtime's task was retained, so that its memory lasts while the slot is in the table.
    bool is_retained;
    /// Whether the task's creation was reported. Until then the function that makes the task is expected to report it.
    bool is_reported;
    /// Whether the task has ended. If its creation was not reported, it stays in the table until that is done.
    bool has_ended;
    /// When a sweep first found the task unreported, in nanoseconds of the monotonic clock; 0 before that.
    uint64_t unreported_since;
    /// Whether the task is a child of a discarding group.
    bool is_discarding;
    /// Whether the task is drawn as a separate chain.
    bool is_separate;
    /// 0, or if spans and scopes name the task, because it is a separate chain without a name of its own, the number of
    /// its next name. Accessed atomically by the thread that runs the task, see chain_task_next_name.
    uint32_t naming;
    /// How many tasks the task has made, and when it made the first, in nanoseconds of the monotonic clock. Changed by
    /// the thread that runs the task.
    _Atomic uint32_t made;
    _Atomic uint64_t first_made;
    /// How the task ended: CHAIN_TASK_RETURNED or one of the following.
    uint8_t outcome;
    _Atomic bool is_cancelled;
    /// The slot and the node of the parent, for a task of an async let; else NULL and 0. The slot may be reused after the
    /// parent's end; its node is another one then.
    struct chain_task *parent;
    uint64_t parent_node;
    /// Whether a copy that chain_tasks_changes made has reported the cancellation.
    bool copied_cancelled;
    _Atomic(void *) frames[CHAIN_TASK_FRAMES];
    struct chain_task *next_free;
} chain_task;

/// A part of the table. Open addressing with linear probing, at most half full; removal shifts pointers back. The slots
/// that `entries` points to never move, because the thread that runs a task writes to its slot without the lock.
typedef struct chain_task_shard {
    chain_lock lock;
    chain_task **entries;
    size_t capacity, count;
    chain_task *free;
} __attribute__((aligned(64))) chain_task_shard;

/// The shards. A task is in the shard at the index *id modulo the number of shards*.
extern chain_task_shard chain_table_shards[CHAIN_TASK_SHARDS];

/// Returns the task with that id; NULL for none.
chain_task *chain_table_find(uint64_t id);

/// Returns the task with that id; NULL for none. The caller holds the lock of the id's shard.
chain_task *chain_table_find_locked(uint64_t id);

/// Returns the id of the task that is probably the task of a node. It is the id of the newest task with an equal node
/// id modulo the size of a lookup table.
uint64_t chain_table_cached_id(uint64_t node);

/// Returns the task with that id, or a new one with these facts, created now; NULL if there is no memory. Sets `is_new`
/// to whether the task is new.
chain_task *chain_table_insert(uint64_t id, uint64_t node, void *task, bool *is_new);

/// Locks the shard of a task.
void chain_table_lock(uint64_t id);

/// Unlocks the shard of a task.
void chain_table_unlock(uint64_t id);

/// Removes a task from the table. The caller holds the lock of its shard.
void chain_table_remove(chain_task *task);

/// Removes all tasks from the table, and releases the retained ones.
void chain_table_clear(void);

/// Removes all tasks in a child of a fork, where another thread of the parent may have held the locks.
void chain_table_clear_in_child(void);

static inline uint64_t chain_task_word(unsigned state, uint64_t ticks) { return ticks << 2 | state; }
