#include "core/game_tables.h"

#include "base/hash.h"
#include "base/near_name.h"
#include "core/choices.h"
#include "core/core_local.h"
#include "core/inputs.h"
#include "core/sent_fields.h"
#include "world/block.h"
#include "world/game_cvars.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAME_LENGTH 31
#define MAX_INT_RANGE   (1 << 24) // a float holds all whole numbers up to here
#define LAYOUT_SEED     UINT64_C(0x6761)

typedef struct {
    const char *name;
    uint32_t bytes, align;
} field_type_t;

static const field_type_t field_types[FIELD_TYPE_COUNT] = {
    [FIELD_INT] = {"int", 4, 4},       [FIELD_TIME] = {"time", 8, 8},
    [FIELD_FLOAT] = {"float", 4, 4},   [FIELD_VECTOR] = {"vector", 12, 4},
    [FIELD_STRING] = {"string", 4, 4}, [FIELD_REF] = {"ref", 8, 4},
};

static bool is_type(game_field_type_t type) {
    return (uint32_t)type < FIELD_TYPE_COUNT;
}

uint32_t SV_FieldBytes(game_field_type_t type) {
    return is_type(type) ? field_types[type].bytes : 0;
}

uint32_t SV_FieldAlign(game_field_type_t type) {
    return is_type(type) ? field_types[type].align : 0;
}

const char *SV_FieldTypeName(game_field_type_t type) {
    return is_type(type) ? field_types[type].name : "?";
}

// ---- one table ----

typedef struct {
    const char *what; // "edict", "client", "world"
    const game_fields_t *fields;
    uint32_t room;    // bytes of the game's area
    uint32_t flags;   // flags that the fields may have
    int32_t num_rows; // sent fields of the engine
} table_t;

bool SV_IsGoodName(const char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return name && name[0] != '\0' && strlen(name) <= MAX_NAME_LENGTH &&
           name[strspn(name, letters)] == '\0';
}

static bool overlaps(uint32_t at, uint32_t bytes, uint32_t other_at, uint32_t other_bytes) {
    return at < other_at + other_bytes && other_at < at + bytes;
}

static bool is_engine_key(const char *name) {
    static const char *const keys[] = {"classname",   "origin",     "angles", "angle",
                                       "model",       "targetname", "target", "animation",
                                       "controllers", "turn_about"};
    for (size_t i = 0; i < COUNTOF(keys); i++) {
        if (strcmp(keys[i], name) == 0) {
            return true;
        }
    }
    return false;
}

// Checks the range and step of a sent field. Floats compare so that NaN fails.
static bool check_range(const char *what, const game_field_t *field, err_t *err) {
    bool is_number = field->type == FIELD_INT || field->type == FIELD_FLOAT;
    bool has_range = !(field->min == 0.0f && field->max == 0.0f);
    float limit = field->type == FIELD_INT ? (float)MAX_INT_RANGE : FLT_MAX;
    bool fits = field->min >= -limit && field->min < field->max && field->max <= limit;
    bool is_whole = field->type != FIELD_INT ||
                    (fits && floorf(field->min) == field->min && floorf(field->max) == field->max);
    if (has_range && !(is_number && fits && is_whole)) {
        return Err_Set(err,
                       "%s field \"%s\": expected min < max of a number, for an int whole and "
                       "within +-%d, found %g..%g for a %s",
                       what, field->name, MAX_INT_RANGE, (double)field->min, (double)field->max,
                       SV_FieldTypeName(field->type));
    }
    bool good_step = field->type == FIELD_FLOAT && has_range && field->step > 0.0f &&
                     field->min / field->step >= -(float)MAX_INT_RANGE &&
                     field->max / field->step <= (float)MAX_INT_RANGE;
    return field->step == 0.0f || good_step ||
           Err_Set(err,
                   "%s field \"%s\": expected a step of 0, or above 0 for a float with a range of "
                   "at most +-%d steps, found %g",
                   what, field->name, MAX_INT_RANGE, (double)field->step);
}

