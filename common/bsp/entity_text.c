#include "bsp/entity_text.h"

#include "base/str.h"
#include "math/angles.h"

#include <stdio.h>
#include <string.h>

/// Skips blanks, line ends and // comments.
static void skip_blanks(entity_parser_t *parser) {
    while (parser->at < parser->end) {
        char c = *parser->at;
        if (c == '/' && parser->end - parser->at >= 2 && parser->at[1] == '/') {
            while (parser->at < parser->end && *parser->at != '\n') {
                parser->at++;
            }
            continue;
        }
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
            return;
        }
        parser->line += c == '\n';
        parser->at++;
    }
}

/// Sets the error "line N: expected X, found Y"; Y is the text at the parser.
static entity_parse_t unexpected(const entity_parser_t *parser, const char *expected, err_t *err) {
    if (parser->at >= parser->end) {
        Err_Set(err, "line %d: expected %s, found the end of the text", parser->line, expected);
        return ENTITY_ERROR;
    }
    unsigned char byte = (unsigned char)*parser->at;
    if (byte < 0x20 || byte > 0x7e) {
        Err_Set(err, "line %d: expected %s, found byte 0x%02x", parser->line, expected, byte);
        return ENTITY_ERROR;
    }
    int length = 0;
    while (length < 24 && parser->end - parser->at > length && parser->at[length] > ' ') {
        length++;
    }
    Err_Set(err, "line %d: expected %s, found '%.*s'", parser->line, expected,
            length > 0 ? length : 1, parser->at);
    return ENTITY_ERROR;
}

/// Reads a quoted string without its quotes.
static entity_parse_t parse_string(entity_parser_t *parser, const char *what, char *out,
                                   size_t out_bytes, err_t *err) {
    skip_blanks(parser);
    if (parser->at >= parser->end || *parser->at != '"') {
        return unexpected(parser, what, err);
    }
    int32_t line = parser->line;
    size_t length = 0;
    for (parser->at++; parser->at < parser->end && *parser->at != '"'; parser->at++) {
        char c = *parser->at;
        if (c == '\0') {
            return unexpected(parser, "a closing quote", err);
        }
        if (length + 1 >= out_bytes) {
            Err_Set(err, "line %d: expected %s of at most %zu bytes, found more", line, what,
                    out_bytes - 1);
            return ENTITY_ERROR;
        }
        parser->line += c == '\n';
        out[length++] = c;
    }
    if (parser->at >= parser->end) {
        Err_Set(err, "line %d: expected a closing quote, found the end of the text", line);
        return ENTITY_ERROR;
    }
    parser->at++;
    out[length] = '\0';
    return ENTITY_PARSED;
}

static entity_parse_t parse_pair(entity_parser_t *parser, entity_def_t *out, err_t *err) {
    if (out->num_pairs == MAX_ENTITY_KEYS) {
        Err_Set(err, "line %d: expected at most %d keys in the entity of line %d, found more",
                parser->line, MAX_ENTITY_KEYS, out->line);
        return ENTITY_ERROR;
    }
    entity_pair_t *pair = &out->pairs[out->num_pairs];
    pair->line = parser->line;
    if (parse_string(parser, "a key in quotes or '}'", pair->key, sizeof pair->key, err) !=
            ENTITY_PARSED ||
        parse_string(parser, "a value in quotes", pair->value, sizeof pair->value, err) !=
            ENTITY_PARSED) {
        return ENTITY_ERROR;
    }
    out->num_pairs++;
    return ENTITY_PARSED;
}

entity_parse_t BSP_ParseEntity(entity_parser_t *parser, entity_def_t *out, err_t *err) {
    out->num_pairs = 0;
    skip_blanks(parser);
    out->line = parser->line;
    if (parser->at >= parser->end) {
        return ENTITY_END;
    }
    if (*parser->at != '{') {
        return unexpected(parser, "'{'", err);
    }
    parser->at++;
    for (;;) {
        skip_blanks(parser);
        if (parser->at < parser->end && *parser->at == '}') {
            parser->at++;
            return ENTITY_PARSED;
        }
        if (parse_pair(parser, out, err) != ENTITY_PARSED) {
            return ENTITY_ERROR;
        }
    }
}

const char *BSP_EntityValue(const entity_def_t *entity, const char *key) {
    for (int32_t i = 0; i < entity->num_pairs; i++) {
        if (strcmp(entity->pairs[i].key, key) == 0) {
            return entity->pairs[i].value;
        }
    }
    return NULL;
}

float BSP_EntityNumber(const entity_def_t *entity, const char *key, float otherwise) {
    const char *value = BSP_EntityValue(entity, key);
    float number;
    return value && Str_ToFloat(value, &number) ? number : otherwise;
}

vec3_t BSP_EntityVector(const entity_def_t *entity, const char *key) {
    const char *value = BSP_EntityValue(entity, key);
    char text[MAX_VALUE_BYTES];
    float xyz[3] = {0};
    if (value && strlcpy(text, value, sizeof text) < sizeof text) {
        char *rest = text;
        for (int32_t i = 0; i < 3; i++) {
            char *word = strtok_r(i == 0 ? text : NULL, " \t", &rest);
            if (!word || !Str_ToFloat(word, &xyz[i])) {
                return Vector(0.0f, 0.0f, 0.0f);
            }
        }
    }
    vec3_t v = {xyz[0], xyz[1], xyz[2]};
    return VectorWithin(v, MAX_WORLD_COORD) ? v : Vector(0.0f, 0.0f, 0.0f);
}

vec3_t BSP_EntityDirection(const entity_def_t *entity) {
    const char *value = BSP_EntityValue(entity, "angle");
    vec3_t angles = {0.0f, 0.0f, 0.0f};
    vec3_t forward;
    if (!value || !Str_ToFloat(value, &angles.y)) {
        angles = BSP_EntityVector(entity, "angles");
    } else if (angles.y == -1.0f || angles.y == -2.0f) {
        return Vector(0.0f, 0.0f, angles.y == -1.0f ? 1.0f : -1.0f);
    }
    AngleVectors(angles, &forward, NULL, NULL);
    return forward;
}
