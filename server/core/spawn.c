/// core/spawn.c - spawns edicts from the map's entity text, by the game's table of classes.
//
// Errors:  a map whose text does not parse is refused. A bad value is logged with its entity, and
//          the field keeps 0. One line names the unknown classes. Repeated keys and keys that are
//          probably misspelt are logged.

#include "base/near_name.h"
#include "base/str.h"
#include "bsp/entity_text.h"
#include "bsp/map.h"
#include "core/import_local.h"
#include "core/unknown_classes.h"
#include "math/angles.h"
#include "world/block.h"
#include "world/faults.h"
#include "world/history.h"
#include "world/hitboxes.h"
#include "world/names.h"
#include "world/running.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPAWNFLAG_NOT_DEATHMATCH 2048 // Quake's flag for "only in single player"
#define MAX_SPAWN_DEPTH          16   // nested calls of spawn_class, which needs stack
#define MAX_MISSPELT_KEYS        16   // logged one by one; more are only counted

typedef struct {
    sv_context_t *sv;
    const game_export_t *game;
    map_entity_t entity; // large: kept off the stack
    unknown_classes_t unknown;
    int32_t num_single_player;
    int32_t num_misspelt; // keys; the first MAX_MISSPELT_KEYS are named
} spawner_t;

static bool parse_vector(const char *text, vec3_t *out) {
    char words[3][64];
    char rest;
    vec3_t v = {0.0f, 0.0f, 0.0f};
    if (sscanf(text, "%63s %63s %63s %c", words[0], words[1], words[2], &rest) != 3 ||
        !Str_ToFloat(words[0], &v.x) || !Str_ToFloat(words[1], &v.y) ||
        !Str_ToFloat(words[2], &v.z)) {
        return false;
    }
    *out = v;
    return true;
}

// Parses a number with blanks around it, which occur in maps.
static bool parse_number(const char *text, float *out) {
    char word[64];
    char rest;
    return sscanf(text, " %63s %c", word, &rest) == 1 && Str_ToFloat(word, out);
}

static void bad_value(const spawner_t *spawner, const entity_pair_t *pair, const char *expected) {
    SV_WarnEntity(spawner->sv, "%s: expected %s, found \"%.80s\"", pair->key, expected,
                  pair->value);
}

static void set_vector(const spawner_t *spawner, const entity_pair_t *pair, vec3_t *out) {
    if (!parse_vector(pair->value, out)) {
        bad_value(spawner, pair, "three numbers");
    }
}

// Refuses an origin outside the world: an edict there would be quarantined.
static void set_origin(const spawner_t *spawner, const entity_pair_t *pair, edict_t *edict) {
    vec3_t origin;
    if (parse_vector(pair->value, &origin) && VectorWithin(origin, MAX_WORLD_COORD)) {
        edict->origin = origin;
        return;
    }
    char expected[64];
    snprintf(expected, sizeof expected, "three numbers within +-%d", MAX_WORLD_COORD);
    bad_value(spawner, pair, expected);
}

// Sets the key "angle": a yaw in degrees, or -1 straight up, -2 straight down.
static void set_angle(const spawner_t *spawner, const entity_pair_t *pair, edict_t *edict) {
    float yaw = 0.0f;
    if (!parse_number(pair->value, &yaw)) {
        bad_value(spawner, pair, "a number");
        return;
    }
    bool up = yaw == -1.0f;
    bool down = yaw == -2.0f;
    edict->angles = Vector(up ? -90.0f : down ? 90.0f : 0.0f, up || down ? 0.0f : yaw, 0.0f);
}