static bool check_sent(const table_t *table, const game_field_t *field, err_t *err) {
    uint32_t sent = field->flags & FIELD_SENT;
    if (sent & (sent - 1)) {
        return Err_Set(err, "%s field \"%s\": expected one flag of FIELD_SENT, found several",
                       table->what, field->name);
    }
    if (sent && (field->type == FIELD_TIME || field->type == FIELD_VECTOR)) {
        return Err_Set(err,
                       "%s field \"%s\": expected an int, float, string or ref to send, found %s",
                       table->what, field->name, SV_FieldTypeName(field->type));
    }
    if ((field->flags & FIELD_SCORE) && (sent != FIELD_ALL || field->type != FIELD_INT)) {
        return Err_Set(err, "%s field \"%s\": FIELD_SCORE needs FIELD_ALL and an int", table->what,
                       field->name);
    }
    return !sent || check_range(table->what, field, err);
}

static bool check_flags(const table_t *table, const game_field_t *field, err_t *err) {
    static const char *const names[] = {"FIELD_KEY",  "FIELD_OWNER", "FIELD_ALL",  "FIELD_NAMES",
                                        "FIELD_KEEP", "FIELD_TEAM",  "FIELD_SCORE"};
    const char *what = table->what;
    for (uint32_t bit = 0; bit < 32; bit++) {
        if (field->flags & ~table->flags & 1u << bit) {
            return Err_Set(err, "%s field \"%s\": %s is not for %s fields", what, field->name,
                           bit < COUNTOF(names) ? names[bit] : "an unknown flag", what);
        }
    }
    if ((field->flags & FIELD_KEY) && (field->type == FIELD_TIME || field->type == FIELD_REF)) {
        return Err_Set(err, "%s field \"%s\": a map key cannot set a %s", what, field->name,
                       SV_FieldTypeName(field->type));
    }
    if ((field->flags & FIELD_KEEP) && field->type == FIELD_REF) {
        return Err_Set(err, "%s field \"%s\": a ref cannot be kept: the next map has other edicts",
                       what, field->name);
    }
    if ((field->flags & FIELD_KEY) && is_engine_key(field->name)) {
        return Err_Set(err, "%s field \"%s\": the engine reads the map key \"%s\"; rename it", what,
                       field->name, field->name);
    }
    return true;
}

static const game_field_t *find_field(const game_fields_t *fields, const char *name) {
    for (int32_t i = 0; i < fields->count; i++) {
        if (strcmp(fields->list[i].name, name) == 0) {
            return &fields->list[i];
        }
    }
    return NULL;
}

// Rejects overlapping fields. Two names for one value (same offset and type) are allowed.
static bool check_against(const table_t *table, int32_t at, err_t *err) {
    const game_field_t *field = &table->fields->list[at];
    for (int32_t i = 0; i < at; i++) {
        const game_field_t *other = &table->fields->list[i];
        if (strcmp(field->name, other->name) == 0) {
            return Err_Set(err, "%s field \"%s\" appears twice in the table", table->what,
                           field->name);
        }
        bool is_same = field->offset == other->offset && field->type == other->type;
        if (!is_same && overlaps(field->offset, SV_FieldBytes(field->type), other->offset,
                                 SV_FieldBytes(other->type))) {
            return Err_Set(err, "%s field \"%s\" at %u overlaps \"%s\" at %u", table->what,
                           field->name, field->offset, other->name, other->offset);
        }
    }
    return true;
}

// Checks how many fields of a table are sent: one bit of a word for each, engine rows first.
static bool check_num_sent(const table_t *table, err_t *err) {
    int32_t num_rows = table->num_rows;
    int32_t count = 0;
    int32_t scores = 0;
    for (int32_t i = 0; i < table->fields->count; i++) {
        const game_field_t *field = &table->fields->list[i];
        count += field->flags & FIELD_SENT ? 1 : 0;
        scores += field->flags & FIELD_SCORE ? 1 : 0;
        if (count > MAX_SENT_FIELDS - num_rows || scores > 1) {
            return Err_Set(err,
                           "%s fields: expected at most %d that are sent and 1 score, found "
                           "one more, \"%s\"",
                           table->what, MAX_SENT_FIELDS - num_rows, field->name);
        }
        for (int32_t row = 0; row < num_rows && (field->flags & FIELD_SENT); row++) {
            if (strcmp(field->name, SentFields_RowName(row)) == 0) {
                return Err_Set(err,
                               "%s field \"%s\": the engine sends a field of that name; rename it "
                               "or do not send it",
                               table->what, field->name);
            }
        }
    }
    return true;
}

