/// world/check.c - World_Check: ensures that an untrusted block cannot corrupt memory.
//
// Checks what the code of this folder relies on: sizes, offsets, counts, links, ranges of settings.
// Values that a game may write into an edict at any time (movetype, solid, box, velocity, string
// and callback ids) are checked where they are used.

#include "base/cvar.h"
#include "world/area.h"
#include "world/client.h"
#include "world/history.h"
#include "world/names.h"
#include "world/pushers.h"
#include "world/tick_time.h"
#include "world/world_local.h"

#include <math.h>
#include <string.h>

#define MAX_TIME_MS (TICKS_MAX_COUNT * (1000 / TICKS_MIN_RATE_HZ))

static bool check_count(const char *name, int32_t value, int32_t lo, int32_t hi, err_t *err) {
    return (value >= lo && value <= hi) ||
           Err_Set(err, "world: %s: expected %d..%d, found %d", name, lo, hi, value);
}

bool World_CheckRanges(const char *what, int32_t number, const world_range_t *ranges, size_t count,
                       err_t *err) {
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].value < ranges[i].lo || ranges[i].value > ranges[i].hi) {
            return Err_Set(err, "world: %s %d: expected %s %d..%d, found %d", what, number,
                           ranges[i].name, ranges[i].lo, ranges[i].hi, ranges[i].value);
        }
    }
    return true;
}

static bool check_layout(const world_t *world, size_t bytes, err_t *err) {
    if (!check_count("max_clients", world->max_clients, 1, MAX_CLIENTS, err) ||
        !check_count("max_edicts", world->max_edicts, world->max_clients + 1, MAX_EDICTS, err)) {
        return false;
    }
    world_params_t params = {.max_edicts = world->max_edicts, .max_clients = world->max_clients};
    if (world->ofs_area != World_Layout(&params).area || bytes < sizeof(area_t) ||
        world->ofs_area > bytes - sizeof(area_t)) {
        return Err_Set(err,
                       "world: the area tree at byte %llu is outside the %zu bytes of the block",
                       (unsigned long long)world->ofs_area, bytes);
    }
    // The area tree is the only part whose size also depends on the bounds.
    memcpy(&params.bounds, (const uint8_t *)world + world->ofs_area + offsetof(area_t, bounds),
           sizeof params.bounds);
    world_layout_t layout = World_Layout(&params);
    if (world->bytes != layout.bytes || bytes != layout.bytes) {
        return Err_Set(err, "world: expected %llu bytes, found %zu",
                       (unsigned long long)layout.bytes, bytes);
    }
    if (world->ofs_edicts != layout.edicts || world->ofs_clients != layout.clients ||
        world->ofs_active != layout.active || world->ofs_timers != layout.timers ||
        world->ofs_written != layout.written || world->ofs_grounds != layout.grounds ||
        world->ofs_pushers != layout.pushers || world->ofs_pushes != layout.pushes ||
        world->ofs_history != layout.history) {
        return Err_Set(err, "world: expected the part offsets of this layout, found others");
    }
    return true;
}

static bool check_cvars(const world_t *world, err_t *err) {
    int32_t count = 0;
    const cvar_def_t *defs = GameCvars_Defs(&count);
    for (int32_t i = 0; i < count; i++) {
        const uint8_t *at = (const uint8_t *)&world->cvars + defs[i].offset;
        int32_t whole = 0;
        float real = 0.0f;
        memcpy(&whole, at, sizeof whole);
        memcpy(&real, at, sizeof real);
        double value = defs[i].type == CVAR_INT ? (double)whole : (double)real;
        if (!(value >= defs[i].min && value <= defs[i].max)) {
            return Err_Set(err, "world: %s: expected %g..%g, found %g", defs[i].name, defs[i].min,
                           defs[i].max, value);
        }
    }
    return true;
}

