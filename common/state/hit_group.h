/// state/hit_group.h - the part of a body to which a hitbox belongs.

#ifndef EDICTD_STATE_HIT_GROUP_H
#define EDICTD_STATE_HIT_GROUP_H

/// Values of trace_t.hitgroup, for damage by the game.
typedef enum {
    HIT_GENERIC,
    HIT_HEAD,
    HIT_CHEST,
    HIT_STOMACH,
    HIT_LEFT_ARM,
    HIT_RIGHT_ARM,
    HIT_LEFT_LEG,
    HIT_RIGHT_LEG,
    NUM_HIT_GROUPS
} hit_group_t;

#endif
