// Checksums of recordings.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the CRC-32C (Castagnoli) of bytes. `checksum` is that of the bytes before them, 0 where there are none. Uses
/// the processor's own instruction where it has one (0.15 ns a byte), else tables (0.6 ns a byte).
uint32_t chain_crc32c(uint32_t checksum, const void *bytes, size_t count);

/// Returns the same checksum, computed with tables, for tests.
uint32_t chain_crc32c_by_tables(uint32_t checksum, const void *bytes, size_t count);

#ifdef __cplusplus
}
#endif
