#include "world/history.h"

#include "math/angles.h"
#include "world/client.h"
#include "world/history_boxes.h"
#include "world/hitboxes.h"
#include "world/tick_time.h"
#include "world/world_local.h"

#include <string.h>

#define HAND_TRIES  4 // tracks that an edict without one tries to take, so that a tick stays cheap
#define MAX_STACKED 8 // riders on each other
#define LOST        UINT16_MAX // in place of a track: another edict took it

static int32_t count_tracks(int32_t max_edicts, int32_t max_clients) {
    return max_clients + Q_MinI(max_edicts - max_clients, HISTORY_MAX_OTHERS);
}

_Static_assert(MAX_CLIENTS + HISTORY_MAX_OTHERS < LOST, "the number of a track has 16 bits");

static int32_t count_pages(int32_t max_edicts) {
    return Q_MinI(max_edicts * HISTORY_SHARE / HISTORY_PAGE + 2, HISTORY_MAX_PAGES);
}

// Computes the parts of a history. Returns its bytes.
static uint64_t lay_out(int32_t max_edicts, int32_t max_clients, history_head_t *head) {
    const uint64_t tracks = (uint64_t)count_tracks(max_edicts, max_clients);
    const uint64_t pages = (uint64_t)count_pages(max_edicts);
    head->num_tracks = (int32_t)tracks;
    head->num_pages = (int32_t)pages;
    head->ofs_boxes = sizeof *head;
    head->ofs_changes =
        head->ofs_boxes + HISTORY_PERIODS * ((tracks + 3) / 4) * sizeof(history_boxes_t);
    head->ofs_tracks = head->ofs_changes + tracks * sizeof(int64_t);
    head->ofs_log = head->ofs_tracks + tracks * sizeof(history_state_t);
    head->ofs_pages = head->ofs_log + pages * HISTORY_PAGE * sizeof(history_state_t);
    head->ofs_recent = head->ofs_pages + pages * sizeof(history_page_t);
    head->ofs_riding = head->ofs_recent + (uint64_t)Bits_Words((int32_t)tracks) * 8;
    head->ofs_numbers = head->ofs_riding + (uint64_t)Bits_Words((int32_t)tracks) * 8;
    return head->ofs_numbers + ((uint64_t)max_edicts * sizeof(uint16_t) + 7) / 8 * 8;
}

uint64_t History_Bytes(int32_t max_edicts, int32_t max_clients) {
    history_head_t head;
    return lay_out(max_edicts, max_clients, &head);
}

static history_state_t *log_of(const world_t *world) {
    return (history_state_t *)((uintptr_t)History_Head(world) + History_Head(world)->ofs_log);
}

static history_page_t *pages_of(const world_t *world) {
    return (history_page_t *)((uintptr_t)History_Head(world) + History_Head(world)->ofs_pages);
}

// Returns a bit per track: 1 = the edict rests on another one.
static uint64_t *riding_of(const world_t *world) {
    return (uint64_t *)((uintptr_t)History_Head(world) + History_Head(world)->ofs_riding);
}

// Returns an array by edict number: the edict's track + 1, 0 = none, or LOST.
static uint16_t *numbers_of(const world_t *world) {
    return (uint16_t *)((uintptr_t)History_Head(world) + History_Head(world)->ofs_numbers);
}

void History_Init(world_t *world) {
    history_head_t *head = History_Head(world);
    (void)lay_out(world->max_edicts, world->max_clients, head);
    head->used = head->hand = world->max_clients;
    head->pages_used = 1; // its next page is itself
    head->is_empty = 1;
}

// ---- reading ----

// Returns the index of an edict's track, or -1.
static int32_t index_of(const world_t *world, int32_t number) {
    const int32_t track = numbers_of(world)[number];
    return track == LOST ? -1 : track - 1;
}

const history_state_t *History_Track(const world_t *world, const edict_t *edict) {
    const int32_t index = index_of(world, World_EdictNumber(world, edict));
    const history_state_t *track = index < 0 ? NULL : &History_Tracks(world)[index];
    return track && track->generation == edict->generation ? track : NULL;
}

bool History_IsNew(const world_t *world, const edict_t *edict) {
    return numbers_of(world)[World_EdictNumber(world, edict)] == 0 &&
           !History_Head(world)->is_empty;
}

// An entry of the log that was written again has another edict, or a newer state of the same one.
const history_state_t *History_Before(const world_t *world, const history_state_t *state) {
    if (state->older == 0 || state->older == HISTORY_BEGAN) {
        return NULL;
    }
    const history_state_t *older = &log_of(world)[state->older - 1];
    return older->number == state->number && older->generation == state->generation &&
                   older->tick < state->tick
               ? older
               : NULL;
}