static void set_model(const spawner_t *spawner, const entity_pair_t *pair, edict_t *edict) {
    const cmap_t *map = spawner->sv->map;
    bool is_mesh = Map_IsMeshName(pair->value);
    if (pair->value[0] != '*' && !is_mesh) {
        return; // a model for clients only: nothing to collide with
    }
    int32_t model = Map_FindModel(map, pair->value);
    int32_t skeleton = is_mesh ? Map_FindSkeleton(map, pair->value) : -1;
    edict->skeleton = skeleton >= 0 ? FIRST_MAP_SKELETON + skeleton : 0;
    if (model < 1 && skeleton >= 0) {
        return; // without triangles the class chooses a box
    }
    if (model < 1 || !sv_game_import.set_model(spawner->sv, edict, model)) {
        bad_value(spawner, pair,
                  is_mesh ? "a mesh file that can be loaded" : "a brush model of this map");
    }
}

// Moves the origin of an edict by the point that its model turns about (bsp/map.h), because the
// model's space starts there. Logs a missing ORIGIN brush, unless the key "turn_about" is set.
static void set_pivot(const spawner_t *spawner, edict_t *edict) {
    const entity_def_t *def = &spawner->entity.def;
    const char *value = BSP_EntityValue(def, "turn_about");
    vec3_t pivot = CM_ModelPivot(spawner->sv->map, edict->model);
    if (Map_TurnAbout(value) == TURN_ABOUT_BAD) {
        SV_WarnEntity(spawner->sv, "turn_about: expected middle or map, found \"%.80s\"", value);
    }
    if (Map_TurnAbout(value) == TURN_ABOUT_MIDDLE &&
        BSP_EntityValue(&spawner->entity.def, "origin")) {
        SV_WarnEntity(spawner->sv, "turn_about middle has no effect: the entity has an origin "
                                   "(an ORIGIN brush) and turns about it");
    }
    if (VectorCompare(pivot, vec3_zero)) {
        return;
    }
    edict->origin = VectorAdd(edict->origin, pivot);
    if (!value && !BSP_EntityValue(def, "origin") &&
        Map_IsTurningClass(BSP_EntityValue(def, "classname"))) {
        SV_WarnEntity(spawner->sv, "expected an ORIGIN brush in an entity that turns, found none: "
                                   "it turns about its middle (to turn about 0 0 0 of the map, set "
                                   "\"turn_about\" \"map\")");
    }
}

// ---- bones ----

static const entity_pair_t *find_pair(const entity_def_t *def, const char *key) {
    for (int32_t i = 0; i < def->num_pairs; i++) {
        if (strcmp(def->pairs[i].key, key) == 0) {
            return &def->pairs[i];
        }
    }
    return NULL;
}

// Appends a list of names ("stand", "walk"). Ends a list that does not fit with three dots.
static void add_names(char *text, size_t size, const char *names, size_t stride, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        if (used + MODEL_NAME_BYTES + 8 > size) {
            strlcat(text, ", ...", size);
            return;
        }
        snprintf(text + used, size - used, "%s\"%s\"", i > 0 ? ", " : "",
                 names + (size_t)i * stride);
    }
}

static void set_animation(const spawner_t *spawner, const entity_pair_t *pair, edict_t *edict,
                          const model_t *model) {
    int32_t number = Model_FindAnimation(model, pair->value);
    if (number >= 0) {
        edict->animations[0] = number;
        return;
    }
    char expected[192] = "";
    if (model->num_animations == 0) {
        bad_value(spawner, pair, "no value, because the model has no animations");
        return;
    }
    add_names(expected, sizeof expected, model->animations[0].name, sizeof *model->animations,
              model->num_animations);
    bad_value(spawner, pair, expected);
}

