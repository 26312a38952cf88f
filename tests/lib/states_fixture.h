/// states_fixture.h - random commands, players and entities that are valid on the wire.

#ifndef EDICTD_TESTS_STATES_FIXTURE_H
#define EDICTD_TESTS_STATES_FIXTURE_H

#include "base/rng.h"
#include "proto/fields.h"
#include "state/player_state.h"
#include "state/usercmd.h"

/// Returns an integer in lo..hi.
int32_t TestStates_Int(rng_t *rng, int32_t lo, int32_t hi);

/// Returns the usercmd after `before`: mostly similar, sometimes different in everything.
usercmd_t TestStates_NextCmd(rng_t *rng, const usercmd_t *before);

/// Returns a random player.
player_state_t TestStates_Player(rng_t *rng);

/// Returns the player some ticks later: it moves, turns, sometimes changes much else.
player_state_t TestStates_NextPlayer(rng_t *rng, const player_state_t *before);

/// Returns a schema with every type of field in each scope.
const field_schema_t *TestStates_Schema(void);

/// Returns a word that fits in a field.
int32_t TestStates_Word(rng_t *rng, const sent_field_t *field);

/// Gives `state` other values in some of its fields, or none.
void TestStates_Fields(rng_t *rng, entity_state_t *state);

/// Returns a random entity with that number.
entity_state_t TestStates_Entity(rng_t *rng, int32_t number);

/// Returns the entity some ticks later: it rests, moves, or seldom becomes another entity.
entity_state_t TestStates_NextEntity(rng_t *rng, const entity_state_t *before);

#endif
