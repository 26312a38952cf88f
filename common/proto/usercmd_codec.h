/// proto/usercmd_codec.h - codes the packets of channel 1: recent usercmds of a client, and the
/// tick of the newest snapshot that it has.
//
// Errors:  a packet that does not decode to its last bit or contains an invalid command is
//          rejected.
//
// Each packet repeats the commands of earlier packets, so a lost packet loses no
// command. The server queues each command once, because it recognises commands by their
// numbers (UserCmd_FirstNew).

#ifndef EDICTD_PROTO_USERCMD_CODEC_H
#define EDICTD_PROTO_USERCMD_CODEC_H

#include "base/err.h"
#include "base/limits.h"
#include "proto/msg.h"
#include "state/usercmd.h"

/// Commands in order of time. Several may be for the same tick.
typedef struct {
    uint32_t epoch;     ///< low 8 bits of the MAP's epoch
    int64_t ack_tick;   ///< tick of the newest snapshot that the client has; 0 = none
    uint16_t first_seq; ///< number of cmds[0]; from 0 at a MAP, wrapping
    int32_t count;      ///< 1..MAX_CMDS_PACKET
    usercmd_t cmds[MAX_CMDS_PACKET];
} usercmd_packet_t;

/// Writes a packet; at most MAX_PACKET_BYTES. `packet` must be valid by the rules of UserCmd_Read.
void UserCmd_Write(msg_writer_t *msg, const usercmd_packet_t *packet);

/// Reads and checks a packet. Each command must be valid (UserCmd_IsValid), ticks must not
/// decrease, and no tick may be more than 2^20 from the one before or from the acknowledged
/// snapshot. Returns false with the reason and zeroes *packet if the packet is invalid.
bool UserCmd_Read(msg_reader_t *msg, usercmd_packet_t *packet, err_t *err);

/// Returns the index of the first command numbered `next_seq` or higher; `count` if there is none.
/// *lost: number of commands from `next_seq` on that no packet will contain any more. If a command
/// is new, the caller's next `next_seq` is first_seq + count.
int32_t UserCmd_FirstNew(const usercmd_packet_t *packet, uint16_t next_seq, int32_t *lost);

/// Returns true if 0 <= view_tick <= tick <= MSG_MAX_TICK, tick - view_tick <= 2^20, msec is
/// 1..MAX_CMD_MSEC, movement is within +-MAX_WISH_SPEED, and the member `zero` is 0.
bool UserCmd_IsValid(const usercmd_t *cmd);

#endif
