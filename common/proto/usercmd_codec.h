/// proto/usercmd_codec.h - packets of a client's recent usercmds and newest snapshot.
//
// Errors:  rejects missing or extra bits, and invalid commands.
//
// Each packet repeats earlier commands, so a lost packet loses none. The server queues each number
// once.

#ifndef EDICTD_PROTO_USERCMD_CODEC_H
#define EDICTD_PROTO_USERCMD_CODEC_H

#include "base/err.h"
#include "base/limits.h"
#include "proto/msg.h"
#include "state/usercmd.h"

/// Commands in order of time, several per tick allowed.
typedef struct {
    uint32_t epoch;     ///< low 8 bits of the MAP's epoch
    int64_t ack_tick;   ///< tick of the newest received snapshot; 0 = none
    uint16_t first_seq; ///< number of cmds[0]; from 0 at a MAP, wrapping
    int32_t count;      ///< 1..MAX_CMDS_PACKET
    usercmd_t cmds[MAX_CMDS_PACKET];
} usercmd_packet_t;

/// Longest packet that usercmd_memory_t keeps; most have a tenth of it.
#define USERCMD_MEMORY_BYTES 320

/// The last packet of a client. UserCmd_ReadNext copies the commands that the next one repeats.
typedef struct {
    size_t size;
    uint8_t data[USERCMD_MEMORY_BYTES];
    uint16_t ends[MAX_CMDS_PACKET]; ///< bit of `data` after each command
    usercmd_packet_t packet;        ///< count 0 = none
} usercmd_memory_t;

/// Writes a packet of at most MAX_PACKET_BYTES. It must pass the checks of UserCmd_Read.
void UserCmd_Write(msg_writer_t *msg, const usercmd_packet_t *packet);

/// Reads a packet. Ticks must not decrease or span more than 2^20. If it is invalid, returns false
/// with the reason and zeroes *packet.
bool UserCmd_Read(msg_reader_t *msg, usercmd_packet_t *packet, err_t *err);

/// Returns exactly what UserCmd_Read does, at less cost if the packet repeats most commands of the
/// one in `memory`. Then keeps this packet in `memory`.
bool UserCmd_ReadNext(msg_reader_t *msg, usercmd_packet_t *packet, usercmd_memory_t *memory,
                      err_t *err);

/// Returns the index of the first command from `next_seq` on, or `count`. *lost: commands lost
/// before it.
int32_t UserCmd_FirstNew(const usercmd_packet_t *packet, uint16_t next_seq, int32_t *lost);

/// Returns true if a command is valid. Ticks: 0 <= view_tick <= tick <= MSG_MAX_TICK, at most 2^20
/// apart. msec: 1..MAX_CMD_MSEC. Movement: +-MAX_WISH_SPEED. `zero` must be 0.
bool UserCmd_IsValid(const usercmd_t *cmd);

#endif
