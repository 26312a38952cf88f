#include "physics/physics.h"

// Thinks are all it does, and those ran already.
void SV_Physics_None(sv_context_t *sv, edict_t *edict) {
    (void)sv;
    (void)edict;
}
