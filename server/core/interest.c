#include "core/interest.h"

#include "collide/vis.h"
#include "core/sight.h"
#include "proto/entity_fields.h"
#include "state/shown.h"
#include "world/bits.h"
#include "world/followers.h"
#include "world/shape.h"

#include <stdlib.h>
#include <string.h>

#define EDICT_CLUSTERS 64  // of an edict in more, everybody receives it
#define EYE_CLUSTERS   256 // a player near more sees everything
#define ROW_WORDS      (CM_MAX_CLUSTERS / 64)
#define CACHE_WORDS    (512 * ROW_WORDS)
#define SLACK_QU       24.0f // boxes are this much larger, so that they are used for some ticks
#define MODEL_QU       8.0f  // drawn models reach so far beyond their boxes
#define TURN_TICKS     30    // each client has had a turn after two intervals of snapshots
#define AHEAD_S        0.1f  // s; how far moving edicts are sent ahead

// Where an edict was, when its clusters were found.
typedef struct {
    bounds_t box; // of `clusters`
    pose_t pose;  // in the last tick
    uint32_t generation;
    int64_t jump_tick;     // tick in which it was new, or of its last jump
    vec3_t jumped_from[2]; // origins before the first and the last of its recent jumps
} place_t;

struct interest_s {
    int32_t max_edicts;
    int32_t num_words; // of a row of this map; 0 without visibility
    int32_t *clusters; // of edicts, EDICT_CLUSTERS each
    uint8_t num_clusters[MAX_EDICTS];
    _Static_assert(EDICT_CLUSTERS <= UINT8_MAX, "num_clusters has space for each count");
    uint64_t placed[MAX_EDICTS / 64]; // edicts that may have clusters
    // Edicts by cluster, in this tick: members[starts[c]] to members[starts[c + 1] - 1].
    int32_t starts[CM_MAX_CLUSTERS + 2];
    uint16_t *members;
    uint64_t occupied[ROW_WORDS];
    uint64_t everywhere[MAX_EDICTS / 64]; // edicts without a list of clusters
    place_t *places;
    // By edict, in this tick.
    int32_t states[MAX_EDICTS];  // first index into server->states, or -1
    int32_t parents[MAX_EDICTS]; // parent or leader, 0 = none: a copy that fits in the CPU's cache
    uint8_t num_states[MAX_EDICTS];     // with the same number
    int32_t next_followers[MAX_EDICTS]; // of a player
    int32_t first_followers[MAX_CLIENTS];
    bool has_followers, has_parents; // in this tick; without them, whole searches are skipped
    int32_t first_mates[MAX_CLIENTS], next_mates[MAX_CLIENTS]; // slot + 1, by the team's remainder
    // Rows of visible clusters.
    bounds_t eye_boxes[MAX_CLIENTS]; // of which eye_rows are; by slot
    uint64_t *eye_rows;
    int32_t cached[CM_MAX_CLUSTERS]; // cluster + 1, by slot of `cache`
    uint64_t *cache;
    uint64_t still[MAX_EDICTS / 64];   // edicts with one state for all clients and without motion
    uint64_t patient[MAX_EDICTS / 64]; // of those, edicts that may wait in a crowd
    uint64_t fresh[MAX_EDICTS / 64];   // edicts that are new
    uint64_t jumped[MAX_EDICTS / 64];  // edicts that have jumped a short time ago
    uint32_t versions[MAX_EDICTS];     // of the states of edicts that rest; 0 = of other edicts
    uint64_t found[MAX_EDICTS / 64];   // by one client
    uint64_t aside[MAX_EDICTS / 64];   // of those, edicts that the client keeps as they are
    uint64_t current[MAX_EDICTS / 64]; // of those, edicts that the client has as they are
    sight_t *sight;
};

