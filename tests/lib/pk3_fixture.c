#include "lib/pk3_fixture.h"

#include "bsp/bsp.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "/usr/share/games/openarena/baseoa/"

typedef struct {
    const char *pk3, *name, *sha256;
} known_t;

static const known_t known[NUM_PK3_MAPS] = {
    [PK3_AGGRESSOR] = {"pak6-patch088.pk3", "aggressor",
                       "f436a710b9f3f8a879590436e7807b4b3faea01626e4d10573997b64c5f69ae7"},
    [PK3_WRACKDM17] = {"pak1-maps.pk3", "wrackdm17",
                       "17e4f73f427394337cd7c2ebedf86177f5c0b35b4c1feb301980f11527835183"},
    [PK3_OA_DM2] = {"pak1-maps.pk3", "oa_dm2",
                    "49f413803bae5a4f799e834c82058cd3622339935d1e0d887e0b08c1b938eafb"},
    [PK3_CTF_INYARD] = {"pak1-maps.pk3", "ctf_inyard",
                        "8095c4cdcceaa95cbae06ab8713c304fd21e63b44dd8d1ac1d1807fb189d8eb7"},
};

static uint8_t *unpack(const known_t *map, size_t *size) {
    char command[256];
    snprintf(command, sizeof(command), "unzip -p " FOLDER "%s maps/%s.bsp 2>/dev/null", map->pk3,
             map->name);
    uint8_t *bytes = malloc(MAX_MAP_BYTES);
    FILE *in = popen(command, "r");
    *size = bytes && in ? fread(bytes, 1, MAX_MAP_BYTES, in) : 0;
    if (in) {
        pclose(in);
    }
    return bytes;
}

uint8_t *TestPk3_Bytes(pk3_map_t number, size_t *size) {
    const known_t *map = &known[number];
    uint8_t *bytes = unpack(map, size);
    uint8_t hash[crypto_hash_sha256_BYTES];
    char text[2 * sizeof(hash) + 1] = "nothing";
    if (bytes && *size > 0) {
        crypto_hash_sha256(hash, bytes, *size);
        sodium_bin2hex(text, sizeof(text), hash, sizeof(hash));
    }
    if (strcmp(text, map->sha256) != 0) {
        printf("SKIPPED: %s: expected maps/%s.bsp with sha256 %s, found %s (make deps-maps)\n",
               map->pk3, map->name, map->sha256, text);
        fflush(stdout);
        free(bytes);
        return NULL;
    }
    return bytes;
}

bool TestPk3_Load(pk3_map_t number, cmap_t *map) {
    char name[64];
    size_t size = 0;
    err_t err;
    uint8_t *bytes = TestPk3_Bytes(number, &size);
    if (!bytes) {
        return false;
    }
    snprintf(name, sizeof(name), "%s.bsp", known[number].name);
    bool good = BSP_Parse(map, name, bytes, size, &err);
    free(bytes);
    if (!good) {
        fprintf(stderr, "%s\n", err.text);
        abort(); // this exact file is known to load
    }
    return good;
}
