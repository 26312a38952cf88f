// fuzz_seal.c - any sequence of datagrams against one end of a sealed session and the keys of a
// server.
//
// Input:      steps: u8 kind, u32 number, u8 size, bytes.
//             0 raw datagram, 1 raw CONNECT with a valid head, 2 raw CONNECT, 3 the sender skips
//             `number` / 2 datagrams, 4 sealed datagram, 5 sealed CONNECT; both arrive after a copy
//             with byte `number` changed.
// Invariants: only what was sealed opens, once, with the same bytes; a datagram that is dropped
//             changes nothing.

#include "base/assert.h"
#include "net/seal_keys.h"
#include "net/wire.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_BYTES (255 + 2 + SEAL_CONNECT_EXTRA)

typedef struct {
    seal_keys_t *keys;
    seal_connect_t connect;
    seal_t sender, receiver;
} ends_t;

/// One step of the input.
typedef struct {
    uint32_t number;
    size_t size;
    const uint8_t *bytes;
} step_t;

/// Makes both ends, once: key agreements are slow.
static const ends_t *make_ends(void) {
    static ends_t ends;
    if (!ends.keys) {
        static const uint8_t secret[SEAL_KEY_BYTES] = {1, 2, 3};
        ends.keys = SealKeys_Create(secret, NULL);
        ASSERT(ends.keys);
        seal_offer_t offer = SealKeys_Public(ends.keys, 0);
        seal_pair_t own;
        seal_why_t why;
        ASSERT(Seal_MakePair(&own));
        ends.connect = (seal_connect_t){.epoch = offer.epoch, .cookie = 7, .connect_id = 8};
        memcpy(ends.connect.client_public, own.public_key, SEAL_KEY_BYTES);
        ASSERT(Seal_DeriveClient(&ends.sender, &own, &offer, &ends.connect));
        ASSERT(SealKeys_Accept(ends.keys, 0, &ends.connect, &ends.receiver, &why));
    }
    return &ends;
}

/// Opens an exact copy on the heap, so that ASan reports an access beyond its end. Returns the size
/// of what was opened into `out`.
static size_t open_copy(ends_t *ends, const uint8_t *bytes, size_t size, uint8_t *out) {
    uint8_t *copy = malloc(size + (size == 0));
    uint8_t *exact = malloc(size + 1);
    ASSERT(copy && exact);
    memcpy(copy, bytes, size);
    seal_t before = ends->receiver, other = before;
    seal_why_t why = SEAL_SHORT;
    seal_connect_t connect;
    size_t opened = 0;
    if (!Seal_ReadConnect(copy, size, &connect)) {
        opened = Seal_Open(&ends->receiver, copy, size, exact, &why);
        ASSERT(opened == 0 || opened + SEAL_EXTRA_BYTES == size);
    } else if (SealKeys_Accept(ends->keys, 0, &connect, &other, &why)) {
        other.top_seq = before.top_seq;
        memcpy(other.window, before.window, sizeof other.window);
        opened = Seal_OpenConnect(&other, copy, size, exact, &why);
        ASSERT(opened == 0 || opened + SEAL_CONNECT_EXTRA == size);
        if (opened > 0) {
            ends->receiver.top_seq = other.top_seq;
            memcpy(ends->receiver.window, other.window, sizeof other.window);
        }
    }
    ASSERT((opened > 0) == (why == SEAL_OK));
    ASSERT(opened > 0 || memcmp(&before, &ends->receiver, sizeof before) == 0);
    memcpy(out, exact, opened);
    free(copy);
    free(exact);
    return opened;
}

static void check_raw(ends_t *ends, const step_t *step, uint32_t kind) {
    uint8_t bytes[MAX_BYTES] = {0xff, 0xff, 0xff, 0xff, 's', 'e', 'a', 'l', 'e', 'd', SEAL_VERSION};
    uint8_t out[MAX_BYTES];
    memcpy(bytes + SEAL_CONNECT_AT, step->bytes, step->size);
    if (kind == 1) { // the client's head, so that the tag alone decides
        bytes[11] = ends->connect.epoch;
        Wire_WriteU32(bytes + 12, ends->connect.cookie);
        Wire_WriteU32(bytes + 16, ends->connect.connect_id);
        memcpy(bytes + 20, ends->connect.client_public, SEAL_KEY_BYTES);
        Wire_WriteU32(bytes + 70, step->number);
        ASSERT(open_copy(ends, bytes, SEAL_CONNECT_AT + step->size, out) == 0);
    } else if (kind == 2) {
        size_t size = step->size > 11 ? step->size : 11;
        memcpy(bytes + 11, step->bytes + (step->size > 11 ? 11 : step->size), size - 11);
        ASSERT(open_copy(ends, bytes, size, out) == 0);
    } else {
        ASSERT(open_copy(ends, step->bytes, step->size, out) == 0);
    }
}

static void check_sealed(ends_t *ends, const step_t *step, bool is_connect) {
    uint8_t plain[MAX_BYTES] = {0x80, 0x05}, sealed[MAX_BYTES], out[MAX_BYTES];
    memcpy(plain + 2, step->bytes, step->size);
    plain[0] &= 0xbf;
    is_connect = is_connect && ends->sender.next_seq <= UINT32_MAX;
    size_t size =
        is_connect ? Seal_WriteConnect(&ends->sender, &ends->connect, plain, step->size + 2, sealed)
                   : Seal_Write(&ends->sender, plain, step->size + 2, sealed);
    ASSERT(size == step->size + 2 + (is_connect ? SEAL_CONNECT_EXTRA : SEAL_EXTRA_BYTES));
    if (step->number < size) {
        sealed[step->number] ^= 1;
        ASSERT(open_copy(ends, sealed, size, out) == 0);
        sealed[step->number] ^= 1;
    }
    ASSERT(open_copy(ends, sealed, size, out) == step->size + 2);
    ASSERT(memcmp(out, plain, step->size + 2) == 0);
    ASSERT(open_copy(ends, sealed, size, out) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ends_t ends = *make_ends();
    while (size >= 6) {
        uint32_t kind = data[0] % 6;
        step_t step = {.number = Wire_ReadU32(data + 1), .size = data[5], .bytes = data + 6};
        data += 6;
        size -= 6;
        step.size = step.size < size ? step.size : size;
        if (kind < 3) {
            check_raw(&ends, &step, kind);
        } else if (kind == 3) {
            // A leap of 2^31 or more cannot be rebuilt.
            uint64_t seq = ends.receiver.top_seq + step.number / 2;
            ends.sender.next_seq = seq > ends.sender.next_seq ? seq : ends.sender.next_seq;
        } else {
            check_sealed(&ends, &step, kind == 5);
        }
        data += step.size;
        size -= step.size;
    }
    return 0;
}
