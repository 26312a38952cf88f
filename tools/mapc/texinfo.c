#include "mapc/texinfo.h"

#include "base/hash.h"
#include "mapc/texture.h"
#include "math/angles.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/// Maximum of a texture axis and offset. Beyond it, texels are no longer exact in 32 bits.
#define MC_MAX_AXIS   1e4
#define MC_MAX_OFFSET 1e7
/// A later axis must face a side this much more than an earlier one.
#define MC_AXIS_TIE 1e-6

void MC_InitTexinfos(mc_texinfos_t *table, mc_pool_t *pool, mc_report_t *report, bool halflife) {
    *table = (mc_texinfos_t){.pool = pool, .report = report, .halflife = halflife};
    for (size_t i = 0; i < COUNTOF(table->buckets); i++) {
        table->buckets[i] = -1;
    }
}

bool MC_IsDrawn(const char *texture) {
    static const char *const hidden[] = {"skip",     "caulk",      "nodraw", "null",
                                         "clip",     "hint",       "origin", "trigger",
                                         "hintskip", "aaatrigger", "ladder"};
    for (size_t i = 0; i < COUNTOF(hidden); i++) {
        if (strcasecmp(texture, hidden[i]) == 0) {
            return false;
        }
    }
    return true;
}

int32_t MC_FindTextureName(mc_texinfos_t *table, const char *name) {
    mc_texture_name_t wanted = {0};
    for (size_t i = 0; i + 1 < sizeof wanted && name[i]; i++) {
        wanted[i] = (char)tolower((unsigned char)name[i]);
    }
    for (size_t i = 0; i < table->num_names; i++) {
        if (memcmp(table->names[i], wanted, sizeof wanted) == 0) {
            return (int32_t)i;
        }
    }
    if (strlen(name) >= sizeof wanted) {
        MC_Warn(table->report, 0,
                "texture \"%s\": expected a name of at most %d bytes; cut to "
                "\"%s\"",
                name, MC_TEXTURE_NAME - 1, wanted);
    }
    table->names = MC_Grow(table->pool, table->names, table->num_names, &table->name_room,
                           sizeof *table->names);
    memcpy(table->names[table->num_names], wanted, sizeof wanted);
    return (int32_t)table->num_names++;
}

/// Writes the axes of a Standard side that faces one of the six axes most.
static void standard_axes(dvec_t normal, dvec_t axes[2]) {
    static const dvec_t table[6][3] = {
        {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}}, {{0, 0, -1}, {1, 0, 0}, {0, -1, 0}},
        {{1, 0, 0}, {0, 1, 0}, {0, 0, -1}}, {{-1, 0, 0}, {0, 1, 0}, {0, 0, -1}},
        {{0, 1, 0}, {1, 0, 0}, {0, 0, -1}}, {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}}};
    int32_t best = 0;
    for (int32_t i = 1; i < 6; i++) {
        if (DV_Dot(normal, table[i][0]) > DV_Dot(normal, table[best][0]) + MC_AXIS_TIE) {
            best = i;
        }
    }
    axes[0] = table[best][1];
    axes[1] = table[best][2];
}

/// Rotates Standard axes within the plane of the two coordinates that they span.
static void turn_axes(dvec_t axes[2], double degrees) {
    float sine, cosine;
    SinCos((float)degrees, &sine, &cosine);
    dvec_t along = DV(fabs(axes[0].x), fabs(axes[0].y), fabs(axes[0].z));
    dvec_t across = DV(fabs(axes[1].x), fabs(axes[1].y), fabs(axes[1].z));
    for (int32_t i = 0; i < 2; i++) {
        double s = DV_Dot(axes[i], along);
        double t = DV_Dot(axes[i], across);
        axes[i] = DV_Scale(along, (double)cosine * s - (double)sine * t);
        axes[i] = DV_MA(axes[i], (double)sine * s + (double)cosine * t, across);
    }
}

