#pragma once

#include <sys/types.h>

/// Forks. Swift does not import `fork`, because the child of a process with several threads may do little.
pid_t fork_process(void);

/// Waits for the end of a child, however often signals interrupt that. Returns the status that `waitpid` reports, or -1
/// if there is no such child.
int wait_for_child(pid_t child);

// SPDX-License-Identifier: MIT
