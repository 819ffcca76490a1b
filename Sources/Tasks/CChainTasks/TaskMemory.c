// SPDX-License-Identifier: MIT

// Reads from the memory of a task: directly at verified offsets, and at unverified offsets only by chain_copy_memory.
#define _GNU_SOURCE
#include "TaskMemory.h"

#include "TaskRuntime.h"

chain_task_layout chain_layout;

void chain_tasks_set_layout(chain_task_layout layout) { chain_layout = layout; }

#if defined(__linux__)

/// Returns the state of a retained task's future: 1 if the task has returned, 2 if it threw. Returns 0 if the task has
/// not ended, or if the state is not known.
static unsigned future_state(const chain_task *task) {
    size_t flags = chain_original.job_flags(task->task);
    // Flags of the job. Bit 25: the task has a future for its outcome; bit 24: it has a parent; bit 26: its parent is a
    // group.
    if (chain_layout.future == 0 || !(flags & 1u << 25)) return 0;
    size_t words = (flags & 1u << 24 ? 2 : 0) + (flags & 1u << 26 ? 1 : 0);
    char *future = (char *)task->task + chain_layout.future + words * sizeof(void *);
    return atomic_load_explicit((_Atomic uintptr_t *)future, memory_order_acquire) & 3;
}

bool chain_task_has_outcome(const chain_task *task) { return future_state(task) != 0; }

uint8_t chain_task_outcome(const chain_task *task) {
    bool is_cancelled = atomic_load(&task->is_cancelled);
    // The cancellation flag of a discarding group's child may be set because the child itself threw: then the group
    // cancels all its children. So for such a child only a cancellation that was seen before the child's end counts.
    if (!task->is_discarding) is_cancelled |= chain_task_is_flagged(task->task);
    if (future_state(task) != 2) return CHAIN_TASK_RETURNED;
    return is_cancelled ? CHAIN_TASK_CANCELLED : CHAIN_TASK_THREW;
}

/// A record with which a task is made, as the compiler emits it: its kind is in the lowest byte of the flags.
typedef struct task_option { size_t flags; const struct task_option *next; const char *name; } task_option;

const char *chain_task_name_in_options(const void *options) {
    enum { NAME = 7 };
    const task_option *option = options;
    while (option != NULL && (option->flags & 0xFF) != NAME) option = option->next;
    // Only a record of that kind has a name.
    return option == NULL ? NULL : option->name;
}

const char *chain_task_current_name(void) { return chain_original.name == NULL ? NULL : chain_original.name(); }

bool chain_task_may_have_run(const char *task) {
    if (chain_layout.resume == 0) return true;
    const void *resume = *(const void *const *)(task + chain_layout.resume);
    return resume == NULL || (resume != chain_original.adapters[0] && resume != chain_original.adapters[1]);
}

chain_task_beginning chain_task_read_beginning(const char *task) {
    if (chain_layout.entry == 0) return (chain_task_beginning){NULL, NULL};
    const char *context = *(const char *const *)(task + chain_layout.resume + sizeof(void *));
    return *(const chain_task_beginning *)(context - chain_layout.entry);
}

// The runtime hands the task to another thread only after swift_task_exitThreadLocalContext has returned.
// ThreadSanitizer would report a race all the same, because the runtime annotates the hand-over before that call.
__attribute__((no_sanitize("thread"))) void chain_task_copy_frames(const char *memory, chain_task *task) {
    void *const *fields = (void *const *)(memory + chain_layout.resume);
    atomic_store_explicit(&task->frames[0], fields[0], memory_order_relaxed);
    // A context begins with its caller's context and the return address.
    void **context = fields[1];
    for (int frame = 1; frame < CHAIN_TASK_FRAMES; frame++) {
        atomic_store_explicit(&task->frames[frame], context == NULL ? NULL : context[1], memory_order_relaxed);
        if (context != NULL) context = context[0];
    }
}

void chain_task_probe_enter(chain_task_probe *probe, void *task, const char *state) {
    probe->task = task;
    probe->state = state - (char *)task;
    if (probe->entry != NULL) return;
    char *context = NULL;
    (void)chain_copy_memory((char *)task + 56 + sizeof context, &context, sizeof context);
    (void)chain_copy_memory(context - 24, &probe->entry, sizeof probe->entry);
}

void chain_task_probe_exit(chain_task_probe *probe, char *state) {
    probe->exits += 1;
    (void)chain_copy_memory(state + 16, &probe->status, sizeof probe->status);
    void *fields[2] = {NULL, NULL};
    (void)chain_copy_memory((char *)probe->task + 56, fields, sizeof fields);
    probe->frames[0] = fields[0];
    void *context[2] = {fields[1], NULL};
    for (int frame = 1; frame < CHAIN_TASK_FRAMES; frame++) {
        bool is_readable = context[0] != NULL && chain_copy_memory(context[0], context, sizeof context);
        probe->frames[frame] = is_readable ? context[1] : NULL;
        if (!is_readable) context[0] = NULL;
    }
}

#else

bool chain_task_has_outcome(const chain_task *task) { (void)task; return false; }

#endif
