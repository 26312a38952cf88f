/// proto/player_codec.h - the owner's player state on the wire, bit-exact.

#ifndef EDICTD_PROTO_PLAYER_CODEC_H
#define EDICTD_PROTO_PLAYER_CODEC_H

#include "proto/msg.h"
#include "state/player_state.h"

/// Returns the state against which a snapshot without baseline is coded.
player_state_t Player_Default(void);

/// Returns true for a state that may be on the wire: each number finite and within its range.
bool Player_IsValid(const player_state_t *player);

/// Codes `to` (valid) against `from`.
void Player_Write(msg_writer_t *msg, const player_state_t *from, const player_state_t *to);

/// Reads what Player_Write wrote. An invalid state fails the message.
void Player_Read(msg_reader_t *msg, const player_state_t *from, player_state_t *to);

#endif
