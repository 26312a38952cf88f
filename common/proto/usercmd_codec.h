/// proto/usercmd_codec.h - writes and reads packets of a client's recent usercmds, with the tick of
/// the newest snapshot that it received.
//
// Errors:  a packet with missing or extra bits, or with an invalid command, is rejected.
//
// Each packet repeats earlier commands, so a lost packet loses no command. Commands are numbered,
// so the server queues each only once (UserCmd_FirstNew).

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

/// Reads and checks a packet. Ticks must not decrease or differ by more than 2^20. If the packet is
/// invalid, returns false with the reason and zeroes *packet.
bool UserCmd_Read(msg_reader_t *msg, usercmd_packet_t *packet, err_t *err);

/// Returns the index of the first command numbered `next_seq` or higher, or `count` if there is
/// none. *lost: number of commands from `next_seq` on that were lost for good.
int32_t UserCmd_FirstNew(const usercmd_packet_t *packet, uint16_t next_seq, int32_t *lost);

/// Returns true if 0 <= view_tick <= tick <= MSG_MAX_TICK, tick - view_tick <= 2^20, msec is
/// 1..MAX_CMD_MSEC, movement is within +-MAX_WISH_SPEED, and the member `zero` is 0.
bool UserCmd_IsValid(const usercmd_t *cmd);

#endif
