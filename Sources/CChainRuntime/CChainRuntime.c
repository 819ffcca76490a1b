#define _GNU_SOURCE
#include "CChainRuntime.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/random.h>
#include <sys/syscall.h>
#endif
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

_Thread_local chain_thread chain_this_thread;

uint32_t chain_thread_id(void) {
    chain_thread *thread = &chain_this_thread;
    if (thread->thread_id == 0) {
#if defined(__linux__)
        thread->thread_id = (uint32_t)syscall(SYS_gettid);
#else
        uint64_t id = 0;
        pthread_threadid_np(NULL, &id);
        thread->thread_id = (uint32_t)id;
#endif
    }
    return thread->thread_id;
}

typedef struct exit_action {
    void *object;
    void (*release)(void *object);
} exit_action;

static pthread_key_t exit_key;
static pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;

static void run_exit_action(void *pointer) {
    exit_action action = *(exit_action *)pointer;
    free(pointer);
    chain_this_thread.loop = NULL;
    action.release(action.object);
}

static void make_exit_key(void) { pthread_key_create(&exit_key, run_exit_action); }

void chain_thread_release_at_exit(void *object, void (*release)(void *object)) {
    pthread_once(&exit_key_once, make_exit_key);
    exit_action *action = malloc(sizeof *action);
    if (action == NULL) return;
    *action = (exit_action){object, release};
    pthread_setspecific(exit_key, action);
}

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

static uint64_t read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

uint64_t chain_monotonic_ns(void) { return read_clock(CLOCK_MONOTONIC); }
uint64_t chain_wall_ns(void) { return read_clock(CLOCK_REALTIME); }

uint64_t chain_ticks(void) {
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return chain_monotonic_ns();
#endif
}

// The Swift runtime's own entry point: returns NULL when deinit has begun (stable ABI, used by unowned references).
extern void *swift_tryRetain(void *object);

bool chain_try_retain(void *object) { return swift_tryRetain(object) != NULL; }

void chain_block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    // A fault must still end the program with the user's handler.
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGTRAP);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}

uint64_t chain_random(void) {
    uint64_t value = 0;
#if defined(__linux__)
    while (getrandom(&value, sizeof value, 0) != (ssize_t)sizeof value) {}
#else
    arc4random_buf(&value, sizeof value);
#endif
    return value;
}
