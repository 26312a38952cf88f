// Calls with bad arguments change nothing, and log one line with edict, class and callback.

#include "core/core_local.h"
#include "lib/map_fixture.h"
#include "lib/testing.h"
#include "physics/physics.h"
#include "world/block.h"
#include "world/faults.h"
#include "world/running.h"

#include <math.h>
#include <string.h>

enum { MAX_CLIENTS_HERE = 2, MAX_EDICTS_HERE = 16 };

static int32_t depth, deepest, uses;
static int64_t think_after_ms; // thinks set the next think so much later

static void count_use(void) {
    uses++;
    depth++;
    deepest = depth > deepest ? depth : deepest;
}

/// Fires itself: a chain without an end.
static void use_self(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    count_use();
    sv->engine->use(sv, self, other, activator);
    depth--;
}

/// Fires itself twice: without a limit of the tick, 2^64 uses.
static void use_twice(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    count_use();
    sv->engine->use(sv, self, other, activator);
    sv->engine->use(sv, self, other, activator);
    depth--;
}

static void busy_think(sv_context_t *sv, edict_t *self) {
    sv->engine->next_think(sv, self, sv->engine->time_ms(sv) + think_after_ms);
}

static void join(sv_context_t *sv, edict_t *player, client_t *client) {
    (void)sv, (void)client;
    player->origin = Vector(0.0f, 0.0f, 64.0f);
}

static const callback_t callbacks[] = {{.name = "use_self", .use = use_self},
                                       {.name = "use_twice", .use = use_twice},
                                       {.name = "busy_think", .think = busy_think}};
static const cvar_def_t cvars[] = {
    {.name = "motto", .type = CVAR_STRING, .def = "", .max = 40, .unit = "", .help = "a text"}};
static const game_spawn_t spawns[] = {{.classname = "info_player_start"}};
static const game_export_t game = {.api_version = GAME_API_VERSION,
                                   .name = "faulty",
                                   .callbacks = callbacks,
                                   .num_callbacks = COUNTOF(callbacks),
                                   .spawns = spawns,
                                   .num_spawns = 1,
                                   .cvars = {cvars, COUNTOF(cvars)},
                                   .client_join = join};

// ---- a world of it ----

typedef struct {
    cmap_t map;
    world_t *world;
    game_binding_t binding;
    inputs_t *inputs;
    events_t *events;
    sv_running_t running;
    sv_context_t sv;
    edict_t *self;   // whose think runs
    edict_t *player; // of slot 0; slot 1 is empty
    edict_t *freed;
} scene_t;

static void start(scene_t *scene) {
    static const test_map_t room = {.room = {{-512, -512, 0}, {512, 512, 256}}};
    err_t err = {{0}};
    *scene = (scene_t){.inputs = calloc(1, sizeof *scene->inputs),
                       .events = calloc(1, sizeof *scene->events)};
    assert_true(TestMap_Build(&scene->map, &room));
    const world_params_t params = {.max_edicts = MAX_EDICTS_HERE,
                                   .max_clients = MAX_CLIENTS_HERE,
                                   .bounds = scene->map.models[0].bounds};
    scene->world = World_Init(malloc(World_Bytes(&params)), &params);
    assert_true(SV_BindGame(scene->world, &game, &scene->binding, &err));
    scene->binding.running = &scene->running;
    assert_true(SV_SpawnEntities(scene->world, &scene->map, &scene->binding, scene->events, &err));
    Inputs_Add(scene->inputs, INPUT_JOIN, 0);
    SV_Frame(scene->world, &scene->map, &scene->binding, scene->inputs, scene->events);
    Inputs_Clear(scene->inputs);
    scene->sv = SV_Context(scene->world, &scene->map, &scene->binding, scene->events);
    scene->player = World_Edict(scene->world, 1);
    scene->self = SV_SpawnEdict(&scene->sv);
    scene->self->classname = World_String(scene->world, "probe");
    scene->freed = SV_SpawnEdict(&scene->sv);
    SV_FreeEdict(&scene->sv, scene->freed);
    SV_EnterGame(&scene->sv, "think", "busy_think", scene->self);
    Events_Clear(scene->events);
}

