// fuzz_usercmd.c - any bytes as a packet of usercmds.
//
// Input:      the packet.
// Invariants: an accepted packet holds valid usercmds in order of time, and has only one form:
//             written again it has the same bytes.

#include "base/assert.h"
#include "proto/usercmd_codec.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
    return 0;
}
