/// core/import_local.h - checks of the arguments that a game passes to game_import_t, and the parts
/// of the table that move edicts.
//
// Errors:  a bad argument is logged once a burst (world/faults.h), and the function does nothing.
//
// `function` is the name in game_import_t.

#ifndef EDICTD_CORE_IMPORT_LOCAL_H
#define EDICTD_CORE_IMPORT_LOCAL_H

#include "core/core_local.h"

/// Returns true for an edict in use, the map included.
bool Import_Edict(const sv_context_t *sv, const char *function, const edict_t *edict);
/// Returns true for NULL or an edict in use.
bool Import_MayBeNull(const sv_context_t *sv, const char *function, const edict_t *edict);
/// Returns true for an edict in use that is not the map.
bool Import_Entity(const sv_context_t *sv, const char *function, const edict_t *edict);
/// Returns the client that plays an edict, or NULL.
client_t *Import_Client(const sv_context_t *sv, const char *function, const edict_t *edict);
/// Returns the slot of a client; -1 for another pointer. The client may have left.
int32_t Import_Slot(const sv_context_t *sv, const char *function, const client_t *client);
/// Returns true for a pointer other than NULL. `what`: what it should point to.
bool Import_Given(const sv_context_t *sv, const char *function, const char *what,
                  const void *pointer);
/// Returns true if a vector is finite and not far outside the world.
bool Import_Vector(const sv_context_t *sv, const char *function, const char *what, vec3_t v);
/// Returns true if a number is finite and not huge.
bool Import_Number(const sv_context_t *sv, const char *function, const char *what, float number);
/// Returns true if `number` is in lo..hi.
bool Import_Range(const sv_context_t *sv, const char *function, const char *what, int64_t number,
                  int64_t lo, int64_t hi);

// import_events.c: see game_import_t.
void Import_Print(sv_context_t *sv, int32_t client, const char *text);
void Import_CenterPrint(sv_context_t *sv, int32_t client, const char *text);
void Import_Event(sv_context_t *sv, const game_event_t *event, const client_mask_t *clients,
                  bool is_reliable);
void Import_Effect(sv_context_t *sv, const edict_t *edict, vec3_t origin, int32_t number);
void Import_Sound(sv_context_t *sv, const edict_t *edict, int32_t number);
void Import_Log(sv_context_t *sv, log_level_t level, const char *text);
void Import_LogEvent(sv_context_t *sv, const char *name, const edict_t *player,
                     const log_field_t *fields, int32_t count);
void Import_Warn(sv_context_t *sv, const edict_t *edict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// import_query.c: see game_import_t.
trace_t Import_Trace(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                     bool monsters, const edict_t *pass);
trace_t Import_TraceHitboxes(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                             const edict_t *pass);
trace_t Import_TraceUnlagged(sv_context_t *sv, vec3_t start, vec3_t mins, vec3_t maxs, vec3_t end,
                             bool hitboxes, const edict_t *shooter);
contents_t Import_Contents(const sv_context_t *sv, vec3_t point);
int32_t Import_InRadius(const sv_context_t *sv, vec3_t point, float radius, int32_t *list,
                        int32_t max);
int32_t Import_Area(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max);
int32_t Import_AreaTriggers(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max);
int32_t Import_AreaUnlagged(const sv_context_t *sv, bounds_t box, int32_t *list, int32_t max,
                            const edict_t *shooter);
bounds_t Import_BoxUnlagged(const sv_context_t *sv, const edict_t *edict, const edict_t *shooter);
bool Import_IsStuck(sv_context_t *sv, edict_t *edict);
bool Import_Touches(const sv_context_t *sv, const edict_t *a, const edict_t *b);

// import_move.c: see game_import_t.
int64_t Import_PusherTime(const sv_context_t *sv, const edict_t *edict);
pose_t Import_PusherPose(const sv_context_t *sv, const edict_t *edict);
bool Import_PusherStart(sv_context_t *sv, edict_t *edict, const motion_t *motion);
bool Import_PusherNext(sv_context_t *sv, edict_t *edict, const motion_t *motion, int32_t wait_ms);
bool Import_PusherMoveTo(sv_context_t *sv, edict_t *edict, pose_t to, int32_t duration_ms);
void Import_PusherStop(sv_context_t *sv, edict_t *edict);
void Import_PusherTeam(sv_context_t *sv, edict_t *edict, edict_t *with);
bool Import_PusherGlue(sv_context_t *sv, edict_t *child, edict_t *parent);
void Import_PusherUnglue(sv_context_t *sv, edict_t *child);
bool Import_Follow(sv_context_t *sv, edict_t *edict, edict_t *leader, vec3_t offset, vec3_t angles);
bool Import_FollowBone(sv_context_t *sv, edict_t *edict, const char *bone);
bool Import_MoveStep(sv_context_t *sv, edict_t *edict, vec3_t move, bool relink, trace_t *blocked);
bool Import_WalkMove(sv_context_t *sv, edict_t *edict, float yaw, float dist, trace_t *blocked);
bool Import_StepDirection(sv_context_t *sv, edict_t *edict, float yaw, float dist,
                          trace_t *blocked);
void Import_MoveToGoal(sv_context_t *sv, edict_t *edict, const edict_t *goal, float dist,
                       trace_t *blocked);
bool Import_MoveToPoint(sv_context_t *sv, edict_t *edict, vec3_t point, float dist,
                        trace_t *blocked);
bool Import_Strafe(sv_context_t *sv, edict_t *edict, vec3_t point, float dist, trace_t *blocked);
int32_t Import_FlyUnlagged(sv_context_t *sv, edict_t *edict, const edict_t *shooter,
                           int32_t max_ms);
bool Import_SetMover(sv_context_t *sv, edict_t *edict, const char *name,
                     const mover_limits_t *limits);
bool Import_CheckBottom(sv_context_t *sv, edict_t *edict);
void Import_ChangeYaw(sv_context_t *sv, edict_t *edict);
vec3_t Import_AlignAngles(sv_context_t *sv, float yaw, vec3_t up);

// import_vehicle.c: see game_import_t.
edict_t *Import_FindVehicle(sv_context_t *sv, const edict_t *player);
bool Import_EnterVehicle(sv_context_t *sv, edict_t *player, edict_t *vehicle);
bool Import_LeaveVehicle(sv_context_t *sv, edict_t *player, edict_t *vehicle, bool must);
edict_t *Import_FindControls(sv_context_t *sv, const edict_t *player);
bool Import_IsAtControls(sv_context_t *sv, const edict_t *player, const edict_t *controls);
bool Import_TakeControls(sv_context_t *sv, edict_t *player, edict_t *controls);
void Import_LeaveControls(sv_context_t *sv, edict_t *player, edict_t *controls);

#endif
