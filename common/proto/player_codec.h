/// proto/player_codec.h - codes a player state bit-exact, for its owner.

#ifndef EDICTD_PROTO_PLAYER_CODEC_H
#define EDICTD_PROTO_PLAYER_CODEC_H

#include "proto/msg.h"
#include "state/player_state.h"

/// Returns the player state that replaces a missing baseline.
player_state_t Player_Default(void);

/// Returns true if all numbers are finite and in range.
bool Player_IsValid(const player_state_t *player);

/// Writes the difference of two states. `to` must be valid.
void Player_Write(msg_writer_t *msg, const player_state_t *from, const player_state_t *to);

/// Reads what Player_Write wrote. Fails the message if the state is invalid.
void Player_Read(msg_reader_t *msg, const player_state_t *from, player_state_t *to);

#endif
