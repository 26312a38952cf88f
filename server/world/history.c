#include "world/history.h"

#include "math/angles.h"
#include "world/client.h"
#include "world/hitboxes.h"
#include "world/tick_time.h"
#include "world/world_local.h"

#include <string.h>

#define HAND_TRIES  4 // tracks that an edict without one tries to take, so that a tick stays cheap
#define MAX_STACKED 8 // riders on each other

static int32_t count_tracks(int32_t max_edicts, int32_t max_clients) {
    return max_clients + Q_MinI((max_edicts - max_clients + HISTORY_SHARE - 1) / HISTORY_SHARE,
                                HISTORY_MAX_OTHERS);
}

static uint64_t numbers_bytes(int32_t max_edicts) {
    return ((uint64_t)max_edicts * sizeof(uint16_t) + 7) / 8 * 8;
}

uint64_t History_Bytes(int32_t max_edicts, int32_t max_clients) {
    const uint64_t tracks = (uint64_t)count_tracks(max_edicts, max_clients);
    return sizeof(history_head_t) + numbers_bytes(max_edicts) +
           tracks * (sizeof(history_reach_t) + sizeof(history_track_t));
}

static history_head_t *head_of(const world_t *world) {
    return (history_head_t *)((uintptr_t)world + world->ofs_history);
}

// Returns an array by edict number: the edict's track + 1, 0 = none.
static uint16_t *numbers_of(const world_t *world) {
    return (uint16_t *)(head_of(world) + 1);
}

static history_reach_t *reaches_of(const world_t *world) {
    return (history_reach_t *)((uintptr_t)numbers_of(world) + numbers_bytes(world->max_edicts));
}

static history_track_t *tracks_of(const world_t *world) {
    return (history_track_t *)(reaches_of(world) + head_of(world)->num_tracks);
}

void History_Init(world_t *world) {
    history_head_t *head = head_of(world);
    head->num_tracks = count_tracks(world->max_edicts, world->max_clients);
    head->used = head->hand = world->max_clients;
    head->is_empty = 1;
}

// Returns the period of the tick that runs, or ran last.
static int64_t period_of(const world_t *world) {
    return world->tick / HISTORY_PERIOD;
}

// ---- reading ----

const history_track_t *History_Track(const world_t *world, const edict_t *edict) {
    const int32_t number = World_EdictNumber(world, edict);
    const int32_t index = numbers_of(world)[number] - 1;
    const history_track_t *track = index < 0 ? NULL : &tracks_of(world)[index];
    return track && track->generation == edict->generation && track->count > 0 ? track : NULL;
}

static const history_entry_t *entry_of(const history_track_t *track, int32_t age) {
    return &track->entries[(track->newest - age + HISTORY_ENTRIES) % HISTORY_ENTRIES];
}

const history_entry_t *History_At(const history_track_t *track, int64_t tick) {
    int32_t age = 0;
    while (age < track->count - 1 && entry_of(track, age)->tick > tick) {
        age++;
    }
    return entry_of(track, age);
}

bool History_WasSolidSince(const history_track_t *track, int64_t tick) {
    for (int32_t age = 0; age < track->count; age++) {
        const history_entry_t *entry = entry_of(track, age);
        if (entry->solid == SOLID_NOT || entry->solid == SOLID_TRIGGER) {
            return false;
        }
        if (entry->tick <= tick) {
            break;
        }
    }
    return true;
}

bool History_IsRecent(const world_t *world, const history_track_t *track) {
    const int64_t index = track - tracks_of(world);
    return reaches_of(world)[index].period >= period_of(world) - 1;
}

void History_Visit(const world_t *world, bounds_t box, void (*visit)(void *context, int32_t number),
                   void *context) {
    const history_reach_t *reaches = reaches_of(world);
    const history_track_t *tracks = tracks_of(world);
    const int64_t period = period_of(world);
    for (int32_t i = 0; i < head_of(world)->used; i++) {
        // A view may show an edict between a point of each period, off its path.
        if (reaches[i].period >= period - 1 && tracks[i].number > 0 &&
            (reaches[i].ride_end > period ||
             BoundsTouch(BoundsUnion(reaches[i].now, reaches[i].before), box))) {
            visit(context, tracks[i].number);
        }
    }
}

// ---- recording ----

const edict_t *SV_ShownGround(const world_t *world, const edict_t *edict) {
    for (int32_t i = 0; i < MAX_STACKED && (edict->flags & FL_ONGROUND); i++) {
        edict = World_Deref(world, edict->groundentity);
        if (!edict) {
            return NULL;
        }
        if (edict->movetype == MOVETYPE_PUSH) {
            return World_IsLive(edict) && edict->visibility == VISIBLE_ALL ? edict : NULL;
        }
    }
    return NULL;
}

bool SV_Teleports(const world_t *world, const edict_t *edict) {
    const client_t *client = World_ClientOf(world, edict);
    return client ? (client->player.flags & PMF_TELEPORT) != 0 : (edict->flags & FL_TELEPORT) != 0;
}

