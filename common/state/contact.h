/// state/contact.h - a contact: the overlap of a box with a solid.
//
// Floor:   state. Filled by collide/ (models) and server/world/ (edicts), read by move/.

#ifndef EDICTD_STATE_CONTACT_H
#define EDICTD_STATE_CONTACT_H

#include "math/vec3.h"

/// Maximum number of contacts of one overlap test.
#define MAX_CONTACTS 64

/// A contact. Moving the box by `depth` along `normal` ends the overlap.
typedef struct {
    vec3_t normal;   ///< unit vector in world space, from the solid towards the box
    float depth;     ///< penetration depth, >= 0
    int32_t surface; ///< index of the triangle or brush; -1 for a hull
} cm_contact_t;

#endif
