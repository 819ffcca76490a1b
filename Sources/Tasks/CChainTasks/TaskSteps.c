// SPDX-License-Identifier: MIT

// The steps of tasks, as the interposed functions see them.
#define _GNU_SOURCE
#include "TaskSteps.h"

#include "CChainRuntime.h"
#include "TaskMemory.h"

#include <unistd.h>

#if defined(__linux__)

static chain_task_observer observer;
static _Atomic bool observes;
/// The highest id of the tasks that count as made before observation: of the tasks that ran under a probe, and of the
/// task that chain_tasks_add_current has added.
static _Atomic uint64_t last_early_id;
/// How often observation has ended. Each thread then forgets the task that ran on it, because that task may have moved
/// to another thread unseen.
static _Atomic uint32_t observation_epoch;

/// The node of the task that runs the program's main function; 0 if it is not known. Because the main function lives as
/// long as the program, each task that it makes, other than a child task, is a chain of its own.
static _Atomic uint64_t main_node;

static _Thread_local running_task running;
static _Thread_local chain_task_probe *probe;

static void set_running(running_task next) {
    running = next;
    chain_thread *thread = chain_thread_current();
    chain_thread_set_task_node(thread, next.node);
    thread->task_naming = next.slot == NULL ? NULL : &next.slot->naming;
}

static void set_none_running(void) { set_running((running_task){0}); }

/// Returns the task that runs on this thread; its slot is NULL if no task runs.
static running_task current_running_task(void) {
    if (running.slot != NULL && running.epoch != atomic_load_explicit(&observation_epoch, memory_order_relaxed)) {
        set_none_running();
    }
    return running;
}

// MARK: The end of a task

/// Ends the task that ran on this thread.
static void finish(uint64_t id) {
    set_none_running();
    chain_table_lock(id);
    chain_task *task = chain_table_find_locked(id);
    if (task == NULL) return chain_table_unlock(id);
    bool is_retained = task->is_retained;
    // A task that is not retained may be gone, such as the task of an async let, which lives in its parent's memory.
    // The outcome of such a task is then unknown.
    uint8_t outcome = is_retained ? chain_task_outcome(task) : CHAIN_TASK_RETURNED;
    bool is_reported = task->is_reported;
    void *memory = task->task;
    uint64_t node = task->node;
    task->has_ended = true;
    task->outcome = outcome;
    if (is_reported) chain_table_remove(task);
    chain_table_unlock(id);
    // The end of an unreported task is reported by the function that makes the task, after its creation.
    if (!is_reported) return;
    if (atomic_load(&observes)) observer.ended(node, outcome);
    if (is_retained) chain_original.release(memory);
}

running_task chain_job_begin(void) {
    running_task outer = current_running_task();
    // `outer` ended in a job that was not observed, so that chain_job_end was not called.
    if (outer.slot != NULL && chain_original.current() != outer.memory) {
        finish(outer.id);
        outer = (running_task){0};
    }
    running = (running_task){0};
    return outer;
}

void chain_job_end(running_task outer) {
    running_task last = current_running_task();
    if (last.slot != NULL) finish(last.id);
    set_running(outer);
}

// MARK: Creation

/// Returns whether a task without known code runs the main function. That task is the program's first; the main thread
/// makes it outside of tasks, and does not enqueue it at once (bit 12). A synchronous main function is no task.
static bool is_main(uint64_t id, uint64_t maker, size_t flags) {
    bool is_first = id == atomic_load_explicit(&last_early_id, memory_order_relaxed) + 1;
    return is_first && maker == 0 && !(flags & 1u << 12) && gettid() == getpid();
}

static _Atomic uint64_t separation_time = 10000000000;
static _Atomic uint32_t separation_count = 100;

void chain_tasks_set_separation(uint64_t nanoseconds, uint32_t count) {
    atomic_store(&separation_time, nanoseconds);
    atomic_store(&separation_count, count);
}