static void set_controllers(const spawner_t *spawner, const entity_pair_t *pair, edict_t *edict,
                            const model_t *model) {
    char words[MAX_CONTROLLERS][32] = {{0}};
    float values[MAX_CONTROLLERS] = {0};
    char rest = 0;
    char expected[192];
    int32_t count = sscanf(pair->value, "%31s %31s %31s %31s %c", words[0], words[1], words[2],
                           words[3], &rest);
    bool good = count >= 1 && count <= model->num_controllers;
    for (int32_t i = 0; i < count && good; i++) {
        good = Str_ToFloat(words[i], &values[i]);
    }
    if (good) {
        memcpy(edict->controllers, values, sizeof values);
        return;
    }
    if (model->num_controllers == 0) {
        bad_value(spawner, pair, "no value, because the model has no controllers");
        return;
    }
    snprintf(expected, sizeof expected, "a number for each of its %d controllers ",
             model->num_controllers);
    add_names(expected, sizeof expected, model->controllers[0].name, sizeof *model->controllers,
              model->num_controllers);
    bad_value(spawner, pair, expected);
}

// Sets animation and controllers. Runs after all other keys, because `model` may follow these.
static void set_bones(const spawner_t *spawner, edict_t *edict) {
    const entity_pair_t *named = find_pair(&spawner->entity.def, "model");
    const entity_pair_t *pairs[] = {find_pair(&spawner->entity.def, "animation"),
                                    find_pair(&spawner->entity.def, "controllers")};
    const model_t *model = SV_SkeletonModel(spawner->sv, edict->skeleton);
    for (int32_t i = 0; i < 2; i++) {
        if (!pairs[i] || !named || !Map_IsMeshName(named->value)) {
            continue; // a key of another game or for clients
        }
        if (!model) {
            bad_value(spawner, pairs[i], "no value, because the model has no bones");
        } else if (i == 0) {
            set_animation(spawner, pairs[i], edict, model);
        } else {
            set_controllers(spawner, pairs[i], edict, model);
        }
    }
}

// Sets a key of the engine. Returns false for any other key.
static bool set_engine_key(const spawner_t *spawner, const entity_pair_t *pair, edict_t *edict) {
    world_t *world = spawner->sv->world;
    if (strcmp(pair->key, "origin") == 0) {
        set_origin(spawner, pair, edict);
    } else if (strcmp(pair->key, "angles") == 0) {
        set_vector(spawner, pair, &edict->angles);
    } else if (strcmp(pair->key, "angle") == 0) {
        set_angle(spawner, pair, edict);
    } else if (strcmp(pair->key, "model") == 0) {
        set_model(spawner, pair, edict);
    } else if (strcmp(pair->key, "targetname") == 0) {
        edict->targetname = World_String(world, pair->value);
    } else if (strcmp(pair->key, "target") == 0) {
        edict->target = World_String(world, pair->value);
    } else {
        return false;
    }
    return true;
}

static void set_game_field(const spawner_t *spawner, const entity_pair_t *pair,
                           const game_field_t *field, edict_t *edict) {
    uint8_t *at = edict->game + field->offset;
    float real = 0.0f;
    int32_t whole = 0;
    vec3_t vector = {0.0f, 0.0f, 0.0f};
    switch (field->type) {
    case FIELD_INT: // maps write whole numbers as "1.0", too
        if (!parse_number(pair->value, &real)) {
            bad_value(spawner, pair, "a whole number");
        }
        whole = Q_ToInt(real, -1000000000, 1000000000);
        memcpy(at, &whole, sizeof whole);
        break;
    case FIELD_FLOAT:
        if (!parse_number(pair->value, &real)) {
            bad_value(spawner, pair, "a number");
        }
        memcpy(at, &real, sizeof real);
        break;
    case FIELD_VECTOR:
        set_vector(spawner, pair, &vector);
        memcpy(at, &vector, sizeof vector);
        break;
    case FIELD_STRING:
        whole = World_String(spawner->sv->world, pair->value);
        memcpy(at, &whole, sizeof whole);
        break;
    case FIELD_TIME:
    case FIELD_REF:
    case FIELD_TYPE_COUNT:
        break;
    }
}

static const char *const engine_keys[] = {"classname", "spawnflags",  "origin",     "angles",
                                          "angle",     "model",       "targetname", "target",
                                          "animation", "controllers", "turn_about"};

