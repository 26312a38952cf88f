#include "mapc/entities.h"

#include "base/limits.h"
#include "bsp/map.h"
#include "mapc/output.h"
#include "mapc/texture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define ENTITY_POINT (-1)
#define ENTITY_GONE  (-2)

/// Maximum depth of nested groups in an editor's file. Deeper nesting, or a cycle, is not followed.
#define MC_MAX_GROUP_DEPTH 64

static bool starts_with(const char *text, const char *front) {
    return strncasecmp(text, front, strlen(front)) == 0;
}

static bool joins_world(const char *class) {
    return strcmp(class, "worldspawn") == 0 || strcmp(class, "func_group") == 0 ||
           starts_with(class, "func_detail");
}

/// A layer or group of the editor. Entities refer to it by kind and id.
typedef struct {
    const char *kind, *id;
    int32_t entity;
} group_t;

static int compare_groups(const void *a, const void *b) {
    const group_t *one = a;
    const group_t *two = b;
    int by_kind = strcmp(one->kind, two->kind);
    int by_id = by_kind ? by_kind : strcmp(one->id, two->id);
    return by_id ? by_id : (one->entity > two->entity) - (one->entity < two->entity);
}

static int compare_names(const void *a, const void *b) {
    const group_t *one = a;
    const group_t *two = b;
    int by_kind = strcmp(one->kind, two->kind);
    return by_kind ? by_kind : strcmp(one->id, two->id);
}

/// All groups of a map, sorted by kind and id.
typedef struct {
    group_t *groups;
    size_t count;
} groups_t;

static groups_t collect_groups(mc_pool_t *pool, const mc_map_t *map) {
    groups_t all = {MC_Alloc(pool, (size_t)map->num_entities, sizeof(group_t)), 0};
    for (int32_t i = 0; i < map->num_entities; i++) {
        const char *kind = MC_ValueOf(&map->entities[i], "_tb_type");
        const char *id = MC_ValueOf(&map->entities[i], "_tb_id");
        if (kind && id) {
            all.groups[all.count++] = (group_t){kind, id, i};
        }
    }
    qsort(all.groups, all.count, sizeof *all.groups, compare_groups);
    return all;
}

/// Returns the group or layer entity that an entity belongs to, or -1.
static int32_t parent_of(const groups_t *all, const mc_entity_t *entity) {
    static const char *const kinds[] = {"_tb_group", "_tb_layer"};
    for (size_t i = 0; i < COUNTOF(kinds); i++) {
        const char *id = MC_ValueOf(entity, kinds[i]);
        if (id && all->count) {
            group_t wanted = {kinds[i], id, 0};
            const group_t *found =
                bsearch(&wanted, all->groups, all->count, sizeof wanted, compare_names);
            return found ? found->entity : -1;
        }
    }
    return -1;
}

/// Returns true if an entity, its layer or its group is omitted from export. Without a layer, a key
/// of worldspawn decides.
static bool is_omitted(const groups_t *all, const mc_map_t *map, int32_t number) {
    for (int32_t depth = 0; depth < MC_MAX_GROUP_DEPTH; depth++) {
        const char *flag = MC_ValueOf(&map->entities[number], "_tb_layer_omit_from_export");
        if (flag && strcmp(flag, "1") == 0) {
            return true;
        }
        const char *kind = MC_ValueOf(&map->entities[number], "_tb_type");
        int32_t parent = parent_of(all, &map->entities[number]);
        if (parent < 0 || parent == number) {
            bool layer = kind && strcmp(kind, "_tb_layer") == 0;
            const char *world = MC_ValueOf(&map->entities[0], "_tb_layer_omit_from_export");
            return !layer && world && strcmp(world, "1") == 0;
        }
        number = parent;
    }
    return false;
}

/// Sets a model's origin to the centre of the origin brush.
static void find_origin(mc_pools_t *pools, mc_planes_t *table, mc_report_t *report,
                        const mc_entity_t *entity, mc_model_t *model) {
    for (int32_t i = 0; i < entity->num_brushes; i++) {
        const mc_mapbrush_t *source = &entity->brushes[i];
        bool marks = false;
        for (int32_t k = 0; k < source->num_faces; k++) {
            contents_t contents = MC_TextureContents(source->faces[k].texture, false);
            marks = marks || contents == CONTENTS_ORIGIN;
        }
        mc_brush_t brush = {0};
        if (!marks || !MC_MakeBrush(pools, table, report, source, DV(0, 0, 0), &brush)) {
            continue;
        }
        if (model->has_origin) {
            MC_Warn(report, source->line,
                    "the entity has more than one origin brush; the first decides");
            continue;
        }
        model->has_origin = true;
        model->origin = DV_Scale(DV_Add(brush.bounds.mins, brush.bounds.maxs), 0.5);
    }
    if (!model->has_origin && Map_IsTurningClass(MC_ClassOf(entity)) &&
        !MC_ValueOf(entity, "origin") && !MC_ValueOf(entity, "turn_about")) {
        MC_Warn(report, entity->line,
                "%s: expected an ORIGIN brush, found none: it turns about its middle; add the "
                "brush, or the key \"turn_about\" \"middle\" or \"map\"",
                MC_ClassOf(entity));
    }
}

