/// core/player.c - runs usercmds: answers pmove's queries of the world, calls touch callbacks and
/// the game's client_step.

#include "collide/cache.h"
#include "core/core_local.h"
#include "move/pmove.h"
#include "move/vehicle.h"
#include "physics/physics.h"
#include "world/running.h"
#include "world/volume.h"

#include <float.h>

#define NEAR_REACH          32.0f // qu around a player; covers the usual sub-steps of a tick
#define STEP_REACH          22.0f // qu around a player; covers a usual sub-step
#define REFUSED_BURST_TICKS 300   // a longer pause between refused movetypes ends a burst

typedef struct {
    sv_context_t *sv;
    const game_export_t *game;
    edict_t *edict;
    client_t *client;
    player_tick_t *tick;
    sv_query_t query; // with the query cache of the map around the player
    bool has_checked_hull;
} player_run_t;

// Forgets the neighbours if an edict was linked since they were found.
static void check_neighbours(player_tick_t *tick, const sv_context_t *sv) {
    if (tick->num_links != sv->num_links) {
        Neighbours_Clear(&tick->near);
    }
}

static bounds_t box_around(bounds_t box, float side) {
    const vec3_t reach = {side, side, side};
    return (bounds_t){VectorSubtract(box.mins, reach), VectorAdd(box.maxs, reach)};
}

static void player_prefetch(void *context, vec3_t origin, vec3_t mins, vec3_t maxs) {
    player_run_t *run = context;
    const sv_context_t *sv = run->sv;
    neighbours_t *near = &run->tick->near;
    const bounds_t box = {VectorAdd(origin, mins), VectorAdd(origin, maxs)};
    const bool passes = run->edict->solid != SOLID_BSP; // all queries pass through the player
    CM_CacheFill(run->query.cache, sv->map, sv->world->cvars.move.sv_solids, origin, mins, maxs);
    // No edict is linked before after_step.
    check_neighbours(run->tick, sv);
    if (!passes || near->counts[AREA_SOLID] < 0 || near->counts[AREA_TRIGGERS] < 0 ||
        !BoundsContain(near->region, box_around(box, STEP_REACH))) {
        Neighbours_Fill(near, sv->world, box_around(box, NEAR_REACH),
                        passes ? World_EdictNumber(sv->world, run->edict) : 0);
        run->tick->num_links = sv->num_links;
    }
}

static trace_t player_trace(void *context, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end) {
    player_run_t *run = context;
    run->has_checked_hull = run->has_checked_hull || SV_CheckHull(run->sv, run->edict, mins, maxs);
    return SV_MoveCached(run->sv, &run->query, start, mins, maxs, end);
}

static contents_t player_contents(void *context, vec3_t point) {
    const player_run_t *run = context;
    return SV_PointContentsCached(run->sv, &run->query, point);
}

// Returns the basevelocity for one sub-step; see player_tick_t.
static vec3_t take_carry(const player_run_t *run) {
    const vec3_t zero = {0.0f, 0.0f, 0.0f};
    edict_t *edict = run->edict;
    player_tick_t *tick = run->tick;
    if (!tick->has_carry || !VectorCompare(edict->basevelocity, zero)) {
        // A game may write any basevelocity.
        tick->carry = VectorWithin(edict->basevelocity, FLT_MAX) ? edict->basevelocity : zero;
    }
    if (!tick->has_carry && !VectorCompare(edict->basevelocity, zero)) {
        edict->basevelocity = zero;
        World_MarkWritten(run->sv->world, edict);
    }
    tick->has_carry = true;
    float limit = run->sv->world->cvars.move.sv_maxvelocity;
    return VectorClamp(tick->carry, limit);
}

static pm_volume_t player_volume(void *context, vec3_t absmin, vec3_t absmax) {
    const player_run_t *run = context;
    pm_volume_t volume = SV_VolumesNear(run->sv, &run->tick->near, (bounds_t){absmin, absmax});
    volume.current = VectorAdd(volume.current, take_carry(run));
    return volume;
}

static pm_surface_t player_surface(void *context, int32_t entnum, vec3_t at) {
    const player_run_t *run = context;
    return SV_SurfaceOf(run->sv, entnum, at);
}

static int32_t player_overlap(void *context, bounds_t box, cm_contact_t *contacts, int32_t *entnums,
                              int32_t max) {
    const player_run_t *run = context;
    ASSERT(max == MAX_CONTACTS);
    return SV_Overlap(run->sv, &run->query, box, contacts, entnums);
}

void SV_CheckMovetype(sv_context_t *sv, edict_t *edict) {
    client_t *client = World_Client(sv->world, World_EdictNumber(sv->world, edict) - 1);
    int32_t found = edict->movetype;
    if (MoveType_FitsClient(found)) {
        return;
    }
    bool exists = found >= 0 && found < MOVETYPE_COUNT;
    int32_t last = client->refused_tick;
    int32_t now = (int32_t)(sv->world->tick & INT32_MAX);
    int32_t kept = client->player.movetype; // a game may have written this too
    edict->movetype = exists && MoveType_FitsClient(kept) ? kept : MOVETYPE_NONE;
    client->refused_tick = now;
    World_MarkWritten(sv->world, edict);
    if (last == 0 || now < last || now - last > REFUSED_BURST_TICKS) {
        Events_Log(sv->events, LOG_WARN,
                   exists ? "edict %d (%s): movetype %d is not for clients; it keeps movetype %d"
                          : "edict %d (%s): movetype %d does not exist; it has movetype %d now",
                   World_EdictNumber(sv->world, edict), World_Text(sv->world, edict->classname),
                   found, edict->movetype);
    }
}

