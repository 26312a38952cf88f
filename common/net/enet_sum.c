#include "net/enet_local.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

void EnetSum_Init(enet_transport_t *net) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t sum = byte;
        for (int32_t bit = 0; bit < 32; bit++) {
            sum = sum >> 1 ^ (sum & 1 ? 0xEDB88320u : 0);
            net->sums[bit / 8][byte] = sum; // table 3: with 3 more bytes after this one
        }
    }
}

static uint32_t sum_by_tables(const enet_transport_t *net, const ENetBuffer *buffers,
                              size_t count) {
    const uint32_t(*sums)[256] = net->sums;
    uint32_t sum = 0xffffffffu;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = buffers[i].data;
        size_t left = buffers[i].dataLength;
        for (; left >= 4; left -= 4, at += 4) {
            sum ^= at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
            sum = sums[3][sum & 255] ^ sums[2][sum >> 8 & 255] ^ sums[1][sum >> 16 & 255] ^
                  sums[0][sum >> 24];
        }
        for (; left > 0; left--) {
            sum = sum >> 8 ^ sums[0][(sum ^ *at++) & 255];
        }
    }
    return ~sum;
}

#ifdef __x86_64__

#define BLOCK 16 // bytes of a step

/// Returns the CRC of whole blocks that starts at 0. Source: Gopal and others, "Fast CRC
/// Computation for Generic Polynomials Using PCLMULQDQ Instruction", Intel 2009.
__attribute__((target("pclmul,sse4.1"))) static uint32_t sum_blocks(const uint8_t *at,
                                                                    const uint8_t *end) {
    const __m128i by_block = _mm_set_epi64x(0x0ccaa009e, 0x1751997d0); // x^(128-32), x^(128+32)
    const __m128i by_half = _mm_set_epi64x(0, 0x163cd6124);            // x^64
    const __m128i barrett = _mm_set_epi64x(0x1f7011641, 0x1db710641);  // quotient, polynomial
    const __m128i low = _mm_set_epi32(0, 0, 0, -1);
    __m128i sum = _mm_loadu_si128((const __m128i *)(const void *)at);
    for (at += BLOCK; at < end; at += BLOCK) {
        const __m128i next = _mm_loadu_si128((const __m128i *)(const void *)at);
        sum = _mm_xor_si128(_mm_clmulepi64_si128(sum, by_block, 0x00),
                            _mm_xor_si128(_mm_clmulepi64_si128(sum, by_block, 0x11), next));
    }
    sum = _mm_xor_si128(_mm_srli_si128(sum, 8), _mm_clmulepi64_si128(sum, by_block, 0x10));
    sum = _mm_xor_si128(_mm_srli_si128(sum, 4),
                        _mm_clmulepi64_si128(_mm_and_si128(sum, low), by_half, 0x00));
    __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(sum, low), barrett, 0x10);
    quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low), barrett, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(sum, quotient), 1);
}

/// Writes the sum. Returns false if this CPU or these sizes need the tables.
static bool sum_by_blocks(const ENetBuffer *buffers, size_t count, uint32_t *sum) {
    uint8_t bytes[BLOCK + GUARD_MAX_DATAGRAM];
    size_t size = BLOCK;
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].dataLength > sizeof bytes - size) {
            return false;
        }
        if (buffers[i].dataLength > 0) { // the data of an empty message is NULL
            memcpy(bytes + size, buffers[i].data, buffers[i].dataLength);
            size += buffers[i].dataLength;
        }
    }
    if (!__builtin_cpu_supports("pclmul") || size < BLOCK + sizeof *sum) {
        return false;
    }
    // The CRC starts at FFFFFFFF. It is the same if it starts at 0 and the first four bytes are
    // inverted.
    // Leading zeros then change nothing, so they fill the first block.
    const size_t skipped = size % BLOCK;
    memset(bytes, 0, BLOCK);
    for (size_t i = 0; i < sizeof *sum; i++) {
        bytes[BLOCK + i] ^= 0xff;
    }
    *sum = ~sum_blocks(bytes + skipped, bytes + size);
    return true;
}

#else

static bool sum_by_blocks(const ENetBuffer *buffers, size_t count, uint32_t *sum) {
    (void)buffers;
    (void)count;
    (void)sum;
    return false;
}

#endif

enet_uint32 EnetSum_Of(const enet_transport_t *net, const ENetBuffer *buffers, size_t count) {
    uint32_t sum = 0;
    if (!sum_by_blocks(buffers, count, &sum)) {
        sum = sum_by_tables(net, buffers, count);
    }
    return htonl(sum);
}
