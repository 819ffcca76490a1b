// SPDX-License-Identifier: MIT

// One set of fork handlers for the whole package. So a fork takes the package's locks in the order of `before_fork`, in
// which threads nest these locks, too. (Separate sets would run in the opposite order of their registration, which
// depends on what the program uses first.)
#define _GNU_SOURCE
#include "ChainForks.h"

#include "ChainLock.h"
#include "ChainRecords.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static _Atomic uint64_t generation;
static pthread_once_t once = PTHREAD_ONCE_INIT;
// Locked during a fork, and from chain_fork_hold to chain_fork_allow.
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(const chain_fork_handlers *) registered[CHAIN_FORK_MODULES];
// A copy of `registered` for the fork under way, because other handlers may be registered meanwhile. Used only with the
// gate locked.
static const chain_fork_handlers *current[CHAIN_FORK_MODULES];

// The open descriptors, which the child closes.
enum { open_limit = 1024 };
static pthread_mutex_t open_lock = PTHREAD_MUTEX_INITIALIZER;
static int open_descriptors[open_limit];
static int open_count;

static void before_fork(void) {
    pthread_mutex_lock(&gate);
    // So that the child's copy of the list is consistent.
    pthread_mutex_lock(&open_lock);
    // The modules come last, because their locks are leaves in the order of locks.
    for (int module = 0; module < CHAIN_FORK_MODULES; module++) {
        current[module] = atomic_load(&registered[module]);
        if (current[module] != NULL) current[module]->before_fork();
    }
}

static void in_parent(void) {
    for (int module = CHAIN_FORK_MODULES - 1; module >= 0; module--)
        if (current[module] != NULL) current[module]->in_parent();
    pthread_mutex_unlock(&open_lock);
    pthread_mutex_unlock(&gate);
}

static void in_child(void) {
    chain_is_new_child = true;
    chain_threads_clear_in_child();
    atomic_fetch_add(&generation, 1);
    for (int module = CHAIN_FORK_MODULES - 1; module >= 0; module--)
        if (current[module] != NULL) current[module]->in_child();
    for (int index = 0; index < open_count; index++) close(open_descriptors[index]);
    open_count = 0;
    // Initialised anew, because both were locked under the parent's thread id.
    pthread_mutex_init(&open_lock, NULL);
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

// The list of open descriptors

void chain_descriptors_begin(void) {
    chain_forks_watch();
    pthread_mutex_lock(&open_lock);
}

int chain_descriptors_finish(int descriptor) {
    int result = descriptor < 0 ? -errno : descriptor;
    if (descriptor >= 0) {
        if (open_count < open_limit) {
            open_descriptors[open_count++] = descriptor;
        } else {
            close(descriptor);
            result = -EMFILE;
        }
    }
    pthread_mutex_unlock(&open_lock);
    return result;
}

int chain_descriptors_finish_pair(int failure, const int made[2], int ends[2]) {
    if (failure == 0 && open_count + 2 > open_limit) {
        close(made[0]);
        close(made[1]);
        failure = EMFILE;
    }
    if (failure == 0) {
        open_descriptors[open_count++] = ends[0] = made[0];
        open_descriptors[open_count++] = ends[1] = made[1];
    }
    pthread_mutex_unlock(&open_lock);
    return -failure;
}

void chain_close(int descriptor) {
    chain_descriptors_begin();
    for (int index = 0; index < open_count; index++) {
        if (open_descriptors[index] != descriptor) continue;
        open_descriptors[index] = open_descriptors[--open_count];
        close(descriptor);
        break;
    }
    pthread_mutex_unlock(&open_lock);
}

int chain_open_count(void) {
    chain_descriptors_begin();
    int count = open_count;
    pthread_mutex_unlock(&open_lock);
    return count;
}
