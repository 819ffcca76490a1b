// SPDX-License-Identifier: MIT

// Shared by the files of this target. Signal handlers may use only what is marked as safe.
#pragma once

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "CTerminal.h"

typedef struct {
    int input, output;              // the terminal; writing to `output` does not block where that is possible
    struct termios shell;           // the terminal's modes before the screen was opened
    char restore[512];              // the bytes that restore the terminal's screen, ready for a handler
    size_t restoreCount;
    bool isDirect;                  // the description takes colours as red, green and blue
    int wake[2];                    // the wake pipe, which carries signals' numbers; 0 for ct_wake
    atomic_bool isOurs;             // the screen shows frames of this process
    atomic_bool isEnding;           // a signal asked the process to end
    atomic_bool isContinued;        // the process was continued, and has not tested yet whether it has the terminal
    atomic_bool isTrapped;          // a fatal signal is restoring the terminal; ct_write writes nothing any more
    atomic_bool isRestored;         // the terminal was restored after a fatal signal
} ct_terminal;

extern ct_terminal ct;
// The errno of the last failure.
extern int ct_failure;

// Sets the character type of the locale from the environment; that of a UTF-8 locale that is not installed, too.
void ct_set_character_type(void);

// Appends a capability without its padding; returns the new count.
size_t ct_append(char *into, size_t capacity, size_t count, const char *text);

// Safe in handlers: writes all bytes, or gives up when a write fails, or when no byte is taken for
// `timeoutMilliseconds`. If that is negative, waits for room until the process is to end or a fatal signal comes.
// Returns whether all bytes were written.
bool ct_write_all(int fd, const char *bytes, size_t count, int timeoutMilliseconds);
// Safe in handlers: restores screen and modes.
void ct_restore_terminal(void);

// Begins to capture descriptors 1 and 2 where they are terminals. Returns 0, or an error number.
int ct_capture_begin(size_t limit);
// Restores descriptors 1 and 2 and shows what was captured. With `inTrap`, safe in handlers.
void ct_capture_end(bool inTrap);

// Installs the handlers of a screen.
void ct_signals_begin(void);
// Restores the program's handlers.
void ct_signals_end(void);
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
