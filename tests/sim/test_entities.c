// Every mover, button and teleporter of every map there is, used by 16 players for a while: all of
// them move and come back as their keys say, and nobody gets stuck, lost or quarantined.

#include "lib/testing.h"

#include "bsp/bsp.h"
#include "core/core_local.h"
#include "game/game.h"
#include "math/angles.h"
#include "physics/physics.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAYERS      16
#define TICK_MS      16
#define SETTLE_TICKS 60
#define BACK_TICKS   2500 // 40 s: time to come back
#define MAX_CASES    256

typedef struct {
    const char *path;
    cmap_t map;
    world_t *world;
    game_binding_t game;
    inputs_t *inputs;
    events_t *events;
    int32_t used, moved, came_back, teleported;
    int32_t stuck_ticks, faults;
    pose_t spawned[4096]; ///< by edict number
} play_t;

static int32_t use_ticks(void) {
    return getenv("EDICTD_LONG") ? 60000 / TICK_MS : 4000 / TICK_MS;
}

static sv_context_t context_of(play_t *play) {
    sv_context_t sv = {.world = play->world,
                       .map = &play->map,
                       .callbacks = &play->game.callbacks,
                       .events = play->events,
                       .engine = &sv_game_import};
    return sv;
}

static void fault(play_t *play, const edict_t *edict, const char *what) {
    print_message("%s: %s %d: %s\n", play->map.name, World_Text(play->world, edict->classname),
                  World_EdictNumber(play->world, edict), what);
    play->faults++;
}

// ---- a world with 16 players ----

static void start(play_t *play) {
    err_t err = {{0}};
    const world_params_t params = {.max_edicts = 4096,
                                   .max_clients = PLAYERS,
                                   .seed = 1,
                                   .map_hash = play->map.hash,
                                   .bounds = play->map.models[0].bounds};
    play->world = World_Init(malloc(World_Bytes(&params)), &params);
    play->inputs = calloc(1, sizeof *play->inputs);
    play->events = calloc(1, sizeof *play->events);
    assert_true(SV_BindGame(play->world, Game_Export(), &play->game, &err));
    assert_true(SV_SpawnEntities(play->world, &play->map, &play->game, play->events, &err));
    for (int32_t i = 0; i < PLAYERS; i++) {
        input_t *input = Inputs_Add(play->inputs, INPUT_JOIN, i);
        snprintf(input->text, sizeof input->text, "p%d", i);
    }
}

static void stop(play_t *play) {
    free(play->world);
    free(play->inputs);
    free(play->events);
}

static edict_t *player_of(play_t *play, int32_t slot) {
    return World_Edict(play->world, slot + 1);
}

static void look_at_players(play_t *play) {
    sv_context_t sv = context_of(play);
    for (int32_t i = 0; i < PLAYERS; i++) {
        edict_t *player = player_of(play, i);
        if (player->solid != SOLID_SLIDEBOX) {
            continue; // dead, or waits for a place
        }
        if (SV_TestEdictPosition(&sv, player)) {
            play->stuck_ticks++;
        }
    }
}

// ---- driving them ----

// Towards the middle of what is used, then on past it, and back.
static usercmd_t walk_at(play_t *play, int32_t slot, vec3_t goal) {
    const edict_t *player = player_of(play, slot);
    vec3_t d = VectorSubtract(goal, player->origin);
    int64_t tick = play->world->tick;
    bool away = ((tick / 96) + slot) % 4 == 3;
    usercmd_t cmd = {.tick = tick,
                     .msec = TICK_MS,
                     .yaw = AngleToShort(VectorAngles(Vector(d.x, d.y, 0.0f)).y),
                     .forward = (int16_t)(away ? -320 : 320),
                     .buttons = (tick + 7 * slot) % 61 == 0 ? BUTTON_JUMP : 0};
    bool waits = ((tick / 128) + slot) % 3 == 0; // stands still now and then
    cmd.forward = waits ? 0 : cmd.forward;
    return cmd;
}

static void run_tick(play_t *play, const vec3_t *goal) {
    play->events->count = 0;
    for (int32_t i = 0; i < PLAYERS && goal; i++) {
        input_t *input = Inputs_Add(play->inputs, INPUT_USERCMD, i);
        input->cmd = walk_at(play, i, *goal);
    }
    SV_Frame(play->world, &play->map, &play->game, play->inputs, play->events);
    Inputs_Clear(play->inputs);
    look_at_players(play);
}

// ---- free places near something ----

