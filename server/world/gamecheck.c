#include "world/gamecheck.h"

#include "world/area_local.h"
#include "world/faults.h"
#include "world/world_local.h"

#include <string.h>

static const char function[] = "sv_gamecheck";

// Returns the offset of the first word of `bytes` that is not zero under `mask`, or -1. `mask` NULL
// = everywhere. `size` is a multiple of 4.
static int32_t find_word(const void *bytes, const uint8_t *mask, size_t size) {
    for (size_t at = 0; at < size; at += 4) {
        uint32_t value, under = UINT32_MAX;
        memcpy(&value, (const uint8_t *)bytes + at, sizeof value);
        if (value != 0 && mask) {
            memcpy(&under, mask + at, sizeof under);
        }
        if ((value & under) != 0) {
            return (int32_t)at;
        }
    }
    return -1;
}

static bool is_in_game(const sv_context_t *sv) {
    return sv->running && sv->running->kind;
}

// Reports that something after a room has changed. `what` and `number`: of the room.
static void report_overflow(const sv_context_t *sv, const char *what, int32_t number,
                            int32_t room) {
    if (is_in_game(sv)) {
        SV_ReportFault(
            sv, function,
            "expected nothing written after %s %d, which has %d bytes; found other bytes "
            "there: make the struct smaller",
            what, number, room);
    }
}

/// Bytes of an edict, a client or the world that belong to the game.
typedef struct {
    const char *what;
    int32_t number;
    size_t size;
    const uint8_t *bytes;
    const uint8_t *mask; // 0xff where no field is
} room_t;

// Reports bytes of a room that no field covers, once until they are zero again. Returns true if
// there are any.
static bool look_at_room(const sv_context_t *sv, room_t room, bool was_dirty) {
    const int32_t at = find_word(room.bytes, room.mask, room.size);
    if (at >= 0 && !was_dirty && is_in_game(sv)) {
        SV_ReportFault(sv, function,
                       "expected zero in the bytes of %s %d that no field covers, found another "
                       "value at offset %d: add the field to the table",
                       room.what, room.number, at);
    }
    return at >= 0;
}

// ---- edicts ----

static bool is_moved(const edict_shadow_t *shadow, const edict_t *edict) {
    return edict->solid != shadow->solid || edict->model != shadow->model ||
           !VectorCompare(edict->origin, shadow->origin) ||
           !VectorCompare(edict->mins, shadow->mins) || !VectorCompare(edict->maxs, shadow->maxs) ||
           !VectorCompare(edict->angles, shadow->angles);
}

// Returns true if only the engine can have written the head of an edict.
static bool is_head_right(const edict_shadow_t *shadow, const edict_t *edict) {
    const uint32_t generation = edict->inuse && shadow->generation == 0 ? 1 : shadow->generation;
    return edict->generation == generation &&
           (edict->inuse == shadow->inuse || (edict->inuse == 1 && shadow->inuse == 0));
}

// Looks at an edict that is not in use. Bytes other than those of the free list must be zero.
static void look_at_unused(const sv_context_t *sv, edict_shadow_t *shadow, const edict_t *edict,
                           int32_t number) {
    const size_t next = offsetof(edict_t, next_free);
    const size_t rest = next + sizeof edict->next_free;
    const uint8_t *bytes = (const uint8_t *)edict;
    const size_t head = offsetof(edict_t, flags);
    const bool is_dirty = find_word(bytes + head, NULL, next - head) >= 0 ||
                          find_word(bytes + rest, NULL, sizeof *edict - rest) >= 0;
    if (is_dirty && !shadow->is_dirty && is_in_game(sv)) {
        SV_ReportFault(sv, function,
                       "expected nothing written to edict %d, which is not in use; found other "
                       "bytes: a stale pointer, or a struct larger than edict->game of edict %d, "
                       "which has %d bytes",
                       number, number - 1, EDICT_GAME_BYTES);
    }
    shadow->is_dirty = is_dirty;
}

static void look_at_edict(const sv_context_t *sv, gamecheck_t *check, int32_t number) {
    const edict_t *edict = World_Edict(sv->world, number);
    edict_shadow_t *shadow = &check->edicts[number];
    if (is_in_game(sv) && !is_head_right(shadow, edict)) {
        if (number == 0) {
            report_overflow(sv, "world_vars of world", 0, WORLD_GAME_BYTES);
        } else {
            report_overflow(sv, "edict->game of edict", number - 1, EDICT_GAME_BYTES);
        }
    }
    if (edict->inuse) {
        const room_t room = {"edict->game of edict", number, EDICT_GAME_BYTES, edict->game,
                             check->edict_free};
        shadow->is_dirty = look_at_room(sv, room, shadow->is_dirty);
        if (is_moved(shadow, edict) && is_in_game(sv) && !SV_IsLinkedRight(sv, edict)) {
            shadow->moved = *sv->running;
        }
    } else {
        look_at_unused(sv, shadow, edict, number);
        shadow->moved.kind = NULL;
    }
    shadow->generation = edict->generation;
    shadow->inuse = edict->inuse;
    shadow->solid = edict->solid;
    shadow->model = edict->model;
    shadow->origin = edict->origin;
    shadow->mins = edict->mins;
    shadow->maxs = edict->maxs;
    shadow->angles = edict->angles;
}

