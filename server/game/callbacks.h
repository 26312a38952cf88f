/// game/callbacks.h - every think, touch, use and blocked callback of the game, by name.
//
// Each name in a list declares a callback and adds it to the game's table. GAME_CALLBACK(sv,
// Game_DoorUse) is the id of Game_DoorUse.

#ifndef EDICTD_GAME_CALLBACKS_H
#define EDICTD_GAME_CALLBACKS_H

#include "core/game_api.h"

// clang-format off
#define GAME_THINKS(X)                                                                             \
    X(Game_MonsterThink) X(Game_PlayerThink) X(Game_DelayedThink) X(Game_RemoveThink)              \
    X(Game_BounceSourceThink) X(Game_FlySourceThink) X(Game_DoorAtTop) X(Game_DoorAtBottom)        \
    X(Game_DoorGoDown) X(Game_SecretStep) X(Game_PlatAtTop) X(Game_PlatAtBottom)                   \
    X(Game_PlatGoDown) X(Game_ButtonAtTop) X(Game_ButtonReturn) X(Game_ButtonAtBottom)             \
    X(Game_TrainFind) X(Game_TrainNext) X(Game_TrainArrived) X(Game_ShooterThink)                  \
    X(Game_ExploboxThink) X(Game_FireballThink) X(Game_GrenadeThink) X(Game_ItemThink)             \
    X(Game_FlagThink) X(Game_BuggyThink) X(Game_TrackTrainFind) X(Game_TrackTrainNext)             \
    X(Game_TrackChangeStart) X(Game_TrackChangeArrived) X(Game_PendulumDamp)                       \
    X(Game_RotatingThink) X(Game_MomentaryThink) X(Game_AutoThink)
#define GAME_TOUCHES(X)                                                                            \
    X(Game_SpitTouch) X(Game_MultipleTouch) X(Game_InteractTouch) X(Game_PushTouch)                \
    X(Game_TeleportTouch) X(Game_HurtTouch) X(Game_BounceTouch) X(Game_FlyTouch)                   \
    X(Game_SpikeTouch) X(Game_FireballTouch) X(Game_DoorTouch) X(Game_DoorFieldTouch)              \
    X(Game_SecretTouch) X(Game_PlatFieldTouch) X(Game_ButtonTouch) X(Game_BreakableTouch)          \
    X(Game_MonsterJumpTouch) X(Game_GravityTouch) X(Game_ChangeLevelTouch) X(Game_RocketTouch)     \
    X(Game_GrenadeTouch) X(Game_NailTouch) X(Game_ItemTouch) X(Game_FlagTouch) X(Game_DriveTouch)  \
    X(Game_RotatingTouch)
#define GAME_USES(X)                                                                               \
    X(Game_MonsterUse) X(Game_MultipleUse) X(Game_TeleportUse) X(Game_RelayUse) X(Game_CounterUse) \
    X(Game_DoorUse) X(Game_SecretUse) X(Game_PlatUse) X(Game_ButtonUse) X(Game_TrainUse)           \
    X(Game_RotatingUse) X(Game_PendulumUse) X(Game_WallUse) X(Game_ExploboxUse)                    \
    X(Game_ConveyorUse) X(Game_BreakableUse) X(Game_SpikeShooterUse) X(Game_LightningUse)          \
    X(Game_LightUse) X(Game_PushTargetUse) X(Game_TeleporterUse) X(Game_RemovePowersUse)           \
    X(Game_TrackChangeUse) X(Game_TrackUse) X(Game_TrackTrainUse) X(Game_MomentaryUse)             \
    X(Game_WallToggleUse) X(Game_ChangeLevelUse) X(Game_MultisourceUse) X(Game_PushUse)            \
    X(Game_ManagerUse)
#define GAME_BLOCKEDS(X)                                                                           \
    X(Game_DoorBlocked) X(Game_PlatBlocked) X(Game_PusherBlocked)
// clang-format on

#define GAME_CALLBACK(sv, function) Game_Callback(sv, #function)

/// Returns the id of a callback, which must be in the table.
int32_t Game_Callback(const sv_context_t *sv, const char *name);

#define DECLARE_THINK(function) void function(sv_context_t *sv, edict_t *self);
#define DECLARE_TOUCH(function)                                                                    \
    void function(sv_context_t *sv, edict_t *self, edict_t *other, const trace_t *trace);
#define DECLARE_USE(function)                                                                      \
    void function(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator);
#define DECLARE_BLOCKED(function) void function(sv_context_t *sv, edict_t *self, edict_t *obstacle);
GAME_THINKS(DECLARE_THINK)
GAME_TOUCHES(DECLARE_TOUCH)
GAME_USES(DECLARE_USE)
GAME_BLOCKEDS(DECLARE_BLOCKED)
#undef DECLARE_THINK
#undef DECLARE_TOUCH
#undef DECLARE_USE
#undef DECLARE_BLOCKED

#endif
