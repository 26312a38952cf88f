/// states_fixture.h - random commands, players and entities that are valid on the wire.

#ifndef EDICTD_TESTS_TEST_STATES_H
#define EDICTD_TESTS_TEST_STATES_H

#include "base/rng.h"
#include "state/entity_state.h"
#include "state/player_state.h"
#include "state/usercmd.h"

/// An integer in lo..hi.
int32_t TestStates_Int(rng_t *rng, int32_t lo, int32_t hi);

/// The command after `before`: mostly like it, sometimes different in everything.
usercmd_t TestStates_NextCmd(rng_t *rng, const usercmd_t *before);

/// Any player.
player_state_t TestStates_Player(rng_t *rng);

/// The player some ticks later: moves, turns, sometimes much else.
player_state_t TestStates_NextPlayer(rng_t *rng, const player_state_t *before);

/// Any entity of that number.
entity_state_t TestStates_Entity(rng_t *rng, int32_t number);

/// The entity some ticks later: rests, moves, or seldom becomes another.
entity_state_t TestStates_NextEntity(rng_t *rng, const entity_state_t *before);

#endif
