// fuzz_usercmd.c - any bytes as a packet of usercmds.
//
// Input:      the packet.
// Invariants: an accepted packet holds valid usercmds in order of time, and has only one form:
//             written again it has the same bytes. After it, a packet reads the same as alone.

#include "base/assert.h"
#include "proto/usercmd_codec.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Reads the packet, then the next one: without the first command, and with one bit wrong.
static void check_next(const uint8_t *data, size_t size, const usercmd_packet_t *packet) {
    usercmd_memory_t memory = {.size = 0};
    usercmd_packet_t next = *packet;
    usercmd_packet_t with;
    msg_reader_t in = MSG_Reader(data, size);
    ASSERT(UserCmd_ReadNext(&in, &with, &memory, NULL));
    if (packet->count > 1) {
        next.first_seq++;
        next.count--;
        memmove(next.cmds, next.cmds + 1, (size_t)next.count * sizeof next.cmds[0]);
        next.ack_tick = 0;
    }
    uint8_t bytes[MAX_PACKET_BYTES];
    msg_writer_t out = MSG_Writer(bytes, sizeof bytes);
    UserCmd_Write(&out, &next);
    size = MSG_Finish(&out);
    bytes[packet->first_seq % size] ^= (uint8_t)(packet->epoch & 1u << packet->count % 8);
    in = MSG_Reader(bytes, size);
    msg_reader_t again = in;
    usercmd_packet_t without;
    const bool is_good = UserCmd_Read(&in, &without, NULL);
    ASSERT(UserCmd_ReadNext(&again, &with, &memory, NULL) == is_good);
    ASSERT(memcmp(&with, &without, sizeof with) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    usercmd_packet_t packet;
    err_t err = {""};
    msg_reader_t in = MSG_Reader(data, size);
    if (!UserCmd_Read(&in, &packet, &err)) {
        ASSERT(err.text[0] != '\0' && packet.count == 0);
        return 0;
    }
    ASSERT(packet.count >= 1 && packet.count <= MAX_CMDS_PACKET && packet.ack_tick >= 0);
    for (int32_t i = 0; i < packet.count; i++) {
        ASSERT(UserCmd_IsValid(&packet.cmds[i]));
        ASSERT(i == 0 || packet.cmds[i].tick >= packet.cmds[i - 1].tick);
    }
    uint8_t again[MAX_PACKET_BYTES];
    msg_writer_t out = MSG_Writer(again, sizeof again);
    UserCmd_Write(&out, &packet);
    ASSERT(MSG_Finish(&out) == size && memcmp(again, data, size) == 0);
    int32_t lost = 0;
    int32_t first = UserCmd_FirstNew(&packet, (uint16_t)(packet.first_seq + 1), &lost);
    ASSERT(first == 1 && lost == 0);
    check_next(data, size, &packet);
    return 0;
}
