// What the files of this target share. Everything here may be used by a signal handler only where it says so.
#pragma once

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "CTerminal.h"

typedef struct {
    int input, output;              // the terminal; `output` does not block where that could be had
    struct termios shell;           // its modes before us
    char restore[512];              // what brings its screen back, ready for a handler
    size_t restoreCount;
    int wake[2];
    atomic_bool isOurs;             // the screen shows our frames
    atomic_bool isEnding;           // a signal asked the process to end
    atomic_bool isContinued;        // we went on, and have not asked yet whose the terminal is
    atomic_bool isTrapped;          // a signal that ends the process gives the terminal back; nothing is written any more
    atomic_bool isRestored;         // it has
} ct_terminal;

extern ct_terminal ct;
// errno of the last failure.
extern int ct_failure;

// Appends a capability without its padding; returns the new count.
size_t ct_append(char *into, size_t capacity, size_t count, const char *text);

// Safe in handlers: writes all, or gives up when nothing moves for `patience` milliseconds.
bool ct_write_all(int fd, const char *bytes, size_t count, int patience);
// Safe in handlers: screen and modes as they were.
void ct_restore_raw(void);

int ct_capture_begin(size_t limit);
// Gives descriptors 1 and 2 back and shows what was captured. With `inTrap`, safe in handlers.
void ct_capture_end(bool inTrap);

void ct_signals_begin(void);
void ct_signals_end(void);
// The disposition and mask under which SIGTSTP stops, for ct_suspend.
void ct_stop_self(void);
// Whether a shell has given the terminal to others.
bool ct_is_background(void);
// Stops until it is ours, with the modes from before us. False if it never will be, or the process is to end.
bool ct_await_foreground(void);
// For this thread, whether changing the terminal from the background stops. Gives the mask from before.
sigset_t ct_block_stop(int how);