void SV_PlayerFromEdict(sv_context_t *sv, edict_t *edict) {
    player_state_t *player =
        &World_Client(sv->world, World_EdictNumber(sv->world, edict) - 1)->player;
    SV_CheckMovetype(sv, edict);
    player->movetype = edict->movetype;
    player->origin = edict->origin;
    player->velocity = edict->velocity;
    player->mins = edict->mins;
    player->maxs = edict->maxs;
    player->gravity = edict->gravity;
    if (!(edict->flags & FL_ONGROUND)) {
        player->flags &= ~PMF_ONGROUND;
        player->groundentity = -1;
    }
}

void SV_EdictFromPlayer(sv_context_t *sv, edict_t *edict, const player_state_t *player) {
    edict->origin = player->origin;
    edict->velocity = player->velocity;
    // The edict of a driver has the vehicle's heading, not the driver's view.
    edict->angles =
        player->pm_type == PM_DRIVING ? Vector(0.0f, player->heading, 0.0f) : player->angles;
    edict->mins = player->mins;
    edict->maxs = player->maxs;
    edict->waterlevel = (int16_t)player->waterlevel;
    edict->watertype = (int16_t)player->watertype;
    const bool stands = (player->flags & PMF_ONGROUND) && player->groundentity >= 0;
    SV_SetGround(sv, edict, stands ? World_Edict(sv->world, player->groundentity) : NULL);
}

// Stops a player at the edge of the world. Outside, the player's edict would be quarantined.
static void keep_in_world(player_state_t *player, const edict_t *edict) {
    if (!VectorWithin(player->origin, MAX_WORLD_COORD)) {
        player->origin = edict->origin;
        player->velocity = Vector(0.0f, 0.0f, 0.0f);
    }
}

void SV_BeginPlayerTick(player_tick_t *tick) {
    tick->has_carry = false; // set by member: the lists are large
    tick->num_links = 0;
    Neighbours_Clear(&tick->near);
}

bool SV_PlayerQuery(const sv_context_t *sv, int32_t slot, player_tick_t *tick, sv_query_t *query) {
    check_neighbours(tick, sv);
    *query = (sv_query_t){.pass = World_Edict(sv->world, slot + 1),
                          .type = MOVE_NORMAL,
                          .cache = sv->caches ? &sv->caches[slot] : NULL,
                          .near = &tick->near};
    return sv->caches && tick->near.counts[AREA_SOLID] >= 0 && !(query->pass->flags & FL_MONSTER);
}

static void call_client_step(const player_run_t *run, const usercmd_t *cmd, int32_t step_ms) {
    sv_running_t outer = SV_EnterGame(run->sv, "client_step", "", run->edict);
    run->game->client_step(run->sv, run->edict, run->client, cmd, step_ms);
    SV_LeaveGame(run->sv, outer);
}

static bool after_step(void *context, player_state_t *player, const usercmd_t *cmd, int32_t step_ms,
                       const pm_touch_t *touch) {
    player_run_t *run = context;
    sv_context_t *sv = run->sv;
    edict_t *edict = run->edict;
    player_tick_t *tick = run->tick;
    keep_in_world(player, edict);
    SV_EdictFromPlayer(sv, edict, player);
    World_MarkWritten(sv->world, edict);
    check_neighbours(tick, sv);
    SV_LinkEdict(sv, edict, false);
    tick->num_links = sv->num_links; // the player is none of its neighbours
    if (edict->solid != SOLID_NOT && MoveType_IsPushed(player->movetype) && World_IsLive(edict)) {
        SV_TouchNear(sv, edict, &tick->near);
    }
    for (int32_t i = 0; i < touch->count && World_IsLive(edict); i++) {
        edict_t *other = World_Edict(sv->world, touch->entnums[i]);
        if (other->inuse) {
            SV_Impact(sv, edict, other, NULL);
        }
    }
    sv->world->counters.touches_dropped += (uint64_t)touch->dropped;
    if (World_IsLive(edict) && run->game->client_step) {
        call_client_step(run, cmd, step_ms);
    }
    SV_PlayerFromEdict(sv, edict);
    PM_NoteUse(player, cmd->buttons);
    return World_IsLive(edict);
}

void SV_RunPlayerCommand(sv_context_t *sv, const game_export_t *game, int32_t slot,
                         const usercmd_t *cmd, int32_t msec, player_tick_t *tick) {
    player_run_t run;
    run.tick = tick;
    run.sv = sv;
    run.game = game;
    run.edict = World_Edict(sv->world, slot + 1);
    run.client = World_Client(sv->world, slot);
    cm_cache_t own; // large, but only the used part of it is ever written
    own.map = NULL;
    run.query = (sv_query_t){.pass = run.edict,
                             .type = MOVE_NORMAL,
                             .cache = sv->caches ? &sv->caches[slot] : &own,
                             .near = &tick->near};
    run.has_checked_hull = false;
    if (!run.query.cache->map) {
        CM_CacheBegin(run.query.cache, sv->map, sv->world->cvars.move.sv_solids);
    }
    const pm_world_t world = {.context = &run,
                              .trace = player_trace,
                              .point_contents = player_contents,
                              .prefetch = player_prefetch,
                              .volume = player_volume,
                              .surface = player_surface,
                              .overlap = player_overlap};
    const pm_hooks_t hooks = {&run, after_step};
    if (World_IsLive(run.edict) && cmd->impulse && game->client_step) {
        usercmd_t alone = *cmd; // only the impulse: the sub-steps pass time and buttons
        alone.msec = 0;
        alone.buttons = 0;
        call_client_step(&run, &alone, 0);
    }
    if (World_IsLive(run.edict)) {
        PM_RunCommand(&run.client->player, cmd, msec, &sv->world->cvars.move, &world, &hooks);
    }
}
