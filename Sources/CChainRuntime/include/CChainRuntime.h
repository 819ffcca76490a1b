// SPDX-License-Identifier: MIT

// The C shim of the embedded part: one thread-local record, the cached thread id, the cycle counter, try-retain.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ChainChecksum.h"
#include "ChainFiles.h"
#include "ChainLock.h"
#include "ChainSockets.h"
#include "ChainSignals.h"
#include "ChainThreads.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A thread's record for chainview, zeroed when the thread starts. Each field belongs to the module named beside it.
typedef struct chain_thread {
    void *ring;               ///< ChainInspector: this thread's event ring, NULL until it records.
    void *runtime;            ///< PromiseRuntime: the runtime of the running handler, unretained, or NULL.
    void *node;               ///< PromiseRuntime: the promise of the running handler, unretained, or NULL.
    void *loop;               ///< PromiseRuntime: this thread's run loop, released at the thread's end, or NULL.
    uint64_t next_id;         ///< PromiseRuntime: the next node id in this thread's block of ids.
    uint64_t end_id;          ///< PromiseRuntime: one past the last id in that block.
    void *worker;             ///< PromiseRuntime: the pool's worker on this thread, unretained, or NULL.
    uint64_t node_id;         ///< PromiseRuntime: the id of `node`, 0 for none; read by other threads.
    uint32_t thread_id;       ///< The kernel's thread id, 0 until `chain_thread_id` is called.
    uint64_t task_node;       ///< ChainTasks: the id of the node of the running task, 0 for none; read by other threads.
    uint32_t *task_naming;    ///< ChainTasks: 0 if spans do not name the running task, else the next name's number; or NULL.
    uint64_t task_creator_id; ///< PromiseRuntime: the id of the node under which a task is to be made, 0 for none.
    bool fires_timers;        ///< PromiseRuntime: whether this is the thread of SystemClock's timers.
    uintptr_t usage_handle;   ///< ChainRunning.c: the thread's handle for `chain_thread_cpu_ns`.
    struct chain_thread *next, *previous;   ///< ChainRunning.c: the neighbours in the list of threads.
} chain_thread;

extern _Thread_local chain_thread chain_this_thread;

/// The calling thread's record; never NULL, valid until the thread ends. About 1 ns.
static inline chain_thread * chain_thread_current(void) { return &chain_this_thread; }

/// Returns the number, from 1 on, of a name that a span or scope gives to the running task; 0 if they do not name it.
static inline uint32_t chain_task_next_name(void) {
    uint32_t *naming = chain_this_thread.task_naming;
    uint32_t number = naming == NULL ? 0 : __atomic_load_n(naming, __ATOMIC_RELAXED);
    if (number != 0) __atomic_store_n(naming, number + 1, __ATOMIC_RELAXED);
    return number;
}

/// Sets the id of the node of the running handler, for other threads to read.
static inline void chain_thread_set_node_id(chain_thread *thread, uint64_t id) {
    __atomic_store_n(&thread->node_id, id, __ATOMIC_RELAXED);
}

/// Returns the id of the node of the handler that runs on a live thread; 0 for none. From any thread.
static inline uint64_t chain_thread_node_id(const chain_thread *thread) {
    return __atomic_load_n(&thread->node_id, __ATOMIC_RELAXED);
}

/// Sets the id of the node of the running task, for other threads to read.
static inline void chain_thread_set_task_node(chain_thread *thread, uint64_t id) {
    __atomic_store_n(&thread->task_node, id, __ATOMIC_RELAXED);
}

/// Prefetches the two cache lines from `object` on.
static inline void chain_prefetch(const void *object) {
    __builtin_prefetch(object);
    __builtin_prefetch((const char *)object + 64);
}

/// Returns `address` in a way that hides from the compiler where the result points. Typed accesses through the result
/// then read and write memory, instead of being replaced by the bits that were stored there (as with C++'s
/// std::launder). Costs no instruction.
static inline void * chain_launder(void *address) {
    __asm__ volatile("" : "+r"(address) : : "memory");
    return address;
}

