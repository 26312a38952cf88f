#include "mapc/mapfile.h"

#include "base/str.h"
#include "mapc/token.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    lexer_t lexer;
    mc_map_t *map;
    mc_pool_t *pool;
    mc_report_t *report;
    size_t entity_room;
    bool extras_warned;
} reader_t;

/// Reports an unexpected token. Always returns false.
static bool expected(reader_t *r, const char *what, const token_t *found) {
    int length = (int)(found->length < 40 ? found->length : 40);
    switch (found->kind) {
    case TOKEN_END:
        return MC_Error(r->report, found->line, "expected %s, found the end of the file", what);
    case TOKEN_UNCLOSED:
        return MC_Error(r->report, found->line,
                        "expected a closing quote, found the end of the line");
    case TOKEN_BAD_BYTE:
        return MC_Error(r->report, found->line,
                        "expected %s, found a control character in \"%.*s\"", what, length,
                        found->text);
    case TOKEN_STRING:
        return MC_Error(r->report, found->line, "expected %s, found \"%.*s\"", what, length,
                        found->text);
    case TOKEN_MARK:
    case TOKEN_WORD:
    default:
        return MC_Error(r->report, found->line, "expected %s, found %.*s", what, length,
                        found->text);
    }
}

static bool expect_mark(reader_t *r, char mark, const char *where) {
    token_t token = MC_NextToken(&r->lexer);
    if (MC_IsMark(&token, mark)) {
        return true;
    }
    char what[64];
    snprintf(what, sizeof what, "%c %s", mark, where);
    return expected(r, what, &token);
}

static bool token_number(const token_t *token, double *out) {
    char text[64];
    if (token->kind != TOKEN_WORD || token->length >= sizeof text) {
        return false;
    }
    memcpy(text, token->text, token->length);
    text[token->length] = 0;
    return Str_ToDouble(text, out);
}

static bool expect_number(reader_t *r, const char *what, double limit, double *out) {
    token_t token = MC_NextToken(&r->lexer);
    if (!token_number(&token, out)) {
        return expected(r, what, &token);
    }
    if (!(fabs(*out) <= limit)) {
        return MC_Error(r->report, token.line, "expected %s within +-%.0f, found %.*s", what, limit,
                        (int)(token.length < 40 ? token.length : 40), token.text);
    }
    return true;
}

static char *copy_text(reader_t *r, const token_t *token) {
    char *copy = MC_Alloc(r->pool, token->length + 1, 1);
    memcpy(copy, token->text, token->length);
    return copy;
}

static bool read_point(reader_t *r, dvec_t *point) {
    const char *what = "a coordinate of a plane's point";
    return expect_mark(r, '(', "of a plane's point") &&
           expect_number(r, what, MC_MAX_PLANE_POINT, &point->x) &&
           expect_number(r, what, MC_MAX_PLANE_POINT, &point->y) &&
           expect_number(r, what, MC_MAX_PLANE_POINT, &point->z) &&
           expect_mark(r, ')', "of a plane's point");
}

/// Reads the rest of a Valve 220 texture axis [ x y z offset ], after the opening bracket.
static bool read_texture_axis(reader_t *r, dvec_t *axis, double *offset) {
    double *const numbers[] = {&axis->x, &axis->y, &axis->z, offset};
    for (size_t i = 0; i < COUNTOF(numbers); i++) {
        if (!expect_number(r, "a number of a texture axis", 1e30, numbers[i])) {
            return false;
        }
    }
    return expect_mark(r, ']', "of a texture axis");
}

