// SPDX-License-Identifier: MIT

#include "ChainChecksum.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__)
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

// The tables of slicing-by-8: one for each byte of a word.
static uint32_t tables[8][256];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void fill_tables(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t rest = byte;
        for (int bit = 0; bit < 8; bit++) rest = rest >> 1 ^ (rest & 1 ? 0x82F63B78u : 0);
        tables[0][byte] = rest;
    }
    for (int table = 1; table < 8; table++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t before = tables[table - 1][byte];
            tables[table][byte] = before >> 8 ^ tables[0][before & 0xFF];
        }
    }
}

uint32_t chain_crc32c_by_tables(uint32_t checksum, const void *bytes, size_t count) {
    pthread_once(&tables_once, fill_tables);
    const unsigned char *next = bytes;
    uint32_t rest = ~checksum;
    for (; count >= 8; count -= 8, next += 8) {
        rest ^= (uint32_t)next[0] | (uint32_t)next[1] << 8 | (uint32_t)next[2] << 16 | (uint32_t)next[3] << 24;
        rest = tables[7][rest & 0xFF] ^ tables[6][rest >> 8 & 0xFF] ^ tables[5][rest >> 16 & 0xFF] ^
               tables[4][rest >> 24] ^ tables[3][next[4]] ^ tables[2][next[5]] ^ tables[1][next[6]] ^
               tables[0][next[7]];
    }
    for (; count > 0; count--) rest = rest >> 8 ^ tables[0][(rest ^ *next++) & 0xFF];
    return ~rest;
}

#if defined(__x86_64__)
static bool has_instruction(void) { return __builtin_cpu_supports("sse4.2"); }

__attribute__((target("sse4.2"))) static uint32_t by_instruction(
    uint32_t checksum, const unsigned char *next, size_t count) {
    uint64_t rest = ~checksum;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        rest = _mm_crc32_u64(rest, word);
    }
    for (; count > 0; count--) rest = _mm_crc32_u8((uint32_t)rest, *next++);
    return ~(uint32_t)rest;
}
#elif defined(__ARM_FEATURE_CRC32)
static bool has_instruction(void) { return true; }

static uint32_t by_instruction(uint32_t checksum, const unsigned char *next, size_t count) {
    uint32_t rest = ~checksum;
    for (; count >= 8; count -= 8, next += 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        rest = __crc32cd(rest, word);
    }
    for (; count > 0; count--) rest = __crc32cb(rest, *next++);
    return ~rest;
}
#else
static bool has_instruction(void) { return false; }

static uint32_t by_instruction(uint32_t checksum, const unsigned char *next, size_t count) {
    return chain_crc32c_by_tables(checksum, next, count);
}
#endif

uint32_t chain_crc32c(uint32_t checksum, const void *bytes, size_t count) {
    return has_instruction() ? by_instruction(checksum, bytes, count)
                             : chain_crc32c_by_tables(checksum, bytes, count);
}
