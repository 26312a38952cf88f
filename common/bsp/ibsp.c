#include "bsp/ibsp.h"

#include <stdlib.h>
#include <string.h>

/// The shader of bevels, which the compiler adds.
static const char NO_SHADER[] = "noshader";

/// Offsets in records, equal in both families.
enum {
    AT_FIRST_SIDE = 0,
    AT_NUM_SIDES = 4,
    AT_MODEL_MINS = 0,
    AT_MODEL_MAXS = 12,
    AT_Q2_MODEL_ORIGIN = 24
};

// ---- planes ----

static bool read_planes(ibsp_t *ibsp) {
    const lump_t *lump = &ibsp->file->lumps[ibsp->planes_lump];
    ibsp->planes = calloc((size_t)lump->count + 1, sizeof *ibsp->planes);
    if (!ibsp->planes) {
        return Lumps_Fail(ibsp->file, ibsp->planes_lump, "no memory for %d planes", lump->count);
    }
    ibsp->num_planes = lump->count;
    for (int32_t i = 0; i < lump->count; i++) {
        brush_plane_t *plane = &ibsp->planes[i];
        if (!Bsp_ReadPlane(ibsp->file, ibsp->planes_lump, i, &plane->normal, &plane->dist)) {
            return false;
        }
    }
    return true;
}

bool Ibsp_Open(ibsp_t *ibsp) {
    const bsp_file_t *file = ibsp->file;
    ibsp->num_models = file->lumps[ibsp->models_lump].count;
    if (ibsp->num_models < 1 || ibsp->num_models > MAX_MAP_MODELS) {
        return Lumps_Fail(file, ibsp->models_lump, "expected 1..%d models, found %d",
                          MAX_MAP_MODELS, ibsp->num_models);
    }
    ibsp->lists = calloc((size_t)ibsp->num_models, sizeof *ibsp->lists);
    if (!ibsp->lists) {
        return Lumps_Fail(file, ibsp->models_lump, "no memory for %d models", ibsp->num_models);
    }
    return read_planes(ibsp);
}

void Ibsp_Close(ibsp_t *ibsp) {
    free(ibsp->planes);
    free(ibsp->lists);
    Brushes_Free(&ibsp->brushes);
}

// ---- contents ----

contents_t Ibsp_TakeContents(uint32_t *flags, bsp_family_t family) {
    bool is_quake2 = family == FAMILY_QUAKE2;
    uint32_t solid = IBSP_SOLID | (is_quake2 ? IBSP_Q2_WINDOW : 0);
    uint32_t liquids = IBSP_LAVA | IBSP_SLIME | IBSP_WATER;
    uint32_t found = *flags;
    if (found & solid) {
        *flags &= ~(solid | IBSP_PLAYERCLIP | IBSP_MONSTERCLIP | liquids);
        return CONTENTS_SOLID;
    }
    if (found & liquids) {
        *flags &= ~liquids;
        if (found & IBSP_LAVA) {
            return CONTENTS_LAVA;
        }
        if (found & IBSP_SLIME) {
            return CONTENTS_SLIME;
        }
        for (int32_t i = 0; is_quake2 && i < 6; i++) {
            if (found & IBSP_Q2_CURRENT << i) {
                return (contents_t)(CONTENTS_CURRENT_0 - i);
            }
        }
        return CONTENTS_WATER;
    }
    if (found & IBSP_PLAYERCLIP) {
        *flags &= ~(IBSP_PLAYERCLIP | IBSP_MONSTERCLIP);
        return CONTENTS_CLIP;
    }
    if (found & IBSP_MONSTERCLIP) {
        *flags &= ~IBSP_MONSTERCLIP;
        return CONTENTS_MONSTERCLIP;
    }
    if (found & IBSP_LADDER) {
        *flags &= ~IBSP_LADDER;
        return CONTENTS_LADDER;
    }
    return CONTENTS_EMPTY;
}

// ---- brushes ----

/// Cuts the bounds at an axial plane. Returns false for other planes.
static bool cut_bounds(bounds_t *bounds, const brush_plane_t *plane) {
    float lo[3] = {bounds->mins.x, bounds->mins.y, bounds->mins.z};
    float hi[3] = {bounds->maxs.x, bounds->maxs.y, bounds->maxs.z};
    for (int32_t i = 0; i < 3; i++) {
        vec3_t axis = {i == 0 ? 1.0f : 0.0f, i == 1 ? 1.0f : 0.0f, i == 2 ? 1.0f : 0.0f};
        if (VectorCompare(plane->normal, axis)) {
            hi[i] = plane->dist < hi[i] ? plane->dist : hi[i];
        } else if (VectorCompare(plane->normal, VectorNegate(axis))) {
            lo[i] = -plane->dist > lo[i] ? -plane->dist : lo[i];
        } else {
            continue;
        }
        *bounds = (bounds_t){Vector(lo[0], lo[1], lo[2]), Vector(hi[0], hi[1], hi[2])};
        return true;
    }
    return false;
}

