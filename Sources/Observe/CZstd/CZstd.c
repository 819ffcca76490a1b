// SPDX-License-Identifier: MIT

#include "CZstd.h"

#include <stdlib.h>
#include <zstd.h>

struct chain_zstd {
    ZSTD_CCtx *packing;
    ZSTD_DCtx *unpacking;
};

chain_zstd *chain_zstd_new(void) {
    chain_zstd *packer = calloc(1, sizeof *packer);
    if (packer == NULL) return NULL;
    packer->packing = ZSTD_createCCtx();
    packer->unpacking = ZSTD_createDCtx();
    if (packer->packing != NULL && packer->unpacking != NULL) return packer;
    chain_zstd_free(packer);
    return NULL;
}

void chain_zstd_free(chain_zstd *packer) {
    ZSTD_freeCCtx(packer->packing);
    ZSTD_freeDCtx(packer->unpacking);
    free(packer);
}

size_t chain_zstd_pack(chain_zstd *packer, const void *bytes, size_t count, void *into, size_t capacity) {
    size_t packed = ZSTD_compressCCtx(packer->packing, into, capacity, bytes, count, 1);
    return ZSTD_isError(packed) ? 0 : packed;
}

size_t chain_zstd_unpack(chain_zstd *packer, const void *bytes, size_t count, void *into, size_t capacity) {
    size_t unpacked = ZSTD_decompressDCtx(packer->unpacking, into, capacity, bytes, count);
    return ZSTD_isError(unpacked) ? 0 : unpacked;
}
