/// world/tick_time.h - the rate of a world's ticks and their length.

#ifndef EDICTD_WORLD_TICK_TIME_H
#define EDICTD_WORLD_TICK_TIME_H

#include "state/ticks.h"
#include "world/world.h"

/// Returns the tick rate in millihertz.
static inline int32_t World_TickRate(const world_t *world) {
    return Ticks_Rate(world->cvars.sv_tickrate);
}

/// Returns the length of the current tick or, between two ticks, of the next one, in ms.
static inline int32_t World_TickMs(const world_t *world) {
    return Ticks_LengthMs(World_TickRate(world), world->tick);
}

/// Returns World_TickMs in seconds, for sv_context_t.
static inline float World_TickSeconds(const world_t *world) {
    return (float)World_TickMs(world) / 1000.0f;
}

#endif