static bool check_names(const world_t *world, err_t *err) {
    if (!check_count("num_callbacks", world->num_callbacks, 1, MAX_CALLBACKS, err)) {
        return false;
    }
    for (int32_t id = 0; id < MAX_CALLBACKS; id++) {
        const char *name = world->callback_names[id];
        bool is_used = id >= 1 && id < world->num_callbacks;
        if (!memchr(name, '\0', sizeof world->callback_names[id]) || is_used != (name[0] != '\0')) {
            return Err_Set(err, "world: callback %d: expected %s", id,
                           is_used ? "a name that ends with NUL" : "no name, the id is not used");
        }
    }
    if (world->names_hash != World_NamesHash(world)) {
        return Err_Set(err, "world: the callback names do not match their hash");
    }
    return Strings_Check(world, err) && Names_Check(world, err);
}

static bool check_free_list(const world_t *world, err_t *err) {
    int32_t num_free = 0;
    for (int32_t i = world->max_clients + 1; i < world->num_edicts; i++) {
        num_free += World_Edict(world, i)->inuse ? 0 : 1;
    }
    int32_t listed = 0;
    for (int32_t i = world->first_free; i != -1; i = World_Edict(world, i)->next_free) {
        if (i <= world->max_clients || i >= world->num_edicts) {
            return Err_Set(err, "world: free list: expected edicts %d..%d, found %d",
                           world->max_clients + 1, world->num_edicts - 1, i);
        }
        if (World_Edict(world, i)->inuse) {
            return Err_Set(err, "world: free list: edict %d is in use", i);
        }
        if (++listed > num_free) {
            return Err_Set(err, "world: free list: an edict is listed twice, in a loop through %d",
                           i);
        }
    }
    if (listed != num_free) {
        return Err_Set(err, "world: %d edicts are free, but the free list has %d", num_free,
                       listed);
    }
    return true;
}

static bool check_edicts(const world_t *world, err_t *err) {
    if (!check_count("num_edicts", world->num_edicts, world->max_clients + 1, world->max_edicts,
                     err)) {
        return false;
    }
    if (!World_Edict(world, EDICT_WORLD)->inuse) {
        return Err_Set(err, "world: edict 0, the map, is not in use");
    }
    int32_t num_killed = 0;
    for (int32_t i = 0; i < world->max_edicts; i++) {
        const edict_t *edict = World_Edict(world, i);
        if (edict->inuse > 1) {
            return Err_Set(err, "world: edict %d: expected inuse 0 or 1, found %u", i,
                           edict->inuse);
        }
        if (edict->inuse && edict->generation == 0) {
            return Err_Set(err, "world: edict %d is in use: expected a generation above 0, found 0",
                           i);
        }
        if (edict->inuse && i >= world->num_edicts) {
            return Err_Set(err, "world: edict %d is in use: expected a number below %d", i,
                           world->num_edicts);
        }
        num_killed += edict->inuse && (edict->flags & FL_KILLME) ? 1 : 0;
    }
    if (num_killed != world->num_killed) {
        return Err_Set(err, "world: num_killed is %d, but %d edicts have FL_KILLME",
                       world->num_killed, num_killed);
    }
    return check_free_list(world, err);
}

static bool check_bits(const world_t *world, err_t *err) {
    int32_t marked = 0;
    for (int32_t i = -1; (i = Bits_Next(World_WrittenBits(world), i, world->max_edicts)) >= 0;) {
        marked++;
    }
    if (marked != world->num_written) {
        return Err_Set(err, "world: expected num_written %d (edicts with a written bit), found %d",
                       marked, world->num_written);
    }
    for (int32_t i = 0; i < world->num_written; i++) {
        int32_t number = World_WrittenList(world)[i];
        if (number < 0 || number >= world->num_edicts ||
            !Bits_Get(World_WrittenBits(world), number)) {
            return Err_Set(
                err, "world: written list: expected edicts 0..%d with a written bit, found %d",
                world->num_edicts - 1, number);
        }
    }
    return true;
}

