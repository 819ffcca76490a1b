// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "ChainSurroundings.h"

#include "ChainClock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/random.h>
#endif

void chain_log(const char *line) {
    // Tests for room first, because a write to a full pipe would block the program.
    struct pollfd output = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&output, 1, 0) != 1 || !(output.revents & POLLOUT)) return;
    sigset_t pipe, before, pending;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written;
    // A SIGPIPE that this write raised is pending on this thread. It is consumed here, so that the program does not get
    // it.
    sigpending(&pending);
    if (!was_pending && sigismember(&pending, SIGPIPE)) {
        int taken;
        sigwait(&pipe, &taken);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

const char *chain_secure_environment(const char *name) {
#if defined(__linux__)
    return secure_getenv(name);
#else
    return issetugid() ? NULL : getenv(name);
#endif
}

extern char **environ;

char **chain_environment(void) { return environ; }

void chain_error_text(int number, char *buffer, size_t size) {
    if (size == 0) return;
#if defined(__GLIBC__)
    char *text = strerror_r(number, buffer, size);
    if (text != buffer) {
        strncpy(buffer, text, size - 1);
        buffer[size - 1] = '\0';
    }
#else
    if (strerror_r(number, buffer, size) != 0) snprintf(buffer, size, "error %d", number);
#endif
}

const char *chain_program_name(void) {
#if defined(__linux__)
    return program_invocation_short_name;
#else
    return getprogname();
#endif
}

int chain_processor_count(void) {
#if defined(__linux__)
    // The call fails on machines with more processors than the set holds.
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (int)count : 1;
}

uint64_t chain_random(void) {
    uint64_t value = 0;
#if defined(__linux__)
    ssize_t count;
    do count = getrandom(&value, sizeof value, 0);
    while (count < 0 && errno == EINTR);
    if (count == (ssize_t)sizeof value) return value;
    // A sandbox may refuse the call.
    int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    count = file < 0 ? -1 : read(file, &value, sizeof value);
    if (file >= 0) close(file);
    if (count != (ssize_t)sizeof value) {
        value = chain_monotonic_ns() ^ (uint64_t)getpid() << 32 ^ (uint64_t)(uintptr_t)&value;
    }
#else
    arc4random_buf(&value, sizeof value);
#endif
    return value;
}