/// Computes the axes of a side. Returns false if they are too large, or have no length.
static bool place_texture(const mc_placement_t *placement, dvec_t normal, dvec_t origin,
                          mc_texinfo_t *info) {
    if (placement->has_axes) {
        info->axes[0] = placement->axes[0];
        info->axes[1] = placement->axes[1];
    } else {
        standard_axes(normal, info->axes);
        turn_axes(info->axes, placement->rotation);
    }
    bool good = true;
    for (int32_t i = 0; i < 2; i++) {
        double scale = placement->scale[i] == 0.0 ? 1.0 : placement->scale[i];
        info->axes[i] = DV_Scale(info->axes[i], 1.0 / scale);
        // The side was moved by -origin, so the offset makes up for it.
        info->offset[i] = placement->offset[i] + DV_Dot(info->axes[i], origin);
        double length = DV_Length(info->axes[i]);
        good = good && length > 1.0 / MC_MAX_AXIS && length < MC_MAX_AXIS &&
               fabs(info->offset[i]) < MC_MAX_OFFSET;
    }
    return good;
}

static int32_t find_info(mc_texinfos_t *table, mc_texinfo_t *info) {
    const double key[] = {info->axes[0].x, info->axes[0].y, info->axes[0].z, info->offset[0],
                          info->axes[1].x, info->axes[1].y, info->axes[1].z, info->offset[1]};
    double rounded[COUNTOF(key)];
    for (size_t i = 0; i < COUNTOF(key); i++) {
        rounded[i] = (double)(float)key[i] + 0.0; // as in the file, without -0
    }
    info->axes[0] = DV(rounded[0], rounded[1], rounded[2]);
    info->axes[1] = DV(rounded[4], rounded[5], rounded[6]);
    info->offset[0] = rounded[3];
    info->offset[1] = rounded[7];
    uint64_t hash = Hash_Bytes(rounded, sizeof rounded, (uint64_t)info->texture);
    int32_t *bucket = &table->buckets[hash % COUNTOF(table->buckets)];
    for (int32_t i = *bucket; i >= 0; i = table->next[i]) {
        const mc_texinfo_t *had = &table->infos[i];
        if (memcmp(had->axes, info->axes, sizeof had->axes) == 0 &&
            memcmp(had->offset, info->offset, sizeof had->offset) == 0 &&
            had->texture == info->texture && had->special == info->special) {
            return i;
        }
    }
    table->infos =
        MC_Grow(table->pool, table->infos, table->count, &table->room, sizeof *table->infos);
    table->next =
        MC_Grow(table->pool, table->next, table->count, &table->next_room, sizeof *table->next);
    int32_t number = (int32_t)table->count++;
    table->infos[number] = *info;
    table->next[number] = *bucket;
    *bucket = number;
    return number;
}

int32_t MC_FindTexinfo(mc_texinfos_t *table, const mc_face_t *side, dvec_t normal, dvec_t origin) {
    mc_texinfo_t info;
    if (!place_texture(&side->placement, normal, origin, &info)) {
        static const mc_placement_t plain = {.scale = {1.0, 1.0}};
        MC_Warn(table->report, side->line,
                "texture \"%s\": expected axes and offsets of a usable size, found a scale or an "
                "offset that is too small or too large; scale 1 is used",
                side->texture);
        place_texture(&plain, normal, DV(0, 0, 0), &info);
    }
    contents_t contents = MC_TextureContents(side->texture, table->halflife);
    int32_t rank = MC_ContentsRank(contents);
    info.special = rank == MC_ContentsRank(CONTENTS_SKY) || rank == MC_ContentsRank(CONTENTS_WATER);
    info.texture = MC_FindTextureName(table, side->texture);
    return find_info(table, &info);
}

int32_t MC_SpecialTexinfo(mc_texinfos_t *table, int32_t number) {
    mc_texinfo_t info = table->infos[number];
    info.special = true;
    return find_info(table, &info);
}