static bool try_place(sv_context_t *sv, edict_t *player, vec3_t at) {
    vec3_t below = VectorSubtract(at, Vector(0.0f, 0.0f, 96.0f));
    trace_t trace = SV_Move(sv, at, player->mins, player->maxs, below, MOVE_NORMAL, player);
    if (trace.startsolid || trace.fraction == 1.0f || trace.plane.normal.z < 0.7f ||
        SV_PointContents(sv, trace.endpos) != CONTENTS_EMPTY) {
        return false;
    }
    player->solid = SOLID_SLIDEBOX;
    player->origin = trace.endpos;
    player->oldorigin = trace.endpos;
    player->velocity = Vector(0.0f, 0.0f, 0.0f);
    player->flags &= ~FL_ONGROUND;
    SV_LinkEdict(sv, player, false);
    World_MarkWritten(sv->world, player);
    World_Client(sv->world, World_EdictNumber(sv->world, player) - 1)->player.origin = trace.endpos;
    return true;
}

// Nobody is there any more for anything to notice.
static void take_players_away(play_t *play) {
    sv_context_t sv = context_of(play);
    for (int32_t i = 0; i < PLAYERS; i++) {
        edict_t *player = player_of(play, i);
        player->solid = SOLID_NOT;
        World_Client(play->world, i)->player.pm_type = PM_FROZEN;
        SV_LinkEdict(&sv, player, false);
    }
}

// Around and on top of a box, in rings that grow.
static int32_t place_players(play_t *play, const edict_t *target) {
    sv_context_t sv = context_of(play);
    vec3_t middle = VectorScale(VectorAdd(target->absmin, target->absmax), 0.5f);
    vec3_t half = VectorScale(VectorSubtract(target->absmax, target->absmin), 0.5f);
    int32_t placed = 0;
    for (int32_t ring = 0; ring < 6 && placed < PLAYERS; ring++) {
        for (int32_t i = 0; i < 24 && placed < PLAYERS; i++) {
            edict_t *player = player_of(play, placed);
            if (World_Client(play->world, placed)->player.health <= 0) {
                placed++; // dead: leave him
                continue;
            }
            float yaw = 15.0f * (float)i;
            float sine;
            float cosine;
            SinCos(yaw, &sine, &cosine);
            float out = (float)ring * 34.0f;
            bool on_top = ring < 2;
            vec3_t at = {middle.x + cosine * (on_top ? 0.6f * half.x : half.x + out),
                         middle.y + sine * (on_top ? 0.6f * half.y : half.y + out),
                         (ring % 2 == 0 ? target->absmax.z : target->absmin.z) + 30.0f};
            placed += try_place(&sv, player, at);
        }
    }
    return placed;
}

// ---- one thing used ----

static bool is_away(const edict_t *edict, pose_t from) {
    return VectorLength(VectorSubtract(edict->origin, from.origin)) > 0.5f ||
           VectorLength(VectorSubtract(edict->angles, from.angles)) > 0.5f;
}

static void use(play_t *play, edict_t *target) {
    sv_context_t sv = context_of(play);
    const callback_t *callback = target->use > 0 ? sv.callbacks->by_id[target->use] : NULL;
    if (callback && callback->use) {
        callback->use(&sv, target, player_of(play, 0), player_of(play, 0));
        World_MarkWritten(play->world, target);
    }
}

static bool goes_on_for_ever(const edict_t *edict, const char *classname) {
    return strcmp(classname, "func_train") == 0 || strcmp(classname, "misc_teleporttrain") == 0 ||
           edict->motion.kind == MOTION_SPIN || edict->motion.kind == MOTION_SWING ||
           edict->motion.parent != 0; // it goes with that
}

