// SPDX-License-Identifier: MIT

// Copies of live tasks. A task changes without the lock; a copy is consistent if the task's word is the same before and
// after copying.
#include "TaskViews.h"

#include "CChainRuntime.h"
#include "TaskMemory.h"
#include "TaskRuntime.h"
#include "TaskSteps.h"
#include "TaskTable.h"

static chain_lock sweep_lock;
// Where the sweep of chain_tasks_changes continues; protected by sweep_lock.
static unsigned next_shard;
static size_t next_entry;

void chain_sweep_lock_reset_in_child(void) { sweep_lock = (chain_lock){0}; }

/// Copies a task; returns false if the copy is not consistent after four attempts.
static bool copy(chain_task *task, chain_task_view *view) {
    for (int attempt = 0; attempt < 4; attempt++) {
        uint64_t word = atomic_load_explicit(&task->word, memory_order_acquire);
        *view = (chain_task_view){
            .node = task->node, .creator = task->creator, .ticks = word >> 2, .state = word & 3,
            .thread = atomic_load_explicit(&task->thread, memory_order_relaxed),
            .runs = atomic_load_explicit(&task->runs, memory_order_relaxed),
            .is_cancelled = atomic_load_explicit(&task->is_cancelled, memory_order_relaxed),
            .is_separate = task->is_separate, .can_cancel = task->is_retained, .code = task->code};
        if (view->state == CHAIN_TASK_SUSPENDED) {
            for (int frame = 0; frame < CHAIN_TASK_FRAMES; frame++) {
                view->frames[frame] = atomic_load_explicit(&task->frames[frame], memory_order_relaxed);
            }
        }
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load_explicit(&task->word, memory_order_relaxed) == word) return true;
    }
    return false;
}

/// Returns whether the parent of an async let's task was cancelled, and so the task itself: the task's own flag may not
/// be read, because its memory may be gone.
static bool has_cancelled_parent(const chain_task *task) {
    chain_task *parent = task->parent;
    return parent != NULL && atomic_load(&parent->is_cancelled) && atomic_load(&parent->node) == task->parent_node;
}

/// Notes the cancellation of a task.
static void look_for_cancellation(chain_task *task) {
    if (atomic_load(&task->is_cancelled)) return;
    if (!task->is_retained) {
        if (has_cancelled_parent(task)) atomic_store(&task->is_cancelled, true);
        return;
    }
    if (!chain_task_is_flagged(task->task)) return;
    // A discarding group also cancels the child that made it fail, after that child has thrown; this is not noted.
    if (!task->is_discarding || !chain_task_has_outcome(task)) atomic_store(&task->is_cancelled, true);
}

/// Reports a task that was made without an interposed function, or as observation began, once the report is due.
/// Returns true if the sweep is not to copy the task, because the report is not due or the task has ended.
static bool report_stray(chain_task *task) {
    // Long enough for the function that makes the task to report it, even if the system holds up that function.
    const uint64_t delay = 5000000000;
    uint64_t now = chain_monotonic_ns();
    if (task->unreported_since == 0) task->unreported_since = now;
    if (now - task->unreported_since < delay) return true;
    task->is_reported = true;
    chain_tasks_report_stray(task);
    return task->has_ended;
}

/// Asks for the memory of the entries that a sweep comes to next, because waiting for it is most of what a sweep takes.
static void prefetch(const chain_task_shard *shard, size_t entry) {
    const size_t near = 8, far = 16;
    chain_task *task = entry + near < shard->capacity ? shard->entries[entry + near] : NULL;
    if (task != NULL) {
        __builtin_prefetch((char *)atomic_load_explicit(&task->task, memory_order_relaxed) + chain_layout.status);
    }
    if (entry + far < shard->capacity) __builtin_prefetch(shard->entries[entry + far]);
}

static size_t sweep(chain_task_view *views, size_t limit) {
    size_t count = 0;
    // One sweep at most, from where the last call stopped.
    for (unsigned visited = 0; visited <= CHAIN_TASK_SHARDS && count < limit;) {
        chain_task_shard *shard = &chain_table_shards[next_shard];
        void *gone = NULL;
        chain_lock_acquire(&shard->lock);
        while (next_entry < shard->capacity && count < limit) {
            prefetch(shard, next_entry);
            chain_task *task = shard->entries[next_entry++];
            if (task == NULL) continue;
            if (!task->is_reported && report_stray(task)) {
                if (!task->is_reported) continue;
                gone = task->is_retained ? task->task : NULL;
                chain_table_remove(task);
                // The removal may have moved another entry to this index.
                next_entry -= 1;
                break;
            }
            look_for_cancellation(task);
            bool is_cancelled = atomic_load_explicit(&task->is_cancelled, memory_order_relaxed);
            uint64_t word = atomic_load_explicit(&task->word, memory_order_relaxed);
            if (word == task->copied && is_cancelled == task->copied_cancelled) continue;
            if (!copy(task, &views[count])) continue;
            views[count].is_cancelled = is_cancelled && !task->copied_cancelled;
            task->copied = chain_task_word(views[count].state, views[count].ticks);
            task->copied_cancelled = is_cancelled;
            count += 1;
        }
        bool is_done = next_entry >= shard->capacity;
        chain_lock_release(&shard->lock);
        // Released without the lock, because a release may run code of the program.
        if (gone != NULL) chain_task_release(gone);
        // The loop has stopped at the limit or after a removal: the rest of the shard is still to be visited.
        if (!is_done) continue;
        visited += 1;
        next_shard = (next_shard + 1) % CHAIN_TASK_SHARDS;
        next_entry = 0;
    }
    return count;
}