/// Counts a task that the running task makes itself, and returns whether it is to be a separate chain: a task that goes
/// on making tasks is a server, and its tasks are the requests.
static bool count_made(chain_task *maker) {
    uint32_t made = atomic_load_explicit(&maker->made, memory_order_relaxed);
    if (made == 0) atomic_store_explicit(&maker->first_made, chain_monotonic_ns(), memory_order_relaxed);
    if (made < UINT32_MAX) atomic_store_explicit(&maker->made, made + 1, memory_order_relaxed);
    if (made < atomic_load_explicit(&separation_count, memory_order_relaxed)) return false;
    uint64_t first = atomic_load_explicit(&maker->first_made, memory_order_relaxed);
    return chain_monotonic_ns() - first >= atomic_load_explicit(&separation_time, memory_order_relaxed);
}

// MARK: Tasks of the runtime itself

enum { OWN_FUNCTIONS = 16 };
/// With a static runtime: the functions of the tasks that the runtime makes for itself, as for Task.sleep.
static _Atomic(const char *) own_functions[OWN_FUNCTIONS];

/// Returns whether a static runtime makes this task for itself, and notes the task's function. Such a task has neither
/// flags, except its priority, nor options; in tasks of programs some of the flags are always set.
static bool is_made_for_runtime(size_t flags, const void *options, const int32_t *entry) {
    if (!chain_original.is_static || (flags & ~(size_t)0xFF) != 0 || options != NULL) return false;
    // An async function pointer begins with the distance to the function.
    const char *function = (const char *)entry + *entry;
    for (int index = 0; index < OWN_FUNCTIONS; index++) {
        const char *known = NULL;
        if (atomic_compare_exchange_strong(&own_functions[index], &known, function) || known == function) break;
    }
    return true;
}

/// Returns whether a function is one of the runtime's, with which no task of the program begins.
static bool is_of_runtime(const char *function) {
    if (function == NULL) return false;
    for (int index = 0; chain_original.is_static && index < OWN_FUNCTIONS; index++) {
        const char *known = atomic_load_explicit(&own_functions[index], memory_order_relaxed);
        if (known == NULL || known == function) return known != NULL;
    }
    return function >= chain_original.runtime_begin && function < chain_original.runtime_end;
}

/// Reports the name of a task, if it has one.
static void report_name(uint64_t node, const char *name) { if (name != NULL) observer.named(node, name); }

created chain_observed_create(size_t flags, void *options, const void *type, void *entry, void *closure) {
    bool is_own = is_made_for_runtime(flags, options, entry);
    if (is_own || probe != NULL || !atomic_load_explicit(&observes, memory_order_acquire)) {
        return chain_original.create(flags, options, type, entry, closure);
    }
    // Looked up before the task is made, because the task may run before the original returns.
    void *code = observer.code(entry, closure, NULL);
    running_task making = current_running_task();
    uint64_t maker = making.node;
    uint64_t creator = observer.creator(maker);
    bool is_discarding = (flags & 1u << 14) != 0;
    created result = chain_original.create(flags, options, type, entry, closure);
    size_t job_flags = chain_original.job_flags(result.task);
    bool is_child = (job_flags & 1u << 24) != 0;
    // A task of an async let, which only a static runtime makes by this function, is added when it begins to run.
    if (is_child && !(job_flags & 1u << 26)) return result;
    bool is_of_server = making.slot != NULL && creator == maker && count_made(making.slot);
    if (!is_child && creator != 0 && creator == atomic_load_explicit(&main_node, memory_order_relaxed)) creator = 0;
    bool is_separate = creator != 0 && (is_discarding || is_of_server);
    const char *name = chain_task_name_in_options(options);
    bool is_new;
    uint64_t id = chain_original.task_id(result.task);
    chain_task *task = chain_table_insert(id, observer.new_node(), result.task, &is_new);
    if (task == NULL) return result;
    chain_table_lock(id);
    // Observation may have ended meanwhile.
    task = chain_table_find_locked(id);
    if (task == NULL) return chain_table_unlock(id), result;
    uint64_t node = task->node;
    if (code != NULL ? observer.is_main(code) : is_main(id, maker, flags)) atomic_store(&main_node, node);
    bool has_ended = task->has_ended;
    task->is_discarding = is_discarding;
    task->is_separate = is_separate;
    if (is_separate && name == NULL) __atomic_store_n(&task->naming, 1, __ATOMIC_RELAXED);
    // Read anew, because when the task ended, its slot did not state yet that it is a child of a discarding group.
    uint8_t outcome = has_ended && task->is_discarding ? chain_task_outcome(task) : task->outcome;
    task->creator = creator;
    task->code = code;
    task->is_reported = true;
    bool retains = !has_ended && !task->is_retained;
    // The task's memory still exists, because the caller of this function owns what was returned.
    if (retains) chain_original.retain(result.task);
    task->is_retained |= retains;
    bool releases = has_ended && task->is_retained;
    if (has_ended) chain_table_remove(task);
    chain_table_unlock(id);
    observer.created(node, creator, code, false, is_separate);
    report_name(node, name);
    if (has_ended) observer.ended(node, outcome);
    if (releases) chain_original.release(result.task);
    return result;
}

