#include "physics/physics.h"
void SV_Movers(sv_context_t *sv) {
    (void)sv;
}
void SV_Followers(sv_context_t *sv) {
    (void)sv;
}
void SV_Physics_Step(sv_context_t *sv, edict_t *edict) {
    (void)sv, (void)edict;
}
int64_t SV_MoverTime(const sv_context_t *sv, const edict_t *edict) {
    return SV_Time(sv) - edict->lag_ms;
}
pose_t SV_MoverPose(const sv_context_t *sv, const edict_t *edict) {
    (void)sv;
    return (pose_t){edict->origin, edict->angles};
}
bool SV_MoverStart(sv_context_t *sv, edict_t *edict, const motion_t *motion) {
    (void)sv, (void)edict, (void)motion;
    return false;
}
bool SV_MoverMoveTo(sv_context_t *sv, edict_t *edict, pose_t to, int32_t duration_ms) {
    (void)sv, (void)edict, (void)to, (void)duration_ms;
    return false;
}
void SV_MoverStop(sv_context_t *sv, edict_t *edict) {
    (void)sv, (void)edict;
}
void SV_MoverTeam(sv_context_t *sv, edict_t *edict, edict_t *with) {
    (void)sv, (void)edict, (void)with;
}
bool SV_MoverGlue(sv_context_t *sv, edict_t *child, edict_t *parent) {
    (void)sv, (void)child, (void)parent;
    return false;
}
void SV_MoverUnglue(sv_context_t *sv, edict_t *child) {
    (void)sv, (void)child;
}
bool SV_Follow(sv_context_t *sv, edict_t *edict, edict_t *leader, vec3_t offset, vec3_t angles) {
    (void)sv, (void)edict, (void)leader, (void)offset, (void)angles;
    return false;
}
bool SV_MoveStep(sv_context_t *sv, edict_t *edict, vec3_t move, bool relink) {
    (void)sv, (void)edict, (void)move, (void)relink;
    return false;
}
bool SV_WalkMove(sv_context_t *sv, edict_t *edict, float yaw, float dist) {
    (void)sv, (void)edict, (void)yaw, (void)dist;
    return false;
}
bool SV_StepDirection(sv_context_t *sv, edict_t *edict, float yaw, float dist) {
    (void)sv, (void)edict, (void)yaw, (void)dist;
    return false;
}
void SV_MoveToGoal(sv_context_t *sv, edict_t *edict, const edict_t *goal, float dist) {
    (void)sv, (void)edict, (void)goal, (void)dist;
}
bool SV_CheckBottom(sv_context_t *sv, edict_t *edict) {
    (void)sv, (void)edict;
    return false;
}
void SV_ChangeYaw(edict_t *edict) {
    (void)edict;
}