// Returns true for a key of another game: contains a known key or ends in a digit (mangle, model2).
static bool is_others_key(const char *key, const char *ours) {
    char last = key[0] != '\0' ? key[strlen(key) - 1] : '\0';
    return strstr(key, ours) != NULL || (last >= '0' && last <= '9');
}

// Logs an unknown key that is similar to a known key. Maps have many other keys, for other games
// and compilers.
static void note_unknown_key(spawner_t *spawner, const entity_pair_t *pair) {
    const game_fields_t *fields = &spawner->game->edict_fields;
    near_name_t near = NearName_Start(pair->key);
    char hint[96];
    for (size_t i = 0; i < COUNTOF(engine_keys); i++) {
        NearName_Look(&near, engine_keys[i]);
    }
    for (int32_t f = 0; f < fields->count; f++) {
        if (fields->list[f].flags & FIELD_KEY) {
            NearName_Look(&near, fields->list[f].name);
        }
    }
    if (near.name && !is_others_key(pair->key, near.name) &&
        spawner->num_misspelt++ < MAX_MISSPELT_KEYS) {
        SV_WarnEntity(spawner->sv, "unknown key \"%s\" ignored%s", pair->key,
                      NearName_Hint(&near, hint, sizeof hint));
    }
}

// Logs a repeated key, whose last value counts.
static void check_repeated(const spawner_t *spawner, int32_t at) {
    const entity_pair_t *pairs = spawner->entity.def.pairs;
    for (int32_t i = 0; i < at; i++) {
        if (strcmp(pairs[i].key, pairs[at].key) == 0) {
            SV_WarnEntity(spawner->sv, "key \"%s\" is given twice: \"%.40s\" and \"%.40s\"",
                          pairs[at].key, pairs[i].value, pairs[at].value);
            return;
        }
    }
}

static bool is_used_by_game(const spawner_t *spawner, const entity_pair_t *pair, edict_t *edict) {
    if (!spawner->game->other_key || strcmp(pair->key, "classname") == 0) {
        return false;
    }
    sv_running_t outer = SV_EnterGame(spawner->sv, "other_key", pair->key, edict);
    bool is_used = spawner->game->other_key(spawner->sv, edict, pair->key, pair->value);
    SV_LeaveGame(spawner->sv, outer);
    return is_used;
}

static void set_keys(spawner_t *spawner, edict_t *edict) {
    for (int32_t i = 0; i < spawner->entity.def.num_pairs; i++) {
        const entity_pair_t *pair = &spawner->entity.def.pairs[i];
        check_repeated(spawner, i);
        bool is_known = set_engine_key(spawner, pair, edict);
        const game_fields_t *fields = &spawner->game->edict_fields;
        for (int32_t f = 0; !is_known && f < fields->count; f++) {
            const game_field_t *field = &fields->list[f];
            if ((field->flags & FIELD_KEY) && strcmp(field->name, pair->key) == 0) {
                set_game_field(spawner, pair, field, edict);
                is_known = true;
            }
        }
        if (!is_known && !is_used_by_game(spawner, pair, edict)) {
            note_unknown_key(spawner, pair);
        }
    }
    set_pivot(spawner, edict);
    set_bones(spawner, edict);
}

const game_spawn_t *SV_FindSpawn(const game_export_t *game, const char *classname) {
    for (int32_t i = 0; i < game->num_spawns; i++) {
        if (strcmp(game->spawns[i].classname, classname) == 0) {
            return &game->spawns[i];
        }
    }
    return NULL;
}

