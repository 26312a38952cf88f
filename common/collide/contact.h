/// collide/contact.h - the list of contacts of an overlap.

#ifndef EDICTD_COLLIDE_CONTACT_H
#define EDICTD_COLLIDE_CONTACT_H

#include "state/contact.h"

/// Inserts a contact into a list, deepest first, which keeps the `max` deepest. On a tie, the
/// earlier contact is first. Returns the new count.
static inline int32_t CM_AddContact(cm_contact_t *contacts, int32_t count, int32_t max,
                                    const cm_contact_t *more, bool by_surface) {
    int32_t at = count;
    while (at > 0 && (contacts[at - 1].depth < more->depth ||
                      (by_surface && contacts[at - 1].depth == more->depth &&
                       contacts[at - 1].surface > more->surface))) {
        at--;
    }
    if (at >= max) {
        return count;
    }
    count = count < max ? count + 1 : max;
    for (int32_t i = count - 1; i > at; i--) {
        contacts[i] = contacts[i - 1];
    }
    contacts[at] = *more;
    return count;
}

#endif
