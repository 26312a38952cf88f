/// import_calls.h - calls of every function of game_import_t with one bad argument each.
//
// The calls use the variables of the test: sv, scene, bad, v, list.

#ifndef EDICTD_TESTS_IMPORT_CALLS_H
#define EDICTD_TESTS_IMPORT_CALLS_H

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
    X(find_vehicle, PLAYER, (sv, bad))                                                             \
    X(enter_vehicle, PLAYER, (sv, bad, S))                                                         \
    X(enter_vehicle, ENTITY, (sv, P, bad))                                                         \
    X(leave_vehicle, PLAYER, (sv, bad, S, true))                                                   \
    X(leave_vehicle, NULL_, (sv, P, bad, true))                                                    \
    X(find_controls, PLAYER, (sv, bad))                                                            \
    X(is_at_controls, PLAYER, (sv, bad, S))                                                        \
    X(is_at_controls, ENTITY, (sv, P, bad))                                                        \
    X(take_controls, PLAYER, (sv, bad, S))                                                         \
    X(take_controls, ENTITY, (sv, P, bad))                                                         \
    X(leave_controls, PLAYER, (sv, bad, S))                                                        \
    X(leave_controls, NULL_, (sv, P, bad))                                                         \
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
    X(enter_vehicle, (sv, P, S))                                                                   \
    X(take_controls, (sv, P, S))                                                                   \
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

#endif