size_t chain_tasks_changes(chain_task_view *views, size_t limit) {
    chain_lock_acquire(&sweep_lock);
    size_t count = sweep(views, limit);
    chain_lock_release(&sweep_lock);
    return count;
}

size_t chain_tasks_in_shard(unsigned index, chain_task_view *views, size_t limit) {
    chain_task_shard *shard = &chain_table_shards[index % CHAIN_TASK_SHARDS];
    size_t count = 0;
    chain_lock_acquire(&shard->lock);
    for (size_t entry = 0; entry < shard->capacity && count < limit; entry++) {
        chain_task *task = shard->entries[entry];
        if (task != NULL && task->is_reported && !task->has_ended) {
            // Inconsistent copies count, too, because the node is right in them.
            (void)copy(task, &views[count++]);
        }
    }
    chain_lock_release(&shard->lock);
    return count;
}

size_t chain_tasks_count(void) {
    size_t count = 0;
    for (unsigned index = 0; index < CHAIN_TASK_SHARDS; index++) {
        chain_lock_acquire(&chain_table_shards[index].lock);
        count += chain_table_shards[index].count;
        chain_lock_release(&chain_table_shards[index].lock);
    }
    return count;
}

/// Copies the task of a node if it is the newest task with its index in the lookup table.
static bool copy_cached(uint64_t node, chain_task_view *view) {
    uint64_t id = chain_table_cached_id(node);
    chain_table_lock(id);
    chain_task *task = chain_table_find_locked(id);
    bool is_found = task != NULL && task->node == node && !task->has_ended && copy(task, view);
    chain_table_unlock(id);
    return is_found;
}

size_t chain_tasks_find(const uint64_t *nodes, size_t count, chain_task_view *views) {
    uint64_t missing[CHAIN_TASK_FIND_LIMIT];
    size_t found = 0, missing_count = 0;
    for (size_t index = 0; index < count && index < CHAIN_TASK_FIND_LIMIT; index++) {
        if (copy_cached(nodes[index], &views[found])) found += 1;
        else missing[missing_count++] = nodes[index];
    }
    for (unsigned index = 0; missing_count > 0 && index < CHAIN_TASK_SHARDS; index++) {
        chain_task_shard *shard = &chain_table_shards[index];
        chain_lock_acquire(&shard->lock);
        for (size_t entry = 0; entry < shard->capacity && missing_count > 0; entry++) {
            chain_task *task = shard->entries[entry];
            if (task == NULL || task->has_ended) continue;
            size_t place = 0;
            while (place < missing_count && missing[place] != task->node) place += 1;
            if (place == missing_count) continue;
            missing[place] = missing[--missing_count];
            if (copy(task, &views[found])) found += 1;
        }
        chain_lock_release(&shard->lock);
    }
    return found;
}

void chain_tasks_nodes(const uint64_t *ids, size_t count, uint64_t *nodes) {
    for (size_t index = 0; index < count; index++) {
        chain_table_lock(ids[index]);
        chain_task *task = chain_table_find_locked(ids[index]);
        nodes[index] = task == NULL || task->has_ended ? 0 : task->node;
        chain_table_unlock(ids[index]);
    }
}

/// Calls `body` with the task of a node, under the lock of its shard; returns whether there is such a task.
static bool with_node(uint64_t node, void (*body)(chain_task *task, void *context), void *context) {
    uint64_t id = chain_table_cached_id(node);
    chain_table_lock(id);
    chain_task *cached = chain_table_find_locked(id);
    bool is_found = cached != NULL && cached->node == node && !cached->has_ended;
    if (is_found) body(cached, context);
    chain_table_unlock(id);
    if (is_found) return true;
    for (unsigned index = 0; index < CHAIN_TASK_SHARDS; index++) {
        chain_task_shard *shard = &chain_table_shards[index];
        chain_lock_acquire(&shard->lock);
        for (size_t entry = 0; entry < shard->capacity; entry++) {
            chain_task *task = shard->entries[entry];
            if (task == NULL || task->node != node || task->has_ended) continue;
            body(task, context);
            chain_lock_release(&shard->lock);
            return true;
        }
        chain_lock_release(&shard->lock);
    }
    return false;
}

static void copy_into(chain_task *task, void *view) {
    look_for_cancellation(task);
    (void)copy(task, view);
}

bool chain_task_find(uint64_t node, chain_task_view *view) { return with_node(node, copy_into, view); }

static void retain_into(chain_task *task, void *retained) {
    if (task->is_retained) *(void **)retained = chain_task_retain(task->task);
}

int chain_task_cancel(uint64_t node) {
    void *task = NULL;
    if (!with_node(node, retain_into, &task)) return 0;
    if (task == NULL) return -1;
    // Cancelled without the lock, because cancelling runs handlers of the program.
    chain_task_cancel_now(task);
    chain_task_release(task);
    return 1;
}
