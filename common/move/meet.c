/// move/meet.c - contacts of a resting box; see meet.h.

#include "move/meet.h"

void PM_AddContact(pm_contacts_t *list, const cm_contact_t *contact, int32_t number) {
    int32_t at = list->count;
    while (at > 0 &&
           (list->contacts[at - 1].depth < contact->depth ||
            (list->contacts[at - 1].depth == contact->depth && list->entnums[at - 1] > number))) {
        at--;
    }
    if (at >= list->max) {
        return;
    }
    list->count += list->count < list->max ? 1 : 0;
    for (int32_t i = list->count - 1; i > at; i--) {
        list->contacts[i] = list->contacts[i - 1];
        list->entnums[i] = list->entnums[i - 1];
    }
    list->contacts[at] = *contact;
    list->entnums[at] = number;
}

void PM_AddBoxContact(pm_contacts_t *list, bounds_t other, int32_t number) {
    cm_contact_t contact = {.depth = INFINITY, .surface = -1};
    for (int32_t axis = 0; axis < 3; axis++) {
        float up = VectorAxis(other.maxs, axis) - VectorAxis(list->box.mins, axis);
        float down = VectorAxis(list->box.maxs, axis) - VectorAxis(other.mins, axis);
        float depth = up < down ? up : down;
        float sign = up < down ? 1.0f : -1.0f;
        if (depth < contact.depth) {
            contact.depth = depth;
            contact.normal =
                Vector(axis == 0 ? sign : 0.0f, axis == 1 ? sign : 0.0f, axis == 2 ? sign : 0.0f);
        }
    }
    if (contact.depth > 0.0f) {
        PM_AddContact(list, &contact, number);
    }
}
