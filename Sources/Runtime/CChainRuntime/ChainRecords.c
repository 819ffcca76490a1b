// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "ChainRecords.h"

#include "ChainLock.h"

#include <pthread.h>

_Thread_local chain_thread chain_this_thread;

static chain_lock list_lock;
static chain_thread *first;

static void leave(void *pointer) {
    chain_thread *thread = pointer;
    chain_lock_acquire(&list_lock);
    if (thread->next != NULL) thread->next->previous = thread->previous;
    if (thread->previous != NULL) thread->previous->next = thread->next;
    if (first == thread) first = thread->next;
    chain_lock_release(&list_lock);
}

#if defined(__APPLE__)

// Not a pthread key, because on Darwin the destructor of an older key frees all _Thread_local variables.
extern void _tlv_atexit(void (*function)(void *), void *object);

static bool leaves_at_exit(chain_thread *thread) {
    _tlv_atexit(leave, thread);
    return true;
}

#else

static pthread_key_t key;
static bool has_key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void make_key(void) { has_key = pthread_key_create(&key, leave) == 0; }

static bool leaves_at_exit(chain_thread *thread) {
    pthread_once(&key_once, make_key);
    return has_key && pthread_setspecific(key, thread) == 0;
}

#endif

void chain_threads_insert(chain_thread *thread) {
    if (!leaves_at_exit(thread)) return;
    chain_lock_acquire(&list_lock);
    thread->previous = NULL;
    thread->next = first;
    if (first != NULL) first->previous = thread;
    first = thread;
    chain_lock_release(&list_lock);
}

void chain_threads_clear_in_child(void) {
    list_lock = (chain_lock){0};
    first = NULL;
    chain_thread *thread = chain_thread_current();
    // The child's only thread has another id than in the parent, and no ring.
    thread->ring = NULL;
    thread->thread_id = 0;
    // The neighbours do not exist here, and the thread may end before it is inserted again.
    thread->next = thread->previous = NULL;
}

size_t chain_threads_running(chain_running_thread *threads, size_t limit) {
    size_t count = 0;
    chain_lock_acquire(&list_lock);
    for (chain_thread *thread = first; thread != NULL && count < limit; thread = thread->next) {
        uint64_t node = chain_thread_node_id(thread);
        if (node == 0) node = __atomic_load_n(&thread->task_node, __ATOMIC_RELAXED);
        if (node == 0) continue;
        threads[count++] = (chain_running_thread){thread->usage_handle, thread->thread_id, node};
    }
    chain_lock_release(&list_lock);
    return count;
}
