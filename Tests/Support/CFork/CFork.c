#include "CFork.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t fork_process(void) { return fork(); }

int wait_for_child(pid_t child) {
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return status;
}

// SPDX-License-Identifier: MIT