static bool is_known(const brush_plane_t *planes, int32_t count, const brush_plane_t *plane) {
    for (int32_t i = 0; i < count; i++) {
        if (planes[i].dist == plane->dist && VectorCompare(planes[i].normal, plane->normal)) {
            return true;
        }
    }
    return false;
}

bool Ibsp_Work(ibsp_t *ibsp, int32_t lump, int32_t number, int32_t work) {
    ibsp->brushes.work += work;
    return ibsp->brushes.work <= MAX_BRUSH_WORK ||
           Lumps_Fail(
               ibsp->file, lump,
               "record %d: loading this map takes more than %d steps; simplify brushes with many "
               "sides, or remove repeated references",
               number, MAX_BRUSH_WORK);
}

/// Reads the sides of a brush: axial ones into the bounds, others into the planes. Returns the
/// number of planes, or -1.
static int32_t read_sides(ibsp_t *ibsp, int32_t number, bounds_t *bounds,
                          brush_plane_t planes[MAX_BRUSH_SIDES]) {
    const bsp_file_t *file = ibsp->file;
    const lump_t *sides = &file->lumps[ibsp->sides_lump];
    const lump_t *lump = &file->lumps[ibsp->brushes_lump];
    const uint8_t *at = lump->data + (size_t)number * (size_t)lump->record_bytes;
    int32_t first = Lumps_I32(at + AT_FIRST_SIDE);
    int32_t count = Lumps_I32(at + AT_NUM_SIDES);
    if (first < 0 || count < 0 || count > sides->count || first > sides->count - count) {
        Lumps_Fail(file, ibsp->brushes_lump,
                   "brush %d: expected sides within 0..%d, found a range of %d that starts at %d",
                   number, sides->count - 1, count, first);
        return -1;
    }
    if (!Ibsp_Work(ibsp, ibsp->brushes_lump, number, 1)) {
        return -1;
    }
    int32_t num_planes = 0;
    for (int32_t i = first; i < first + count; i++) {
        const uint8_t *side = sides->data + (size_t)i * (size_t)sides->record_bytes;
        int32_t plane = sides->record_bytes == 4 ? Lumps_U16(side) : Lumps_I32(side);
        if (!Ibsp_Work(ibsp, ibsp->brushes_lump, number, 1 + num_planes)) {
            return -1;
        }
        if (plane < 0 || plane >= ibsp->num_planes) {
            Lumps_Fail(file, ibsp->sides_lump, "side %d: expected a plane 0..%d, found %d", i,
                       ibsp->num_planes - 1, plane);
            return -1;
        }
        if (cut_bounds(bounds, &ibsp->planes[plane]) ||
            is_known(planes, num_planes, &ibsp->planes[plane])) {
            continue;
        }
        if (num_planes == MAX_BRUSH_SIDES) {
            Lumps_Fail(file, ibsp->brushes_lump,
                       "brush %d: expected at most %d sides that are not axial, found more", number,
                       MAX_BRUSH_SIDES);
            return -1;
        }
        planes[num_planes++] = ibsp->planes[plane];
    }
    return num_planes;
}

/// Returns true if a side is sky and all others are sky or not drawn. A wall with one sky side
/// stays a wall.
static bool is_sky(const ibsp_t *ibsp, int32_t number) {
    const lump_t *sides = &ibsp->file->lumps[ibsp->sides_lump];
    const lump_t *brushes = &ibsp->file->lumps[ibsp->brushes_lump];
    const lump_t *surfaces = &ibsp->file->lumps[ibsp->surfaces_lump];
    const uint8_t *at = brushes->data + (size_t)number * (size_t)brushes->record_bytes;
    int32_t first = Lumps_I32(at + AT_FIRST_SIDE);
    int32_t count = Lumps_I32(at + AT_NUM_SIDES);
    bool found = false;
    for (int32_t i = first; i < first + count; i++) {
        const uint8_t *side = sides->data + (size_t)i * (size_t)sides->record_bytes;
        int32_t surface =
            sides->record_bytes == 4 ? (int16_t)Lumps_U16(side + 2) : Lumps_I32(side + 4);
        if (surface < 0 || surface >= surfaces->count) {
            continue;
        }
        const uint8_t *of = surfaces->data + (size_t)surface * (size_t)surfaces->record_bytes;
        uint32_t flags = Lumps_U32(of + ibsp->at_surface_flags);
        bool added = memcmp(of + ibsp->at_surface_name, NO_SHADER, sizeof NO_SHADER - 1) == 0;
        if (!(flags & (IBSP_SURFACE_SKY | IBSP_SURFACE_NODRAW)) && !added) {
            return false;
        }
        found |= (flags & IBSP_SURFACE_SKY) != 0;
    }
    return found;
}

void Ibsp_MarkSeeThrough(ibsp_t *ibsp, int32_t first) {
    cbrush_t *brushes = ibsp->brushes.brushes.data;
    for (int32_t i = first; i < ibsp->brushes.brushes.count; i++) {
        brushes[i].flags |= brushes[i].contents == CONTENTS_SOLID ? BRUSH_SEE_THROUGH : 0;
    }
}