typedef struct {
    mc_pools_t *pools;
    mc_planes_t *table;
    mc_report_t *report;
    bool halflife;
} maker_t;

/// Warns about a texture that does not work in the world.
static void check_place(const maker_t *m, const mc_entity_t *entity, const mc_mapbrush_t *source,
                        contents_t contents) {
    if (contents == CONTENTS_ORIGIN && joins_world(MC_ClassOf(entity))) {
        MC_Warn(m->report, source->line,
                "origin brush ignored: it works only in a brush entity, not in the world");
    }
    const char *texture = source->num_faces ? source->faces[0].texture : "";
    if (joins_world(MC_ClassOf(entity)) &&
        (strcasecmp(texture, "trigger") == 0 || strcasecmp(texture, "aaatrigger") == 0)) {
        MC_Warn(m->report, source->line,
                "texture \"%s\" in the world makes a solid wall; put the brush into an entity",
                texture);
    }
}

/// Returns the contents of a brush of a brush entity. The model is solid, even for a trigger. In
/// Half-Life maps, the texture of a liquid decides.
static contents_t model_contents(contents_t contents, bool halflife) {
    bool liquid = halflife && contents != CONTENTS_LADDER && contents != CONTENTS_SKY;
    return contents == CONTENTS_CLIP || liquid ? contents : CONTENTS_SOLID;
}

/// Appends an entity's brushes to a model.
static void add_brushes(const maker_t *m, const mc_entity_t *entity, mc_model_t *model,
                        size_t *room) {
    bool illusion = strcmp(MC_ClassOf(entity), "func_detail_illusionary") == 0;
    bool own_model = !joins_world(MC_ClassOf(entity));
    for (int32_t i = 0; i < entity->num_brushes; i++) {
        const mc_mapbrush_t *source = &entity->brushes[i];
        contents_t contents = MC_BrushContents(m->report, source, m->halflife);
        check_place(m, entity, source, contents);
        if (illusion || contents == CONTENTS_ORIGIN || contents == CONTENTS_EMPTY) {
            continue;
        }
        contents = own_model ? model_contents(contents, m->halflife) : contents;
        mc_brush_t brush = {.order = model->num_brushes, .contents = contents};
        if (!MC_MakeBrush(m->pools, m->table, m->report, source, model->origin, &brush)) {
            continue;
        }
        model->brushes = MC_Grow(&m->pools->keep, model->brushes, (size_t)model->num_brushes, room,
                                 sizeof *model->brushes);
        model->brushes[model->num_brushes++] = brush;
    }
}

/// Adds the origin of a point entity to the seeds.
static void add_seed(mc_scene_t *scene, mc_report_t *report, const mc_entity_t *entity,
                     int32_t number) {
    const char *value = MC_ValueOf(entity, "origin");
    dvec_t origin;
    if (!value) {
        return;
    }
    if (!MC_ParseVector(value, &origin)) {
        MC_Warn(report, entity->line,
                "origin of \"%.40s\": expected three numbers, found \"%.40s\"; origin ignored",
                MC_ClassOf(entity), value);
        return;
    }
    scene->seeds.seeds[scene->seeds.count++] = (mc_seed_t){origin, entity, number, false};
}

