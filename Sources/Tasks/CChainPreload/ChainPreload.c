// SPDX-License-Identifier: MIT

// Starts the inspector in a program into which `chainview run --tasks` has preloaded this library.
#include <stdlib.h>
#include <string.h>

// Defined in ChainPreload.swift.
extern void chain_preload_start(void);

/// Removes this library from LD_PRELOAD, so that the program's children do not load it.
static void remove_from_environment(void) {
    const char *value = getenv("LD_PRELOAD");
    if (value == NULL) return;
    char *rest = calloc(1, strlen(value) + 1), *copy = strdup(value), *next = NULL;
    if (rest == NULL || copy == NULL) { free(rest); free(copy); return; }
    for (char *entry = strtok_r(copy, ": ", &next); entry != NULL; entry = strtok_r(NULL, ": ", &next)) {
        if (strstr(entry, "libChainPreload.") != NULL) continue;
        if (rest[0] != '\0') strcat(rest, ":");
        strcat(rest, entry);
    }
    if (rest[0] == '\0') unsetenv("LD_PRELOAD"); else setenv("LD_PRELOAD", rest, 1);
    free(rest);
    free(copy);
}

__attribute__((constructor)) static void start(void) {
    remove_from_environment();
    chain_preload_start();
}
