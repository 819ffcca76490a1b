// The one shim over libzstd. Not thread-safe: one call at a time on each packer.
#pragma once

#include <stddef.h>

typedef struct chain_zstd chain_zstd;

/// Makes a packer; NULL where there is no memory.
chain_zstd *chain_zstd_new(void);

/// Frees a packer.
void chain_zstd_free(chain_zstd *packer);

/// Compresses bytes at level 1, the fastest. Returns the compressed size; 0 where that is over the capacity.
size_t chain_zstd_pack(chain_zstd *packer, const void *bytes, size_t count, void *into, size_t capacity);

/// Decompresses bytes. Returns the size; 0 where they are damaged, or the size is over the capacity.
size_t chain_zstd_unpack(chain_zstd *packer, const void *bytes, size_t count, void *into, size_t capacity);
