// SPDX-License-Identifier: MIT

// The interposed functions. Each is a jump through a pointer: to the original, or to the function that observes in its
// place. A function X of the runtime has two names here. As X it comes before the function of a dynamic runtime; the
// name is weak, so that a program with a static runtime keeps that runtime's function. As __wrap_X it is called by a
// program that was linked with --wrap=X, in which __real_X is the function of the static runtime.
#define _GNU_SOURCE
#include "CChainTasks.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include "TaskJobs.h"
#include "TaskRuntime.h"
#include "TaskSteps.h"
#include "TaskTable.h"
#include "TaskViews.h"

// MARK: The interposed functions

static created first_create(size_t flags, void *options, const void *type, void *entry, void *closure) SWIFTCC;
static void first_enter(char *state), first_exit(char *state);
static void first_run(void *, void *, void *) SWIFTCC;
static void first_run_on_task_executor(void *, void *, void *) SWIFTCC;
static void first_immediate(void *, void *, void *) SWIFTCC;
static void first_run_on_both(void *, void *, void *, void *, void *) SWIFTCC;
static void first_async(void *, void *, void (*)(void *));
static void first_after(uint64_t, void *, void *, void (*)(void *));

// What each interposed function calls at present; at first a function that looks up the originals.
static _Atomic create_function create_now = first_create;
static _Atomic context_function enter_now = first_enter, exit_now = first_exit;
static _Atomic run_function run_now = first_run, run_on_task_executor_now = first_run_on_task_executor;
static _Atomic run_function immediate_now = first_immediate;
static _Atomic run_both_function run_on_both_now = first_run_on_both;
static _Atomic async_function async_now = first_async;
static _Atomic after_function after_now = first_after;

#define NOW(function) atomic_load_explicit(&function##_now, memory_order_relaxed)