void MC_MakeScene(mc_scene_t *scene, mc_pools_t *pools, mc_planes_t *table, mc_report_t *report,
                  const mc_map_t *map, bool halflife) {
    maker_t m = {pools, table, report, halflife};
    size_t entities = (size_t)map->num_entities;
    *scene = (mc_scene_t){.num_models = 1};
    scene->models = MC_Alloc(&pools->keep, entities + 1, sizeof *scene->models);
    scene->model_of = MC_Alloc(&pools->keep, entities, sizeof *scene->model_of);
    scene->seeds.seeds = MC_Alloc(&pools->keep, entities, sizeof *scene->seeds.seeds);
    mc_mark_t mark = MC_Mark(&pools->temp);
    groups_t groups = collect_groups(&pools->temp, map);
    size_t world_room = 0;
    int32_t written = 0; // entities written so far
    for (int32_t i = 0; i < map->num_entities; i++) {
        const mc_entity_t *entity = &map->entities[i];
        const char *class = MC_ClassOf(entity);
        bool omitted = is_omitted(&groups, map, i);
        if (class[0] == 0) {
            MC_Warn(report, entity->line, "the entity has no key \"classname\"; add it");
        }
        if (omitted && i > 0) {
            scene->model_of[i] = ENTITY_GONE;
        } else if (joins_world(class)) {
            scene->model_of[i] = i == 0 ? 0 : ENTITY_GONE;
            if (!omitted) {
                add_brushes(&m, entity, &scene->models[0], &world_room);
            }
        } else if (entity->num_brushes > 0) {
            size_t room = 0;
            mc_model_t *model = &scene->models[scene->num_models];
            model->entity = i;
            scene->model_of[i] = scene->num_models++;
            find_origin(pools, table, report, entity, model);
            add_brushes(&m, entity, model, &room);
        } else {
            scene->model_of[i] = ENTITY_POINT;
            add_seed(scene, report, entity, written);
        }
        written += scene->model_of[i] != ENTITY_GONE;
    }
    MC_Release(&pools->temp, mark);
}

static void add_text(mc_bytes_t *text, const char *part) {
    MC_PutBytes(text, part, strlen(part));
}

static void add_pair(mc_bytes_t *text, const char *key, const char *value) {
    add_text(text, "\"");
    add_text(text, key);
    add_text(text, "\" \"");
    add_text(text, value);
    add_text(text, "\"\n");
}

/// Returns true if the file needs a pair. Sets *bad if a needed pair is too long.
static bool keeps_pair(mc_report_t *report, const mc_pair_t *pair, bool *bad) {
    if (starts_with(pair->key, "_tb_")) {
        return false;
    }
    bool is_key_long = strlen(pair->key) >= MAX_KEY_BYTES;
    const char *what = is_key_long ? "key" : "value";
    size_t length = strlen(is_key_long ? pair->key : pair->value);
    int32_t max = is_key_long ? MAX_KEY_BYTES : MAX_VALUE_BYTES;
    bool fits = length < (size_t)max;
    if (!fits && (pair->key[0] == '_' || strcmp(pair->key, "wad") == 0)) {
        MC_Warn(report, pair->line, "\"%.40s\" left out: expected a %s below %d bytes, found %zu",
                pair->key, what, max, length);
        return false;
    }
    if (!fits) {
        MC_Error(report, pair->line, "\"%.40s\": expected a %s below %d bytes, found %zu",
                 pair->key, what, max, length);
        *bad = true;
    }
    return fits;
}

/// Writes the position of an origin brush as the key "origin".
static void add_origin(mc_bytes_t *text, const mc_model_t *model) {
    char value[128];
    snprintf(value, sizeof value, "%.9g %.9g %.9g", model->origin.x + 0.0, model->origin.y + 0.0,
             model->origin.z + 0.0);
    add_pair(text, "origin", value);
}

static bool add_entity(mc_bytes_t *text, const mc_scene_t *scene, mc_report_t *report,
                       const mc_entity_t *entity, int32_t number) {
    const mc_model_t *model = number > 0 ? &scene->models[number] : NULL;
    int32_t keys = 0;
    bool bad = false;
    add_text(text, "{\n");
    for (int32_t i = 0; i < entity->num_pairs; i++) {
        const mc_pair_t *pair = &entity->pairs[i];
        bool replaced = model && (strcmp(pair->key, "model") == 0 ||
                                  (model->has_origin && strcmp(pair->key, "origin") == 0));
        if (!replaced && keeps_pair(report, pair, &bad)) {
            add_pair(text, pair->key, pair->value);
            keys++;
        }
    }
    if (model) {
        char value[32];
        snprintf(value, sizeof value, "*%d", number);
        add_pair(text, "model", value);
        keys++;
    }
    if (model && model->has_origin) {
        add_origin(text, model);
        keys++;
    }
    add_text(text, "}\n");
    if (keys > MAX_ENTITY_KEYS) {
        MC_Error(report, entity->line, "expected at most %d keys of an entity, found %d",
                 MAX_ENTITY_KEYS, keys);
        bad = true;
    }
    return !bad;
}

char *MC_EntityText(const mc_scene_t *scene, mc_pools_t *pools, mc_report_t *report,
                    const mc_map_t *map, size_t *size) {
    mc_bytes_t text = {.pool = &pools->keep};
    bool good = true;
    for (int32_t i = 0; i < map->num_entities; i++) {
        if (scene->model_of[i] != ENTITY_GONE) {
            good = add_entity(&text, scene, report, &map->entities[i], scene->model_of[i]) && good;
        }
    }
    *size = text.size;
    MC_PutBytes(&text, "", 1); // the NUL
    return good ? (char *)text.data : NULL;
}
