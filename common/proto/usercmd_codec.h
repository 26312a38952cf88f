/// proto/usercmd_codec.h - the packet of channel 1: recent usercmds of a client, and the tick of
/// the newest snapshot it holds.
//
// Errors:  a packet that does not decode to the last bit, or holds an invalid command, is rejected
//          whole, with a reason.
//
// Each packet repeats commands of earlier packets, so a lost packet loses no command. The server
// queues each command once, by its number (UserCmd_FirstNew).

#ifndef EDICTD_PROTO_USERCMD_CODEC_H
#define EDICTD_PROTO_USERCMD_CODEC_H

#include "base/err.h"
#include "base/limits.h"
#include "proto/msg.h"
#include "state/usercmd.h"

/// Commands in order of time. Several may have the same tick.
typedef struct {
    uint32_t epoch;     ///< low 8 bits of the MAP's epoch
    int64_t ack_tick;   ///< newest snapshot the client holds; 0 = none
    uint16_t first_seq; ///< number of cmds[0]; each command has the next, from 0 at a MAP, wrapping
    int32_t count;      ///< 1..MAX_CMDS_PACKET
    usercmd_t cmds[MAX_CMDS_PACKET];
} usercmd_packet_t;

/// Writes a packet of at most MAX_PACKET_BYTES. UserCmd_Read must accept `packet`.
void UserCmd_Write(msg_writer_t *msg, const usercmd_packet_t *packet);

/// Reads and checks a packet: each command is valid (UserCmd_IsValid), ticks do not decrease, and
/// no tick is more than 2^20 from the previous one or from the acknowledged snapshot. On failure
/// returns false with the reason and zeroes *packet.
bool UserCmd_Read(msg_reader_t *msg, usercmd_packet_t *packet, err_t *err);

/// Returns the index of the first command numbered `next_seq` or higher; `count` if there is none.
/// *lost receives how many commands from `next_seq` on are missing for good. If any command was
/// new, the next `next_seq` is first_seq + count.
int32_t UserCmd_FirstNew(const usercmd_packet_t *packet, uint16_t next_seq, int32_t *lost);

/// Returns true if 0 <= view_tick <= tick <= MSG_MAX_TICK, view_tick is at most 2^20 before tick,
/// msec is 1..MAX_CMD_MSEC, movement is within +-MAX_WISH_SPEED, and zero is 0.
bool UserCmd_IsValid(const usercmd_t *cmd);

#endif