static void report_left_out(spawner_t *spawner) {
    Unknown_Report(&spawner->unknown, spawner->sv, spawner->game);
    if (spawner->num_misspelt > MAX_MISSPELT_KEYS) {
        Events_Log(spawner->sv->events, LOG_WARN, "%s: %d more unknown keys",
                   CM_Info(spawner->sv->map).name, spawner->num_misspelt - MAX_MISSPELT_KEYS);
    }
    if (spawner->num_single_player > 0) {
        Events_Log(spawner->sv->events, LOG_INFO,
                   "%s: %d entities for single player only (spawnflag %d) skipped",
                   CM_Info(spawner->sv->map).name, spawner->num_single_player,
                   SPAWNFLAG_NOT_DEATHMATCH);
    }
}

static bool is_single_player_only(const entity_def_t *def) {
    const char *text = BSP_EntityValue(def, "spawnflags");
    float flags = 0.0f;
    return text && parse_number(text, &flags) &&
           (Q_ToInt(flags, 0, 1 << 24) & SPAWNFLAG_NOT_DEATHMATCH) != 0;
}

// Checks that worldspawn comes first. Returns false for a second worldspawn.
static bool check_order(const spawner_t *spawner, const char *classname, bool is_first) {
    const sv_context_t *sv = spawner->sv;
    bool is_world = strcmp(classname, "worldspawn") == 0;
    if (is_first && !is_world) {
        SV_WarnEntity(sv, "expected worldspawn as the first entity");
    } else if (is_world && !is_first) {
        SV_WarnEntity(sv, "another worldspawn is ignored");
        return false;
    }
    return true;
}

// Logs a trigger or liquid with a mesh that has no volume: only the surface would act.
static void check_volume(const spawner_t *spawner, const edict_t *edict) {
    const cmap_t *map = spawner->sv->map;
    if (edict->solid != SOLID_TRIGGER || edict->model <= 0 || edict->model >= CM_NumModels(map) ||
        !CM_IsMesh(map, edict->model)) {
        return;
    }
    int32_t count = 0;
    const mesh_t *meshes = CM_Meshes(map, edict->model, &count);
    for (int32_t i = 0; i < count; i++) {
        if (meshes[i].flags & MESH_VOLUME) {
            return;
        }
    }
    SV_WarnEntity(spawner->sv,
                  "model: expected a mesh with a volume, found only a surface; convert "
                  "it with edict-mesh --volume");
}

static void call_spawn(sv_context_t *sv, edict_t *edict, const game_spawn_t *spawn) {
    sv_running_t outer = SV_EnterGame(sv, "spawn", spawn->classname, edict);
    spawn->spawn(sv, edict);
    SV_LeaveGame(sv, outer);
}

edict_t *SV_SpawnClass(sv_context_t *sv, const char *classname, vec3_t origin, vec3_t angles) {
    const char *function = "spawn_class";
    if (!Import_Given(sv, function, "a class", classname) ||
        !Import_Vector(sv, function, "angles", angles)) {
        return NULL;
    }
    const game_spawn_t *spawn = SV_FindSpawn(sv->game, classname);
    bool is_world = strcmp(classname, "worldspawn") == 0;
    bool is_deep = sv->spawn_depth == MAX_SPAWN_DEPTH;
    if (!spawn || !spawn->spawn || is_world || is_deep || !VectorWithin(origin, MAX_WORLD_COORD)) {
        SV_ReportFault(sv, function, "%s, found \"%.64s\" at %g %g %g",
                       is_deep ? "expected spawn functions that call each other at most 16 deep"
                       : !spawn || is_world ? "expected a class of the game's table of spawns"
                       : !spawn->spawn      ? "expected a class with a spawn function"
                                            : "expected a position inside the world",
                       classname, (double)origin.x, (double)origin.y, (double)origin.z);
        return NULL;
    }
    edict_t *edict = SV_SpawnEdict(sv);
    if (edict) {
        edict->classname = World_String(sv->world, classname);
        edict->origin = origin;
        edict->angles = angles;
        sv->spawn_depth++;
        call_spawn(sv, edict, spawn);
        sv->spawn_depth--;
    }
    return edict && World_IsLive(edict) ? edict : NULL;
}