/// Keeps the compiler from moving retains below this point; costs no instruction. Has to stand before each atomic store
/// that ends a thread's exclusive access to references, such as the unlocking of a spin lock. LLVM's pass for reference
/// counts (LLVMARCOpts.cpp, performLocalRetainMotion) moves `swift_retain` below stores, also below releasing stores.
/// Another thread may then release an object before it is retained. Calls, exchanges and read-modify-write operations
/// need no barrier, because the pass moves nothing below them.
static inline void chain_retain_barrier(void) { __asm__ volatile("" : : : "memory"); }

/// Returns the kernel's id of the calling thread, cached in its record (gettid costs 160 to 240 ns).
uint32_t chain_thread_id(void);

/// Calls `release(object)` when the calling thread ends; for at most one object of each thread (PromiseRuntime's run
/// loop). Does nothing where the system has no thread key or memory left.
void chain_thread_release_at_exit(void *object, void (*release)(void *object));

/// Copies the calling thread's name, NUL-terminated, into `buffer`; an empty string if the thread has no name.
void chain_thread_name(char *buffer, size_t size);

/// Names the calling thread, cut to 15 bytes (the limit of Linux). Only for threads of this package.
void chain_thread_set_name(const char *name);

/// Returns the cycle counter if it is one clock for the whole machine, and otherwise the monotonic clock in
/// nanoseconds. On x86 the first call decides: the counter has to be invariant (CPUID 80000007h, EDX bit 8), and Linux
/// must not have fallen back to another clock. On ARM the counter is always one clock. Reading the counter costs 10 to
/// 18 ns, to which testing the decision adds nothing measurable; reading the clock costs 22 to 42 ns.
uint64_t chain_ticks(void);

/// Returns whether chain_ticks reads x86's cycle counter.
bool chain_ticks_are_cycles(void);

/// Returns what chain_ticks decides on x86 for these facts: whether the counter is one clock for the whole machine.
/// `clocksource` is the name of Linux's clock, empty if the name is not known.
bool chain_counter_is_trusted(bool is_invariant, const char *clocksource);

/// Returns the nanoseconds of the monotonic clock.
uint64_t chain_monotonic_ns(void);

/// Returns the nanoseconds of the wall clock since 1970: 0 before 1970, and UINT64_MAX after the year 2554.
uint64_t chain_wall_ns(void);

/// Returns seconds and a rest of below a second as nanoseconds, clamped to the range of the result.
uint64_t chain_nanoseconds(int64_t seconds, int64_t rest);

/// Retains a native Swift object unless its deinit has begun; returns true if the object was retained.
/// The caller guarantees that the object's memory is not freed meanwhile, for example by holding a lock that the deinit
/// must take.
bool chain_try_retain(void *object);

/// Returns a Swift symbol in demangled form, which the caller frees; NULL for a symbol of another language.
char *chain_demangle(const char *symbol);

#if defined(__APPLE__)
void *objc_autoreleasePoolPush(void);
void objc_autoreleasePoolPop(void *pool);
#endif

/// Begins an autorelease pool of the calling thread. Does nothing, and costs nothing, where the system has none.
static inline void * chain_autorelease_push(void) {
#if defined(__APPLE__)
    return objc_autoreleasePoolPush();
#else
    return NULL;
#endif
}

/// Ends the pool that chain_autorelease_push began: releases the objects in it.
static inline void chain_autorelease_pop(void *pool) {
#if defined(__APPLE__)
    objc_autoreleasePoolPop(pool);
#else
    (void)pool;
#endif
}

/// Blocks every signal on the calling thread, as the threads of an embedded library must do, except faults and the signal
/// by which Swift's runtime suspends threads to report a crash (SIGPROF, on Linux).
void chain_block_signals(void);

/// Returns 64 random bits from the system.
uint64_t chain_random(void);

#ifdef __cplusplus
}
#endif
