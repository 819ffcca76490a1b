// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "ChainSignals.h"

#include "ChainForks.h"
#include "ChainSockets.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

#define SIGNAL_LIMIT 65

typedef struct watch {
    // This field and the next two are atomic, because the handler uses them.
    atomic_int write_end;
    // The process that watches: a forked child inherits the handler and the descriptors.
    atomic_int owner;
    // How many threads are inside the handler. The descriptors are closed only once there are none.
    atomic_int inside_count;
    int read_end;
    // The action before the watch.
    struct sigaction former;
} watch;

static watch watches[SIGNAL_LIMIT];
// Whether a signal is watched.
static atomic_bool is_watched[SIGNAL_LIMIT];

static void handle(int number) {
    int saved = errno;
    atomic_fetch_add(&watches[number].inside_count, 1);
    int end = atomic_load(&watches[number].write_end);
    if (end >= 0 && atomic_load(&watches[number].owner) == getpid()) {
        // A full pipe has woken the reader already.
        ssize_t ignored = write(end, "s", 1);
        (void)ignored;
    }
    atomic_fetch_sub(&watches[number].inside_count, 1);
    errno = saved;
}

static int make_pipe(int ends[2]) {
    int failure = -chain_pipe(ends);
    // The reading end blocks, because chain_signal_wait waits by reading.
    if (failure == 0) fcntl(ends[0], F_SETFL, 0);
    return failure;
}

static bool is_a_fault(int number) {
    return number == SIGSEGV || number == SIGBUS || number == SIGILL || number == SIGFPE || number == SIGTRAP ||
           number == SIGABRT;
}

int chain_signal_watch(int number) {
    if (number <= 0 || number >= SIGNAL_LIMIT || is_a_fault(number)) return EINVAL;
    if (atomic_exchange(&is_watched[number], true)) return EBUSY;
    watch *watch = &watches[number];
    int ends[2];
    int failure = make_pipe(ends);
    if (failure != 0) {
        atomic_store(&is_watched[number], false);
        return failure;
    }
    watch->read_end = ends[0];
    atomic_store(&watch->owner, getpid());
    // Reset, because a child of a fork has inherited the count, but not the threads that were counted.
    atomic_store(&watch->inside_count, 0);
    atomic_store(&watch->write_end, ends[1]);
    struct sigaction action = {0};
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    if (sigaction(number, &action, &watch->former) != 0) {
        failure = errno;
        atomic_store(&watch->write_end, -1);
        chain_close(ends[0]);
        chain_close(ends[1]);
        atomic_store(&is_watched[number], false);
        return failure;
    }
    return 0;
}

int chain_signal_wait(int number) {
    char bytes[64];
    while (true) {
        ssize_t count = read(watches[number].read_end, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return CHAIN_SIGNAL_ENDED;
        // Signals that arrived since the last read count as one.
        for (ssize_t index = 0; index < count; index++) {
            if (bytes[index] == 'e') return CHAIN_SIGNAL_ENDED;
        }
        return 0;
    }
}

void chain_signal_end(int number) {
    watch *watch = &watches[number];
    struct sigaction current;
    if (sigaction(number, NULL, &current) == 0 && current.sa_handler == handle) {
        sigaction(number, &watch->former, NULL);
    }
    if (atomic_load(&watch->owner) != getpid()) {
        chain_signal_close(number);
        return;
    }
    // The pipe may be full of unread signals: try again until there is room.
    while (write(atomic_load(&watch->write_end), "e", 1) < 0 && (errno == EAGAIN || errno == EINTR)) sched_yield();
}

void chain_signal_close(int number) {
    watch *watch = &watches[number];
    int end = atomic_exchange(&watch->write_end, -1);
    // In a child of a fork the threads that were inside do not exist, and the fork has closed the descriptors.
    if (atomic_load(&watch->owner) == getpid()) {
        while (atomic_load(&watch->inside_count) > 0) sched_yield();
        chain_close(end);
        chain_close(watch->read_end);
    }
    atomic_store(&is_watched[number], false);
}
