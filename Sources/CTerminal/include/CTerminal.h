// The one shim over ncursesw: an opaque interface, so that neither its macros nor cchar_t reach Swift.
//
// One screen a process. ncurses owns the terminal's modes, the alternate screen, the keypad and terminfo; what is
// painted is written by us in terminfo's words, because the cursor must be set anew after each character about whose
// width terminals differ, which ncurses' own painting cannot do.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// What went wrong. ct_errno has errno where that says more.
enum {
    CT_OK = 0,
    CT_NO_TERMINAL,   // standard output (or input, and /dev/tty) is no terminal
    CT_TERM_UNSET,    // TERM is not set, or empty
    CT_TERM_UNKNOWN,  // terminfo has no entry for TERM
    CT_TERM_DUMB,     // the terminal cannot place the cursor
    CT_IN_USE,        // another screen of this process is open
    CT_SYSTEM,        // a system call failed
    CT_GONE,          // the terminal is gone, or does not take output while the process is told to end
};

typedef struct {
    int colorLimit;        // at most so many colours: 0, 8, 16 or 256
    bool wantsMouse;
    bool capturesOutput;   // what is written to descriptors 1 and 2 is kept aside and shown after the close
    size_t captureLimit;   // bytes kept: the first quarter and the last three; the rest is counted
} ct_options;

// Takes the terminal: modes, alternate screen, hidden cursor, signals, output. Returns a code.
int ct_open(const ct_options *options);
// Gives everything back, and shows what was captured. Does nothing if nothing is open. Also run at exit.
void ct_close(void);
// errno of the last CT_SYSTEM or CT_GONE.
int ct_errno(void);

// Colours in use: 0, 8, 16 or 256.
int ct_colors(void);
// The terminal's size in cells, asked of it now; what cannot be known is 80 and 24.
void ct_size(int *columns, int *rows);
// Tells ncurses of a new size.
void ct_resized(int columns, int rows);
// Whether writing the last cell of the last row scrolls the terminal.
bool ct_scrolls_at_end(void);

// The bytes for something, at most `capacity` of them; returns how many.
size_t ct_move_bytes(int row, int column, char *into, size_t capacity);
size_t ct_clear_bytes(char *into, size_t capacity);
// Colours are -1 for the terminal's own. Attributes: 1 bold, 2 dim, 4 underlined, 8 reversed, 32 italic.
size_t ct_look_bytes(int foreground, int background, int attributes, char *into, size_t capacity);
// A terminfo string by name ("kcuu1"), or NULL. Valid while the screen is open.
const char *ct_capability(const char *name);

// Writes all of it; nothing while the terminal is not ours. Returns CT_OK or CT_GONE.
int ct_write(const char *bytes, size_t count);

// What ct_wait found, a bit each.
enum { CT_INPUT = 1, CT_SIGNAL = 2, CT_HANGUP = 4 };
// Waits for input or a signal or a wake, at most so many nanoseconds; for ever if negative.
int ct_wait(int64_t nanoseconds);
// Reads what was typed without waiting: the count, 0 if there is nothing, -1 if the terminal is gone.
long ct_read(char *into, size_t capacity);
// The next signal's number, 0 for a wake, -1 if there is none.
int ct_next_signal(void);
// Makes ct_wait return. From any thread, and from signal handlers.
void ct_wake(void);

// Gives the terminal back for a while, stops the process as ^Z does, and takes it again when it goes on.
int ct_suspend(void);
// Takes the terminal's modes and screen again, after somebody else had it. In the background it stops before that, until
// the terminal is given to us; if the process is to end, it does without.
int ct_resume(void);

// Whether the locale's characters are UTF-8; sets the locale's character type from the environment first.
bool ct_locale_is_utf8(void);