static bool check_table(const table_t *table, err_t *err) {
    const game_fields_t *fields = table->fields;
    if (fields->count < 0 || (fields->count > 0 && !fields->list)) {
        return Err_Set(err, "%s fields: expected a list and a count of 0 or more, found count %d%s",
                       table->what, fields->count, fields->list ? "" : " and no list");
    }
    for (int32_t i = 0; i < fields->count; i++) {
        const game_field_t *field = &fields->list[i];
        if (!SV_IsGoodName(field->name)) {
            return Err_Set(err,
                           "%s field %d: expected a name of 1..%d letters, digits and _, found "
                           "\"%.64s\"",
                           table->what, i, MAX_NAME_LENGTH, field->name ? field->name : "");
        }
        uint32_t bytes = SV_FieldBytes(field->type);
        if (bytes == 0) {
            return Err_Set(err, "%s field \"%s\": expected a type of 0..%d, found %d", table->what,
                           field->name, FIELD_TYPE_COUNT - 1, (int)field->type);
        }
        if (field->offset > table->room || bytes > table->room - field->offset) {
            return Err_Set(err, "%s field \"%s\" at %u does not fit into %u bytes", table->what,
                           field->name, field->offset, table->room);
        }
        if (field->offset % SV_FieldAlign(field->type) != 0) {
            return Err_Set(err, "%s field \"%s\" at %u: expected a multiple of %u", table->what,
                           field->name, field->offset, SV_FieldAlign(field->type));
        }
        if (!check_flags(table, field, err) || !check_sent(table, field, err) ||
            !check_against(table, i, err) || !SV_CheckHelp(field, err)) {
            return false;
        }
    }
    if (!check_num_sent(table, err)) {
        return false;
    }
    return SV_KeepBytes(fields) <= KEEP_BYTES ||
           Err_Set(err,
                   "%s fields: FIELD_KEEP: expected at most %d packed bytes (6 an int, 66 a "
                   "string), found more",
                   table->what, KEEP_BYTES);
}

// ---- cvars and classes ----

uint32_t SV_CvarBytes(const cvar_def_t *def) {
    return def->type == CVAR_STRING ? CVAR_STRING_BYTES : 4;
}

static bool check_cvar_place(const game_export_t *game, int32_t at, err_t *err) {
    const cvar_def_t *def = &game->cvars.list[at];
    uint32_t bytes = SV_CvarBytes(def);
    if (def->offset > WORLD_GAME_BYTES - bytes || def->offset % 4 != 0) {
        return Err_Set(err,
                       "cvar \"%s\": expected an offset divisible by 4 and at most %u, found %zu",
                       def->name, WORLD_GAME_BYTES - bytes, def->offset);
    }
    for (int32_t i = 0; i < game->world_fields.count; i++) {
        const game_field_t *field = &game->world_fields.list[i];
        if (overlaps((uint32_t)def->offset, bytes, field->offset, SV_FieldBytes(field->type))) {
            return Err_Set(err, "cvar \"%s\" at %zu overlaps the world field \"%s\"", def->name,
                           def->offset, field->name);
        }
    }
    for (int32_t i = 0; i < at; i++) {
        const cvar_def_t *other = &game->cvars.list[i];
        if (strcmp(other->name, def->name) == 0) {
            return Err_Set(err, "cvar \"%s\" appears twice in the table", def->name);
        }
        if (overlaps((uint32_t)def->offset, bytes, (uint32_t)other->offset, SV_CvarBytes(other))) {
            return Err_Set(err, "cvar \"%s\" at %zu overlaps \"%s\"", def->name, def->offset,
                           other->name);
        }
    }
    return true;
}

// Returns true if min is at most max, and the range of an int cvar fits in an int32_t.
static bool range_is_good(const cvar_def_t *def) {
    bool fits = def->type != CVAR_INT || (def->min >= INT32_MIN && def->max <= INT32_MAX);
    return def->min <= def->max && fits;
}

