/// proto/player_codec.h - the owner's player state on the wire: every bit of every float arrives.
//
// Floor:   proto.
// Memory:  none.

#ifndef EDICTD_PROTO_PLAYER_CODEC_H
#define EDICTD_PROTO_PLAYER_CODEC_H

#include "proto/msg.h"
#include "state/player_state.h"

/// What the first snapshot is coded against.
player_state_t Player_Default(void);

/// True for a state that may be on the wire: every number finite and within what a player can be.
bool Player_IsValid(const player_state_t *player);

/// Codes `to` (valid) against `from`.
void Player_Write(msg_writer_t *msg, const player_state_t *from, const player_state_t *to);

/// Reads what Player_Write wrote; an invalid state fails the message.
void Player_Read(msg_reader_t *msg, const player_state_t *from, player_state_t *to);

#endif
