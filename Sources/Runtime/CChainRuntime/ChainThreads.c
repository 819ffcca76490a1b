// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "ChainThreads.h"

#include "ChainForks.h"
#include "ChainRecords.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

// Ids

uint32_t chain_thread_id(void) {
    chain_thread *thread = chain_thread_current();
    if (thread->thread_id == 0) {
        // Registers the fork handlers, which reset the id in a child.
        chain_forks_watch();
#if defined(__linux__)
        thread->thread_id = (uint32_t)syscall(SYS_gettid);
#else
        uint64_t id = 0;
        pthread_threadid_np(NULL, &id);
        thread->thread_id = (uint32_t)id;
#endif
        thread->usage_handle = chain_thread_usage_handle();
        chain_threads_insert(thread);
    }
    return thread->thread_id;
}

uintptr_t chain_thread_usage_handle(void) {
#if defined(__linux__)
    return chain_thread_id();
#else
    // A port, because the kernel returns an error for the port of an ended thread.
    return pthread_mach_thread_np(pthread_self());
#endif
}

// The end of a thread

typedef struct exit_action {
    void *object;
    void (*release)(void *object);
} exit_action;

static pthread_key_t exit_key;
static bool has_exit_key;
static pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;

static void run_exit_action(void *pointer) {
    exit_action action = *(exit_action *)pointer;
    free(pointer);
    chain_thread_current()->loop = NULL;
    action.release(action.object);
}

static void make_exit_key(void) { has_exit_key = pthread_key_create(&exit_key, run_exit_action) == 0; }

void chain_thread_release_at_exit(void *object, void (*release)(void *object)) {
    pthread_once(&exit_key_once, make_exit_key);
    exit_action *action = has_exit_key ? malloc(sizeof *action) : NULL;
    if (action == NULL) return;
    *action = (exit_action){object, release};
    pthread_setspecific(exit_key, action);
}

static _Atomic(void (*)(void *)) detach_ring;
/// How many rounds of thread-exit destructors have reached `thread_ends` on this thread.
static _Thread_local int destructor_rounds;

static void thread_ends(void *unused) {
    (void)unused;
    chain_thread *thread = chain_thread_current();
    void *ring = thread->ring;
    thread->ring = NULL;
    destructor_rounds += 1;
    void (*detach)(void *) = atomic_load(&detach_ring);
    if (ring != NULL && detach != NULL) detach(ring);
}

#if defined(__APPLE__)

// Not a pthread key, because on Darwin the destructor of an older key frees all _Thread_local variables.
extern void _tlv_atexit(void (*function)(void *), void *object);

bool chain_thread_release_ring_at_exit(void (*detach)(void *ring)) {
    static _Thread_local bool is_registered;
    if (destructor_rounds > 0) return false;
    atomic_store(&detach_ring, detach);
    if (!is_registered) _tlv_atexit(thread_ends, NULL);
    is_registered = true;
    return true;
}

#else

static pthread_key_t ring_key;
static bool has_ring_key;
static pthread_once_t ring_key_once = PTHREAD_ONCE_INIT;

static void make_ring_key(void) { has_ring_key = pthread_key_create(&ring_key, thread_ends) == 0; }

bool chain_thread_release_ring_at_exit(void (*detach)(void *ring)) {
    pthread_once(&ring_key_once, make_ring_key);
    // No destructor runs for values that are set in the last round.
    if (!has_ring_key || destructor_rounds >= PTHREAD_DESTRUCTOR_ITERATIONS - 1) return false;
    atomic_store(&detach_ring, detach);
    return pthread_setspecific(ring_key, &ring_key) == 0;
}

#endif

// Names

void chain_thread_name(char *buffer, size_t size) {
    if (size == 0) return;
    buffer[0] = '\0';
    if (pthread_getname_np(pthread_self(), buffer, size) != 0) buffer[0] = '\0';
}

void chain_thread_set_name(const char *name) {
    char cut[16];
    strncpy(cut, name, sizeof cut - 1);
    cut[sizeof cut - 1] = '\0';
#if defined(__linux__)
    pthread_setname_np(pthread_self(), cut);
#else
    pthread_setname_np(cut);
#endif
}

void chain_thread_display_name(char *buffer, size_t size) {
    if (size == 0) return;
#if defined(__linux__)
    bool is_main = chain_thread_id() == (uint32_t)getpid();
    const char *inherited = program_invocation_short_name;
#else
    bool is_main = pthread_main_np() != 0;
    const char *inherited = "";
#endif
    if (is_main) {
        strncpy(buffer, "main", size - 1);
        buffer[size - 1] = '\0';
        return;
    }
    chain_thread_name(buffer, size);
    // A thread without a name of its own has its starter's name. Of such inherited names only the program's is
    // recognised, by its first 15 bytes.
    if (strncmp(buffer, inherited, 15) == 0) buffer[0] = '\0';
}

// Starting threads

void chain_block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    // Faults stay enabled, because they have to reach the program's handlers.
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGTRAP);
#if defined(__linux__)
    // For its report of a crash, Swift's runtime suspends all other threads by this signal. It complains of each thread
    // that blocks it.
    sigdelset(&all, SIGPROF);
#endif
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}

// Set on a thread that was started with `blocks_signals`: the signal mask of its starter. If the starter was itself
// started with `blocks_signals`, the mask is that of the starter's starter, and so on.
static _Thread_local struct { bool is_known; sigset_t mask; bool is_in_use; } program_signals;

typedef struct thread_start {
    void (*body)(void *);
    void *context;
    char name[16];
    bool blocks_signals;
    sigset_t mask;
} thread_start;

static void *run_thread(void *argument) {
    thread_start start = *(thread_start *)argument;
    free(argument);
    if (start.blocks_signals) {
        program_signals.is_known = true;
        program_signals.mask = start.mask;
    } else {
        pthread_sigmask(SIG_SETMASK, &start.mask, NULL);
    }
    chain_thread_set_name(start.name);
    start.body(start.context);
    return NULL;
}

bool chain_thread_start(
    const char *name, bool blocks_signals, void (*body)(void *), void *context, uintptr_t *handle) {
    thread_start *start = calloc(1, sizeof *start);
    if (start == NULL) return false;
    start->body = body;
    start->context = context;
    strncpy(start->name, name, sizeof start->name - 1);
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    start->blocks_signals = blocks_signals;
    // If the calling thread is one of ours that blocks signals, its own mask is not passed on, because the new thread
    // may run the program's code.
    start->mask = program_signals.is_known ? program_signals.mask : before;
    // Blocked before the start, because the new thread inherits the mask: no handler of the program ever runs on it.
    if (blocks_signals) chain_block_signals();
    pthread_t thread;
    int failure = pthread_create(&thread, NULL, run_thread, start);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure != 0) {
        free(start);
        return false;
    }
    *handle = (uintptr_t)thread;
    return true;
}

bool chain_thread_begin_program(void) {
    if (!program_signals.is_known || program_signals.is_in_use) return false;
    program_signals.is_in_use = true;
    pthread_sigmask(SIG_SETMASK, &program_signals.mask, NULL);
    return true;
}

void chain_thread_end_program(void) {
    chain_block_signals();
    program_signals.is_in_use = false;
}

bool chain_thread_is(uintptr_t handle) { return pthread_equal(pthread_self(), (pthread_t)handle) != 0; }
void chain_thread_join(uintptr_t handle) { pthread_join((pthread_t)handle, NULL); }
void chain_thread_detach(uintptr_t handle) { pthread_detach((pthread_t)handle); }