static bool check_cvars(const game_export_t *game, err_t *err) {
    int32_t count = 0;
    const cvar_def_t *engine = GameCvars_Defs(&count);
    if (game->cvars.count < 0 || (game->cvars.count > 0 && !game->cvars.list)) {
        return Err_Set(err, "cvars: expected a list and a count of 0 or more, found count %d%s",
                       game->cvars.count, game->cvars.list ? "" : " and no list");
    }
    for (int32_t i = 0; i < game->cvars.count; i++) {
        const cvar_def_t *def = &game->cvars.list[i];
        err_t why = {{0}};
        if (!SV_IsGoodName(def->name)) {
            return Err_Set(err,
                           "cvar %d: expected a name of 1..%d letters, digits and _, found "
                           "\"%.64s\"",
                           i, MAX_NAME_LENGTH, def->name ? def->name : "");
        }
        if (def->type != CVAR_INT && def->type != CVAR_FLOAT && def->type != CVAR_STRING) {
            return Err_Set(err, "cvar \"%s\": expected a type of 0..%d, found %d", def->name,
                           CVAR_STRING, (int)def->type);
        }
        if (def->type == CVAR_STRING && !(def->max >= 1.0 && def->max <= GAME_CVAR_MAX_TEXT)) {
            return Err_Set(err, "cvar \"%s\": expected a max of 1..%d characters, found %g",
                           def->name, GAME_CVAR_MAX_TEXT, def->max);
        }
        if (def->type != CVAR_STRING && !range_is_good(def)) {
            return Err_Set(err, "cvar \"%s\": expected min <= max%s, found %g..%g", def->name,
                           def->type == CVAR_INT ? " within 32 bits" : "", def->min, def->max);
        }
        if (def->flags & ~CVAR_LATCH) {
            return Err_Set(err, "cvar \"%s\": expected no flag but CVAR_LATCH, found 0x%x",
                           def->name, def->flags);
        }
        if (!def->def || !def->unit || !def->help) {
            return Err_Set(err, "cvar \"%s\": expected def, unit and help, found NULL", def->name);
        }
        if (!Cvar_Check(def, def->def, &why)) {
            return Err_Set(err, "cvar \"%s\": its default: %.300s", def->name, why.text);
        }
        if (Cvar_Find(engine, count, def->name)) {
            return Err_Set(err, "cvar \"%s\": the engine has a cvar of that name; rename it",
                           def->name);
        }
        if (!check_cvar_place(game, i, err)) {
            return false;
        }
    }
    return true;
}

// Checks that each word of a list such as "wait=3 health" is an edict field or engine key.
static bool check_keys(const game_export_t *game, const game_spawn_t *spawn, err_t *err) {
    char name[MAX_NAME_LENGTH + 2];
    for (const char *at = spawn->keys ? spawn->keys : ""; *at != '\0';) {
        size_t length = strcspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " ="), at);
        const game_field_t *field = find_field(&game->edict_fields, name);
        if (length > 0 && !is_engine_key(name) && !(field && (field->flags & FIELD_KEY))) {
            char hint[96];
            near_name_t near = NearName_Start(name);
            for (int32_t i = 0; i < game->edict_fields.count; i++) {
                NearName_Look(&near, game->edict_fields.list[i].name);
            }
            return Err_Set(err, "class \"%s\": keys: expected edict fields, found \"%s\"%s",
                           spawn->classname, name, NearName_Hint(&near, hint, sizeof hint));
        }
        err_t why;
        size_t name_length = strlen(name);
        if (field && name_length < length &&
            !SV_CheckDefault(field, at + name_length + 1, length - name_length - 1, &why)) {
            return Err_Set(err, "class \"%s\": keys: %s", spawn->classname, why.text);
        }
        at += length + (at[length] == ' ' ? 1 : 0);
    }
    return true;
}

static bool check_spawns(const game_export_t *game, err_t *err) {
    if (game->num_spawns < 0 || (game->num_spawns > 0 && !game->spawns)) {
        return Err_Set(err, "classes: expected a list and a count of 0 or more, found count %d%s",
                       game->num_spawns, game->spawns ? "" : " and no list");
    }
    for (int32_t i = 0; i < game->num_spawns; i++) {
        const char *name = game->spawns[i].classname;
        if (!name || name[0] == '\0') {
            return Err_Set(err, "class %d: expected a name", i);
        }
        if (!SV_CheckSpawnflags(&game->spawns[i], err) ||
            !check_keys(game, &game->spawns[i], err)) {
            return false;
        }
        for (int32_t other = 0; other < i; other++) {
            if (strcmp(name, game->spawns[other].classname) == 0) {
                return Err_Set(err, "class \"%s\" appears twice in the table", name);
            }
        }
    }
    return true;
}