static void end(scene_t *scene) {
    err_t err;
    if (!World_Check(scene->world, scene->world->bytes, &err)) {
        fail_msg("%s", err.text);
    }
    CM_FreeMap(&scene->map);
    free(scene->world);
    free(scene->inputs);
    free(scene->events);
}

static void tick(scene_t *scene) {
    Events_Clear(scene->events);
    SV_Frame(scene->world, &scene->map, &scene->binding, scene->inputs, scene->events);
}

static int32_t logged(const scene_t *scene, const char *text) {
    int32_t count = 0;
    for (int32_t i = 0; i < scene->events->count; i++) {
        const event_t *event = &scene->events->list[i];
        count += event->type == EVENT_LOG && strstr(event->text, text) ? 1 : 0;
    }
    return count;
}

// ---- the table: each call has one bad argument ----

#define ANY    0u
#define NULL_  1u // NULL is a good value
#define ENTITY 2u // the map is a bad value
#define PUSHER 4u // an edict that is no pusher is a bad value
#define PLAYER 8u // an edict that is no client's is a bad value

#define V   vec3_zero
#define BOX ((bounds_t){V, V})
#define P   scene->player
#define S   scene->self
#define NUL ((trace_t *)NULL)

/// X(function, flags, arguments): `bad` is a pointer to no edict in use.
#define EDICT_CALLS(X)                                                                             \
    X(remove, ENTITY, (sv, bad))                                                                   \
    X(ref, ANY, (sv, bad))                                                                         \
    X(number, ANY, (sv, bad))                                                                      \
    X(client, ANY, (sv, bad))                                                                      \
    X(slot, ANY, (sv, bad))                                                                        \
    X(find_target, NULL_, (sv, bad, "x"))                                                          \
    X(find_class, NULL_, (sv, bad, "x"))                                                           \
    X(use, ANY, (sv, bad, S, S))                                                                   \
    X(use, ANY, (sv, S, bad, S))                                                                   \
    X(use, NULL_, (sv, S, S, bad))                                                                 \
    X(link, ENTITY, (sv, bad, true))                                                               \
    X(set_model, ENTITY, (sv, bad, 1))                                                             \
    X(next_think, ENTITY, (sv, bad, 100000))                                                       \
    X(timer, ENTITY, (sv, bad, 1, 100000))                                                         \
    X(teleport, ENTITY, (sv, bad, V, V, V))                                                        \
    X(set_pm_type, PLAYER, (sv, bad, PM_NORMAL))                                                   \
    X(eyes, ANY, (sv, bad))                                                                        \
    X(trace, NULL_, (sv, V, V, V, V, true, bad))                                                   \
    X(trace_hitboxes, NULL_, (sv, V, V, V, V, bad))                                                \
    X(trace_unlagged, NULL_, (sv, V, V, V, V, true, bad))                                          \
    X(area_unlagged, NULL_, (sv, ((bounds_t){V, V}), (int32_t[4]){0}, 4, bad))                     \
    X(box_unlagged, ANY, (sv, bad, S))                                                             \
    X(fly_unlagged, ENTITY, (sv, bad, P, 10))                                                      \
    X(is_stuck, ANY, (sv, bad))                                                                    \
    X(touches, ANY, (sv, bad, S))                                                                  \
    X(touches, ANY, (sv, S, bad))                                                                  \
    X(pusher_time, ANY, (sv, bad))                                                                 \
    X(pusher_pose, ANY, (sv, bad))                                                                 \
    X(pusher_start, ENTITY | PUSHER, (sv, bad, &(motion_t){.kind = MOTION_NONE}))                  \
    X(pusher_next, ENTITY | PUSHER, (sv, bad, &(motion_t){.kind = MOTION_MOVE}, 1))                \
    X(pusher_move_to, ENTITY | PUSHER, (sv, bad, (pose_t){V, V}, 10))                              \
    X(pusher_stop, ENTITY | PUSHER, (sv, bad))                                                     \
    X(pusher_team, ENTITY | PUSHER, (sv, bad, S))                                                  \
    X(pusher_glue, ENTITY | PUSHER, (sv, bad, S))                                                  \
    X(pusher_unglue, ENTITY | PUSHER, (sv, bad))                                                   \
    X(follow, ENTITY, (sv, bad, S, V, V))                                                          \
    X(follow, NULL_, (sv, S, bad, V, V))                                                           \
    X(follow_bone, ENTITY, (sv, bad, "hand"))                                                      \
    X(move_step, ENTITY, (sv, bad, V, true, NUL))                                                  \
    X(walk_move, ENTITY, (sv, bad, 0.0f, 1.0f, NUL))                                               \
    X(step_direction, ENTITY, (sv, bad, 0.0f, 1.0f, NUL))                                          \
    X(move_to_goal, ENTITY, (sv, bad, S, 1.0f, NUL))                                               \
    X(move_to_goal, ANY, (sv, S, bad, 1.0f, NUL))                                                  \
    X(move_to_point, ENTITY, (sv, bad, V, 1.0f, NUL))                                              \
    X(strafe, ENTITY, (sv, bad, V, 1.0f, NUL))                                                     \
    X(set_mover, ENTITY, (sv, bad, "ray", &(mover_limits_t){0}))                                   \
    X(check_bottom, ENTITY, (sv, bad))                                                             \
    X(change_yaw, ENTITY, (sv, bad))                                                               \
    X(set_spectator, PLAYER, (sv, bad, true))                                                      \
    X(set_team, PLAYER, (sv, bad, 1))                                                              \
    X(sound, ANY, (sv, bad, 0))                                                                    \
    X(effect, ANY, (sv, bad, V, 0))                                                                \
    X(log_event, NULL_, (sv, "lap", bad, NULL, 0))                                                 \
    X(warn, ANY, (sv, bad, "%d", 1))                                                               \
    X(skeleton_box, ANY, (sv, bad, &(bounds_t){V, V}))

