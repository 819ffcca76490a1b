#include "TaskTable.h"
#include "CChainRuntime.h"

#include <stdlib.h>

enum { BLOCK = 64 };

/// Open addressing with linear probing, at most half full; removal shifts entries back. Slots never move, because the
/// thread that runs a task writes to its slot without the lock.
typedef struct shard {
    chain_lock lock;
    chain_task **entries;
    size_t capacity, count;
    chain_task *free;
} __attribute__((aligned(64))) shard;

static shard shards[CHAIN_TASK_SHARDS];

// Where the sweep of chain_tasks_changes goes on.
static chain_lock sweep_lock;
static unsigned next_shard;
static size_t next_entry;

static shard *shard_of(uint64_t id) { return &shards[id % CHAIN_TASK_SHARDS]; }
static size_t home(const shard *shard, uint64_t id) { return (id / CHAIN_TASK_SHARDS) & (shard->capacity - 1); }

void chain_table_lock(uint64_t id) { chain_lock_acquire(&shard_of(id)->lock); }
void chain_table_unlock(uint64_t id) { chain_lock_release(&shard_of(id)->lock); }

static size_t index_of(const shard *shard, uint64_t id) {
    size_t index = home(shard, id);
    while (shard->entries[index] != NULL && shard->entries[index]->id != id) index = (index + 1) & (shard->capacity - 1);
    return index;
}

chain_task *chain_table_find_locked(uint64_t id) {
    const shard *shard = shard_of(id);
    return shard->capacity == 0 ? NULL : shard->entries[index_of(shard, id)];
}

chain_task *chain_table_find(uint64_t id) {
    chain_table_lock(id);
    chain_task *found = chain_table_find_locked(id);
    chain_table_unlock(id);
    return found;
}