/// Gives __wrap_NAME its other name, and declares __real_NAME, which is NULL unless the program was linked with --wrap.
#define HOOKS(name) \
    extern __typeof__(__wrap_##name) name __attribute__((weak, alias("__wrap_" #name), visibility("default"))); \
    extern __typeof__(__wrap_##name) __real_##name __attribute__((weak))

SWIFTCC created __wrap_swift_task_create(size_t flags, void *options, const void *type, void *entry, void *closure) {
    return NOW(create)(flags, options, type, entry, closure);
}
void __wrap_swift_task_enterThreadLocalContext(char *state) { NOW(enter)(state); }
void __wrap_swift_task_exitThreadLocalContext(char *state) { NOW(exit)(state); }
SWIFTCC void __wrap_swift_job_run(void *job, void *identity, void *implementation) {
    NOW(run)(job, identity, implementation);
}
SWIFTCC void __wrap_swift_job_run_on_task_executor(void *job, void *identity, void *implementation) {
    NOW(run_on_task_executor)(job, identity, implementation);
}
SWIFTCC void __wrap_swift_task_immediate(void *task, void *identity, void *implementation) {
    NOW(immediate)(task, identity, implementation);
}
SWIFTCC void __wrap_swift_job_run_on_serial_and_task_executor(
    void *job, void *serial, void *implementation, void *task, void *other) {
    NOW(run_on_both)(job, serial, implementation, task, other);
}
HOOKS(swift_task_create);
HOOKS(swift_task_enterThreadLocalContext);
HOOKS(swift_task_exitThreadLocalContext);
HOOKS(swift_job_run);
HOOKS(swift_job_run_on_task_executor);
HOOKS(swift_task_immediate);
HOOKS(swift_job_run_on_serial_and_task_executor);

// Not needed with a static runtime, whose jobs on Dispatch call swift_job_run in a way that can be wrapped.
WEAK void dispatch_async_f(void *queue, void *context, void (*work)(void *)) { NOW(async)(queue, context, work); }
WEAK void dispatch_after_f(uint64_t when, void *queue, void *context, void (*work)(void *)) {
    NOW(after)(when, queue, context, work);
}

static void use_originals(void) {
    // With a static runtime the functions of its own tasks are found as it makes these tasks, observed or not.
    atomic_store(&create_now, chain_original.is_static ? chain_observed_create : chain_original.create);
    atomic_store(&enter_now, chain_original.enter);
    atomic_store(&exit_now, chain_original.exit);
}

static void use_observing(void) {
    atomic_store(&create_now, chain_observed_create);
    atomic_store(&enter_now, chain_observed_enter);
    atomic_store(&exit_now, chain_observed_exit);
}

// Observes jobs from now on, also while tasks are not observed: a job that is queued or runs as observation begins may
// end a task during the observation.
static void observe_jobs(void) {
    atomic_store(&run_now, chain_observed_run);
    atomic_store(&run_on_task_executor_now, chain_observed_run_on_task_executor);
    atomic_store(&immediate_now, chain_observed_immediate);
    atomic_store(&run_on_both_now, chain_observed_run_on_both);
    atomic_store(&async_now, chain_observed_async);
    atomic_store(&after_now, chain_observed_after);
}

// The first function or variable that was not found; NULL if all were found.
static const char *missing;
// Whether the program calls the functions of this file, judged by three of them.
static bool interposes;

/// Returns an address, and notes the name if the address is NULL.
static void *need(const char *name, void *address) {
    if (address == NULL && missing == NULL) missing = name;
    return address;
}

/// Returns the next library's function of that name.
static void *find(const char *name) { return need(name, dlsym(RTLD_NEXT, name)); }

/// Returns whether the program has a static runtime and was linked with --wrap for a function. With a dynamic runtime
/// `real` is the function of this file, `wrap`.
static bool is_wrapped(const void *real, const void *wrap) { return real != NULL && real != wrap; }

#define IS_WRAPPED(name) is_wrapped((const void *)__real_##name, (const void *)__wrap_##name)
/// The function that the program would call without this file; NULL if there is none.
#define ORIGINAL(name) (IS_WRAPPED(name) ? (void *)__real_##name : dlsym(RTLD_NEXT, #name))
#define NEED_ORIGINAL(name) need(#name, ORIGINAL(name))

// The functions and variables of the runtime that are used. Weak, because other versions of the runtime may lack some.
extern SWIFTCC void *swift_task_getCurrent(void) WEAK;
extern SWIFTCC uint64_t swift_task_getJobTaskId(void *job) WEAK;
extern SWIFTCC size_t swift_task_getJobFlags(void *job) WEAK;
extern const char *swift_task_getCurrentTaskName(void) WEAK;
extern SWIFTCC void swift_task_cancel(void *task) WEAK;
extern void *swift_retain(void *object) WEAK;
extern void swift_release(void *object) WEAK;
extern const size_t _swift_concurrency_debug_asyncTaskSize WEAK;
extern const void *const _swift_concurrency_debug_non_future_adapter WEAK;
extern const void *const _swift_concurrency_debug_future_adapter WEAK;

// Finds the bounds of the code that contains swift_task_create.
static int find_runtime(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    const char *address = (const char *)chain_original.create;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[index];
        const char *begin = (const char *)info->dlpi_addr + header->p_vaddr;
        if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
        if (address < begin || address >= begin + header->p_memsz) continue;
        chain_original.runtime_begin = begin;
        chain_original.runtime_end = begin + header->p_memsz;
        return 1;
    }
    return 0;
}

/// Returns the address that a variable of the runtime holds; NULL if the runtime has no such variable.
static const void *stated_address(const void *const *variable) { return variable == NULL ? NULL : *variable; }

static void look_up(void) {
    chain_original.is_static = IS_WRAPPED(swift_task_create);
    chain_original.create = (create_function)NEED_ORIGINAL(swift_task_create);
    chain_original.enter = (context_function)NEED_ORIGINAL(swift_task_enterThreadLocalContext);
    chain_original.exit = (context_function)NEED_ORIGINAL(swift_task_exitThreadLocalContext);
    chain_original.run = (run_function)NEED_ORIGINAL(swift_job_run);
    chain_original.run_on_task_executor = (run_function)NEED_ORIGINAL(swift_job_run_on_task_executor);
    chain_original.immediate = (run_function)ORIGINAL(swift_task_immediate);
    chain_original.run_on_both = (run_both_function)NEED_ORIGINAL(swift_job_run_on_serial_and_task_executor);
    if (!chain_original.is_static) {
        chain_original.async = (async_function)find("dispatch_async_f");
        chain_original.after = (after_function)find("dispatch_after_f");
    }
    chain_original.current = need("swift_task_getCurrent", (void *)swift_task_getCurrent);
    chain_original.task_id = need("swift_task_getJobTaskId", (void *)swift_task_getJobTaskId);
    chain_original.job_flags = need("swift_task_getJobFlags", (void *)swift_task_getJobFlags);
    chain_original.name = swift_task_getCurrentTaskName;
    chain_original.cancel = need("swift_task_cancel", (void *)swift_task_cancel);
    chain_original.retain = need("swift_retain", (void *)swift_retain);
    chain_original.release = need("swift_release", (void *)swift_release);
    const size_t *size = need(
        "_swift_concurrency_debug_asyncTaskSize", (void *)&_swift_concurrency_debug_asyncTaskSize);
    chain_original.task_size = size == NULL ? 0 : *size;
    chain_original.adapters[0] = stated_address(&_swift_concurrency_debug_non_future_adapter);
    chain_original.adapters[1] = stated_address(&_swift_concurrency_debug_future_adapter);
    // A static runtime has no image of its own.
    if (chain_original.create != NULL && !chain_original.is_static) dl_iterate_phdr(find_runtime, NULL);
    interposes = chain_original.is_static
        || (dlsym(RTLD_DEFAULT, "swift_task_create") == (void *)swift_task_create
            && dlsym(RTLD_DEFAULT, "swift_task_enterThreadLocalContext") == (void *)swift_task_enterThreadLocalContext
            && dlsym(RTLD_DEFAULT, "dispatch_async_f") == (void *)dispatch_async_f);
    observe_jobs();
    use_originals();
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

// Runs before other constructors, because they may use Dispatch.
__attribute__((constructor(101))) static void prepare(void) { pthread_once(&once, look_up); }

static created first_create(size_t flags, void *options, const void *type, void *entry, void *closure) {
    prepare();
    return chain_original.create(flags, options, type, entry, closure);
}
static void first_enter(char *state) { prepare(), chain_original.enter(state); }
static void first_exit(char *state) { prepare(), chain_original.exit(state); }
static void first_run(void *job, void *identity, void *implementation) {
    prepare(), chain_original.run(job, identity, implementation);
}
static void first_run_on_task_executor(void *job, void *identity, void *implementation) {
    prepare(), chain_original.run_on_task_executor(job, identity, implementation);
}
static void first_immediate(void *task, void *identity, void *implementation) {
    prepare(), chain_original.immediate(task, identity, implementation);
}
static void first_run_on_both(void *job, void *serial, void *implementation, void *task, void *other) {
    prepare(), chain_original.run_on_both(job, serial, implementation, task, other);
}
static void first_async(void *queue, void *context, void (*work)(void *)) {
    prepare(), chain_original.async(queue, context, work);
}
static void first_after(uint64_t when, void *queue, void *context, void (*work)(void *)) {
    prepare(), chain_original.after(when, queue, context, work);
}

// MARK: For ChainTasks

const char *chain_tasks_missing(void) {
    prepare();
    if (missing != NULL) return missing;
    return interposes ? NULL : "swift_task_create";
}

void chain_tasks_stop_in_child(void) {
    use_originals();
    chain_steps_report(NULL);
    chain_steps_forget();
    chain_sweep_lock_reset_in_child();
    chain_table_clear_in_child();
}

void chain_tasks_observe(const chain_task_observer *given) {
    // Steps that were under way as observation ended may have left tasks in the table.
    chain_table_clear();
    chain_steps_report(given);
    use_observing();
}

void chain_tasks_stop(void) {
    chain_steps_report(NULL);
    use_originals();
    chain_steps_forget();
    chain_table_clear();
}

void chain_tasks_set_probe(chain_task_probe *given) {
    chain_steps_set_probe(given);
    if (given != NULL) {
        atomic_store(&enter_now, chain_observed_enter);
        atomic_store(&exit_now, chain_observed_exit);
    }
}

#else

const char *chain_tasks_missing(void) { return "they are observed on Linux only"; }
void chain_tasks_observe(const chain_task_observer *given) { (void)given; }
void chain_tasks_stop(void) {}
void chain_tasks_stop_in_child(void) {}
void chain_tasks_set_probe(chain_task_probe *given) { (void)given; }

#endif