interest_t *Interest_Create(int32_t max_clients, int32_t max_edicts) {
    interest_t *made = calloc(1, sizeof *made);
    const size_t edicts = (size_t)max_edicts;
    if (!made) {
        return NULL;
    }
    made->max_edicts = max_edicts;
    made->members = calloc(edicts * EDICT_CLUSTERS, sizeof *made->members);
    made->clusters = calloc(edicts * EDICT_CLUSTERS, sizeof *made->clusters);
    made->places = calloc(edicts, sizeof *made->places);
    made->eye_rows = calloc((size_t)max_clients * ROW_WORDS, sizeof *made->eye_rows);
    made->cache = calloc(CACHE_WORDS, sizeof *made->cache);
    made->sight = Sight_Create(max_clients);
    if (!made->members || !made->clusters || !made->places || !made->eye_rows || !made->cache ||
        !made->sight) {
        Interest_Free(made);
        return NULL;
    }
    return made;
}

void Interest_Free(interest_t *interest) {
    if (interest) {
        free(interest->members);
        free(interest->clusters);
        free(interest->places);
        free(interest->eye_rows);
        free(interest->cache);
        Sight_Free(interest->sight);
        free(interest);
    }
}

static const bounds_t nowhere = {{1.0f, 0.0f, 0.0f}, {-1.0f, 0.0f, 0.0f}};

void Interest_StartMap(server_t *server) {
    interest_t *interest = server->interest;
    interest->num_words = (CM_NumClusters(server->map) + 63) / 64;
    memset(interest->everywhere, 0, sizeof interest->everywhere);
    memset(interest->num_clusters, 0, sizeof interest->num_clusters);
    memset(interest->placed, 0, sizeof interest->placed);
    memset(interest->still, 0, sizeof interest->still);
    memset(interest->aside, 0, sizeof interest->aside);
    memset(interest->fresh, 0, sizeof interest->fresh);
    memset(interest->jumped, 0, sizeof interest->jumped);
    memset(interest->cached, 0, sizeof interest->cached);
    for (int32_t i = 0; i < interest->max_edicts; i++) {
        interest->places[i] = (place_t){.box = nowhere};
    }
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        interest->eye_boxes[slot] = nowhere;
    }
    Sight_StartMap(interest->sight, server->map);
    if (!CM_HasVis(server->map)) {
        Log_Print(
            server->config.log, LOG_INFO,
            "map %s: has no visibility: clients receive all but players out of sight (sv_cull_los)",
            CM_Info(server->map).name);
    }
}

// ---- the places of edicts ----

static bounds_t grown(bounds_t box, float by) {
    const vec3_t margin = {by, by, by};
    return (bounds_t){VectorSubtract(box.mins, margin), VectorAdd(box.maxs, margin)};
}

static void unplace(interest_t *interest, int32_t number) {
    interest->num_clusters[number] = 0;
    interest->places[number].box = nowhere;
    Bits_Clear(interest->everywhere, number);
}

// Lists the edicts by cluster.
static void list_members(interest_t *interest, int32_t num_edicts) {
    const int32_t num_clusters = interest->num_words * 64;
    int32_t *starts = interest->starts + 1; // the second pass moves each start to the next one
    memset(interest->starts, 0, ((size_t)num_clusters + 2) * sizeof *starts);
    for (int32_t number = Bits_Next(interest->placed, 0, num_edicts); number > 0;
         number = Bits_Next(interest->placed, number, num_edicts)) {
        const int32_t *clusters = &interest->clusters[number * EDICT_CLUSTERS];
        for (int32_t n = 0; n < interest->num_clusters[number]; n++) {
            starts[clusters[n] + 1]++;
        }
    }
    memset(interest->occupied, 0, (size_t)interest->num_words * sizeof interest->occupied[0]);
    for (int32_t cluster = 0; cluster < num_clusters; cluster++) {
        if (starts[cluster + 1] > 0) {
            Bits_Set(interest->occupied, cluster);
        }
        starts[cluster + 1] += starts[cluster];
    }
    for (int32_t number = Bits_Next(interest->placed, 0, num_edicts); number > 0;
         number = Bits_Next(interest->placed, number, num_edicts)) {
        const int32_t *clusters = &interest->clusters[number * EDICT_CLUSTERS];
        for (int32_t n = 0; n < interest->num_clusters[number]; n++) {
            interest->members[starts[clusters[n]]++] = (uint16_t)number;
        }
    }
}

