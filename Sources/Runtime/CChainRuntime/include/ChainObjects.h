// SPDX-License-Identifier: MIT

// What Swift cannot say about objects and memory: try-retain, launder, barriers of retains, autorelease pools.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
