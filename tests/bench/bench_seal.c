// bench_seal.c - measures the seal of a datagram, and libsodium's XChaCha20-Poly1305 alone in the
// same run.
//
// Lines: bench,case,value,unit,peer,peer_value. Lowest of several rounds. At most 1,500 ns at 300
// bytes and 2,200 ns at 1,200 are allowed.

#include "base/assert.h"
#include "net/seal_keys.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define ROUNDS   40
#define CALLS    5000
#define CONNECTS 200
#define MAX_SIZE 1200

typedef struct {
    seal_t sender, receiver;
    size_t size; // of ENet's datagram
    uint8_t plain[MAX_SIZE], sealed[CALLS][MAX_SIZE + SEAL_EXTRA_BYTES];
} bench_t;

static bench_t bench;

static double cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void seal_all(void) {
    for (int32_t i = 0; i < CALLS; i++) {
        Seal_Write(&bench.sender, bench.plain, bench.size, bench.sealed[i]);
    }
}

static void open_all(void) {
    uint8_t out[MAX_SIZE];
    seal_why_t why;
    for (int32_t i = 0; i < CALLS; i++) {
        size_t size = bench.size + SEAL_EXTRA_BYTES;
        ASSERT(Seal_Open(&bench.receiver, bench.sealed[i], size, out, &why) == bench.size);
    }
}

static const uint8_t zeros[crypto_aead_xchacha20poly1305_ietf_NPUBBYTES];

static void encrypt_all(void) {
    for (int32_t i = 0; i < CALLS; i++) {
        crypto_aead_xchacha20poly1305_ietf_encrypt(bench.sealed[i], NULL, bench.plain, bench.size,
                                                   zeros, 6, NULL, zeros, bench.sender.send_key);
    }
}

static void decrypt_all(void) {
    uint8_t out[MAX_SIZE];
    for (int32_t i = 0; i < CALLS; i++) {
        size_t size = bench.size + SEAL_TAG_BYTES;
        ASSERT(crypto_aead_xchacha20poly1305_ietf_decrypt(out, NULL, NULL, bench.sealed[i], size,
                                                          zeros, 6, zeros,
                                                          bench.sender.send_key) == 0);
    }
}

/// Adds the time of one call of `run` to the lowest so far, ns of a datagram.
static void measure(void (*run)(void), double *lowest) {
    double start = cpu_ns();
    run();
    double spent = (cpu_ns() - start) / CALLS;
    *lowest = *lowest == 0.0 || spent < *lowest ? spent : *lowest;
}

static void print_size(size_t size) {
    double write = 0.0, read = 0.0, encrypt = 0.0, decrypt = 0.0;
    bench.size = size;
    for (int32_t round = 0; round < ROUNDS; round++) {
        measure(seal_all, &write);
        measure(open_all, &read);
        measure(encrypt_all, &encrypt);
        measure(decrypt_all, &decrypt);
    }
    printf("seal,write_%zu,%.0f,ns,xchacha20poly1305,%.0f\n", size, write, encrypt);
    printf("seal,open_%zu,%.0f,ns,xchacha20poly1305,%.0f\n", size, read, decrypt);
}

/// Measures a CONNECT at the server: two key agreements. Fills the list of accepted ones first.
static void print_accept(void) {
    seal_keys_t *keys = SealKeys_Create(NULL, NULL);
    ASSERT(keys);
    seal_connect_t connect = {.epoch = SealKeys_Public(keys, 0).epoch};
    seal_pair_t own;
    Seal_MakePair(&own);
    for (uint32_t i = 0; i + 1 < SEAL_MAX_ACCEPTED; i++) {
        memcpy(connect.client_public, &i, sizeof i);
        SealKeys_Remember(keys, 0, &connect);
    }
    memcpy(connect.client_public, own.public_key, SEAL_KEY_BYTES);
    seal_why_t why;
    double start = cpu_ns();
    for (int32_t i = 0; i < CONNECTS; i++) {
        ASSERT(SealKeys_Accept(keys, 0, &connect, &bench.receiver, &why));
    }
    double accept = (cpu_ns() - start) / CONNECTS;
    start = cpu_ns();
    for (int32_t i = 0; i < CONNECTS; i++) {
        ASSERT(crypto_scalarmult(connect.client_public, own.secret_key, own.public_key) == 0);
    }
    double agree = (cpu_ns() - start) / CONNECTS;
    printf("seal,accept_connect,%.1f,us,x25519,%.1f\n", accept / 1000.0, agree / 1000.0);
    SealKeys_Destroy(keys);
}

int main(void) {
    seal_pair_t server, epoch, client;
    if (!Seal_MakePair(&server) || !Seal_MakePair(&epoch) || !Seal_MakePair(&client)) {
        return 1;
    }
    seal_offer_t offer = {.epoch = 0};
    seal_connect_t connect = {.epoch = 0};
    memcpy(offer.server_public, server.public_key, SEAL_KEY_BYTES);
    memcpy(offer.epoch_public, epoch.public_key, SEAL_KEY_BYTES);
    memcpy(connect.client_public, client.public_key, SEAL_KEY_BYTES);
    ASSERT(Seal_DeriveClient(&bench.sender, &client, &offer, &connect) &&
           Seal_DeriveServer(&bench.receiver, &server, &epoch, &connect));
    print_size(300);
    print_size(1200);
    print_accept();
    return 0;
}