/// X(function, arguments): `v` has a NaN or an infinite number.
#define VECTOR_CALLS(X)                                                                            \
    X(teleport, (sv, S, v, V, V))                                                                  \
    X(teleport, (sv, S, V, v, V))                                                                  \
    X(teleport, (sv, P, V, V, v))                                                                  \
    X(spawn_class, (sv, "info_player_start", v, V))                                                \
    X(spawn_class, (sv, "info_player_start", V, v))                                                \
    X(in_radius, (sv, v, 1.0f, list, 4))                                                           \
    X(trace, (sv, v, V, V, V, true, S))                                                            \
    X(trace, (sv, V, v, V, V, false, S))                                                           \
    X(trace, (sv, V, V, v, V, true, S))                                                            \
    X(trace, (sv, V, V, V, v, true, NULL))                                                         \
    X(trace_hitboxes, (sv, v, V, V, V, S))                                                         \
    X(trace_unlagged, (sv, V, V, V, v, true, S))                                                   \
    X(area_unlagged, (sv, ((bounds_t){V, v}), list, 4, S))                                         \
    X(contents, (sv, v))                                                                           \
    X(area, (sv, ((bounds_t){v, V}), list, 4))                                                     \
    X(area, (sv, ((bounds_t){V, v}), list, 4))                                                     \
    X(area_triggers, (sv, ((bounds_t){v, v}), list, 4))                                            \
    X(move_step, (sv, S, v, true, NUL))                                                            \
    X(walk_move, (sv, S, v.x, 1.0f, NUL))                                                          \
    X(walk_move, (sv, S, 0.0f, v.x, NUL))                                                          \
    X(step_direction, (sv, S, v.x, 1.0f, NUL))                                                     \
    X(step_direction, (sv, S, 0.0f, v.x, NUL))                                                     \
    X(move_to_goal, (sv, S, P, v.x, NUL))                                                          \
    X(move_to_point, (sv, S, v, 1.0f, NUL))                                                        \
    X(move_to_point, (sv, S, V, v.x, NUL))                                                         \
    X(strafe, (sv, S, v, 1.0f, NUL))                                                               \
    X(strafe, (sv, S, V, v.x, NUL))                                                                \
    X(align_angles, (sv, v.x, V))                                                                  \
    X(align_angles, (sv, 0.0f, v))                                                                 \
    X(change_map_at, (sv, "here", "there", v))                                                     \
    X(effect, (sv, S, v, 0))                                                                       \
    X(event, (sv, &(game_event_t){.has_origin = true, .origin = v}, NULL, true))                   \
    X(event, (sv, &(game_event_t){.volume = v.x}, NULL, true))

