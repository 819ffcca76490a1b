// SPDX-License-Identifier: MIT

// Reading, writing and waiting.
#include "io.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "CTerminal.h"
#include "jobs.h"
#include "state.h"

bool ct_write_all(int fd, const char *bytes, size_t count, int timeoutMilliseconds) {
    int waited = 0;
    while (count > 0) {
        ssize_t written = write(fd, bytes, count);
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
            waited = 0;
            continue;
        }
        if (written < 0 && errno == EINTR) continue;
        if (written < 0 && errno != EAGAIN && errno != EWOULDBLOCK) return false;
        if (timeoutMilliseconds >= 0 && waited >= timeoutMilliseconds) return false;
        if (timeoutMilliseconds < 0 && (atomic_load(&ct.isEnding) || atomic_load(&ct.isTrapped))) {
            errno = EAGAIN;
            return false;
        }
        struct pollfd room = {fd, POLLOUT, 0};
        poll(&room, 1, 50);
        waited += 50;
    }
    return true;
}

int ct_wait(int64_t nanoseconds) {
    struct pollfd fds[2] = {{ct.input, POLLIN, 0}, {ct.wake[0], POLLIN, 0}};
    // Rounded up, because waking too early is useless.
    int64_t milliseconds = nanoseconds < 0 ? -1 : nanoseconds / 1000000 + (nanoseconds % 1000000 != 0);
    int ready = poll(fds, 2, milliseconds > 1000000000 ? 1000000000 : (int)milliseconds);
    if (ready <= 0) return 0;
    int found = 0;
    if (fds[0].revents & POLLIN) found |= CT_INPUT;
    if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) found |= CT_HANGUP;
    if (fds[1].revents & POLLIN) found |= CT_SIGNAL;
    return found;
}

long ct_read(char *into, size_t capacity) {
    // If the process was continued in the background, a read would stop it before it has restored the terminal.
    if (ct_is_set_in_background(&ct.isContinued)) return 0;
    for (;;) {
        ssize_t count = read(ct.input, into, capacity);
        if (count > 0) return count;
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return 0;
        ct.failure = count == 0 ? EIO : errno;
        return -1;
    }
}

int ct_next_signal(void) {
    unsigned char byte;
    ssize_t count;
    do count = read(ct.wake[0], &byte, 1);
    while (count < 0 && errno == EINTR);
    return count == 1 ? byte : -1;
}

void ct_wake(void) {
    int before = errno;
    if (ct.wake[1] >= 0) {
        ssize_t ignored = write(ct.wake[1], "", 1);
        (void)ignored;
    }
    errno = before;
}