// Lists an edict in the clusters of a box.
static void place_box(interest_t *interest, const cmap_t *map, int32_t number, bounds_t box) {
    place_t *place = &interest->places[number];
    const bounds_t wide = grown(box, SLACK_QU);
    if (BoundsContain(place->box, box) && BoundsContain(grown(wide, SLACK_QU), place->box)) {
        return;
    }
    unplace(interest, number);
    const int32_t count =
        CM_BoxClusters(map, wide, &interest->clusters[number * EDICT_CLUSTERS], EDICT_CLUSTERS);
    if (count == CM_ALL_CLUSTERS) {
        Bits_Set(interest->everywhere, number);
    } else {
        interest->num_clusters[number] = (uint8_t)count;
    }
    place->box = wide;
}

static void place_edict(server_t *server, const sv_context_t *sv, int32_t number) {
    interest_t *interest = server->interest;
    const edict_t *edict = World_Edict(server->world, number);
    place_t *place = &interest->places[number];
    const edict_t *leader = Followers_Leaders(server->world, edict).player;
    if (place->generation != edict->generation) {
        unplace(interest, number);
        place->generation = edict->generation;
        place->jump_tick = server->world->tick;
        Bits_Set(interest->fresh, number);
        Bits_Clear(interest->jumped, number);
    } else if (!VectorWithin(VectorSubtract(edict->origin, place->pose.origin), SHOWN_MAX_JUMP)) {
        const bool is_first = !Bits_Get(interest->jumped, number);
        place->jumped_from[0] = is_first ? place->pose.origin : place->jumped_from[0];
        place->jumped_from[1] = place->pose.origin;
        place->jump_tick = server->world->tick;
        Bits_Set(interest->jumped, number);
    }
    if (VectorCompare(edict->origin, place->pose.origin) &&
        VectorCompare(edict->angles, place->pose.angles)) {
        Sight_AddModel(interest->sight, sv, edict);
    }
    place->pose = (pose_t){edict->origin, edict->angles};
    if (leader) {
        const int32_t slot = World_EdictNumber(server->world, leader) - 1;
        unplace(interest, number);
        Bits_Clear(interest->patient, slot + 1); // the follower is hidden with the player
        interest->next_followers[number] = interest->first_followers[slot];
        interest->first_followers[slot] = number;
        interest->has_followers = true;
        return;
    }
    const vec3_t velocity = VectorAdd(edict->velocity, edict->pushed_velocity);
    const float reach = number <= server->config.max_clients
                            ? Sight_Reach(interest->sight, number - 1, true)
                            : MODEL_QU + VectorLength(velocity) * AHEAD_S;
    place_box(interest, server->map, number, grown(World_Box(sv, edict), reach));
}

// Removes edicts from a set once each client has had a turn since they were new or jumped.
static void forget(const interest_t *interest, const server_t *server, uint64_t *set) {
    const int32_t end = server->world->num_edicts;
    const int64_t over_tick = server->world->tick - Q_MaxI(2 * server->snapshot_ticks, TURN_TICKS);
    for (int32_t number = Bits_Next(set, 0, end); number > 0;
         number = Bits_Next(set, number, end)) {
        if (interest->places[number].jump_tick <= over_tick) {
            Bits_Clear(set, number);
        }
    }
}

// Lets new edicts wait for no round, even if they rest, because clients show the edicts that had
// their numbers before.
static void hurry_fresh(interest_t *interest, const server_t *server) {
    forget(interest, server, interest->fresh);
    forget(interest, server, interest->jumped);
    for (int32_t word = 0; word < Bits_Words(server->world->num_edicts); word++) {
        interest->patient[word] &= ~interest->fresh[word];
    }
}