/// X(function, arguments): another bad value.
#define VALUE_CALLS(X)                                                                             \
    X(callback, (sv, NULL))                                                                        \
    X(callback, (sv, "typo"))                                                                      \
    X(remove, (sv, P))                                                                             \
    X(edict, (sv, -1))                                                                             \
    X(edict, (sv, MAX_EDICTS_HERE))                                                                \
    X(spawn_class, (sv, NULL, V, V))                                                               \
    X(spawn_class, (sv, "typo", V, V))                                                             \
    X(player, (sv, NULL))                                                                          \
    X(player, (sv, (client_t *)(uintptr_t)64))                                                     \
    X(next_client, (sv, (client_t *)(uintptr_t)64))                                                \
    X(in_radius, (sv, V, NAN, list, 4))                                                            \
    X(in_radius, (sv, V, 1.0f, NULL, 4))                                                           \
    X(in_radius, (sv, V, 1.0f, list, -1))                                                          \
    X(fly_unlagged, (sv, S, P, 10))                                                                \
    X(find_target, (sv, NULL, NULL))                                                               \
    X(find_class, (sv, NULL, NULL))                                                                \
    X(timer, (sv, S, 0, INT64_MAX))                                                                \
    X(timer, (sv, S, 99, INT64_MAX))                                                               \
    X(set_model, (sv, S, 0))                                                                       \
    X(set_model, (sv, S, 999))                                                                     \
    X(set_pm_type, (sv, P, -1))                                                                    \
    X(set_pm_type, (sv, P, PM_TYPE_COUNT))                                                         \
    X(animation, (sv, 0, NULL))                                                                    \
    X(animation, (sv, 99, "run"))                                                                  \
    X(skeleton_box, (sv, S, NULL))                                                                 \
    X(area, (sv, BOX, NULL, 4))                                                                    \
    X(area, (sv, BOX, list, -1))                                                                   \
    X(area_triggers, (sv, BOX, NULL, 4))                                                           \
    X(set_mover, (sv, S, NULL, &(mover_limits_t){0}))                                              \
    X(set_mover, (sv, S, "ray", NULL))                                                             \
    X(set_team, (sv, P, -1))                                                                       \
    X(change_map, (sv, NULL))                                                                      \
    X(change_map_at, (sv, NULL, "there", V))                                                       \
    X(change_map_at, (sv, "here", NULL, V))                                                        \
    X(next_map, (sv, NULL))                                                                        \
    X(cvar, (sv, NULL))                                                                            \
    X(cvar, (sv, "sv_gravty"))                                                                     \
    X(cvar, (sv, "motto"))                                                                         \
    X(cvar_text, (sv, NULL))                                                                       \
    X(cvar_text, (sv, "sv_gravity"))                                                               \
    X(set_cvar, (sv, NULL, "1"))                                                                   \
    X(set_cvar, (sv, "motto", NULL))                                                               \
    X(set_cvar, (sv, "sv_gravity", "nan"))                                                         \
    X(model_index, (sv, NULL))                                                                     \
    X(sound_index, (sv, NULL))                                                                     \
    X(effect_index, (sv, NULL))                                                                    \
    X(string, (sv, NULL))                                                                          \
    X(text, (sv, -1))                                                                              \
    X(text, (sv, MAX_STRINGS_BYTES))                                                               \
    X(print, (sv, 0, NULL))                                                                        \
    X(print, (sv, 1, "to an empty slot"))                                                          \
    X(print, (sv, 2, "to no slot"))                                                                \
    X(print, (sv, EVENT_TO_TEAM, "to no slot"))                                                    \
    X(center_print, (sv, 1, "to an empty slot"))                                                   \
    X(sound, (sv, S, 1))                                                                           \
    X(sound, (sv, S, -1))                                                                          \
    X(effect, (sv, S, V, 99))                                                                      \
    X(event, (sv, NULL, NULL, true))                                                               \
    X(event, (sv, &(game_event_t){.kind = 2}, NULL, true))                                         \
    X(event, (sv, &(game_event_t){.number = 99}, NULL, true))                                      \
    X(event, (sv, &(game_event_t){.entity = MAX_EDICTS_HERE}, NULL, true))                         \
    X(event, (sv, &(game_event_t){.num_args = 5}, NULL, true))                                     \
    X(reply, (sv, NULL))                                                                           \
    X(log, (sv, LOG_WARN, NULL))                                                                   \
    X(log, (sv, (log_level_t)9, "x"))                                                              \
    X(log_event, (sv, NULL, S, NULL, 0))                                                           \
    X(log_event, (sv, "lap", S, NULL, 1))                                                          \
    X(log_event, (sv, "lap", S, &(log_field_t){.key = NULL}, 1))                                   \
    X(log_event, (sv, "lap", S, &(log_field_t){.key = "n"}, -1))                                   \
    X(warn, (sv, S, NULL))                                                                         \
    X(info, (sv, -1, "name"))                                                                      \
    X(info, (sv, MAX_CLIENTS_HERE, "name"))                                                        \
    X(info, (sv, 0, NULL))                                                                         \
    X(info, (sv, 0, "typo"))

