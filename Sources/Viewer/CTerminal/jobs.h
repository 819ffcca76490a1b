// SPDX-License-Identifier: MIT

// The control of jobs: which process has the terminal.
#pragma once

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

// Stops the process as SIGTSTP does by default; returns when it is continued.
void ct_stop_self(void);
// Returns whether a shell has given the terminal to another process group.
bool ct_is_background(void);
// Returns whether the process is in the background and a handler of signals has set the flag. Another thread may handle
// the signal a little after this thread goes on, so the function waits for the flag, a tenth of a second at most.
bool ct_is_set_in_background(atomic_bool *flag);
// Stops the process until it has the terminal, and sets the modes from before the screen. Returns false if the process
// will never have the terminal, or is to end.
bool ct_await_foreground(void);
// Blocks or unblocks SIGTTOU on this thread: unblocked, it stops a process that changes the terminal from the
// background. Returns the previous mask.
sigset_t ct_mask_ttou(int how);