bool Ibsp_AddBrush(ibsp_t *ibsp, int32_t number, uint32_t flags) {
    const bsp_file_t *file = ibsp->file;
    const bool is_see_through = flags & (IBSP_Q2_WINDOW | IBSP_SEE_THROUGH);
    const int32_t first = ibsp->brushes.brushes.count;
    const bounds_t all = {Vector(-MAX_PLANE_DIST, -MAX_PLANE_DIST, -MAX_PLANE_DIST),
                          Vector(MAX_PLANE_DIST, MAX_PLANE_DIST, MAX_PLANE_DIST)};
    brush_plane_t planes[MAX_BRUSH_SIDES];
    bounds_t bounds = all;
    int32_t count = read_sides(ibsp, number, &bounds, planes);
    if (count < 0) {
        return false;
    }
    contents_t contents = Ibsp_TakeContents(&flags, file->format->family);
    while (contents != CONTENTS_EMPTY) {
        brush_added_t added = Brushes_Add(&ibsp->brushes, bounds, contents, planes, count);
        if (added == BRUSH_NO_MEMORY) {
            return Lumps_Fail(file, ibsp->brushes_lump, "no memory for brush %d", number);
        }
        if (added == BRUSH_TOO_COMPLEX) {
            return Lumps_Fail(file, ibsp->brushes_lump, "brush %d: %s", number,
                              Brushes_TooComplexText(&ibsp->brushes));
        }
        if (added == BRUSH_EMPTY) {
            Lumps_Remark(file, file->format->lumps[ibsp->brushes_lump].name,
                         "brush %d: no volume, left out", number);
            return true;
        }
        if (added == BRUSH_ADDED) {
            cbrush_t *made = ibsp->brushes.brushes.data;
            made += ibsp->brushes.brushes.count - 1;
            if (contents == CONTENTS_SOLID && is_sky(ibsp, number)) {
                made->contents = CONTENTS_SKY;
                made->flags |= BRUSH_STOPS_POINTS;
            }
            if (!VectorWithin(made->bounds.mins, 0.5f * MAX_PLANE_DIST) ||
                !VectorWithin(made->bounds.maxs, 0.5f * MAX_PLANE_DIST)) {
                return Lumps_Fail(file, ibsp->brushes_lump,
                                  "brush %d: expected a closed brush, found an open one", number);
            }
        }
        contents = Ibsp_TakeContents(&flags, file->format->family);
    }
    if (is_see_through) {
        Ibsp_MarkSeeThrough(ibsp, first);
    }
    return true;
}

bool Ibsp_EndModel(ibsp_t *ibsp, int32_t model, int32_t first) {
    bspx_list_t *list = &ibsp->lists[model];
    list->exists = true;
    return Brushes_MakeTree(&ibsp->brushes, first, &list->root) ||
           Lumps_Fail(ibsp->file, ibsp->brushes_lump, "no memory for %d brushes",
                      ibsp->brushes.brushes.count - first);
}

// ---- the map ----

static bool read_models(const ibsp_t *ibsp, cmap_t *map) {
    const bsp_file_t *file = ibsp->file;
    const lump_t *lump = &file->lumps[ibsp->models_lump];
    for (int32_t i = 0; i < lump->count; i++) {
        const uint8_t *at = lump->data + (size_t)i * (size_t)lump->record_bytes;
        cmodel_t *model = &map->models[i];
        vec3_t mins = Lumps_Vector(at + AT_MODEL_MINS);
        vec3_t maxs = Lumps_Vector(at + AT_MODEL_MAXS);
        vec3_t origin = {0.0f, 0.0f, 0.0f};
        if (file->format->family == FAMILY_QUAKE2) {
            origin = Lumps_Vector(at + AT_Q2_MODEL_ORIGIN);
        }
        if (!Bsp_CheckModel(file, ibsp->models_lump, i, (bounds_t){mins, maxs}, origin)) {
            return false;
        }
        if (mins.x <= maxs.x && mins.y <= maxs.y && mins.z <= maxs.z) {
            model->bounds = (bounds_t){mins, maxs};
        }
        for (int32_t hull = 0; hull < CM_NumHulls(map->hullset); hull++) {
            bounds_t size = CM_HullSize(map->hullset, hull);
            model->hulls[hull] =
                (hull_t){.root = CONTENTS_EMPTY, .clip_mins = size.mins, .clip_maxs = size.maxs};
        }
    }
    return true;
}

bool Ibsp_Finish(ibsp_t *ibsp, cmap_t *map) {
    map_sizes_t sizes = {.leafs = 1, .models = ibsp->num_models};
    Ibsp_SizeVis(ibsp, &sizes);
    if (!Bsp_Allocate(map, ibsp->file, &sizes, &ibsp->brushes) || !read_models(ibsp, map)) {
        return false;
    }
    Bsp_SetBrushLists(map, ibsp->lists);
    map->brushes_only = true;
    Ibsp_ReadVis(ibsp, &sizes, map);
    return true;
}