/// X(function): no argument can be bad, except a handle: a stale one is no fault.
#define SAFE_CALLS(X)                                                                              \
    X(time_ms)                                                                                     \
    X(random)                                                                                      \
    X(spawn)                                                                                       \
    X(client_of_slot)                                                                              \
    X(deref)                                                                                       \
    X(player_box)                                                                                  \
    X(world_vars)                                                                                  \
    X(max_clients)                                                                                 \
    X(num_edicts)                                                                                  \
    X(tick_time_ms)                                                                                \
    X(map_format)

#define SLOT(function) (offsetof(game_import_t, function) / sizeof(void (*)(void)))

/// The function that a row calls.
typedef struct {
    const char *function;
    size_t slot;
    uint32_t flags;
} row_t;

/// Which rows to call: with one of the flags `only` (0 = any), and with none of `but`.
typedef struct {
    uint32_t only, but;
} pick_t;

static bool is_picked(pick_t pick, uint32_t flags) {
    return (flags & pick.but) == 0 && (pick.only == 0 || (flags & pick.only) != 0);
}

#define CALL(function, flags, args)                                                                \
    if (row-- == 0) {                                                                              \
        if (is_picked(pick, flags)) {                                                              \
            (void)sv->engine->function args;                                                       \
        }                                                                                          \
        return (row_t){#function, SLOT(function), flags};                                          \
    }
#define CALL_PLAIN(function, args) CALL(function, ANY, args)

// Makes call `row` of a table, if it is picked. Returns no function after the last row.
static row_t call_edict(scene_t *scene, int32_t row, pick_t pick, edict_t *bad) {
    sv_context_t *sv = &scene->sv;
    EDICT_CALLS(CALL)
    return (row_t){.function = NULL};
}

static row_t call_vector(scene_t *scene, int32_t row, vec3_t v) {
    sv_context_t *sv = &scene->sv;
    const pick_t pick = {0, 0};
    int32_t list[4];
    VECTOR_CALLS(CALL_PLAIN)
    return (row_t){.function = NULL};
}

static row_t call_value(scene_t *scene, int32_t row) {
    sv_context_t *sv = &scene->sv;
    const pick_t pick = {0, 0};
    int32_t list[4];
    VALUE_CALLS(CALL_PLAIN)
    return (row_t){.function = NULL};
}

// ---- the check of each call ----

// Begins a new burst. Returns the hash of the world before the call.
static uint64_t before(scene_t *scene) {
    scene->world->time_ms += 2 * FAULT_WINDOW_MS;
    Events_Clear(scene->events);
    return World_Hash(scene->world);
}

static void check(const scene_t *scene, uint64_t hash, row_t row, const char *found) {
    char line[128];
    snprintf(line, sizeof line, "edict %d (probe) in think \"busy_think\": %s: ",
             World_EdictNumber(scene->world, scene->self), row.function);
    if (scene->events->count != 1 || scene->events->num_emissions != 0 ||
        logged(scene, line) != 1 || logged(scene, "expected ") != 1 || logged(scene, found) != 1) {
        for (int32_t i = 0; i < scene->events->count; i++) {
            print_message("  %s\n", scene->events->list[i].text);
        }
        fail_msg("%s with %s: expected one line \"%s\"", row.function, found, line);
    }
    if (World_Hash(scene->world) != hash) {
        fail_msg("%s with %s changed the world", row.function, found);
    }
}

static void check_edicts(scene_t *scene, pick_t pick, edict_t *bad, const char *found) {
    int32_t count = 0;
    for (int32_t i = 0;; i++) {
        uint64_t hash = before(scene);
        row_t row = call_edict(scene, i, pick, bad);
        if (!row.function) {
            break;
        }
        if (is_picked(pick, row.flags)) {
            check(scene, hash, row, found);
            count++;
        }
    }
    assert_true(count > 1);
}

static void test_bad_edicts(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    edict_t *edicts = World_Edict(scene.world, 0);
    const pick_t all = {0, 0};
    const char *no_edict = "found a pointer that is no edict";
    check_edicts(&scene, (pick_t){.but = NULL_}, NULL, "found NULL");
    check_edicts(&scene, all, (edict_t *)(uintptr_t)64, no_edict);
    check_edicts(&scene, all, (edict_t *)(UINTPTR_MAX - 7), no_edict);
    check_edicts(&scene, all, edicts - 1, no_edict);
    check_edicts(&scene, all, edicts + scene.world->num_edicts, no_edict);
    check_edicts(&scene, all, (edict_t *)((uintptr_t)edicts + 8),
                 "found a pointer into the middle of edict 0");
    check_edicts(&scene, all, scene.freed, "found edict 4, which is not in use");
    check_edicts(&scene, all, edicts + 2, "found edict 2, which is not in use");
    check_edicts(&scene, (pick_t){.only = ENTITY}, edicts, "found edict 0, which is the map");
    check_edicts(&scene, (pick_t){.only = PUSHER}, scene.self,
                 "found edict 3 (probe) with movetype 0");
    check_edicts(&scene, (pick_t){.only = PLAYER}, scene.self, "found edict 3 (probe)");
    end(&scene);
}

static void test_bad_vectors(void **state) {
    (void)state;
    scene_t scene;
    const vec3_t bad[] = {{NAN, 0.0f, 0.0f}, {INFINITY, 1.0f, 1.0f}, {-INFINITY, NAN, 0.0f}};
    start(&scene);
    for (size_t b = 0; b < COUNTOF(bad); b++) {
        for (int32_t i = 0;; i++) {
            uint64_t hash = before(&scene);
            row_t row = call_vector(&scene, i, bad[b]);
            if (!row.function) {
                break;
            }
            check(&scene, hash, row, ", found ");
        }
    }
    end(&scene);
}

static void test_bad_values(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    for (int32_t i = 0;; i++) {
        uint64_t hash = before(&scene);
        row_t row = call_value(&scene, i);
        if (!row.function) {
            break;
        }
        check(&scene, hash, row, "found ");
    }
    end(&scene);
}

/// A new function of the engine needs a row of a table.
static void test_the_tables_have_every_function(void **state) {
    (void)state;
    bool has[sizeof(game_import_t) / sizeof(void (*)(void))] = {false};
    scene_t scene;
    start(&scene);
    const pick_t none = {.only = 1u << 31};
    row_t row;
    for (int32_t i = 0; (row = call_edict(&scene, i, none, NULL)).function; i++) {
        has[row.slot] = true;
    }
    for (int32_t i = 0; (row = call_vector(&scene, i, vec3_zero)).function; i++) {
        has[row.slot] = true;
    }
    for (int32_t i = 0; (row = call_value(&scene, i)).function; i++) {
        has[row.slot] = true;
    }
#define SAFE(function) has[SLOT(function)] = true;
    SAFE_CALLS(SAFE)
    for (size_t i = 0; i < COUNTOF(has); i++) {
        if (!has[i]) {
            fail_msg("function %zu of game_import_t is in none of the tables above", i);
        }
    }
    end(&scene);
}

// ---- uses, thinks, strings ----

static void use_from_engine(scene_t *scene, const char *name) {
    uses = depth = deepest = 0;
    scene->self->use = scene->sv.engine->callback(&scene->sv, name);
    scene->sv.engine->use(&scene->sv, scene->self, scene->self, NULL);
    assert_int_equal(depth, 0);
    assert_int_equal(deepest, GAME_USE_DEPTH);
    assert_int_equal(scene->sv.use_depth, 0);
}

/// A use that fires itself ends at a fixed depth, and its number in a tick is limited.
static void test_runaway_uses(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    use_from_engine(&scene, "use_self");
    assert_int_equal(uses, GAME_USE_DEPTH);
    assert_int_equal(scene.events->count, 1);
    assert_int_equal(logged(&scene, "edict 3 (probe) in use \"use_self\": use: expected at most 64 "
                                    "uses inside each other"),
                     1);
    use_from_engine(&scene, "use_twice");
    assert_int_equal(uses, GAME_USES_TICK - GAME_USE_DEPTH);
    assert_int_equal(scene.events->count, 2);
    scene.world->time_ms += FAULT_WINDOW_MS;
    scene.sv.engine->use(&scene.sv, scene.self, scene.self, NULL);
    assert_int_equal(logged(&scene, "use: expected at most 65536 uses in a tick, found one more"),
                     1);
    end(&scene);
}

/// A think in the past runs, and is logged; so are thinks over the budget of a tick.
static void test_thinks(void **state) {
    (void)state;
    scene_t scene;
    start(&scene);
    world_t *world = scene.world;
    const game_import_t *engine = scene.sv.engine;
    world->time_ms = 1000;
    uint64_t hash = World_Hash(world);
    engine->next_think(&scene.sv, scene.self, 0);
    assert_true(World_Hash(world) == hash);
    scene.self->think = engine->callback(&scene.sv, "busy_think");
    engine->next_think(&scene.sv, scene.self, 1000);
    assert_int_equal(scene.events->count, 0);
    engine->next_think(&scene.sv, scene.self, 999);
    assert_int_equal(scene.events->count, 1);
    assert_int_equal(logged(&scene, "next_think: expected 0 or a time from 1000 ms on, found 999 "
                                    "ms for edict 3 (probe)"),
                     1);
    assert_int_equal(scene.self->nextthink_ms, 999);
    think_after_ms = 1; // 16 thinks a tick
    tick(&scene);
    tick(&scene);
    assert_int_equal(logged(&scene, "edict 3 (probe) in think \"busy_think\": expected at most 8 "
                                    "thinks in a tick"),
                     1);
    assert_int_equal(scene.events->count, 1);
    tick(&scene);
    assert_int_equal(scene.events->count, 0); // the same burst
    end(&scene);
}

static void test_a_full_string_table(void **state) {
    (void)state;
    scene_t scene;
    char text[200];
    int32_t count = 0;
    start(&scene);
    do {
        memset(text, 'a', sizeof text);
        snprintf(text, sizeof text, "%d", count++);
        text[strlen(text)] = '-';
        text[sizeof text - 1] = '\0';
    } while (scene.sv.engine->string(&scene.sv, text) != 0);
    assert_true(count > 100);
    assert_int_equal(scene.sv.engine->string(&scene.sv, text), 0);
    assert_int_equal(scene.sv.engine->string(&scene.sv, ""), 0);
    assert_int_equal(scene.events->count, 1);
    assert_int_equal(logged(&scene, "(probe) in think \"busy_think\": string: expected texts of"),
                     1);
    end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_edicts),
        cmocka_unit_test(test_bad_vectors),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_the_tables_have_every_function),
        cmocka_unit_test(test_runaway_uses),
        cmocka_unit_test(test_thinks),
        cmocka_unit_test(test_a_full_string_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