static bool check_infos(const game_export_t *game, err_t *err) {
    if (game->num_userinfo < 0 || game->num_userinfo > MAX_GAME_INFOS ||
        (game->num_userinfo > 0 && !game->userinfo)) {
        return Err_Set(err, "settings: expected a list and a count of 0..%d, found count %d%s",
                       MAX_GAME_INFOS, game->num_userinfo, game->userinfo ? "" : " and no list");
    }
    for (int32_t i = 0; i < game->num_userinfo; i++) {
        const game_info_t *info = &game->userinfo[i];
        if (!SV_IsGoodName(info->key)) {
            return Err_Set(err,
                           "setting %d: expected a key of 1..%d letters, digits and _, found "
                           "\"%.64s\"",
                           i, MAX_NAME_LENGTH, info->key ? info->key : "");
        }
        if (SV_InfoKey(game, info->key) != INFO_GAME + i) {
            return Err_Set(err, "setting \"%s\" appears twice, or is name, colour or rate",
                           info->key);
        }
        if (!info->def || !info->help || strlen(info->def) >= MAX_INFO_BYTES) {
            return Err_Set(err, "setting \"%s\": expected a help text and a default below %d bytes",
                           info->key, MAX_INFO_BYTES);
        }
    }
    return true;
}

bool SV_CheckGame(const game_export_t *game, err_t *err) {
    // A table of another version may have another layout. Read only the version.
    if (game->api_version != GAME_API_VERSION) {
        return Err_Set(err, "expected game interface version %d, found %d; rebuild the game",
                       GAME_API_VERSION, game->api_version);
    }
    const table_t tables[] = {
        {"edict", &game->edict_fields, EDICT_GAME_BYTES, FIELD_KEY | FIELD_NAMES | FIELD_SENT, 0},
        {"client", &game->client_fields, CLIENT_GAME_BYTES, FIELD_KEEP | FIELD_SENT | FIELD_SCORE,
         SENT_NUM_ROWS},
        {"world", &game->world_fields, WORLD_GAME_BYTES, FIELD_KEEP | FIELD_ALL, 0},
    };
    err_t why = {{0}};
    if (!game->name || game->name[0] == '\0') {
        return Err_Set(err, "game: expected a name");
    }
    bool good = game->num_callbacks >= 0 && (game->num_callbacks == 0 || game->callbacks);
    if (!good) {
        return Err_Set(
            err, "game %s: callbacks: expected a list and a count of 0 or more, found count %d%s",
            game->name, game->num_callbacks, game->callbacks ? "" : " and no list");
    }
    for (size_t i = 0; i < COUNTOF(tables) && good; i++) {
        good = check_table(&tables[i], &why);
    }
    good = good && Callbacks_CheckTable(game->callbacks, game->num_callbacks, &why) &&
           check_cvars(game, &why) && check_spawns(game, &why) && check_infos(game, &why) &&
           SV_CheckCommands(game, &why);
    return good || Err_Set(err, "game %s: %.400s", game->name, why.text);
}

// ---- layouts ----

static uint64_t hash_entry(const char *name, uint32_t type, uint32_t offset, uint64_t table) {
    const uint32_t numbers[2] = {type, offset};
    return Hash_Bytes(numbers, sizeof numbers, Hash_Bytes(name, strlen(name), LAYOUT_SEED + table));
}

uint64_t SV_GameLayout(const game_export_t *game) {
    const game_fields_t *tables[] = {&game->edict_fields, &game->client_fields,
                                     &game->world_fields};
    uint64_t sum = 0;
    for (size_t t = 0; t < COUNTOF(tables); t++) {
        for (int32_t i = 0; i < tables[t]->count; i++) {
            const game_field_t *field = &tables[t]->list[i];
            sum += hash_entry(field->name, (uint32_t)field->type, field->offset, t);
        }
    }
    for (int32_t i = 0; i < game->cvars.count; i++) {
        const cvar_def_t *def = &game->cvars.list[i];
        sum += hash_entry(def->name, (uint32_t)def->type, (uint32_t)def->offset, COUNTOF(tables));
    }
    for (int32_t i = 0; i < game->num_userinfo; i++) {
        sum += hash_entry(game->userinfo[i].key, 0, (uint32_t)i, COUNTOF(tables) + 1);
    }
    return sum;
}

