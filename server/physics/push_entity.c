/// physics/push_entity.c - sweeps one edict and calls the touch callbacks of a hit.

#include "physics/physics_local.h"

move_type_t SV_MoveTypeOf(const edict_t *edict) {
    if (edict->movetype == MOVETYPE_FLYMISSILE) {
        return MOVE_MISSILE;
    }
    bool is_soft = edict->solid == SOLID_NOT || edict->solid == SOLID_TRIGGER;
    return is_soft ? MOVE_NOMONSTERS : MOVE_NORMAL;
}

trace_t SV_SweepEdict(sv_context_t *sv, const edict_t *edict, vec3_t end) {
    return SV_Move(sv, edict->origin, edict->mins, edict->maxs, end, SV_MoveTypeOf(edict), edict);
}

trace_t SV_ProbeGround(sv_context_t *sv, const edict_t *edict) {
    return SV_SweepEdict(sv, edict, VectorSubtract(edict->origin, Vector(0.0f, 0.0f, 1.0f)));
}

trace_t SV_PushEntity(sv_context_t *sv, edict_t *edict, vec3_t push) {
    world_t *world = sv->world;
    edict_ref_t ref = World_Ref(world, edict);
    trace_t trace = SV_SweepEdict(sv, edict, VectorAdd(edict->origin, push));
    edict->origin = trace.endpos;
    SV_LinkEdict(sv, edict, true);
    if (trace.entnum != TRACE_NOTHING && World_Deref(world, ref) == edict && World_IsLive(edict)) {
        SV_Impact(sv, edict, World_Edict(world, trace.entnum), &trace);
    }
    return trace;
}

void SV_Impact(sv_context_t *sv, edict_t *edict, edict_t *other, const trace_t *trace) {
    if (!World_IsLive(edict) || !World_IsLive(other)) {
        return;
    }
    if ((other->flags & FL_PUSHABLE) && (edict->flags & FL_CLIENT)) {
        SV_ShoveCrate(sv, edict, other);
    }
    if (edict->solid != SOLID_NOT && !SV_CallTouch(sv, edict, other, trace)) {
        return;
    }
    if (other->solid != SOLID_NOT) {
        SV_CallTouch(sv, other, edict, trace);
    }
}