bool History_IsRecent(const world_t *world, const edict_t *edict) {
    const history_state_t *track = History_Track(world, edict);
    return track && Bits_Get(History_Recent(world), (int32_t)(track - History_Tracks(world)));
}

// ---- recording ----

// Limits of the pose of a pusher, so that Unlag_Show computes with finite numbers.
static bool is_possible(vec3_t origin, vec3_t angles) {
    return VectorWithin(origin, 4.0f * MAX_WORLD_COORD) && VectorWithin(angles, 1.0e9f);
}

bool History_MayCarry(const edict_t *pusher) {
    return is_possible(pusher->origin, pusher->angles);
}

const edict_t *SV_ShownGround(const world_t *world, const edict_t *edict) {
    if (!MoveType_IsPushed(edict->movetype)) {
        return NULL; // it stays where it is when its ground moves
    }
    for (int32_t i = 0; i < MAX_STACKED && (edict->flags & FL_ONGROUND); i++) {
        edict = World_Deref(world, edict->groundentity);
        if (!edict) {
            return NULL;
        }
        if (edict->movetype == MOVETYPE_PUSH) {
            return World_IsLive(edict) && edict->visibility == VISIBLE_ALL &&
                           History_MayCarry(edict)
                       ? edict
                       : NULL;
        }
    }
    return NULL;
}

void SV_NoteTeleport(world_t *world, edict_t *edict) {
    if (edict->flags & FL_TELEPORTED) {
        return;
    }
    client_t *client = World_ClientOf(world, edict);
    edict->flags = Flags_Count(edict->flags, FL_TELEPORT, FL_TELEPORT_STEP) | FL_TELEPORTED;
    if (client) {
        client->player.flags = Flags_Count(client->player.flags, PMF_TELEPORT, PMF_TELEPORT_STEP);
    }
    World_MarkWritten(world, edict);
}

void SV_EndTeleports(world_t *world) {
    for (int32_t i = 0; i < world->num_written; i++) {
        World_Edict(world, World_WrittenList(world)[i])->flags &= ~FL_TELEPORTED;
    }
}

history_state_t History_Now(const world_t *world, const edict_t *edict, int64_t tick,
                            int64_t shift_ms) {
    history_state_t state = {.tick = tick,
                             .number = World_EdictNumber(world, edict),
                             .generation = edict->generation,
                             .solid = (int16_t)edict->solid,
                             .teleports = (int16_t)SV_Teleports(edict),
                             .pose = {edict->origin, edict->angles},
                             .mins = edict->mins,
                             .maxs = edict->maxs};
    if (edict->skeleton > 0) {
        const entity_bones_t bones = SV_ShownBones(edict, shift_ms);
        state.bones = Shown_RoundBones(&bones);
    }
    const edict_t *ground = SV_ShownGround(world, edict);
    if (ground) {
        state.ground = World_Ref(world, ground);
        state.ground_pose = (pose_t){ground->origin, ground->angles};
    }
    return state;
}

static void free_track(world_t *world, int32_t index) {
    history_state_t *track = &History_Tracks(world)[index];
    numbers_of(world)[track->number] = 0;
    Bits_Clear(History_Recent(world), index);
    Bits_Clear(riding_of(world), index);
    *track = (history_state_t){0};
}

// Returns the index of a free track for an edict, or -1. A client has its own.
static int32_t find_track(world_t *world, int32_t number) {
    history_head_t *head = History_Head(world);
    const history_state_t *tracks = History_Tracks(world);
    if (number <= world->max_clients) {
        return number - 1;
    }
    if (head->used < head->num_tracks) {
        return head->used++;
    }
    for (int32_t i = 0; i < HAND_TRIES; i++) {
        const int32_t index = head->hand;
        head->hand = index + 1 < head->num_tracks ? index + 1 : world->max_clients;
        const int32_t owner = tracks[index].number;
        if (owner == 0) {
            return index;
        }
        if (!Bits_Get(History_Recent(world), index)) {
            free_track(world, index);
            numbers_of(world)[owner] = LOST;
            return index;
        }
    }
    world->counters.history_full++;
    return -1;
}

void History_Link(world_t *world, const edict_t *edict) {
    const int32_t index = index_of(world, World_EdictNumber(world, edict));
    if (index < 0) {
        return;
    }
    history_state_t *last = &History_Tracks(world)[index];
    if (edict->solid == SOLID_NOT || edict->solid == SOLID_TRIGGER) {
        last->solid = SOLID_NOT; // it may be solid again at the end of the tick
    }
    if (!Bits_Get(History_Recent(world), index)) {
        HistoryBoxes_Add(world, index, last, last);
    }
}

static bool stops_shots(const edict_t *edict) {
    return edict->solid == SOLID_BBOX || edict->solid == SOLID_SLIDEBOX;
}