history_entry_t History_Now(const world_t *world, const edict_t *edict, int64_t tick,
                            int64_t shift_ms) {
    const float scale = (float)ENTITY_ORIGIN_SCALE;
    const int32_t limit = MAX_WORLD_COORD * ENTITY_ORIGIN_SCALE;
    const entity_bones_t bones = SV_ShownBones(edict, shift_ms);
    history_entry_t entry = {.tick = tick,
                             .bones = Shown_RoundBones(&bones),
                             .angles = {AngleToShort(edict->angles.x),
                                        AngleToShort(edict->angles.y),
                                        AngleToShort(edict->angles.z)},
                             .solid = (int16_t)edict->solid};
    Shown_RoundVector(edict->origin, scale, limit, entry.origin);
    Shown_RoundVector(edict->mins, scale, limit, entry.mins);
    Shown_RoundVector(edict->maxs, scale, limit, entry.maxs);
    const edict_t *ground = SV_ShownGround(world, edict);
    if (ground) {
        entry.ground = World_Ref(world, ground);
        entry.ground_pose = (pose_t){ground->origin, ground->angles};
    }
    return entry;
}

static bounds_t box_of(const history_entry_t *entry) {
    const vec3_t origin = Shown_Vector(entry->origin);
    return (bounds_t){VectorAdd(origin, Shown_Vector(entry->mins)),
                      VectorAdd(origin, Shown_Vector(entry->maxs))};
}

static void free_track(world_t *world, int32_t index) {
    history_track_t *track = &tracks_of(world)[index];
    numbers_of(world)[track->number] = 0;
    memset(track, 0, sizeof *track);
    reaches_of(world)[index] = (history_reach_t){0};
}

// Returns the index of a free track for an edict, or -1. A client has its own.
static int32_t find_track(world_t *world, int32_t number) {
    history_head_t *head = head_of(world);
    const history_track_t *tracks = tracks_of(world);
    if (number <= world->max_clients) {
        return number - 1;
    }
    if (head->used < head->num_tracks) {
        return head->used++;
    }
    for (int32_t i = 0; i < HAND_TRIES; i++) {
        const int32_t index = head->hand;
        head->hand = index + 1 < head->num_tracks ? index + 1 : world->max_clients;
        if (tracks[index].number == 0) {
            return index;
        }
        if (!History_IsRecent(world, &tracks[index])) {
            free_track(world, index);
            return index;
        }
    }
    world->counters.history_full++;
    return -1;
}

static void note_reach(world_t *world, int32_t index, const history_entry_t *entry,
                       const history_entry_t *last) {
    history_reach_t *reach = &reaches_of(world)[index];
    const int64_t period = period_of(world);
    const bool rides = entry->ground.index != 0 || (last && last->ground.index != 0);
    reach->ride_end = rides ? period + 2 : reach->ride_end;
    const bounds_t box = last ? BoundsUnion(box_of(last), box_of(entry)) : box_of(entry);
    if (last && reach->period == period) {
        reach->now = BoundsUnion(reach->now, box);
        return;
    }
    reach->before = last && reach->period == period - 1 ? reach->now : box;
    reach->now = box;
    reach->period = period;
}

void History_Link(world_t *world, const edict_t *edict) {
    const int32_t index = numbers_of(world)[World_EdictNumber(world, edict)] - 1;
    if (index < 0) {
        return;
    }
    history_track_t *track = &tracks_of(world)[index];
    history_entry_t *last = &track->entries[track->newest];
    if (edict->solid == SOLID_NOT) {
        last->solid = SOLID_NOT; // it may be solid again at the end of the tick
    }
    if (reaches_of(world)[index].period < period_of(world) - 1) {
        note_reach(world, index, last, last);
    }
}

static bool stops_shots(const edict_t *edict) {
    return edict->solid == SOLID_BBOX || edict->solid == SOLID_SLIDEBOX;
}

static bool same_state(const history_entry_t *a, const history_entry_t *b) {
    const size_t at = offsetof(history_entry_t, bones);
    return memcmp((const uint8_t *)a + at, (const uint8_t *)b + at, sizeof *a - at) == 0;
}

typedef struct {
    int64_t shift_ms;
    int64_t oldest; // tick of the oldest view
} recording_t;

