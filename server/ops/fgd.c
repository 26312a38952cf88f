#include "ops/fgd.h"

#include "core/choices.h"

#include <string.h>

#define NOT_IN_DEATHMATCH 2048 // spawnflag that the engine handles for all classes

// Writes text inside quotes. Replaces quotes and control characters, as FGD has no escapes.
static void put_text(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        fputc(text[i] == '"' ? '\'' : (unsigned char)text[i] < 32 ? ' ' : text[i], out);
    }
}

static void put_quoted(FILE *out, const char *text) {
    fputc('"', out);
    put_text(out, text ? text : "", text ? strlen(text) : 0);
    fputc('"', out);
}

static const game_field_t *find_key(const game_export_t *game, const char *name, size_t length) {
    for (int32_t i = 0; i < game->edict_fields.count; i++) {
        const game_field_t *field = &game->edict_fields.list[i];
        if ((field->flags & FIELD_KEY) && strlen(field->name) == length &&
            memcmp(field->name, name, length) == 0) {
            return field;
        }
    }
    return NULL;
}

// ---- keys ----

// Writes a value, in quotes unless it is a number.
static void put_value(FILE *out, const char *value, int32_t length, bool is_number) {
    const char *quote = is_number ? "" : "\"";
    fprintf(out, "%s%.*s%s", quote, (int)length, value, quote);
}

// Writes a key with its list of values. The default is that of the class, or else the first number;
// without a default, the game decides.
static void put_choices(FILE *out, const char *key, size_t key_length, const choice_t *list,
                        int32_t count) {
    bool has_default = key[key_length] == '=';
    const char *value = has_default ? key + key_length + 1 : list[0].value;
    int32_t length = has_default         ? (int32_t)strcspn(value, " ")
                     : list[0].is_number ? list[0].value_length
                                         : 0;
    fprintf(out, "    %.*s(choices) : \"%.*s\" : ", (int)key_length, key, (int)key_length, key);
    put_value(out, value, length, list[0].is_number);
    fputs(" =\n    [\n", out);
    for (int32_t i = 0; i < count; i++) {
        fputs("        ", out);
        put_value(out, list[i].value, list[i].value_length, list[i].is_number);
        fputs(" : \"", out);
        put_text(out, list[i].name, (size_t)list[i].name_length);
        fputs("\"\n", out);
    }
    fputs("    ]\n", out);
}

static const char *engine_help(const char *key, size_t length) {
    static const char *const helps[][2] = {
        {"model", "path of an .emesh file below the map's folder"},
        {"animation", "name of the animation that a model with bones plays; default: the first"},
        {"controllers", "a number for each bone controller of the model"},
        {"turn_about", "middle middle of the brushes, if none is ORIGIN | map 0 0 0 of the map"},
    };
    for (size_t i = 0; i < COUNTOF(helps); i++) {
        if (strlen(helps[i][0]) == length && memcmp(helps[i][0], key, length) == 0) {
            return helps[i][1];
        }
    }
    return NULL;
}

static const char *fgd_type(const game_field_t *field) {
    if (!field) {
        return "string"; // a key of the engine
    }
    if (field->flags & FIELD_NAMES) {
        return "target_destination";
    }
    return field->type == FIELD_INT ? "integer" : field->type == FIELD_FLOAT ? "float" : "string";
}

// Writes a key given as `length` characters "name" or "name=value".
static void put_key(FILE *out, const game_export_t *game, const char *key, size_t length) {
    const char *equals = memchr(key, '=', length);
    size_t name_length = equals ? (size_t)(equals - key) : length;
    const char *value = equals ? equals + 1 : "";
    size_t value_length = equals ? length - name_length - 1 : 0;
    const game_field_t *field = find_key(game, key, name_length);
    choice_t list[MAX_CHOICES];
    int32_t count =
        field ? SV_FieldChoices(field, list) : SV_ReadChoices(engine_help(key, name_length), list);
    if (count > 0) {
        put_choices(out, key, name_length, list, count);
        return;
    }
    fprintf(out, "    %.*s(%s) : ", (int)name_length, key, fgd_type(field));
    put_quoted(out, field ? field->help : engine_help(key, name_length));
    if (value_length > 0) {
        const char *quote = field && field->type == FIELD_INT ? "" : "\"";
        fprintf(out, " : %s", quote);
        put_text(out, value, value_length);
        fputs(quote, out);
    }
    fputc('\n', out);
}

static void put_keys(FILE *out, const game_export_t *game, const char *keys) {
    for (const char *at = keys; at && *at != '\0';) {
        size_t length = strcspn(at, " ");
        if (length > 0) {
            put_key(out, game, at, length);
        }
        at += length + (at[length] == ' ' ? 1 : 0);
    }
}

static void put_spawnflags(FILE *out, const game_spawn_t *spawn) {
    choice_t list[MAX_CHOICES];
    int32_t count = SV_ReadChoices(spawn->flags, list);
    fputs("    spawnflags(flags) =\n    [\n", out);
    for (int32_t i = 0; i < count; i++) {
        fprintf(out, "        %d : \"", list[i].number);
        put_text(out, list[i].name, (size_t)list[i].name_length);
        fputs("\" : 0\n", out);
    }
    fprintf(out, "        %d : \"not in deathmatch\" : 0\n    ]\n", NOT_IN_DEATHMATCH);
}

// ---- classes ----

// Returns true for brush entities, by the usual names of Quake's classes.
static bool is_solid(const char *classname) {
    return strncmp(classname, "func_", 5) == 0 || strncmp(classname, "trigger_", 8) == 0 ||
           strncmp(classname, "momentary_", 10) == 0;
}

static void put_class(FILE *out, const game_export_t *game, const game_spawn_t *spawn) {
    bool is_world = strcmp(spawn->classname, "worldspawn") == 0;
    if (is_world) {
        fputs("@SolidClass", out);
    } else if (is_solid(spawn->classname) && !spawn->box) {
        fputs("@SolidClass base(Entity)", out);
    } else {
        fputs("@PointClass base(Entity) size(", out);
        const char *box = spawn->box ? spawn->box : "-8 -8 -8, 8 8 8";
        put_text(out, box, strlen(box));
        fputc(')', out);
    }
    fprintf(out, " = %s : ", spawn->classname);
    put_quoted(out, spawn->help);
    fputs("\n[\n", out);
    put_keys(out, game, spawn->keys);
    if (!is_world && spawn->spawn) {
        put_spawnflags(out, spawn);
    }
    fputs("]\n\n", out);
}

void Fgd_Write(FILE *out, const game_export_t *game) {
    fputs("// Entities of the game \"", out);
    put_text(out, game->name, strlen(game->name));
    fputs("\", made by edictd --fgd.\n\n"
          "@baseclass = Entity\n[\n"
          "    targetname(target_source) : \"Name by which other entities refer to this one\"\n"
          "    target(target_destination) : \"targetname of the entities that it fires\"\n"
          "    angle(integer) : \"Degrees; -1 = up, -2 = down\"\n"
          "    angles(string) : \"Pitch yaw roll\"\n"
          "]\n\n",
          out);
    for (int32_t i = 0; i < game->num_spawns; i++) {
        put_class(out, game, &game->spawns[i]);
    }
}