static bool same_state(const history_state_t *a, const history_state_t *b) {
    const size_t at = offsetof(history_state_t, solid);
    return memcmp((const uint8_t *)a + at, (const uint8_t *)b + at, sizeof *a - at) == 0;
}

typedef struct {
    int64_t shift_ms;
    int64_t oldest; // first snapshot of the oldest view
    bool is_first;  // nothing was recorded before
} recording_t;

// Continues the log with the oldest page, or with an unused one if that may still be needed.
static void turn_page(world_t *world, const recording_t *recording) {
    history_head_t *head = History_Head(world);
    history_page_t *pages = pages_of(world);
    int32_t next = pages[head->page].next;
    if (pages[next].newest > recording->oldest && head->pages_used < head->num_pages) {
        const int32_t unused = head->pages_used++;
        pages[unused].next = next;
        pages[head->page].next = unused;
        next = unused;
    } else {
        world->counters.history_short += pages[next].newest > recording->oldest ? HISTORY_PAGE : 0;
        head->lost = pages[next].newest;
    }
    head->page = next;
    head->filled = 0;
}

// Appends a state that ends to the log. Returns its index.
static int32_t append(world_t *world, const history_state_t *state, const recording_t *recording) {
    history_head_t *head = History_Head(world);
    if (head->filled == HISTORY_PAGE) {
        turn_page(world, recording);
    }
    const int32_t index = head->page * HISTORY_PAGE + head->filled++;
    log_of(world)[index] = *state;
    pages_of(world)[head->page].newest = world->tick + 1;
    return index;
}

static void note_riding(world_t *world, int32_t index, const edict_t *edict) {
    if ((edict->flags & FL_ONGROUND) && edict->groundentity.index != EDICT_WORLD) {
        Bits_Set(riding_of(world), index);
    } else {
        Bits_Clear(riding_of(world), index);
    }
}

static void record(world_t *world, int32_t number, const recording_t *recording) {
    const edict_t *edict = World_Edict(world, number);
    const bool is_live = World_IsLive(edict);
    uint16_t *track = &numbers_of(world)[number];
    int32_t index = index_of(world, number);
    history_state_t *last = index < 0 ? NULL : &History_Tracks(world)[index];
    if (last && (!is_live || last->generation != edict->generation)) {
        free_track(world, index);
        last = NULL;
    } else if (!is_live) {
        *track = 0;
    }
    if (!is_live || (!last && !stops_shots(edict))) {
        return;
    }
    history_state_t state = History_Now(world, edict, world->tick + 1, recording->shift_ms);
    if (last) {
        note_riding(world, index, edict);
        if (same_state(last, &state)) {
            return;
        }
        state.older = 1 + (uint32_t)append(world, last, recording);
    } else {
        state.older = recording->is_first || *track == LOST ? 0 : HISTORY_BEGAN;
        index = find_track(world, number);
        *track = index < 0 ? LOST : (uint16_t)(index + 1);
        if (index >= 0) {
            note_riding(world, index, edict);
        }
    }
    if (index >= 0) {
        HistoryBoxes_Add(world, index, last, &state);
        History_Tracks(world)[index] = state;
    }
}

// Frees all tracks. When sv_maxunlag_ms is on again, no old state may seem to have lasted since.
static void forget_all(world_t *world) {
    history_head_t *head = History_Head(world);
    for (int32_t i = 0; i < head->used && !head->is_empty; i++) {
        if (History_Tracks(world)[i].number > 0) {
            free_track(world, i);
        }
    }
    head->used = head->hand = world->max_clients;
    head->is_empty = 1;
}

// Returns true if the pusher that carries an edict is not that of a state, or has moved since.
static bool ground_differs(const world_t *world, const edict_t *edict,
                           const history_state_t *state) {
    const edict_t *ground = SV_ShownGround(world, edict);
    if (!ground || World_Deref(world, state->ground) != ground) {
        return ground != NULL || state->ground.index != 0;
    }
    return !VectorCompare(ground->origin, state->ground_pose.origin) ||
           !VectorCompare(ground->angles, state->ground_pose.angles);
}

// Records riders whose pusher has changed without a write of the rider: the pusher left the rider
// behind, or an edict between them has another ground.
static void record_riders(world_t *world, const recording_t *recording) {
    const history_state_t *tracks = History_Tracks(world);
    const uint64_t *riding = riding_of(world);
    const int32_t used = History_Head(world)->used;
    for (int32_t i = Bits_Next(riding, -1, used); i >= 0; i = Bits_Next(riding, i, used)) {
        if (ground_differs(world, World_Edict(world, tracks[i].number), &tracks[i])) {
            record(world, tracks[i].number, recording);
        }
    }
}