/// Reads offsets, rotation and scale of a texture. Skips up to three flags that other games append.
static bool read_placement(reader_t *r, mc_placement_t *to) {
    token_t next = MC_PeekToken(&r->lexer);
    to->has_axes = MC_IsMark(&next, '[');
    for (int32_t i = 0; i < 2 && to->has_axes; i++) {
        if (!expect_mark(r, '[', "of a texture axis") ||
            !read_texture_axis(r, &to->axes[i], &to->offset[i])) {
            return false;
        }
    }
    double *const numbers[] = {&to->offset[0], &to->offset[1], &to->rotation, &to->scale[0],
                               &to->scale[1]};
    for (size_t i = to->has_axes ? 2 : 0; i < COUNTOF(numbers); i++) {
        if (!expect_number(r, "a number of the texture's placement", 1e30, numbers[i])) {
            return false;
        }
    }
    double ignored;
    for (int32_t i = 0; i < 3; i++) {
        next = MC_PeekToken(&r->lexer);
        if (!token_number(&next, &ignored)) {
            break;
        }
        MC_NextToken(&r->lexer);
        if (!r->extras_warned) {
            r->extras_warned = true;
            MC_Warn(r->report, next.line,
                    "numbers after the texture's scale (flags of another game) are ignored");
        }
    }
    return true;
}

static bool read_texture(reader_t *r, mc_face_t *face) {
    token_t token = MC_NextTexture(&r->lexer);
    if (token.kind != TOKEN_WORD && token.kind != TOKEN_STRING) {
        return expected(r, "a texture name", &token);
    }
    if (token.length == 0 || token.length >= MC_MAX_TEXTURE) {
        return MC_Error(r->report, token.line,
                        "expected a texture name of 1 to %d bytes, found %zu", MC_MAX_TEXTURE - 1,
                        token.length);
    }
    face->texture = copy_text(r, &token);
    return true;
}

static bool read_face(reader_t *r, mc_face_t *face) {
    for (int32_t i = 0; i < 3; i++) {
        if (!read_point(r, &face->points[i])) {
            return false;
        }
    }
    return read_texture(r, face) && read_placement(r, &face->placement);
}

static bool read_brush(reader_t *r, mc_mapbrush_t *brush) {
    mc_face_t faces[MC_MAX_FACES];
    int32_t count = 0;
    for (;;) {
        token_t token = MC_PeekToken(&r->lexer);
        if (MC_IsMark(&token, '}')) {
            MC_NextToken(&r->lexer);
            break;
        }
        if (!MC_IsMark(&token, '(')) {
            return expected(
                r, "\"(\" (next side) or \"}\" (end of the brush) of a Standard or Valve 220 brush",
                &token);
        }
        if (count == MC_MAX_FACES) {
            return MC_Error(r->report, token.line,
                            "expected at most %d sides of a brush, found more", MC_MAX_FACES);
        }
        faces[count].line = token.line;
        if (!read_face(r, &faces[count])) {
            return false;
        }
        count++;
    }
    brush->num_faces = count;
    brush->faces = MC_Alloc(r->pool, (size_t)count, sizeof *faces);
    if (count) {
        memcpy(brush->faces, faces, (size_t)count * sizeof *faces);
    }
    return true;
}

static bool read_pair(reader_t *r, mc_pair_t *pair) {
    token_t key = MC_NextToken(&r->lexer);
    token_t value = MC_NextToken(&r->lexer);
    if (key.kind != TOKEN_STRING) {
        return expected(r, "a quoted key, { or }", &key);
    }
    if (value.kind != TOKEN_STRING) {
        return expected(r, "the quoted value of a key", &value);
    }
    if (key.length == 0 || key.length >= MC_MAX_TEXT || value.length >= MC_MAX_TEXT) {
        return MC_Error(
            r->report, key.line,
            "expected a key of 1 to %d bytes and a value of at most %d, found %zu and %zu",
            MC_MAX_TEXT - 1, MC_MAX_TEXT - 1, key.length, value.length);
    }
    pair->key = copy_text(r, &key);
    pair->value = copy_text(r, &value);
    pair->line = key.line;
    return true;
}

/// Reads a brush that starts with {.
static bool read_entity_brush(reader_t *r, mc_entity_t *entity, size_t *room) {
    token_t open = MC_NextToken(&r->lexer);
    if (r->map->num_brushes >= MC_MAX_BRUSHES) {
        return MC_Error(r->report, open.line, "expected at most %d brushes, found more",
                        MC_MAX_BRUSHES);
    }
    entity->brushes = MC_Grow(r->pool, entity->brushes, (size_t)entity->num_brushes, room,
                              sizeof *entity->brushes);
    mc_mapbrush_t *brush = &entity->brushes[entity->num_brushes++];
    brush->line = open.line;
    r->map->num_brushes++;
    return read_brush(r, brush);
}

