/// core/keep.c - client and world fields that survive a change of map (FIELD_KEEP).
//
// The host packs the values of the old world. The world's enter the new world before its entities,
// the clients' with INPUT_JOIN.
//
// A packed value is the field's offset in two bytes, low byte first, then its bytes. A string is a
// length byte and its text, a time the ms left. A field without a packed value keeps 0.

#include "core/game_tables.h"
#include "core/server_local.h"
#include "world/block.h"

#include <string.h>

#define OFFSET_BYTES     2
#define MAX_STRING_BYTES 63

// Returns how many bytes a value takes at most, with its offset.
static int32_t packed_bytes(const game_field_t *field) {
    return OFFSET_BYTES + (field->type == FIELD_STRING ? 1 + MAX_STRING_BYTES
                                                       : (int32_t)SV_FieldBytes(field->type));
}

int32_t SV_KeepBytes(const game_fields_t *fields) {
    int32_t sum = 0;
    for (int32_t i = 0; i < fields->count && sum <= KEEP_BYTES; i++) {
        sum += fields->list[i].flags & FIELD_KEEP ? packed_bytes(&fields->list[i]) : 0;
    }
    return sum;
}

// Packs one value and returns its bytes. The caller has checked that there is room.
static int32_t pack(const world_t *world, const game_field_t *field, const uint8_t *from,
                    uint8_t *to) {
    uint32_t bytes = SV_FieldBytes(field->type);
    int64_t time_ms = 0;
    int32_t id = 0;
    to[0] = (uint8_t)(field->offset & 0xff);
    to[1] = (uint8_t)(field->offset >> 8);
    to += OFFSET_BYTES;
    if (field->type == FIELD_TIME) {
        memcpy(&time_ms, from, sizeof time_ms);
        time_ms = time_ms > world->time_ms ? time_ms - world->time_ms : 0;
        memcpy(to, &time_ms, sizeof time_ms);
    } else if (field->type == FIELD_STRING) {
        memcpy(&id, from, sizeof id);
        const char *text = World_Text(world, id);
        to[0] = (uint8_t)strnlen(text, MAX_STRING_BYTES);
        memcpy(to + 1, text, to[0]);
        bytes = 1u + to[0];
    } else {
        memcpy(to, from, bytes);
    }
    return OFFSET_BYTES + (int32_t)bytes;
}

int32_t SV_PackKept(const world_t *world, const game_fields_t *fields, const uint8_t *from,
                    uint8_t to[KEEP_BYTES]) {
    int32_t used = 0;
    for (int32_t i = 0; i < fields->count; i++) {
        const game_field_t *field = &fields->list[i];
        if ((field->flags & FIELD_KEEP) && used + packed_bytes(field) <= KEEP_BYTES) {
            used += pack(world, field, from + field->offset, to + used);
        }
    }
    return used;
}

// Returns the field with FIELD_KEEP at an offset, or NULL.
static const game_field_t *kept_at(const game_fields_t *fields, uint32_t offset) {
    for (int32_t i = 0; i < fields->count; i++) {
        if (fields->list[i].offset == offset && (fields->list[i].flags & FIELD_KEEP)) {
            return &fields->list[i];
        }
    }
    return NULL;
}

// Writes one value to `to`. Returns the bytes that it took of `from`, or 0 if it is cut off.
static int32_t unpack(world_t *world, const game_field_t *field, const uint8_t *from, int32_t left,
                      uint8_t *to) {
    char text[MAX_STRING_BYTES + 1] = {0};
    int32_t bytes = (int32_t)SV_FieldBytes(field->type);
    int64_t time_ms = 0;
    if (field->type == FIELD_STRING) {
        bytes = left > 0 ? 1 + Q_MinI(from[0], MAX_STRING_BYTES) : 1;
    }
    if (bytes > left) {
        return 0;
    }
    if (field->type == FIELD_TIME) {
        memcpy(&time_ms, from, sizeof time_ms);
        time_ms += time_ms > 0 && time_ms < INT64_MAX - world->time_ms ? world->time_ms : 0;
        memcpy(to, &time_ms, sizeof time_ms);
    } else if (field->type == FIELD_STRING) {
        memcpy(text, from + 1, (size_t)bytes - 1);
        int32_t id = World_String(world, text);
        memcpy(to, &id, sizeof id);
    } else {
        memcpy(to, from, (size_t)bytes);
    }
    return bytes;
}

void SV_UnpackKept(world_t *world, const game_fields_t *fields, const uint8_t *from, int32_t count,
                   uint8_t *to) {
    int32_t bytes = 1;
    ASSERT(count >= 0 && count <= KEEP_BYTES);
    for (int32_t at = 0; at + OFFSET_BYTES <= count && bytes > 0; at += OFFSET_BYTES + bytes) {
        const game_field_t *field = kept_at(fields, from[at] | (uint32_t)from[at + 1] << 8);
        bytes = field ? unpack(world, field, from + at + OFFSET_BYTES, count - at - OFFSET_BYTES,
                               to + field->offset)
                      : 0;
    }
}

// ---- the host ----

// Returns true if a client's join waits for the next tick. The slot may still have another player.
static bool join_waits(const server_t *server, int32_t slot) {
    for (int32_t i = 0; i < server->inputs->count; i++) {
        const input_t *input = &server->inputs->list[i];
        if (input->type == INPUT_JOIN && input->client == slot) {
            return true;
        }
    }
    return false;
}

static arrival_t arrival_of(const client_t *client, const landmark_t *landmark) {
    arrival_t from;
    memset(&from, 0, sizeof from);
    vec3_t offset = landmark ? VectorSubtract(client->player.origin, landmark->origin) : vec3_zero;
    if (landmark && VectorWithin(offset, 2.0f * MAX_WORLD_COORD)) {
        memcpy(from.landmark, landmark->name, sizeof from.landmark);
        from.offset = offset;
        from.angles = client->player.angles;
        from.velocity = client->player.velocity;
        from.health = client->player.health;
        from.is_ducked = (client->player.flags & PMF_DUCKED) != 0;
        from.cmd_yaw = client->last_cmd.yaw;
    }
    return from;
}

void Keep_Read(server_t *server, const landmark_t *landmark) {
    const game_export_t *game = server->config.game;
    const world_t *world = server->world;
    bool is_same_game = world && server->game.game == game;
    if (world && !is_same_game) {
        Infos_GameChanged(server, server->game.game);
    }
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        session_t *session = &server->sessions[peer];
        if (!is_same_game) {
            session->num_kept = 0; // the values belong to the fields of another game
        }
        memset(&session->from, 0, sizeof session->from);
        if (!is_same_game || !session->joined || session->slot < 0 ||
            join_waits(server, session->slot)) {
            continue; // not in the world: what it has from an earlier map stays
        }
        const client_t *client = World_Client(world, session->slot);
        if (session->spectator != (client->spectator != 0)) { // changed since Infos_AfterTick
            session->spectator = !session->spectator;
            Session_SendInfo(server, session);
        }
        session->from = arrival_of(client, landmark);
        session->num_kept = SV_PackKept(world, &game->client_fields, client->game, session->kept);
    }
}

void Keep_World(const server_t *server, world_t *next) {
    const game_export_t *game = server->config.game;
    uint8_t kept[KEEP_BYTES];
    if (server->world && server->game.game == game) {
        int32_t count = SV_PackKept(server->world, &game->world_fields, server->world->game, kept);
        SV_UnpackKept(next, &game->world_fields, kept, count, next->game);
    }
}
