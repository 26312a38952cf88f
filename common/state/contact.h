/// state/contact.h - a contact: the overlap of a box with a solid.

#ifndef EDICTD_STATE_CONTACT_H
#define EDICTD_STATE_CONTACT_H

#include "math/vec3.h"

/// Maximum number of contacts of one overlap test.
#define MAX_CONTACTS 64

/// A contact. Move the box by `depth` along `normal` to end the overlap.
typedef struct {
    vec3_t normal;   ///< unit vector, world space, from solid to box
    float depth;     ///< penetration depth, >= 0
    int32_t surface; ///< triangle or brush; -1 for a hull
} cm_contact_t;

#endif