static bool grow(shard *shard) {
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

static chain_task *take_slot(shard *shard) {
    if (shard->free == NULL) {
        // Never freed: as many as there were tasks at a time.
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
    slot->node = node;
    slot->creator = 0;
    slot->code = NULL;
    slot->is_retained = slot->is_reported = slot->has_ended = slot->copied_cancelled = false;
    slot->how = 0;
    slot->unreported_since = 0;
    slot->copied = 0;
    atomic_store_explicit(&slot->task, task, memory_order_relaxed);
    atomic_store_explicit(&slot->word, chain_task_word(CHAIN_TASK_CREATED, chain_ticks()), memory_order_relaxed);
    atomic_store_explicit(&slot->thread, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->runs, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->is_cancelled, false, memory_order_relaxed);
}

chain_task *chain_table_insert(uint64_t id, uint64_t node, void *task, bool *is_new) {
    shard *shard = shard_of(id);
    chain_lock_acquire(&shard->lock);
    chain_task *found = NULL;
    *is_new = false;
    if ((shard->count + 1) * 2 <= shard->capacity || grow(shard)) {
        size_t index = index_of(shard, id);
        found = shard->entries[index];
        if (found == NULL && (found = take_slot(shard)) != NULL) {
            fill(found, id, node, task);
            shard->entries[index] = found;
            shard->count += 1;
            *is_new = true;
        }
    }
    chain_lock_release(&shard->lock);
    return found;
}

static void add_free(shard *shard, chain_task *slot) {
    slot->next_free = shard->free;
    shard->free = slot;
}

void chain_table_remove(chain_task *task) {
    shard *shard = shard_of(task->id);
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

/// Empties a shard, and returns the tasks that were retained, up to a NULL; NULL for none.
static void **empty(shard *shard) {
    // The array becomes that of the tasks. A thread may still write to the slot of the task that it runs: once, and a
    // wrong state is right at the next step.
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
        chain_lock_acquire(&shards[index].lock);
        void **retained = empty(&shards[index]);
        chain_lock_release(&shards[index].lock);
        // Without the lock, because it may run code of the program.
        for (void **task = retained; task != NULL && *task != NULL; task++) chain_task_release(*task);
        free(retained);
    }
}

void chain_table_clear_in_child(void) {
    sweep_lock = (chain_lock){0};
    for (unsigned index = 0; index < CHAIN_TASK_SHARDS; index++) {
        // What the parent was changing at that moment is lost.
        shards[index] = (shard){.lock = {0}};
    }
}

// Copies. The words of a task change under no lock; the copy is that of a moment if the word is the same at its end.

static bool copy(chain_task *task, chain_task_view *view) {
    for (int attempt = 0; attempt < 4; attempt++) {
        uint64_t word = atomic_load_explicit(&task->word, memory_order_acquire);
        *view = (chain_task_view){
            .node = task->node, .creator = task->creator, .ticks = word >> 2, .state = word & 3,
            .thread = atomic_load_explicit(&task->thread, memory_order_relaxed),
            .runs = atomic_load_explicit(&task->runs, memory_order_relaxed),
            .is_cancelled = atomic_load_explicit(&task->is_cancelled, memory_order_relaxed),
            .can_cancel = task->is_retained, .code = task->code};
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

/// Reads the flag of a retained task, which the runtime sets on any thread.
static void look_for_cancellation(chain_task *task) {
    if (chain_layout.status == 0 || !task->is_retained || atomic_load(&task->is_cancelled)) return;
    uint32_t status = atomic_load_explicit(
        (_Atomic uint32_t *)((char *)task->task + chain_layout.status), memory_order_relaxed);
    if (status & 0x100) atomic_store(&task->is_cancelled, true);
}

/// Reports a task that was made past the interposed functions, or as observation began. Returns whether the sweep is to
/// leave it alone: it is not due, or it has ended.
static bool report_stray(chain_task *task) {
    // Long enough for the function that makes it, which the system may hold up.
    const uint64_t delay = 5000000000;
    uint64_t now = chain_monotonic_ns();
    if (task->unreported_since == 0) task->unreported_since = now;
    if (now - task->unreported_since < delay) return true;
    task->is_reported = true;
    chain_tasks_report_stray(task);
    return task->has_ended;
}


static size_t sweep(chain_task_view *views, size_t limit) {
    size_t count = 0;
    // One sweep at most, from where the last call stopped.
    for (unsigned visited = 0; visited <= CHAIN_TASK_SHARDS && count < limit; visited++) {
        shard *shard = &shards[next_shard];
        void *gone = NULL;
        chain_lock_acquire(&shard->lock);
        while (next_entry < shard->capacity && count < limit) {
            chain_task *task = shard->entries[next_entry++];
            if (task == NULL) continue;
            if (!task->is_reported && report_stray(task)) {
                if (!task->is_reported) continue;
                gone = task->is_retained ? task->task : NULL;
                chain_table_remove(task);
                // Another entry may have moved here.
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
        // Without the lock, because it may run code of the program.
        if (gone != NULL) chain_task_release(gone);
        if (!is_done) break;
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
    shard *shard = &shards[index % CHAIN_TASK_SHARDS];
    size_t count = 0;
    chain_lock_acquire(&shard->lock);
    for (size_t entry = 0; entry < shard->capacity && count < limit; entry++) {
        chain_task *task = shard->entries[entry];
        if (task != NULL && task->is_reported && !task->has_ended) {
            // A copy between two moments has the right node.
            (void)copy(task, &views[count++]);
        }
    }
    chain_lock_release(&shard->lock);
    return count;
}

size_t chain_tasks_count(void) {
    size_t count = 0;
    for (unsigned index = 0; index < CHAIN_TASK_SHARDS; index++) {
        chain_lock_acquire(&shards[index].lock);
        count += shards[index].count;
        chain_lock_release(&shards[index].lock);
    }
    return count;
}

/// Calls `body` with the task of a node, under the lock of its shard.
static bool with_node(uint64_t node, void (*body)(chain_task *task, void *context), void *context) {
    for (unsigned index = 0; index < CHAIN_TASK_SHARDS; index++) {
        shard *shard = &shards[index];
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
    // Without the lock, because it runs handlers of the program.
    chain_task_cancel_now(task);
    chain_task_release(task);
    return 1;
}