// ---- clients ----

static void look_at_client(const sv_context_t *sv, gamecheck_t *check, int32_t slot) {
    const client_t *client = World_Client(sv->world, slot);
    client_shadow_t *shadow = &check->clients[slot];
    const bool is_same = client->last_cmd_tick == shadow->last_cmd_tick &&
                         client->floor_tick == shadow->floor_tick &&
                         client->joined_tick == shadow->joined_tick &&
                         client->inuse == shadow->inuse;
    if (!is_same) {
        if (slot == 0) {
            report_overflow(sv, "edict->game of edict", sv->world->max_edicts - 1,
                            EDICT_GAME_BYTES);
        } else {
            report_overflow(sv, "client->game of slot", slot - 1, CLIENT_GAME_BYTES);
        }
    }
    const room_t room = {"client->game of slot", slot, CLIENT_GAME_BYTES, client->game,
                         check->client_free};
    shadow->is_dirty = look_at_room(sv, room, shadow->is_dirty);
    shadow->last_cmd_tick = client->last_cmd_tick;
    shadow->floor_tick = client->floor_tick;
    shadow->joined_tick = client->joined_tick;
    shadow->inuse = client->inuse;
}

// ---- the world ----

// Looks at the unused bytes after a part of the block, which end at the next cache line.
static void look_at_gap(const sv_context_t *sv, int32_t part, uint64_t from, uint64_t to) {
    static const char *const whats[] = {"world_vars of world", "edict->game of edict",
                                        "client->game of slot"};
    static const int32_t rooms[] = {WORLD_GAME_BYTES, EDICT_GAME_BYTES, CLIENT_GAME_BYTES};
    const int32_t lasts[] = {0, sv->world->max_edicts - 1, sv->world->max_clients - 1};
    const uint8_t *gap = (const uint8_t *)sv->world + from;
    const bool is_dirty = find_word(gap, NULL, (size_t)(to - from)) >= 0;
    if (is_dirty && !sv->check->are_gaps_dirty[part]) {
        report_overflow(sv, whats[part], lasts[part], rooms[part]);
    }
    sv->check->are_gaps_dirty[part] = is_dirty;
}

void GameCheck_Look(const sv_context_t *sv) {
    const world_t *world = sv->world;
    gamecheck_t *check = sv->check;
    const int32_t max_clients = world->max_clients;
    SV_MarkProgress(sv);         // slow: the watchdog limits each call, not the tick
    if (check->world != world) { // the engine runs: all is as it should be
        memset(check->edicts, 0, (size_t)world->max_edicts * sizeof *check->edicts);
        check->world = world;
    }
    for (int32_t i = 0; i < world->num_edicts; i++) {
        look_at_edict(sv, check, i);
    }
    if (world->num_edicts < world->max_edicts) {
        look_at_edict(sv, check, world->num_edicts); // the last one may be written over, too
    }
    for (int32_t slot = 0; slot < max_clients; slot++) {
        look_at_client(sv, check, slot);
    }
    const bounds_t bounds = area_of(world)->bounds;
    if (!VectorCompare(bounds.mins, check->area_bounds.mins) ||
        !VectorCompare(bounds.maxs, check->area_bounds.maxs)) {
        report_overflow(sv, "client->game of slot", max_clients - 1, CLIENT_GAME_BYTES);
    }
    look_at_gap(sv, 0, sizeof *world, world->ofs_edicts);
    look_at_gap(sv, 1, world->ofs_edicts + (uint64_t)world->max_edicts * sizeof(edict_t),
                world->ofs_clients);
    look_at_gap(sv, 2, world->ofs_clients + (uint64_t)max_clients * sizeof(client_t),
                world->ofs_area);
    const room_t room = {"world_vars of world", 0, WORLD_GAME_BYTES, world->game,
                         check->world_free};
    check->is_world_dirty = look_at_room(sv, room, check->is_world_dirty);
    check->area_bounds = bounds;
}

void GameCheck_EndTick(const sv_context_t *sv) {
    gamecheck_t *check = sv->check;
    const sv_running_t outer = *sv->running;
    for (int32_t i = 1; i < sv->world->num_edicts; i++) {
        const edict_t *edict = World_Edict(sv->world, i);
        edict_shadow_t *shadow = &check->edicts[i];
        if (shadow->moved.kind && World_IsLive(edict) && shadow->generation == edict->generation &&
            !SV_IsLinkedRight(sv, edict)) {
            *sv->running = shadow->moved;
            SV_ReportFault(sv, function,
                           "expected a link after a change of origin, box or solid, found none of "
                           "edict %d (%.40s)",
                           i, World_Text(sv->world, edict->classname));
            *sv->running = outer;
        }
        shadow->moved.kind = NULL;
    }
}
