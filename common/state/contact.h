/// state/contact.h - where a box overlaps something solid.
//
// Floor:   state. Filled by collide/ (models) and server/world/ (edicts), read by move/.
// Units:   qu.
// Memory:  none.

#ifndef EDICTD_STATE_CONTACT_H
#define EDICTD_STATE_CONTACT_H

#include "math/vec3.h"

/// Most contacts of one overlap that are worth having.
#define MAX_CONTACTS 64

/// Moving the box by depth along normal takes it out of this one thing.
typedef struct {
    vec3_t normal;   ///< unit, in the world, out of what is solid and towards the box
    float depth;     ///< >= 0
    int32_t surface; ///< triangle of a mesh, brush of a brush list, -1 of a hull
} cm_contact_t;

#endif
