/// proto/usercmd_codec.h - the packet of channel 1: what the player did lately, and the newest
/// snapshot he has.
//
// Floor:   proto.
// Memory:  plain structs.
// Errors:  a packet that does not decode to the last bit, or holds a command that cannot be, is
//          refused whole, with a reason.
//
// Every packet repeats commands of earlier packets, so that a lost packet loses no command. The
// server queues each command once, told apart by their numbers (UserCmd_FirstNew).

#ifndef EDICTD_PROTO_USERCMD_CODEC_H
#define EDICTD_PROTO_USERCMD_CODEC_H

#include "base/err.h"
#include "base/limits.h"
#include "proto/msg.h"
#include "state/usercmd.h"

/// Commands in order of time; more than one may be for the same tick.
typedef struct {
    uint32_t epoch;     ///< low 8 bits of the MAP's epoch
    int64_t ack_tick;   ///< newest snapshot he holds; 0 = none, send from zero
    uint16_t first_seq; ///< number of cmds[0]; each command has the next, from 0 at a MAP, wrapping
    int32_t count;      ///< 1..MAX_CMDS_PACKET
    usercmd_t cmds[MAX_CMDS_PACKET];
} usercmd_packet_t;

/// Writes a packet; MAX_PACKET_BYTES always suffice. The commands must be as the reader demands.
void UserCmd_Write(msg_writer_t *msg, const usercmd_packet_t *packet);

/// Reads a packet and checks it: every command is valid (UserCmd_IsValid), ticks never go back, no
/// tick lies more than 2^20 from its neighbour or from the snapshot it acknowledges. False with the
/// reason; *packet is then zeroed.
bool UserCmd_Read(msg_reader_t *msg, usercmd_packet_t *packet, err_t *err);

/// Index of the first command that is new to somebody who has all before number `next_seq`: `count`
/// when none is. *lost gets how many between are missing for good. Afterwards next_seq is
/// first_seq + count if anything was new.
int32_t UserCmd_FirstNew(const usercmd_packet_t *packet, uint16_t next_seq, int32_t *lost);

/// True when each value is one that a command may have: 0 <= view_tick <= tick <= MSG_MAX_TICK,
/// msec 1..MAX_CMD_MSEC, movement within +-MAX_WISH_SPEED, zero is 0.
bool UserCmd_IsValid(const usercmd_t *cmd);

#endif
