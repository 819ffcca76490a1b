// SPDX-License-Identifier: MIT

#include "TaskTable.h"

#include "TaskRuntime.h"

#include <stdlib.h>

enum { BLOCK = 64 };

chain_task_shard chain_table_shards[CHAIN_TASK_SHARDS];

/// The ids of tasks, indexed by their nodes modulo `CACHED_IDS`, to find a task by its node without a scan of the
/// table. A newer task replaces an older one at the same index.
enum { CACHED_IDS = 1 << 16 };
static _Atomic uint64_t cached_ids[CACHED_IDS];

static chain_task_shard *shard_of(uint64_t id) { return &chain_table_shards[id % CHAIN_TASK_SHARDS]; }
/// Returns the index at which the search for an id begins.
static size_t home(const chain_task_shard *shard, uint64_t id) { return (id / CHAIN_TASK_SHARDS) & (shard->capacity - 1); }

void chain_table_lock(uint64_t id) { chain_lock_acquire(&shard_of(id)->lock); }
void chain_table_unlock(uint64_t id) { chain_lock_release(&shard_of(id)->lock); }

/// Returns the index of an id's entry, or of the empty entry for it.
static size_t index_of(const chain_task_shard *shard, uint64_t id) {
    size_t index = home(shard, id);
    while (shard->entries[index] != NULL && shard->entries[index]->id != id) index = (index + 1) & (shard->capacity - 1);
    return index;
}

chain_task *chain_table_find_locked(uint64_t id) {
    const chain_task_shard *shard = shard_of(id);
    return shard->capacity == 0 ? NULL : shard->entries[index_of(shard, id)];
}

chain_task *chain_table_find(uint64_t id) {
    chain_table_lock(id);
    chain_task *found = chain_table_find_locked(id);
    chain_table_unlock(id);
    return found;
}

uint64_t chain_table_cached_id(uint64_t node) {
    return atomic_load_explicit(&cached_ids[node % CACHED_IDS], memory_order_relaxed);
}

static bool grow(chain_task_shard *shard) {
    size_t old_capacity = shard->capacity;
    chain_task **old = shard->entries;
    size_t capacity = old_capacity == 0 ? 16 : old_capacity * 2;
    chain_task **larger = calloc(capacity, sizeof *larger);
    if (larger == NULL) return false;
    shard->entries = larger;
    shard->capacity = capacity;
    for (size_t index = 0; index < old_capacity; index++) {
        if (old[index] != NULL) larger[index_of(shard, old[index]->id)] = old[index];
    }
    free(old);
    return true;
}

static chain_task *take_slot(chain_task_shard *shard) {
    if (shard->free == NULL) {
        // The memory of slots is never freed, only reused. So the number of slots is about the maximum number of tasks
        // that were live at the same time.
        chain_task *block = calloc(BLOCK, sizeof *block);
        if (block == NULL) return NULL;
        for (size_t index = BLOCK; index-- > 0;) {
            block[index].next_free = shard->free;
            shard->free = &block[index];
        }
    }
    chain_task *slot = shard->free;
    shard->free = slot->next_free;
    return slot;
}

static void fill(chain_task *slot, uint64_t id, uint64_t node, void *task) {
    slot->id = id;
    atomic_store_explicit(&slot->node, node, memory_order_relaxed);
    slot->creator = 0;
    slot->code = NULL;
    slot->parent = NULL;
    slot->parent_node = 0;
    slot->is_retained = slot->is_reported = slot->has_ended = slot->is_discarding = slot->copied_cancelled = false;
    slot->is_separate = false;
    __atomic_store_n(&slot->naming, 0, __ATOMIC_RELAXED);
    atomic_store_explicit(&slot->made, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->first_made, 0, memory_order_relaxed);
    slot->outcome = 0;
    slot->unreported_since = 0;
    slot->copied = 0;
    atomic_store_explicit(&slot->task, task, memory_order_relaxed);
    atomic_store_explicit(&slot->word, chain_task_word(CHAIN_TASK_CREATED, chain_ticks()), memory_order_relaxed);
    atomic_store_explicit(&slot->thread, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->runs, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->is_cancelled, false, memory_order_relaxed);
}

chain_task *chain_table_insert(uint64_t id, uint64_t node, void *task, bool *is_new) {
    chain_task_shard *shard = shard_of(id);
    chain_lock_acquire(&shard->lock);
    chain_task *found = NULL;
    *is_new = false;
    if ((shard->count + 1) * 2 <= shard->capacity || grow(shard)) {
        size_t index = index_of(shard, id);
        found = shard->entries[index];
        if (found == NULL && (found = take_slot(shard)) != NULL) {
            fill(found, id, node, task);
            atomic_store_explicit(&cached_ids[node % CACHED_IDS], id, memory_order_relaxed);
            shard->entries[index] = found;
            shard->count += 1;
            *is_new = true;
        }
    }
    chain_lock_release(&shard->lock);
    return found;
}

static void add_free(chain_task_shard *shard, chain_task *slot) {
    slot->next_free = shard->free;
    shard->free = slot;
}

void chain_table_remove(chain_task *task) {
    chain_task_shard *shard = shard_of(task->id);
    size_t mask = shard->capacity - 1;
    size_t hole = index_of(shard, task->id);
    for (size_t index = hole;;) {
        index = (index + 1) & mask;
        if (shard->entries[index] == NULL) break;
        // An entry may fill the hole unless its home lies after the hole.
        size_t distance = (index - home(shard, shard->entries[index]->id)) & mask;
        if (distance >= ((index - hole) & mask)) {
            shard->entries[hole] = shard->entries[index];
            hole = index;
        }
    }
    shard->entries[hole] = NULL;
    shard->count -= 1;
    add_free(shard, task);
}

/// Empties a shard. Returns its retained tasks in a NULL-terminated array, which the caller frees; NULL if the shard
/// had no array of entries.
static void **empty(chain_task_shard *shard) {
    // The array of entries is reused for the retained tasks. A thread may still write once to the slot of the task that
    // it runs. If the slot was reused by then, the state of the slot's new task is wrong until that task's next step.
    chain_task **entries = shard->entries;
    void **retained = (void **)entries;
    size_t count = 0;
    for (size_t index = 0; index < shard->capacity; index++) {
        chain_task *slot = entries[index];
        if (slot == NULL) continue;
        if (slot->is_retained) retained[count++] = slot->task;
        add_free(shard, slot);
    }
    // At most half of the array is in use.
    if (retained != NULL) retained[count] = NULL;
    shard->entries = NULL;
    shard->capacity = shard->count = 0;
    return retained;
}

void chain_table_clear(void) {
    for (unsigned index = 0; index < CHAIN_TASK_SHARDS; index++) {
        chain_lock_acquire(&chain_table_shards[index].lock);
        void **retained = empty(&chain_table_shards[index]);
        chain_lock_release(&chain_table_shards[index].lock);
        // Released without the lock, because a release may run code of the program.
        for (void **task = retained; task != NULL && *task != NULL; task++) chain_task_release(*task);
        free(retained);
    }
}

void chain_table_clear_in_child(void) {
    for (unsigned index = 0; index < CHAIN_TASK_SHARDS; index++) {
        // The old contents are not used, because another thread may have been changing them as the process forked.
        chain_table_shards[index] = (chain_task_shard){.lock = {0}};
    }
}