// pmove bounds the other fields of the player.
static bool check_client_ranges(const world_t *world, int32_t slot, err_t *err) {
    const client_t *client = World_Client(world, slot);
    const player_state_t *player = &client->player;
    const world_range_t ranges[] = {
        {"queue_first", client->queue_first, 0, MAX_CMD_QUEUE - 1},
        {"queue_count", client->queue_count, 0, MAX_CMD_QUEUE},
        {"watches", client->watches, 0, world->max_clients},
        {"credit_ms", client->credit_ms, 0, MAX_CREDIT_MS},
        {"ran_ms", client->ran_ms, 0, INT32_MAX},
        {"starved_ms", client->starved_ms, 0, INT32_MAX},
        {"pm_type", player->pm_type, 0, PM_TYPE_COUNT - 1},
        {"movetype", player->movetype, 0, MOVETYPE_FOLLOW},
        {"step_ms", player->step_ms, 0, MAX_CMD_MSEC - 1},
        {"groundentity", player->groundentity, -1, world->num_edicts - 1}};
    return World_CheckRanges("client", slot, ranges, COUNTOF(ranges), err);
}

static bool check_client(const world_t *world, int32_t slot, err_t *err) {
    const client_t *client = World_Client(world, slot);
    if (client->inuse > 1) {
        return Err_Set(err, "world: client %d: expected inuse 0 or 1, found %u", slot,
                       client->inuse);
    }
    if (!memchr(client->name, '\0', sizeof client->name)) {
        return Err_Set(err, "world: client %d: expected a NUL in the %zu bytes of name, found none",
                       slot, sizeof client->name);
    }
    for (int32_t i = 0; i < CLIENT_INFOS; i++) {
        if (!memchr(client->infos[i], '\0', MAX_INFO_BYTES)) {
            return Err_Set(err, "world: client %d: expected a NUL in the %d bytes of setting %d",
                           slot, MAX_INFO_BYTES, i + 1);
        }
    }
    if (!check_client_ranges(world, slot, err)) {
        return false;
    }
    for (int32_t i = 0; i < client->queue_count; i++) {
        const usercmd_t *cmd = &client->queue[(client->queue_first + i) % MAX_CMD_QUEUE];
        if (cmd->msec < 1 || cmd->msec > MAX_CMD_MSEC) {
            return Err_Set(err, "world: client %d: expected commands of 1..%d ms, found %u ms",
                           slot, MAX_CMD_MSEC, cmd->msec);
        }
    }
    return true;
}

static bool check_clients(const world_t *world, err_t *err) {
    for (int32_t i = 0; i < world->max_clients; i++) {
        if (!check_client(world, i, err)) {
            return false;
        }
    }
    return true;
}

bool World_Check(const world_t *world, size_t bytes, err_t *err) {
    if (bytes < sizeof *world) {
        return Err_Set(err, "world: expected at least %zu bytes, found %zu", sizeof *world, bytes);
    }
    if (world->magic != WORLD_MAGIC) {
        return Err_Set(err, "world: expected a block of this build, found another magic number");
    }
    if (world->tick < 0 || world->tick > TICKS_MAX_COUNT) {
        return Err_Set(err, "world: expected a tick of 0..%lld, found %lld",
                       (long long)TICKS_MAX_COUNT, (long long)world->tick);
    }
    if (world->time_ms < 0 || world->time_ms > MAX_TIME_MS) {
        return Err_Set(err, "world: expected a time of 0..%lld ms, found %lld",
                       (long long)MAX_TIME_MS, (long long)world->time_ms);
    }
    if (world->touch_depth != 0 || world->think_time_ms != 0) {
        return Err_Set(err, "world: the block was saved in the middle of a tick");
    }
    return check_layout(world, bytes, err) && check_cvars(world, err) && check_names(world, err) &&
           check_edicts(world, err) && check_bits(world, err) && check_clients(world, err) &&
           Timers_Check(world, err) && EdictTimers_Check(world, err) && Area_Check(world, err) &&
           Followers_Check(world, err) && Pushers_Check(world, err) && History_Check(world, err);
}
