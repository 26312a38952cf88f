#include "ops/fgd.h"

#include <string.h>

// Text inside quotes: the format knows no escapes.
static void put_text(FILE *out, const char *text) {
    for (; text && *text != '\0'; text++) {
        fputc(*text == '"' ? '\'' : (unsigned char)*text < 32 ? ' ' : *text, out);
    }
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

static const char *fgd_type(const game_field_t *field) {
    if (!field) {
        return "string"; // accepted in maps, read by nobody
    }
    if (strstr(field->name, "target")) {
        return "target_destination";
    }
    return field->type == FIELD_INT ? "integer" : field->type == FIELD_FLOAT ? "float" : "string";
}

static void put_keys(FILE *out, const game_export_t *game, const char *keys) {
    for (const char *at = keys; at && *at != '\0';) {
        size_t length = strcspn(at, " ");
        if (length > 0) {
            const game_field_t *field = find_key(game, at, length);
            fprintf(out, "    %.*s(%s) : \"", (int)length, at, fgd_type(field));
            // The engine's own, which no field of the game is.
            bool is_model = length == 5 && memcmp(at, "model", 5) == 0;
            put_text(out, field ? field->help : is_model ? "a mesh: meshes/rock.emesh" : NULL);
            fputs("\"\n", out);
        }
        at += length + (at[length] == ' ' ? 1 : 0);
    }
}

// Brush entities by their names, as every game of this family has them.
static bool is_solid(const char *classname) {
    if (strcmp(classname, "func_mesh") == 0) {
        return false; // its shape is a file
    }
    return strncmp(classname, "func_", 5) == 0 || strncmp(classname, "trigger_", 8) == 0;
}

static void put_class(FILE *out, const game_export_t *game, const game_spawn_t *spawn) {
    bool is_world = strcmp(spawn->classname, "worldspawn") == 0;
    if (is_world) {
        fputs("@SolidClass", out);
    } else if (is_solid(spawn->classname)) {
        fputs("@SolidClass base(Entity)", out);
    } else if (strncmp(spawn->classname, "info_player_", 12) == 0) {
        fputs("@PointClass base(Entity) size(-16 -16 -24, 16 16 32)", out);
    } else {
        fputs("@PointClass base(Entity) size(-8 -8 -8, 8 8 8)", out);
    }
    fprintf(out, " = %s : \"", spawn->classname);
    put_text(out, spawn->help);
    fputs("\"\n[\n", out);
    put_keys(out, game, spawn->keys);
    fputs("]\n\n", out);
}

void Fgd_Write(FILE *out, const game_export_t *game) {
    fputs("// Entities of the game \"", out);
    put_text(out, game->name);
    fputs("\", made by edictd --fgd.\n\n"
          "@baseclass = Entity\n[\n"
          "    targetname(target_source) : \"Name that others call it by\"\n"
          "    target(target_destination) : \"Name of what it fires or leads to\"\n"
          "    angle(integer) : \"Degrees; -1 = up, -2 = down\"\n"
          "    angles(string) : \"Pitch yaw roll\"\n"
          "]\n\n",
          out);
    for (int32_t i = 0; i < game->num_spawns; i++) {
        put_class(out, game, &game->spawns[i]);
    }
}