static void record_all(world_t *world, const recording_t *recording) {
    const int32_t count = recording->is_first ? world->num_edicts : world->num_written;
    for (int32_t i = 0; i < count; i++) {
        const int32_t number = recording->is_first ? i : World_WrittenList(world)[i];
        if (number != EDICT_WORLD) {
            record(world, number, recording);
        }
    }
}

void SV_RecordHistory(sv_context_t *sv) {
    world_t *world = sv->world;
    history_head_t *head = History_Head(world);
    SV_EndTeleports(world);
    if (world->cvars.sv_maxunlag_ms == 0) {
        forget_all(world);
        return;
    }
    HistoryBoxes_Begin(world);
    const int32_t rate_mhz = World_TickRate(world);
    const int64_t now_ms = Ticks_EndMs(rate_mhz, world->tick + 1);
    const int64_t oldest_ms = now_ms - world->cvars.sv_maxunlag_ms;
    const recording_t recording = {.shift_ms = SV_ShownShift(world, world->tick + 1),
                                   .oldest = Ticks_At(rate_mhz, oldest_ms) - HISTORY_VIEW_TICKS,
                                   .is_first = head->is_empty != 0};
    head->is_empty = 0;
    record_all(world, &recording);
    record_riders(world, &recording);
}

// ---- check ----

static bool check_state(const world_t *world, const history_state_t *state, err_t *err) {
    const int32_t states = History_Head(world)->num_pages * HISTORY_PAGE;
    const pose_t *pose = &state->ground_pose;
    if (state->older > (uint32_t)states && state->older != HISTORY_BEGAN) {
        return Err_Set(err, "world: history of edict %d: the state before has number %u, of %d",
                       state->number, state->older, states);
    }
    return is_possible(pose->origin, pose->angles) ||
           Err_Set(err, "world: history of edict %d: expected a finite pose of the ground",
                   state->number);
}

static bool check_track(const world_t *world, int32_t index, err_t *err) {
    const history_state_t *track = &History_Tracks(world)[index];
    const bool is_of_client = index < world->max_clients;
    const int32_t first = is_of_client ? index + 1 : world->max_clients + 1;
    const int32_t last = is_of_client ? index + 1 : world->max_edicts - 1;
    if (track->number == 0) {
        return !(Bits_Get(History_Recent(world), index) || Bits_Get(riding_of(world), index)) ||
               Err_Set(err, "world: track %d of no edict: expected that it has no bits", index);
    }
    const world_range_t range = {"number", track->number, first, last};
    return World_CheckRanges("track", index, &range, 1, err) &&
           (numbers_of(world)[track->number] == index + 1 ||
            Err_Set(err, "world: track %d: expected it to be the track of edict %d, found %d",
                    index, track->number, numbers_of(world)[track->number] - 1)) &&
           check_state(world, track, err);
}

static bool check_log(const world_t *world, err_t *err) {
    const int32_t used = History_Head(world)->pages_used;
    for (int32_t i = 0; i < used; i++) {
        const world_range_t range = {"next", pages_of(world)[i].next, 0, used - 1};
        if (!World_CheckRanges("page", i, &range, 1, err)) {
            return false;
        }
    }
    for (int32_t i = 0; i < used * HISTORY_PAGE; i++) {
        if (!check_state(world, &log_of(world)[i], err)) {
            return false;
        }
    }
    return true;
}

bool History_Check(const world_t *world, err_t *err) {
    const history_head_t *head = History_Head(world);
    history_head_t good = *head;
    (void)lay_out(world->max_edicts, world->max_clients, &good);
    if (memcmp(head, &good, sizeof good) != 0) {
        return Err_Set(err, "world: history: its parts are not those of %d edicts and %d clients",
                       world->max_edicts, world->max_clients);
    }
    const int32_t count = head->num_tracks;
    const int32_t pages = head->num_pages;
    const world_range_t ranges[] = {
        {"used tracks", head->used, world->max_clients, count},
        {"is_empty", head->is_empty, 0, 1},
        {"hand", head->hand, world->max_clients, Q_MaxI(count - 1, world->max_clients)},
        {"used pages", head->pages_used, 1, pages},
        {"page", head->page, 0, head->pages_used - 1},
        {"filled", head->filled, 0, HISTORY_PAGE}};
    if (!World_CheckRanges("history", 0, ranges, COUNTOF(ranges), err)) {
        return false;
    }
    for (int32_t i = 0; i < world->max_edicts; i++) {
        const int32_t index = index_of(world, i);
        if (index >= head->used || (index >= 0 && History_Tracks(world)[index].number != i)) {
            return Err_Set(err, "world: edict %d: track %d is of another edict, or unused", i,
                           index);
        }
    }
    for (int32_t i = 0; i < count; i++) {
        if (!check_track(world, i, err)) {
            return false;
        }
    }
    return check_log(world, err);
}
