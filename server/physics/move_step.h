/// physics/move_step.h - the step of a monster that knows where it wants to go.
//
// Floor:   physics. Inside of physics/ only; the public calls are in physics.h.

#ifndef EDICTD_PHYSICS_MOVE_STEP_H
#define EDICTD_PHYSICS_MOVE_STEP_H

#include "physics/physics_local.h"

/// SV_MoveStep; what flies or swims also rises or sinks towards `goal` (NULL = keeps its height).
bool SV_StepTowards(sv_context_t *sv, edict_t *edict, vec3_t move, const edict_t *goal,
                    bool relink);

#endif
