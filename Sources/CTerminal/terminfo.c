// Capabilities of the terminal from terminfo, as bytes.
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

// term.h's short names are macros that would rewrite identifiers here.
#undef lines
#undef columns
#undef tab
#undef bell

#include <langinfo.h>
#include <locale.h>
#include <string.h>

#include "internal.h"

const char *ct_capability(const char *name) {
    const char *text = tigetstr((char *)name);
    return text == (char *)-1 ? NULL : text;
}

// Appends a capability without its padding ($<5>), which no current terminal needs.
size_t ct_append(char *into, size_t capacity, size_t count, const char *text) {
    for (; text && *text && count < capacity; text++) {
        if (text[0] == '$' && text[1] == '<') {
            const char *end = strchr(text, '>');
            if (end) {
                text = end;
                continue;
            }
        }
        into[count++] = *text;
    }
    return count;
}

bool ct_scrolls_at_end(void) { return tigetflag("am") > 0 && tigetflag("xenl") <= 0; }

// Expands a capability. tparm gets all of its arguments, because older headers declare no other form.
static const char *expand(const char *name, long first, long second) {
    return tparm((char *)ct_capability(name), first, second, 0L, 0L, 0L, 0L, 0L, 0L, 0L);
}

size_t ct_move_bytes(int row, int column, char *into, size_t capacity) {
    return ct_append(into, capacity, 0, expand("cup", row, column));
}

size_t ct_clear_bytes(char *into, size_t capacity) {
    size_t count = ct_append(into, capacity, 0, ct_capability("sgr0"));
    return ct_append(into, capacity, count, ct_capability("clear"));
}

size_t ct_look_bytes(int foreground, int background, int attributes, char *into, size_t capacity) {
    static const struct { int bit; const char *name; } names[] = {
        {1, "bold"}, {2, "dim"}, {4, "smul"}, {8, "rev"}, {32, "sitm"},
    };
    size_t count = ct_append(into, capacity, 0, ct_capability("sgr0"));
    for (size_t index = 0; index < sizeof names / sizeof *names; index++)
        if (attributes & names[index].bit) count = ct_append(into, capacity, count, ct_capability(names[index].name));
    if (foreground >= 0 && foreground < ct_colors())
        count = ct_append(into, capacity, count, expand("setaf", foreground, 0));
    if (background >= 0 && background < ct_colors())
        count = ct_append(into, capacity, count, expand("setab", background, 0));
    return count;
}

bool ct_locale_is_utf8(void) {
    setlocale(LC_CTYPE, "");
    const char *name = nl_langinfo(CODESET);
    return name && (strcmp(name, "UTF-8") == 0 || strcmp(name, "utf8") == 0);
}
