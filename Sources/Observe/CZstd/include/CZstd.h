// SPDX-License-Identifier: MIT

// The one shim over libzstd. Not thread-safe: one call at a time on each packer.
#pragma once

#include <stddef.h>

typedef struct chain_zstd chain_zstd;

/// Makes a packer; returns NULL if there is no memory.
chain_zstd *chain_zstd_new(void);

/// Frees a packer.
void chain_zstd_free(chain_zstd *packer);

/// Compresses bytes at level 1, the fastest. Returns the compressed size; 0 if that is over the capacity.
size_t chain_zstd_pack(chain_zstd *packer, const void *bytes, size_t count, void *into, size_t capacity);

/// Decompresses bytes. Returns the decompressed size; 0 if the bytes are damaged, or if that size is over the capacity.
size_t chain_zstd_unpack(chain_zstd *packer, const void *bytes, size_t count, void *into, size_t capacity);
