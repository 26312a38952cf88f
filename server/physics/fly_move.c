/// physics/fly_move.c - moves an edict by its velocity and slides along obstacles.
//
// Source:  articles 000 and 001 (docs/physics.md): 4 bumps, 5 planes, the crease of two planes, a
//          dead stop at three planes or when the velocity would turn back.

#include "move/clip.h"
#include "physics/physics_local.h"

#define NUM_BUMPS       4
#define MAX_CLIP_PLANES 5

/// The velocities of a move, and the planes hit since the last change of position.
typedef struct {
    vec3_t normals[MAX_CLIP_PLANES];
    int32_t count;
    vec3_t velocity; ///< the edict's own velocity plus `carried`
    vec3_t primal;   ///< velocity at the start of the whole move
    vec3_t before;   ///< velocity before the planes in the list
} slide_t;

static slide_t start_with(vec3_t velocity) {
    return (slide_t){.velocity = velocity, .primal = velocity, .before = velocity};
}

static vec3_t along_planes(const slide_t *slide) {
    vec3_t velocity;
    if (PM_ClipToPlanes(slide->before, slide->normals, slide->count, 1.0f, STOP_SPEED_EPSILON,
                        &velocity)) {
        return velocity;
    }
    if (slide->count != 2) {
        return vec3_zero;
    }
    vec3_t crease = VectorNormalize(CrossProduct(slide->normals[0], slide->normals[1]), NULL);
    return VectorScale(crease, DotProduct(crease, slide->before));
}

static void take_plane(edict_t *edict, slide_t *slide, vec3_t normal, bool is_carried) {
    vec3_t velocity = vec3_zero;
    ASSERT(slide->count >= 0 && slide->count <= MAX_CLIP_PLANES);
    if (slide->count < MAX_CLIP_PLANES) {
        slide->normals[slide->count++] = normal;
        velocity = along_planes(slide);
    }
    slide->velocity = DotProduct(velocity, slide->primal) > 0.0f ? velocity : vec3_zero;
    if (!is_carried || VectorCompare(slide->velocity, vec3_zero)) {
        edict->velocity = slide->velocity;
    } else if (DotProduct(edict->velocity, normal) < 0.0f) {
        edict->velocity = SV_ClipVelocity(edict->velocity, normal, 1.0f);
    }
}

// Sets the ground and calls both touch callbacks. Returns false if the edict was removed or moved.
static bool impact(sv_context_t *sv, edict_t *edict, const trace_t *trace) {
    edict_ref_t ref = World_Ref(sv->world, edict);
    vec3_t origin = edict->origin;
    edict_t *other = World_Edict(sv->world, trace->entnum);
    if (trace->plane.normal.z > FLOOR_NORMAL_Z) {
        SV_SetGround(sv, edict, other);
    }
    SV_Impact(sv, edict, other, trace);
    return World_Deref(sv->world, ref) == edict && World_IsLive(edict) &&
           VectorCompare(origin, edict->origin);
}

bool SV_FlyMove(sv_context_t *sv, edict_t *edict, vec3_t carried) {
    bool is_carried = !VectorCompare(carried, vec3_zero);
    slide_t slide = start_with(VectorAdd(edict->velocity, carried));
    float left = sv->tick_seconds;
    for (int32_t bump = 0; bump < NUM_BUMPS && !VectorCompare(slide.velocity, vec3_zero); bump++) {
        vec3_t end = VectorMA(edict->origin, left, slide.velocity);
        trace_t trace = SV_SweepEdict(sv, edict, end);

        if (trace.allsolid) { // stuck: rest until the other edict leaves
            edict->velocity = vec3_zero;
            SV_SetGround(sv, edict, World_Edict(sv->world, trace.entnum));
            break;
        }
        if (trace.fraction > 0.0f) {
            edict->origin = trace.endpos;
            slide.before = slide.velocity;
            slide.count = 0;
        }
        if (trace.fraction == 1.0f) {
            break;
        }
        left -= left * trace.fraction;
        vec3_t velocity = edict->velocity;
        if (!impact(sv, edict, &trace)) {
            return false;
        }
        if (VectorCompare(velocity, edict->velocity)) {
            take_plane(edict, &slide, trace.plane.normal, is_carried);
        } else { // a touch callback changed the velocity
            slide = start_with(VectorAdd(edict->velocity, carried));
        }
    }
    return true;
}
