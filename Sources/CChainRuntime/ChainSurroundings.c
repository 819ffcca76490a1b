// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "ChainSockets.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
