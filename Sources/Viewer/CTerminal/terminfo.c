// SPDX-License-Identifier: MIT

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
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "CTerminal.h"
#include "state.h"
#include "terminfo.h"

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

// Returns the argument of setaf and setab for one of the 256 colours. A description with direct colours takes numbers
// below 8, 16 or 256 from its palette, and others as red, green and blue.
static long color_argument(int number) {
    static const long bright[] = {
        0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
    };
    static const long levels[] = {0, 95, 135, 175, 215, 255};
    if (!ct.isDirect || number < 8) return number;
    if (number < 16) return bright[number - 8];
    if (number >= 232) return (8 + (number - 232) * 10) * 0x010101L;
    int cube = number - 16;
    long color = levels[cube / 36] << 16 | levels[cube / 6 % 6] << 8 | levels[cube % 6];
    // A trace of green, so that no colour is taken for one of the palette.
    return color < 0x100 ? color | 0x100 : color;
}

size_t ct_look_bytes(int foreground, int background, int attributes, char *into, size_t capacity) {
    static const struct { int bit; const char *name; } names[] = {
        {1, "bold"}, {2, "dim"}, {4, "smul"}, {8, "rev"}, {32, "sitm"},
    };
    size_t count = ct_append(into, capacity, 0, ct_capability("sgr0"));
    for (size_t index = 0; index < sizeof names / sizeof *names; index++)
        if (attributes & names[index].bit) count = ct_append(into, capacity, count, ct_capability(names[index].name));
    if (foreground >= 0 && foreground < ct.colorCount)
        count = ct_append(into, capacity, count, expand("setaf", color_argument(foreground), 0));
    if (background >= 0 && background < ct.colorCount)
        count = ct_append(into, capacity, count, expand("setab", color_argument(background), 0));
    return count;
}

// Returns whether the name of a locale, such as de_DE.UTF-8@euro, names UTF-8.
static bool names_utf8(const char *locale) {
    const char *encoding = strchr(locale, '.');
    if (!encoding) return false;
    encoding++;
    size_t length = strcspn(encoding, "@");
    return (length == 5 && strncasecmp(encoding, "UTF-8", 5) == 0)
        || (length == 4 && strncasecmp(encoding, "UTF8", 4) == 0);
}

void ct_set_character_type(void) {
    if (setlocale(LC_CTYPE, "")) return;
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t index = 0; index < sizeof variables / sizeof *variables; index++) {
        const char *name = getenv(variables[index]);
        if (!name || !*name) continue;
        // A locale that is not installed here, as on a server behind ssh, still says what the terminal shows.
        if (names_utf8(name) && !setlocale(LC_CTYPE, "C.UTF-8")) setlocale(LC_CTYPE, "UTF-8");
        return;
    }
}

bool ct_locale_is_utf8(void) {
    ct_set_character_type();
    const char *name = nl_langinfo(CODESET);
    return name && (strcmp(name, "UTF-8") == 0 || strcmp(name, "utf8") == 0);
}
