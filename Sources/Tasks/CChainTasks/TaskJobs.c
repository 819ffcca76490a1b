// SPDX-License-Identifier: MIT

#include "TaskJobs.h"

#if defined(__linux__)

#include "TaskSteps.h"

void chain_observed_run(void *job, void *identity, void *implementation) {
    running_task outer = chain_job_begin();
    chain_original.run(job, identity, implementation);
    chain_job_end(outer);
}

void chain_observed_run_on_task_executor(void *job, void *identity, void *implementation) {
    running_task outer = chain_job_begin();
    chain_original.run_on_task_executor(job, identity, implementation);
    chain_job_end(outer);
}

void chain_observed_immediate(void *task, void *identity, void *implementation) {
    // Observed like a job: the new task runs within this call, and the calling task continues after it.
    running_task outer = chain_job_begin();
    chain_original.immediate(task, identity, implementation);
    chain_job_end(outer);
}

void chain_observed_run_on_both(void *job, void *serial, void *implementation, void *task, void *other) {
    running_task outer = chain_job_begin();
    chain_original.run_on_both(job, serial, implementation, task, other);
    chain_job_end(outer);
}

// MARK: Jobs on Dispatch

enum { WORK_FUNCTIONS = 4 };
/// The functions of the runtime that run a job on a queue's thread.
static _Atomic(void (*)(void *)) work_functions[WORK_FUNCTIONS];

#define RUN_WORK(index) \
    static void run_work_##index(void *job) { \
        running_task outer = chain_job_begin(); \
        atomic_load_explicit(&work_functions[index], memory_order_relaxed)(job); \
        chain_job_end(outer); \
    }
RUN_WORK(0)
RUN_WORK(1)
RUN_WORK(2)
RUN_WORK(3)

/// Returns a function that runs `work` and observes the end of the job, if `work` is a function of the runtime. Returns
/// `work` itself if it is another function, or if four functions of the runtime were met before it.
static void (*observing_function(void (*work)(void *)))(void *) {
    static void (*const observed[WORK_FUNCTIONS])(void *) = {run_work_0, run_work_1, run_work_2, run_work_3};
    const char *address = (const char *)work;
    if (address < chain_original.runtime_begin || address >= chain_original.runtime_end) return work;
    for (int index = 0; index < WORK_FUNCTIONS; index++) {
        // Read first, because an exchange in each job would take the cache line from the other processors.
        void (*known)(void *) = atomic_load_explicit(&work_functions[index], memory_order_relaxed);
        if (known == NULL && atomic_compare_exchange_strong(&work_functions[index], &known, work)) known = work;
        if (known == work) return observed[index];
    }
    return work;
}

void chain_observed_async(void *queue, void *context, void (*work)(void *)) {
    chain_original.async(queue, context, observing_function(work));
}

void chain_observed_after(uint64_t when, void *queue, void *context, void (*work)(void *)) {
    chain_original.after(when, queue, context, observing_function(work));
}

#endif