// Lists the versions of the edicts at rest. Clients that have these need no turn with them. Players
// are left out: their turns test whether they are hidden.
static void list_versions(interest_t *interest, const server_t *server) {
    const int32_t end = server->world->num_edicts;
    memset(interest->versions, 0, (size_t)end * sizeof interest->versions[0]);
    for (int32_t number = Bits_Next(server->kept, server->config.max_clients, end); number > 0;
         number = Bits_Next(server->kept, number, end)) {
        interest->versions[number] = server->versions[interest->states[number]];
    }
}

// Returns the first player in the list of a team. Some teams share a list.
static int32_t *first_mate(const server_t *server, int32_t team) {
    return &server->interest->first_mates[team % server->config.max_clients];
}

static void list_mates(server_t *server) {
    interest_t *interest = server->interest;
    memset(interest->first_mates, 0,
           (size_t)server->config.max_clients * sizeof interest->first_mates[0]);
    for (int32_t slot = 0; slot < server->config.max_clients; slot++) {
        const client_t *client = World_Client(server->world, slot);
        if (client->inuse && client->team != 0) {
            int32_t *first = first_mate(server, client->team);
            interest->next_mates[slot] = *first;
            *first = slot + 1;
        }
    }
}

// Stores the parent of a state, and whether its edict is still. A kept edict never has a parent.
static void note_state(server_t *server, int32_t index) {
    interest_t *interest = server->interest;
    const entity_state_t *state = &server->states[index];
    interest->parents[state->number] = state->parent;
    interest->has_parents = interest->has_parents || state->parent > 0;
    if (server->audiences[index] == AUDIENCE_ALL && state->motion == ENTITY_NO_MOTION) {
        Bits_Set(interest->still, state->number);
    } else {
        Bits_Clear(interest->still, state->number);
    }
}

void Interest_Tick(server_t *server) {
    interest_t *interest = server->interest;
    const world_t *world = server->world;
    const int32_t num_words = Bits_Words(world->num_edicts);
    const sv_context_t sv = SV_Context(server->world, server->map, &server->game, NULL);
    Sight_Tick(server, interest->sight);
    list_mates(server);
    memset(interest->first_followers, 0,
           (size_t)server->config.max_clients * sizeof interest->first_followers[0]);
    interest->has_followers = interest->has_parents = false;
    memset(interest->states, 0xff, (size_t)world->num_edicts * sizeof *interest->states);
    for (int32_t i = server->num_states - 1; i >= 0; i--) {
        const int32_t number = server->numbers[i];
        const bool is_first = interest->states[number] < 0;
        interest->num_states[number] = (uint8_t)(is_first ? 1 : interest->num_states[number] + 1);
        interest->states[number] = i;
        if (!Bits_Get(server->kept, number)) { // a kept edict has the values of the last tick
            note_state(server, i);
        }
    }
    memcpy(interest->patient, interest->still, (size_t)num_words * sizeof interest->still[0]);
    for (int32_t number = 1; number < world->num_edicts; number++) {
        if (Bits_Get(server->kept, number)) { // most edicts
            Sight_AddModel(interest->sight, &sv, World_Edict(world, number));
        } else if (interest->states[number] >= 0) {
            place_edict(server, &sv, number);
            Bits_Set(interest->placed, number);
        } else if (Bits_Get(interest->placed, number)) {
            unplace(interest, number);
            Bits_Clear(interest->placed, number);
            Bits_Clear(interest->still, number);
            Bits_Clear(interest->patient, number);
        }
        ASSERT(!VALIDATE || interest->states[number] >= 0 || !Bits_Get(interest->still, number));
    }
    hurry_fresh(interest, server);
    list_versions(interest, server);
    Priority_Advance(&server->round, server->snapshot_ticks, interest->patient, num_words);
    list_members(interest, world->num_edicts);
    Sight_EndTick(interest->sight);
}