static bool read_entity(reader_t *r, mc_entity_t *entity) {
    size_t pair_room = 0;
    size_t brush_room = 0;
    for (;;) {
        token_t token = MC_PeekToken(&r->lexer);
        if (MC_IsMark(&token, '}')) {
            MC_NextToken(&r->lexer);
            return true;
        }
        if (MC_IsMark(&token, '{')) {
            if (!read_entity_brush(r, entity, &brush_room)) {
                return false;
            }
            continue;
        }
        if (entity->num_pairs == MC_MAX_PAIRS) {
            return MC_Error(r->report, token.line,
                            "expected at most %d keys of an entity, found more", MC_MAX_PAIRS);
        }
        entity->pairs = MC_Grow(r->pool, entity->pairs, (size_t)entity->num_pairs, &pair_room,
                                sizeof *entity->pairs);
        if (!read_pair(r, &entity->pairs[entity->num_pairs])) {
            return false;
        }
        entity->num_pairs++;
    }
}

/// Checks that the first entity is worldspawn, and that no other is.
static bool check_worldspawn(reader_t *r) {
    mc_map_t *map = r->map;
    if (map->num_entities == 0) {
        return MC_Error(r->report, r->lexer.line,
                        "expected an entity of class worldspawn, found none");
    }
    for (int32_t i = 0; i < map->num_entities; i++) {
        const mc_entity_t *entity = &map->entities[i];
        bool world = strcmp(MC_ClassOf(entity), "worldspawn") == 0;
        if (i == 0 && !world) {
            return MC_Error(r->report, entity->line,
                            "expected worldspawn as the class of the first entity, found \"%.40s\"",
                            MC_ClassOf(entity));
        }
        if (i > 0 && world) {
            return MC_Error(r->report, entity->line, "expected one worldspawn, found a second");
        }
    }
    return true;
}

bool MC_ReadMap(mc_map_t *map, mc_pool_t *pool, mc_report_t *report, const char *text,
                size_t size) {
    *map = (mc_map_t){0};
    reader_t r = {.map = map, .pool = pool, .report = report};
    MC_StartLexer(&r.lexer, text, size);
    for (;;) {
        token_t token = MC_NextToken(&r.lexer);
        if (token.kind == TOKEN_END) {
            return check_worldspawn(&r);
        }
        if (!MC_IsMark(&token, '{')) {
            return expected(&r, "{ of an entity", &token);
        }
        if (map->num_entities == MC_MAX_ENTITIES) {
            return MC_Error(report, token.line, "expected at most %d entities, found more",
                            MC_MAX_ENTITIES);
        }
        map->entities = MC_Grow(pool, map->entities, (size_t)map->num_entities, &r.entity_room,
                                sizeof *map->entities);
        mc_entity_t *entity = &map->entities[map->num_entities++];
        *entity = (mc_entity_t){.line = token.line};
        if (!read_entity(&r, entity)) {
            return false;
        }
    }
}

const char *MC_ValueOf(const mc_entity_t *entity, const char *key) {
    for (int32_t i = 0; i < entity->num_pairs; i++) {
        if (strcmp(entity->pairs[i].key, key) == 0) {
            return entity->pairs[i].value;
        }
    }
    return NULL;
}

const char *MC_ClassOf(const mc_entity_t *entity) {
    const char *value = MC_ValueOf(entity, "classname");
    return value ? value : "";
}

bool MC_ParseVector(const char *value, dvec_t *out) {
    lexer_t lexer;
    MC_StartLexer(&lexer, value, strlen(value));
    double numbers[3];
    for (int32_t i = 0; i < 3; i++) {
        token_t token = MC_NextToken(&lexer);
        if (!token_number(&token, &numbers[i])) {
            return false;
        }
    }
    *out = DV(numbers[0], numbers[1], numbers[2]);
    return MC_NextToken(&lexer).kind == TOKEN_END;
}