// Appends a difference to the list in `err`.
static void add_difference(err_t *err, const char *what, const char *name, const char *fault) {
    Err_Set(err, "%s%s%s \"%s\" %s", err->text, err->text[0] ? "; " : "", what, name, fault);
}

static void compare_fields(const char *what, const game_fields_t *now, const game_fields_t *next,
                           err_t *err) {
    for (int32_t i = 0; i < now->count; i++) {
        const game_field_t *field = &now->list[i];
        const game_field_t *other = find_field(next, field->name);
        char fault[96];
        if (!other) {
            add_difference(err, what, field->name, "of the running game is missing");
        } else if (other->type != field->type || other->offset != field->offset) {
            snprintf(fault, sizeof fault, "expected %s at byte %u, found %s at byte %u",
                     SV_FieldTypeName(field->type), field->offset, SV_FieldTypeName(other->type),
                     other->offset);
            add_difference(err, what, field->name, fault);
        }
    }
    for (int32_t i = 0; i < next->count; i++) {
        if (!find_field(now, next->list[i].name)) {
            add_difference(err, what, next->list[i].name, "is new");
        }
    }
}

static void compare_cvars(const game_cvar_table_t *now, const game_cvar_table_t *next, err_t *err) {
    for (int32_t i = 0; i < now->count; i++) {
        const cvar_def_t *def = &now->list[i];
        const cvar_def_t *other = Cvar_Find(next->list, next->count, def->name);
        if (!other || other->type != def->type || other->offset != def->offset) {
            add_difference(err, "cvar", def->name,
                           other ? "has another type or offset than in the running game"
                                 : "of the running game is missing");
        }
    }
    for (int32_t i = 0; i < next->count; i++) {
        if (!Cvar_Find(now->list, now->count, next->list[i].name)) {
            add_difference(err, "cvar", next->list[i].name, "is new");
        }
    }
}

// Clients keep the schema of the running game, and snapshots refer to its rows by number.
static void compare_sent(const game_export_t *now, const game_export_t *next, err_t *err) {
    static const char *const names[SCOPE_COUNT] = {"edict field", "client field", "world field"};
    sent_tables_t a, b;
    SentFields_List(now, &a);
    SentFields_List(next, &b);
    for (int32_t scope = 0; scope < SCOPE_COUNT; scope++) {
        const sent_fields_t *one = &a.schema.scopes[scope];
        const sent_fields_t *two = &b.schema.scopes[scope];
        for (int32_t i = 0; i < Q_MaxI(one->count, two->count); i++) {
            if (memcmp(&one->list[i], &two->list[i], sizeof one->list[i]) != 0) {
                const sent_field_t *field = i < one->count ? &one->list[i] : &two->list[i];
                add_difference(err, names[scope], field->name,
                               "is sent otherwise, or in another order");
                break;
            }
        }
    }
}

static void compare_infos(const game_export_t *now, const game_export_t *next, err_t *err) {
    for (int32_t i = 0; i < now->num_userinfo; i++) {
        if (SV_InfoKey(next, now->userinfo[i].key) != INFO_GAME + i) {
            add_difference(err, "setting", now->userinfo[i].key,
                           "is missing or has another number");
        }
    }
    if (now->num_userinfo < next->num_userinfo) {
        add_difference(err, "setting", next->userinfo[now->num_userinfo].key, "is new");
    }
}

bool SV_SameLayout(const game_export_t *now, const game_export_t *next, err_t *err) {
    err->text[0] = '\0';
    compare_fields("edict field", &now->edict_fields, &next->edict_fields, err);
    compare_fields("client field", &now->client_fields, &next->client_fields, err);
    compare_fields("world field", &now->world_fields, &next->world_fields, err);
    compare_cvars(&now->cvars, &next->cvars, err);
    compare_infos(now, next, err);
    if (err->text[0] == '\0') {
        compare_sent(now, next, err);
    }
    return err->text[0] == '\0';
}