/// Returns the creator of a child of the task with this node: what the observer answers as if that task ran on this
/// thread.
static uint64_t creator_below(uint64_t node) {
    chain_thread *thread = chain_thread_current();
    uint64_t present = thread->task_node;
    chain_thread_set_task_node(thread, node);
    uint64_t creator = observer.creator(node);
    chain_thread_set_task_node(thread, present);
    return creator;
}

/// Adds a task that was not seen when it was made: a task of an async let, a task made before observation, or a task
/// that runs before the function that makes it has returned. `enters`: it starts or resumes now on this thread. Returns
/// NULL for a task of the runtime itself, as in Task.sleep.
static chain_task *add(void *memory, uint64_t id, bool enters) {
    size_t flags = chain_original.job_flags(memory);
    bool is_child = (flags & 1u << 24) != 0, is_in_group = (flags & 1u << 26) != 0;
    bool is_late = id <= atomic_load_explicit(&last_early_id, memory_order_relaxed), is_async_let = is_child && !is_in_group;
    // The function and closure of a task cannot be read once the task has run.
    bool begins = !is_late || (enters && !chain_task_may_have_run(memory));
    chain_task_beginning begin = begins ? chain_task_read_beginning(memory) : (chain_task_beginning){NULL, NULL};
    if (!is_child && is_of_runtime(begin.function)) return NULL;
    bool is_new;
    chain_task *task = chain_table_insert(id, observer.new_node(), memory, &is_new);
    if (task == NULL || !is_new) return task;
    // The program's first task runs its main function.
    if (is_late && id == 1) atomic_store(&main_node, task->node);
    // A task of an async let is not retained, because it lives in its parent's memory.
    if (!is_async_let) {
        chain_table_lock(id);
        bool is_in_table = chain_table_find_locked(id) == task;
        if (is_in_table && !task->is_retained) task->is_retained = chain_original.retain(memory) != NULL;
        chain_table_unlock(id);
        if (!is_in_table) return NULL;
    }
    if (!is_late && !is_async_let) return task;
    uint64_t creator = 0, parent_node = 0;
    chain_task *above = NULL;
    if (is_child && chain_layout.parent != 0) {
        // The parent outlives its child.
        void *parent = *(void **)((char *)memory + chain_layout.parent);
        above = parent == NULL ? NULL : chain_table_find(chain_original.task_id(parent));
        if (above != NULL) parent_node = above->node;
        if (above != NULL) creator = creator_below(parent_node);
    }
    void *code = begin.function == NULL ? NULL : observer.code(NULL, begin.closure, begin.function);
    chain_table_lock(id);
    bool is_in_table = chain_table_find_locked(id) == task;
    uint64_t node = task->node;
    if (is_in_table) {
        task->creator = creator;
        task->code = code;
        task->parent = is_async_let ? above : NULL;
        task->parent_node = parent_node;
        task->is_reported = true;
    }
    chain_table_unlock(id);
    if (!is_in_table) return NULL;
    observer.created(node, creator, code, is_late, false);
    return task;
}

// MARK: Running

static void raise_last_early_id(uint64_t id) {
    uint64_t known = atomic_load(&last_early_id);
    while (known < id && !atomic_compare_exchange_weak(&last_early_id, &known, id)) {}
}

/// Notes that a task runs on this thread from now on; NULL stands for a task without a node.
static void run(chain_task *task, const char *memory, uint64_t id, uint32_t begun) {
    if (task == NULL) return set_none_running();
    set_running((running_task){task, memory, id, atomic_load_explicit(&task->node, memory_order_relaxed), begun});
}

