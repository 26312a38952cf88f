// fuzz_gltf.c - the bytes of a .gltf or .glb file, as edict-mesh checks them before libassimp reads
// them.
//
// Input:      the file.
// Invariants: a refusal is one line with the file's name; a second check gives the same result.

#include "base/assert.h"
#include "mesh/soup.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    // File name in a folder that does not exist, so that no buffer file can be beside it.
    static const char name[] = "no/such/folder/a.glb";
    err_t err = {{0}};
    err_t again = {{0}};
    bool good = ME_CheckGltf(name, data, size, &err);
    ASSERT(good == (err.text[0] == '\0'));
    ASSERT(good ||
           (strncmp(err.text, "no/such/folder/a.glb: ", 22) == 0 && !strchr(err.text, '\n')));
    ASSERT(ME_CheckGltf(name, data, size, &again) == good && strcmp(err.text, again.text) == 0);
    return 0;
}
