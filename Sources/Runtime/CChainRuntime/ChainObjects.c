// SPDX-License-Identifier: MIT

#include "ChainObjects.h"

#include <stdint.h>
#include <string.h>

// The Swift runtime's own entry point: returns NULL when deinit has begun (stable ABI, used by unowned references).
extern void *swift_tryRetain(void *object);

bool chain_try_retain(void *object) { return swift_tryRetain(object) != NULL; }

extern char *swift_demangle(const char *name, size_t length, char *buffer, size_t *size, uint32_t flags);

char *chain_demangle(const char *symbol) { return swift_demangle(symbol, strlen(symbol), NULL, NULL, 0); }