static void use_mover(play_t *play, int32_t number) {
    edict_t *target = World_Edict(play->world, number);
    edict_ref_t ref = World_Ref(play->world, target);
    const char *classname = World_Text(play->world, target->classname);
    pose_t from = play->spawned[number];
    int64_t began_ms = target->motion.start_ms; // a quick one is back within a tick
    bool moved = is_away(target, from);         // one that stays open was used before
    place_players(play, target);
    play->used++;
    for (int32_t i = 0; i < use_ticks(); i++) {
        vec3_t goal = VectorScale(VectorAdd(target->absmin, target->absmax), 0.5f);
        run_tick(play, &goal);
        if (World_Deref(play->world, ref) != target || !World_IsLive(target)) {
            fault(play, target, "is gone");
            return;
        }
        moved = moved || is_away(target, from) || target->motion.start_ms != began_ms;
        if (!moved && i % 60 == 50) {
            use(play, target);
        }
    }
    const fields_t *keys = Game_Fields(target);
    bool has_way = !VectorCompare(keys->pos1, keys->pos2) ||
                   !VectorCompare(keys->turn1, keys->turn2) || goes_on_for_ever(target, classname);
    if (!moved && has_way) {
        fault(play, target, "did not move");
        return;
    }
    play->moved++;
    fields_t *fields = Game_Fields(target);
    bool stays = fields->wait < 0.0f || (fields->spawnflags & 32) ||
                 goes_on_for_ever(target, classname) || target->targetname != 0;
    take_players_away(play);
    for (int32_t i = 0; i < BACK_TICKS && !stays && is_away(target, from); i++) {
        run_tick(play, NULL);
        take_players_away(play); // who was dead is back
    }
    if (!stays && is_away(target, from)) {
        fault(play, target, "did not come back");
    } else {
        play->came_back++;
    }
}

static void use_teleporter(play_t *play, int32_t number) {
    edict_t *trigger = World_Edict(play->world, number);
    sv_context_t sv = context_of(play);
    edict_t *player = player_of(play, 0);
    if (World_Client(play->world, 0)->player.health <= 0) {
        return;
    }
    player->solid = SOLID_SLIDEBOX;
    use(play, trigger); // one with a name works for a moment then
    uint32_t before = World_Client(play->world, 0)->player.flags & PMF_TELEPORT;
    player->origin = VectorScale(VectorAdd(trigger->absmin, trigger->absmax), 0.5f);
    SV_LinkEdict(&sv, player, true);
    play->used++;
    if ((World_Client(play->world, 0)->player.flags & PMF_TELEPORT) == before) {
        fault(play, trigger, "took nobody away");
        return;
    }
    play->teleported++;
    for (int32_t i = 0; i < 30; i++) {
        run_tick(play, NULL);
    }
}

static int32_t play_map(const char *path) {
    play_t play = {.path = path};
    err_t err = {{0}};
    if (!BSP_Load(&play.map, path, &err)) {
        print_message("%s: not played: %s\n", path, err.text);
        return 0;
    }
    start(&play);
    for (int32_t i = 0; i < play.world->num_edicts; i++) {
        const edict_t *edict = World_Edict(play.world, i);
        play.spawned[i] = (pose_t){edict->origin, edict->angles};
    }
    for (int32_t i = 0; i < SETTLE_TICKS; i++) {
        run_tick(&play, NULL);
    }
    int32_t count = play.world->num_edicts;
    for (int32_t i = PLAYERS + 1; i < count; i++) {
        const edict_t *edict = World_Edict(play.world, i);
        if (!World_IsLive(edict)) {
            continue;
        }
        const char *classname = World_Text(play.world, edict->classname);
        if (edict->movetype == MOVETYPE_PUSH && edict->solid == SOLID_BSP &&
            (edict->use != 0 || edict->nextthink_ms != 0 || edict->motion.kind != MOTION_NONE)) {
            use_mover(&play, i);
        } else if (strcmp(classname, "trigger_teleport") == 0) {
            use_teleporter(&play, i);
        }
    }
    print_message(
        "%s: %d things used, %d moved, %d came back, %d teleported; %d stuck player-ticks, "
        "%d put back, %d quarantined, %d faults\n",
        play.map.name, play.used, play.moved, play.came_back, play.teleported, play.stuck_ticks,
        (int)play.world->counters.unstuck, (int)play.world->counters.quarantined, play.faults);
    const world_counters_t *counters = &play.world->counters;
    int32_t faults = play.faults + play.stuck_ticks + (int32_t)counters->unstuck +
                     (int32_t)counters->quarantined;
    stop(&play);
    CM_FreeMap(&play.map);
    return faults;
}

static void play_all(const char *pattern) {
    int32_t faults = 0;
    glob_t found;
    if (glob(pattern, 0, NULL, &found) != 0) {
        print_message("SKIPPED: no %s\n", pattern);
        skip();
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        faults += play_map(found.gl_pathv[i]);
    }
    globfree(&found);
    assert_int_equal(faults, 0);
}

static void test_our_maps(void **state) {
    (void)state;
    char pattern[256];
    const char *build = getenv("BUILD");
    snprintf(pattern, sizeof pattern, "%s/maps/*.bsp", build ? build : "build");
    play_all(pattern);
}

static void test_real_maps(void **state) {
    (void)state;
    play_all("../shared/data/bsp/*.bsp");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_our_maps),
        cmocka_unit_test(test_real_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