static void record(world_t *world, int32_t number, const recording_t *recording) {
    const edict_t *edict = World_Edict(world, number);
    int32_t index = numbers_of(world)[number] - 1;
    history_track_t *tracks = tracks_of(world);
    if (index >= 0 && (!World_IsLive(edict) || tracks[index].generation != edict->generation)) {
        free_track(world, index);
        index = -1;
    }
    if (!World_IsLive(edict) || (index < 0 && !stops_shots(edict))) {
        return;
    }
    history_entry_t entry = History_Now(world, edict, world->tick + 1, recording->shift_ms);
    entry.teleports = SV_Teleports(world, edict) ? 1 : 0;
    index = index >= 0 ? index : find_track(world, number);
    if (index < 0) {
        return;
    }
    history_track_t *track = &tracks[index];
    const history_entry_t *last = track->count > 0 ? entry_of(track, 0) : NULL;
    if (last && same_state(last, &entry)) {
        return;
    }
    if (track->count == HISTORY_ENTRIES &&
        entry_of(track, HISTORY_ENTRIES - 2)->tick > recording->oldest) {
        world->counters.history_short++;
    }
    note_reach(world, index, &entry, last);
    numbers_of(world)[number] = (uint16_t)(index + 1);
    track->number = number;
    track->generation = edict->generation;
    track->newest = (track->newest + 1) % HISTORY_ENTRIES;
    track->count = Q_MinI(track->count + 1, HISTORY_ENTRIES);
    track->entries[track->newest] = entry;
}

// Frees all tracks. When sv_maxunlag_ms is on again, no old state may seem to have lasted since.
static void forget_all(world_t *world) {
    history_head_t *head = head_of(world);
    for (int32_t i = 0; i < head->used && !head->is_empty; i++) {
        if (tracks_of(world)[i].number > 0) {
            free_track(world, i);
        }
    }
    head->used = head->hand = world->max_clients;
    head->is_empty = 1;
}

void SV_RecordHistory(sv_context_t *sv) {
    world_t *world = sv->world;
    if (world->cvars.sv_maxunlag_ms == 0) {
        forget_all(world);
        return;
    }
    const int32_t rate_mhz = World_TickRate(world);
    const int64_t now_ms = Ticks_EndMs(rate_mhz, world->tick + 1);
    const int64_t oldest_ms = now_ms - world->cvars.sv_maxunlag_ms;
    const recording_t recording = {.shift_ms = SV_ShownShift(world, world->tick + 1),
                                   .oldest = oldest_ms > 0 ? Ticks_At(rate_mhz, oldest_ms) : 0};
    head_of(world)->is_empty = 0;
    for (int32_t i = 0; i < world->num_written; i++) {
        if (World_WrittenList(world)[i] != EDICT_WORLD) {
            record(world, World_WrittenList(world)[i], &recording);
        }
    }
}

// ---- check ----

// Checks the ground's pose of each entry: Unlag_Show computes with its floats.
static bool check_entries(const history_track_t *track, int32_t index, err_t *err) {
    const float limit = 4.0f * MAX_WORLD_COORD;
    for (int32_t i = 0; i < HISTORY_ENTRIES; i++) {
        const pose_t *pose = &track->entries[i].ground_pose;
        if (!VectorWithin(pose->origin, limit) || !VectorWithin(pose->angles, 1.0e9f)) {
            return Err_Set(err, "world: track %d: entry %d: expected a finite pose of the ground",
                           index, i);
        }
    }
    return true;
}

static bool check_track(const world_t *world, int32_t index, err_t *err) {
    const history_track_t *track = &tracks_of(world)[index];
    const bool is_of_client = index < world->max_clients;
    const int32_t first = is_of_client ? index + 1 : world->max_clients + 1;
    const int32_t last = is_of_client ? index + 1 : world->max_edicts - 1;
    const world_range_t ranges[] = {{"number", track->number, first, last},
                                    {"newest", track->newest, 0, HISTORY_ENTRIES - 1},
                                    {"count", track->count, 1, HISTORY_ENTRIES}};
    if (track->number == 0) { // the next edict in it continues the ring
        return (track->newest == 0 && track->count == 0) ||
               Err_Set(err, "world: track %d of no edict: expected no entries, found %d from %d",
                       index, track->count, track->newest);
    }
    return World_CheckRanges("track", index, ranges, COUNTOF(ranges), err) &&
           (numbers_of(world)[track->number] == index + 1 ||
            Err_Set(err, "world: track %d: expected it to be the track of edict %d, found %d",
                    index, track->number, numbers_of(world)[track->number] - 1)) &&
           check_entries(track, index, err);
}

bool History_Check(const world_t *world, err_t *err) {
    const history_head_t *head = head_of(world);
    const int32_t count = count_tracks(world->max_edicts, world->max_clients);
    const world_range_t ranges[] = {
        {"tracks", head->num_tracks, count, count},
        {"used tracks", head->used, world->max_clients, count},
        {"is_empty", head->is_empty, 0, 1},
        {"hand", head->hand, world->max_clients, Q_MaxI(count - 1, world->max_clients)}};
    if (!World_CheckRanges("history", 0, ranges, COUNTOF(ranges), err)) {
        return false;
    }
    for (int32_t i = 0; i < world->max_edicts; i++) {
        const int32_t index = numbers_of(world)[i] - 1;
        if (index >= head->used || (index >= 0 && tracks_of(world)[index].number != i)) {
            return Err_Set(err, "world: edict %d: track %d is of another edict, or unused", i,
                           index);
        }
    }
    for (int32_t i = 0; i < count; i++) {
        if (!check_track(world, i, err)) {
            return false;
        }
    }
    return true;
}