// ---- one client ----

// Returns the row of a cluster.
static const uint64_t *row_of(interest_t *interest, const cmap_t *map, int32_t cluster) {
    const int32_t at = cluster % Q_MinI(CACHE_WORDS / interest->num_words, CM_MAX_CLUSTERS);
    uint64_t *row = &interest->cache[(size_t)at * (size_t)interest->num_words];
    if (interest->cached[at] != cluster + 1) {
        interest->cached[at] = cluster + 1;
        memset(row, 0, (size_t)interest->num_words * sizeof *row);
        CM_AddPVS(map, cluster, (uint8_t *)row);
    }
    return row;
}

bool Interest_Sees(server_t *server, int32_t from, int32_t to) {
    return from == CM_NO_CLUSTER || to == CM_NO_CLUSTER ||
           Bits_Get(row_of(server->interest, server->map, from), to);
}

// Writes the clusters that are visible from a box.
static void fill_row(server_t *server, bounds_t box, uint64_t *row) {
    interest_t *interest = server->interest;
    int32_t clusters[EYE_CLUSTERS];
    const int32_t count = CM_BoxClusters(server->map, box, clusters, EYE_CLUSTERS);
    memset(row, count <= 0 ? 0xff : 0, (size_t)interest->num_words * sizeof *row);
    for (int32_t i = 0; i < count; i++) {
        const uint64_t *other = row_of(interest, server->map, clusters[i]);
        for (int32_t word = 0; word < interest->num_words; word++) {
            row[word] |= other[word];
        }
    }
}

// Returns the clusters that a player may soon see. `is_now`: returns an older row if that has those
// that the player sees now.
static const uint64_t *eye_row(server_t *server, int32_t slot, bool is_now) {
    interest_t *interest = server->interest;
    const edict_t *edict = World_Edict(server->world, slot + 1);
    uint64_t *row = &interest->eye_rows[(size_t)slot * (size_t)interest->num_words];
    const bounds_t here = {VectorAdd(edict->origin, edict->mins),
                           VectorAdd(edict->origin, edict->maxs)};
    bounds_t *known = &interest->eye_boxes[slot];
    if (is_now && BoundsContain(*known, grown(here, SLACK_QU))) {
        return row;
    }
    const bounds_t box = grown(here, Sight_Reach(interest->sight, slot, false));
    const bounds_t wide = grown(box, SLACK_QU);
    if (!BoundsContain(*known, box) || !BoundsContain(grown(wide, SLACK_QU), *known)) {
        fill_row(server, wide, row);
        *known = wide;
    }
    return row;
}

const uint64_t *Interest_EyeRow(server_t *server, int32_t slot) {
    return server->interest->num_words == 0 ? NULL : eye_row(server, slot, true);
}

// Finds the edicts in the clusters of a row.
static void find_in_row(interest_t *interest, const uint64_t *row) {
    const int32_t *starts = interest->starts;
    for (int32_t word = 0; word < interest->num_words; word++) {
        for (uint64_t left = row[word] & interest->occupied[word]; left; left &= left - 1) {
            const int32_t cluster = word * 64 + Bits_Lowest(left);
            const uint16_t *end = interest->members + starts[cluster + 1];
            for (const uint16_t *at = interest->members + starts[cluster]; at < end; at++) {
                Bits_Set(interest->found, *at);
            }
        }
    }
}

static void find_in_clusters(server_t *server, int32_t view) {
    interest_t *interest = server->interest;
    bounds_t exits[EXITS_NEAR];
    if (interest->num_words == 0) {
        return;
    }
    find_in_row(interest, eye_row(server, view, false));
    const int32_t num_exits = Sight_Exits(interest->sight, view, exits);
    for (int32_t i = 0; i < num_exits; i++) {
        uint64_t row[ROW_WORDS];
        fill_row(server, grown(exits[i], Sight_Reach(interest->sight, view, false)), row);
        find_in_row(interest, row);
    }
}