static void spawn_entity(spawner_t *spawner, bool is_first) {
    sv_context_t *sv = spawner->sv;
    const char *classname = BSP_EntityValue(&spawner->entity.def, "classname");
    if (!classname) {
        SV_WarnEntity(sv, "expected a classname, found none: ignored");
        return;
    }
    if (!check_order(spawner, classname, is_first)) {
        return;
    }
    const game_spawn_t *spawn = SV_FindSpawn(spawner->game, classname);
    if (!spawn) {
        if (strcmp(classname, "worldspawn") !=
            0) { // every map has one, but a game may lack the class
            Unknown_Add(&spawner->unknown, spawner->sv, classname);
        }
        return;
    }
    if (is_single_player_only(&spawner->entity.def)) {
        spawner->num_single_player++;
        return;
    }
    if (!spawn->spawn) {
        return;
    }
    bool is_world = strcmp(classname, "worldspawn") == 0;
    edict_t *edict = is_world ? World_Edict(sv->world, EDICT_WORLD) : SV_SpawnEdict(sv);
    if (!edict) {
        return; // counted by SV_SpawnEdict
    }
    const uint64_t texts_lost = sv->world->counters.strings_full;
    edict->classname = World_String(sv->world, classname);
    spawner->entity.edict = edict;
    set_keys(spawner, edict);
    if (texts_lost == 0 && sv->world->counters.strings_full > 0) {
        SV_WarnEntity(sv,
                      "the texts of its keys are lost, and of later entities: the string table "
                      "is full, it has %d bytes",
                      MAX_STRINGS_BYTES);
    }
    call_spawn(sv, edict, spawn);
    check_volume(spawner, edict);
    spawner->entity.edict = NULL;
}

bool SV_SpawnEntities(world_t *world, const cmap_t *map, const game_binding_t *game,
                      events_t *events, err_t *err) {
    sv_context_t sv = SV_Context(world, map, game, events);
    spawner_t *spawner = calloc(1, sizeof *spawner);
    if (!spawner) {
        return Err_Set(err, "%s: no memory to spawn entities", CM_Info(map).name);
    }
    SV_BeginRun(&sv);
    Names_Index(&sv, NAMES_EFFECTS, EFFECT_LAND); // so that clients have them before the first use
    Names_Index(&sv, NAMES_EFFECTS, EFFECT_SPLASH);
    spawner->sv = &sv;
    spawner->game = game->game;
    spawner->entity.source = game->map_source;
    sv.map_entity = &spawner->entity;
    const cm_info_t info = CM_Info(map);
    entity_parser_t parser = {info.entities, info.entities + info.entities_bytes, 1};
    err_t why;
    entity_parse_t got = ENTITY_PARSED;
    for (bool first = true;; first = false) {
        got = BSP_ParseEntity(&parser, &spawner->entity.def, &why);
        if (got != ENTITY_PARSED) {
            break;
        }
        spawn_entity(spawner, first);
        SV_MarkProgress(&sv);
        spawner->entity.number++;
    }
    report_left_out(spawner);
    SV_CheckNames(&sv, game->game);
    sv.map_entity = NULL;
    free(spawner->entity.map_lines.list);
    free(spawner->entity.source_lines.list);
    free(spawner);
    if (got != ENTITY_ERROR && game->game->map_started) {
        sv_running_t outer = SV_EnterGame(&sv, "map_started", "", NULL);
        game->game->map_started(&sv);
        SV_LeaveGame(&sv, outer);
    }
    SV_EndGameCheck(&sv);
    SV_EndRun(&sv);
    if (got == ENTITY_ERROR) {
        return Err_Set(err, "%s: entities: %s", CM_Info(map).name, why.text);
    }
    SV_FreeRemoved(&sv);
    SV_EndTeleports(world);
    world->tick_hash = World_TickHash(world);
    return true;
}
