#pragma once

#include <sys/types.h>

/// Forks. Swift does not import `fork`, because the child of a process with several threads may do little.
pid_t fork_process(void);