// Adds an edict with its parents or leaders, which the client needs to place it.
static void find(server_t *server, int32_t number) {
    const interest_t *interest = server->interest;
    while (number > 0 && interest->states[number] >= 0 && !Bits_Get(interest->found, number)) {
        Bits_Set(server->interest->found, number);
        number = interest->parents[number];
    }
}

static bool is_mate(const server_t *server, const client_t *viewer, int32_t slot) {
    return viewer->team != 0 && World_Client(server->world, slot)->team == viewer->team;
}

// Returns true if walls hide players from the client of a viewer.
static bool is_culled(const server_t *server, const client_t *viewer) {
    return server->config.cull_los && !viewer->spectator;
}

// Returns true if the client of `view` may soon see a player, while players are culled.
static bool sees_player(server_t *server, const client_t *viewer, int32_t view, int32_t slot) {
    return slot == view || is_mate(server, viewer, slot) ||
           Sight_Sees(server, server->interest->sight, view, slot);
}

bool Interest_SeesPlayer(server_t *server, int32_t view, int32_t slot) {
    const client_t *viewer = World_Client(server->world, view);
    return !is_culled(server, viewer) || sees_player(server, viewer, view, slot);
}

bool Interest_SeesPlace(server_t *server, int32_t view, vec3_t place) {
    return !is_culled(server, World_Client(server->world, view)) ||
           Sight_SeesPlace(server, server->interest->sight, view, place);
}

static bool is_near(vec3_t a, vec3_t b, float near_qu) {
    const vec3_t to = VectorSubtract(a, b);
    return DotProduct(to, to) < near_qu * near_qu;
}

// Removes the edicts near a client from those that wait. Also removes those that were near before
// they jumped: until their turns, the client would show them there.
static void take_near(server_t *server, const turn_t *turn, float near_qu, int32_t num_words) {
    interest_t *interest = server->interest;
    for (int32_t word = 0; word < num_words; word++) {
        const uint64_t waits = interest->aside[word];
        for (uint64_t left = waits; left; left &= left - 1) {
            const int32_t number = word * 64 + Bits_Lowest(left);
            const spot_t *spot = &server->spots[interest->states[number]];
            if (is_near(spot->origin, turn->eye, near_qu)) {
                Bits_Clear(interest->aside, number);
            }
        }
        for (uint64_t left = waits & interest->jumped[word]; left; left &= left - 1) {
            const int32_t number = word * 64 + Bits_Lowest(left);
            const vec3_t *from = interest->places[number].jumped_from;
            if (is_near(from[0], turn->eye, near_qu) || is_near(from[1], turn->eye, near_qu)) {
                Bits_Clear(interest->aside, number);
            }
        }
    }
}

// Sets aside the edicts of a crowd that are not in this turn of the client.
static void set_aside(server_t *server, const session_t *session, int32_t view, turn_t *turn) {
    interest_t *interest = server->interest;
    priority_t *priority = &server->priorities[session->slot];
    const int32_t num_words = Bits_Words(server->world->num_edicts);
    if (!priority->is_crowd || SV_IsBlind(server->world, session->slot)) {
        memset(interest->aside, 0, (size_t)num_words * sizeof interest->aside[0]);
        return;
    }
    SnapshotRing_Held(session->ring, interest->versions, interest->aside, interest->current,
                      num_words);
    for (int32_t word = 0; word < num_words; word++) {
        interest->aside[word] &= interest->found[word] & interest->patient[word];
        interest->current[word] &= interest->aside[word];
        interest->aside[word] &= ~interest->current[word];
    }
    Bits_Clear(interest->aside, session->slot + 1);
    Bits_Clear(interest->aside, view + 1);
    take_near(server, turn, priority->near_qu, num_words);
    Priority_SetAside(priority, &server->round, turn, interest->aside, num_words);
    for (int32_t word = 0; word < num_words; word++) {
        turn->num_current += __builtin_popcountll(interest->current[word]);
        interest->aside[word] |= interest->current[word];
    }
}

