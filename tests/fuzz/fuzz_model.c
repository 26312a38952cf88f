// fuzz_model.c - any bytes as an .emesh file with a skeleton; an accepted model is posed and hit.
//
// Input:      the file; its size and checksum are corrected, or nothing would be accepted.
// Invariants: a refusal has a reason with an offset; an accepted file is written again unchanged;
//             cached bone poses equal uncached ones; sweeps end, within their segment.

#include "base/assert.h"
#include "model/emesh_layout.h"
#include "model/emesh_write.h"
#include "model/hitbox.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/// Writes each parsed section again and compares.
static void check_round_trip(const model_t *model, const emesh_t *file) {
    emesh_section_t sections[3];
    uint8_t *owned[3];
    int32_t count = Model_Sections(model, sections, owned);
    int32_t next = 0;
    ASSERT(count >= 0);
    for (int32_t i = 0; i < file->num_sections; i++) {
        const emesh_section_t *one = &file->sections[i];
        if (one->kind != EMESH_COLLISION) {
            ASSERT(next < count && sections[next].kind == one->kind);
            ASSERT(sections[next].bytes == one->bytes);
            ASSERT(memcmp(sections[next].data, one->data, one->bytes) == 0);
            next++;
        }
    }
    ASSERT(next == count);
    for (int32_t i = 0; i < count; i++) {
        free(owned[i]);
    }
}

static void ask(pose_cache_t *cache, const model_t *model, int32_t n) {
    static const cm_object_t place = {.origin = {9.0f, 0.0f, 0.0f}, .angles = {10.0f, 37.0f, 0.0f}};
    const pose_request_t request = {.animations = {n - 1, n},
                                    .times_ms = {(int64_t)n * 1234567, 77 * n},
                                    .blend = (float)(n % 3) * 0.5f,
                                    .controllers = {400.0f, -400.0f, (float)n, 0.0f}};
    model_pose_t a;
    model_pose_t b;
    Pose_Evaluate(NULL, model, &request, &a);
    Pose_Evaluate(cache, model, &request, &b);
    ASSERT(memcmp(&a, &b, (size_t)model->num_bones * sizeof a.bones[0]) == 0);
    turned_box_t scratch[MAX_HITBOXES];
    turned_box_t boxes[MAX_HITBOXES];
    const turned_box_t *kept =
        Hitbox_PlaceAll(cache, (uint32_t)n / 2, model, &request, &place, scratch);
    Hitbox_PlaceAll(NULL, 0, model, &request, &place, boxes);
    ASSERT(memcmp(kept, boxes, (size_t)model->num_hitboxes * sizeof *kept) == 0);
    cm_pose_t at = CM_MakePose(&place);
    float half = n & 1 ? 16.0f : 0.0f;
    bounds_t swept = {{-half, -half, -half}, {half, half, half}};
    trace_t trace = CM_HitboxTrace(model, &a, &at, Vector(-500.0f, (float)n, 5.0f),
                                   Vector(500.0f, 0.0f, -5.0f), swept);
    ASSERT(trace.fraction >= 0.0f && trace.fraction <= 1.0f);
    ASSERT(!trace.allsolid || (trace.startsolid && trace.fraction == 0.0f));
    ASSERT(trace.hitgroup < NUM_HIT_GROUPS && trace.bone <= model->num_bones);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    emesh_t file;
    model_t model;
    err_t err = {""};
    uint8_t *bytes = malloc(size + 1);
    ASSERT(bytes);
    memcpy(bytes, data, size);
    if (size >= sizeof(emesh_header_t)) {
        EMesh_Seal(bytes, size);
    }
    if (!EMesh_Parse(&file, "fuzz", bytes, size, &err)) {
        free(bytes);
        return 0;
    }
    if (!Model_Read(&model, &file, "fuzz", &err)) {
        ASSERT(strncmp(err.text, "fuzz: ", 6) == 0 && strstr(err.text, ": byte "));
    } else if (model.num_bones > 0) {
        pose_cache_t *cache = calloc(1, sizeof *cache);
        ASSERT(cache);
        check_round_trip(&model, &file);
        for (int32_t n = 0; n < 6; n++) {
            ask(cache, &model, n);
        }
        free(cache);
    }
    free(bytes);
    return 0;
}
