// fuzz_emesh.c - any bytes as an .emesh file; a loaded mesh must answer queries.
//
// Input:      the file; its size and checksum are corrected, or nothing would be accepted.
// Invariants: a refusal has a reason with an offset; an accepted file is written again unchanged;
//             sweeps end, within their segment; a box starts in solid if it touches triangles.

#include "base/assert.h"
#include "base/rng.h"
#include "collide/mesh/mesh.h"
#include "model/emesh_layout.h"
#include "model/emesh_write.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static vec3_t random_point(rng_t *rng) {
    float size = Rng_Below(rng, 4) == 0 ? 70000.0f : 100.0f;
    float x = Rng_Range(rng, -size, size);
    float y = Rng_Range(rng, -size, size);
    return Vector(x, y, Rng_Range(rng, -size, size));
}

static void ask(const mesh_t *mesh, rng_t *rng) {
    const cm_object_t place = {.origin = Vector(Rng_Range(rng, -9.0f, 9.0f), 0.0f, 0.0f),
                               .angles = Vector(0.0f, Rng_Below(rng, 2) ? 37.0f : 0.0f, 0.0f)};
    cm_pose_t pose = CM_MakePose(&place);
    vec3_t start = random_point(rng);
    vec3_t end = random_point(rng);
    vec3_t half = {Rng_Range(rng, 0.0f, 40.0f), 16.0f, 28.0f};
    vec3_t mins = VectorNegate(half);
    trace_t trace = CM_MeshTrace(mesh, &pose, start, end, mins, half);
    ASSERT(trace.fraction >= 0.0f && trace.fraction <= 1.0f);
    ASSERT(VectorWithin(trace.endpos, 70001.0f));
    ASSERT(!trace.allsolid || (trace.startsolid && trace.fraction == 0.0f));
    mesh_hit_t hit = CM_MeshSweep(mesh, &pose, start, end, mins, half);
    ASSERT(hit.fraction >= 0.0f && hit.fraction <= 1.0f);
    ASSERT(hit.triangle >= -1 && hit.triangle < mesh->num_triangles);
    (void)CM_MeshTouches(mesh, &pose, start, mins, half);
    contents_t contents = CM_MeshContents(mesh, &pose, start);
    ASSERT(contents == CONTENTS_EMPTY || contents == (contents_t)mesh->contents);
    cm_contact_t contacts[4];
    int32_t count = CM_MeshOverlap(
        mesh, &pose, (bounds_t){VectorAdd(start, mins), VectorAdd(start, half)}, contacts, 4);
    for (int32_t i = 0; i < count; i++) {
        ASSERT(contacts[i].surface >= 0 && contacts[i].surface < mesh->num_triangles);
        ASSERT(contacts[i].depth >= 0.0f);
    }
}

/// Writes the parsed file again and compares.
static void check_round_trip(const emesh_t *file, const uint8_t *bytes, size_t size) {
    size_t again_size = 0;
    emesh_section_t sections[MAX_EMESH_SECTIONS];
    uint8_t *meshes[MAX_EMESH_PARTS];
    int32_t part = 0;
    for (int32_t i = 0; i < file->num_sections; i++) {
        sections[i] = file->sections[i];
        if (sections[i].kind == EMESH_COLLISION) {
            meshes[part] = EMesh_CollisionBytes(&file->parts[part], &sections[i].bytes);
            sections[i].data = meshes[part++];
            ASSERT(sections[i].data);
        }
    }
    uint8_t *again = EMesh_Bytes(sections, file->num_sections, &again_size);
    ASSERT(again && again_size == size && memcmp(again, bytes, size) == 0);
    free(again);
    for (int32_t i = 0; i < part; i++) {
        free(meshes[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    emesh_t file;
    err_t err = {""};
    uint8_t *bytes = malloc(size + 1);
    ASSERT(bytes);
    memcpy(bytes, data, size);
    if (size >= sizeof(emesh_header_t)) {
        EMesh_Seal(bytes, size);
    }
    if (!EMesh_Parse(&file, "fuzz", bytes, size, &err)) {
        ASSERT(strncmp(err.text, "fuzz: byte ", 11) == 0 && file.num_parts == 0);
        free(bytes);
        return 0;
    }
    check_round_trip(&file, bytes, size);
    rng_t rng = {file.hash};
    for (int32_t i = 0; i < file.num_parts; i++) {
        for (int32_t n = 0; n < 4; n++) {
            ask(&file.parts[i], &rng);
        }
    }
    free(bytes);
    return 0;
}