// Removes players out of sight. Adds team mates, and the followers of players.
static void find_players(server_t *server, int32_t view) {
    interest_t *interest = server->interest;
    const client_t *viewer = World_Client(server->world, view);
    const bool hides = is_culled(server, viewer);
    const int32_t end = server->config.max_clients + 1;
    for (int32_t word = 0; hides && word < Bits_Words(end); word++) {
        for (uint64_t left = interest->found[word] & ~interest->aside[word]; left;
             left &= left - 1) {
            const int32_t number = word * 64 + Bits_Lowest(left);
            if (number < end && !sees_player(server, viewer, view, number - 1)) {
                Bits_Clear(interest->found, number);
            }
        }
    }
    find(server, view + 1);
    for (int32_t mate = viewer->team ? *first_mate(server, viewer->team) : 0; mate > 0;
         mate = interest->next_mates[mate - 1]) {
        if (is_mate(server, viewer, mate - 1)) {
            find(server, mate);
        }
    }
    for (int32_t number = interest->has_followers ? Bits_Next(interest->found, 0, end) : 0;
         number > 0; number = Bits_Next(interest->found, number, end)) {
        for (int32_t at = interest->first_followers[number - 1]; at > 0;
             at = interest->next_followers[at]) {
            find(server, at);
        }
    }
}

// Adds what the edicts found so far depend on.
static void find_parents(server_t *server) {
    const interest_t *interest = server->interest;
    const int32_t end = server->world->num_edicts;
    for (int32_t number = interest->has_parents ? Bits_Next(interest->found, 0, end) : 0;
         number > 0; number = Bits_Next(interest->found, number, end)) {
        find(server, interest->parents[number]);
    }
}

// Returns true if a client receives state `index` of this tick, as the client in `slot` sees it.
static bool is_for(const server_t *server, int32_t index, int32_t number, int32_t slot) {
    const audience_t audience = server->audiences[index];
    if (audience == AUDIENCE_ALL) {
        return true;
    }
    if (SendStates_IsPublic(audience)) {
        return SendStates_MayPush(server->world, World_Edict(server->world, number), slot) ==
               (audience == AUDIENCE_NEAR);
    }
    return SV_IsVisible(server->world, World_Edict(server->world, number), slot) ==
           (audience == AUDIENCE_SEES);
}

// Lists the states of the edicts found, but not the client's own. Returns their number.
static int32_t list_found(const server_t *server, int32_t slot, int32_t view, int32_t *indexes) {
    const interest_t *interest = server->interest;
    const uint8_t *audiences = server->audiences;
    const bool is_blind = SV_IsBlind(server->world, slot);
    const int32_t num_words = Bits_Words(server->world->num_edicts);
    int32_t count = 0;
    for (int32_t word = 0; word < num_words; word++) {
        uint64_t left = interest->found[word] & ~interest->aside[word];
        for (; left; left &= left - 1) {
            const int32_t number = word * 64 + Bits_Lowest(left);
            const int32_t first = interest->states[number];
            const int32_t end = number == slot + 1 ? first : first + interest->num_states[number];
            for (int32_t i = first; i < end; i++) {
                if ((audiences[i] == AUDIENCE_ALL || is_for(server, i, number, view)) &&
                    (!is_blind || server->states[i].type == ENTITY_BRUSH)) {
                    indexes[count++] = i;
                }
            }
        }
    }
    return count;
}

int32_t Interest_List(server_t *server, const session_t *session, int32_t view, turn_t *turn,
                      int32_t *indexes) {
    interest_t *interest = server->interest;
    const int32_t end = server->world->num_edicts;
    memcpy(interest->found, interest->everywhere,
           (size_t)Bits_Words(end) * sizeof interest->found[0]);
    find_in_clusters(server, view);
    set_aside(server, session, view, turn);
    find_players(server, view);
    find_parents(server);
    return list_found(server, session->slot, view, indexes);
}
