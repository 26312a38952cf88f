#include "physics/physics.h"
void SV_Movers(sv_context_t *sv) {
    (void)sv;
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
