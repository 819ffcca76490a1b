// SPDX-License-Identifier: MIT

// One set of fork handlers for the whole package. So a fork takes the package's locks in the order of `before_fork`, in
// which threads nest these locks, too. (Separate sets would run in the opposite order of their registration, which
// depends on what the program uses first.)
#define _GNU_SOURCE
#include "ChainForks.h"
#include "ChainRunning.h"
#include "CChainRuntime.h"

#include <pthread.h>
#include <stdatomic.h>

static _Atomic uint64_t generation;
static pthread_once_t once = PTHREAD_ONCE_INIT;
// Locked during a fork, and from chain_fork_hold to chain_fork_allow.
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const chain_fork_handlers *) registered[CHAIN_FORK_MODULES];
// A copy of `registered` for the fork under way, because other handlers may be registered meanwhile. Used only with the
// gate locked.
static const chain_fork_handlers *current[CHAIN_FORK_MODULES];

bool chain_is_new_child;

static void before_fork(void) {
    pthread_mutex_lock(&gate);
    chain_sockets_before_fork();
    // The modules come last, because their locks are leaves in the order of locks.
    for (int module = 0; module < CHAIN_FORK_MODULES; module++) {
        current[module] = atomic_load(&registered[module]);
        if (current[module] != NULL) current[module]->before_fork();
    }
}

static void in_parent(void) {
    for (int module = CHAIN_FORK_MODULES - 1; module >= 0; module--)
        if (current[module] != NULL) current[module]->in_parent();
    chain_sockets_after_fork();
    pthread_mutex_unlock(&gate);
}

static void in_child(void) {
    chain_is_new_child = true;
    // The child's only thread has another id than in the parent, and no ring.
    chain_thread *thread = chain_thread_current();
    thread->ring = NULL;
    thread->thread_id = 0;
    chain_threads_clear_in_child();
    atomic_fetch_add(&generation, 1);
    for (int module = CHAIN_FORK_MODULES - 1; module >= 0; module--)
        if (current[module] != NULL) current[module]->in_child();
    chain_sockets_in_child();
    // Initialised anew, because the gate was locked under the parent's thread id.
    pthread_mutex_init(&gate, NULL);
    chain_is_new_child = false;
}

static void register_handlers(void) { pthread_atfork(before_fork, in_parent, in_child); }

void chain_forks_watch(void) { pthread_once(&once, register_handlers); }

void chain_fork_set_handlers(chain_fork_module module, const chain_fork_handlers *handlers) {
    chain_forks_watch();
    atomic_store(&registered[module], handlers);
}

uint64_t chain_fork_generation(void) {
    chain_forks_watch();
    return atomic_load_explicit(&generation, memory_order_relaxed);
}

void chain_fork_hold(void) {
    chain_forks_watch();
    pthread_mutex_lock(&gate);
}

void chain_fork_allow(void) { pthread_mutex_unlock(&gate); }