void chain_observed_enter(char *state) {
    // Read before the look-up: if observation ends after this line, `running` gets an old epoch and is forgotten.
    uint32_t begun = atomic_load(&observation_epoch);
    void *memory = chain_original.current();
    if (probe != NULL) {
        chain_task_probe_enter(probe, memory, state);
        if (memory != NULL) raise_last_early_id(chain_original.task_id(memory));
        return chain_original.enter(state);
    }
    if (memory == NULL || !atomic_load_explicit(&observes, memory_order_acquire)) return chain_original.enter(state);
    uint64_t id = chain_original.task_id(memory);
    // The previous task of this thread has ended, because a suspended task is noted as having left the thread.
    running_task last = current_running_task();
    if (last.slot != NULL && last.id != id) finish(last.id);
    chain_task *task = chain_table_find(id);
    // If the task was found, the function that made it reports its name.
    bool is_to_be_named = task == NULL;
    if (task == NULL) task = add(memory, id, true);
    run(task, memory, id, begun);
    if (task != NULL) {
        uint32_t runs = atomic_load_explicit(&task->runs, memory_order_relaxed);
        atomic_store_explicit(&task->runs, runs + 1, memory_order_relaxed);
        if (is_to_be_named) report_name(task->node, chain_task_current_name());
        if (chain_task_is_flagged(memory)) atomic_store_explicit(&task->is_cancelled, true, memory_order_relaxed);
        atomic_store_explicit(&task->thread, chain_thread_id(), memory_order_relaxed);
        atomic_store_explicit(&task->word, chain_task_word(CHAIN_TASK_RUNNING, chain_ticks()), memory_order_release);
        // Orders the word before the frames that the exit writes, so that a copy with new frames sees this word.
        atomic_thread_fence(memory_order_release);
    }
    chain_original.enter(state);
}

void chain_observed_exit(char *state) {
    if (probe != NULL) chain_task_probe_exit(probe, state);
    chain_task *task = current_running_task().slot;
    const char *memory = running.memory;
    // The task belongs to this thread until the original has returned. `state` lies in its memory and identifies it,
    // because the runtime has no current task here when a task moves to another executor. If observation has just ended
    // and begun again, the slot belongs to another task.
    bool is_own = task != NULL && state >= memory && state < memory + chain_original.task_size;
    if (is_own && atomic_load_explicit(&task->task, memory_order_relaxed) == memory) {
        if (chain_task_is_flagged(memory)) atomic_store_explicit(&task->is_cancelled, true, memory_order_relaxed);
        if (chain_layout.resume != 0) chain_task_copy_frames(memory, task);
        atomic_store_explicit(&task->word, chain_task_word(CHAIN_TASK_SUSPENDED, chain_ticks()), memory_order_release);
    }
    if (task != NULL) set_none_running();
    chain_original.exit(state);
}

// MARK: For the hooks and ChainTasks

void chain_steps_report(const chain_task_observer *given) {
    if (given != NULL) observer = *given;
    atomic_store(&main_node, 0);
    atomic_store(&observes, given != NULL);
}

void chain_steps_forget(void) {
    set_none_running();
    atomic_fetch_add(&observation_epoch, 1);
}

void chain_steps_set_probe(chain_task_probe *given) { probe = given; }

void chain_tasks_report_stray(const chain_task *task) {
    observer.created(task->node, 0, NULL, true, false);
    if (task->has_ended) observer.ended(task->node, task->outcome);
}

void chain_tasks_add_current(void) {
    uint32_t begun = atomic_load(&observation_epoch);
    void *memory = chain_original.current();
    if (memory == NULL || current_running_task().slot != NULL) return;
    uint64_t id = chain_original.task_id(memory);
    raise_last_early_id(id);
    chain_task *task = add(memory, id, false);
    if (task == NULL) return;
    atomic_store(&task->runs, 1);
    atomic_store(&task->thread, chain_thread_id());
    atomic_store(&task->word, chain_task_word(CHAIN_TASK_RUNNING, chain_ticks()));
    report_name(task->node, chain_task_current_name());
    run(task, memory, id, begun);
}

#else

void chain_tasks_add_current(void) {}
void chain_tasks_set_separation(uint64_t nanoseconds, uint32_t count) { (void)nanoseconds, (void)count; }
void chain_tasks_report_stray(const chain_task *task) { (void)task; }

#endif
