#include "proto/usercmd_codec.h"

#include "base/assert.h"

#include <string.h>

#define EPOCH_BITS 8
#define SEQ_BITS   16
#define COUNT_BITS 5 // codes count - 1
#define MSEC_BITS  7 // codes msec - 1
#define MOVE_BITS  14
#define LAG_K      3         // Golomb order of the age of the acknowledged snapshot
#define MAX_LAG    (1 << 20) // maximum difference of two ticks

_Static_assert(MAX_CMDS_PACKET == 1 << COUNT_BITS, "a count must fit COUNT_BITS");
_Static_assert(MAX_CMD_MSEC <= 1 << MSEC_BITS, "an msec must fit MSEC_BITS");
_Static_assert(2 * MAX_WISH_SPEED < 1 << MOVE_BITS, "a movement must fit MOVE_BITS");

bool UserCmd_IsValid(const usercmd_t *cmd) {
    return cmd->tick >= 0 && cmd->tick <= MSG_MAX_TICK && cmd->view_tick >= 0 &&
           cmd->view_tick <= cmd->tick && cmd->tick - cmd->view_tick <= MAX_LAG && cmd->msec >= 1 &&
           cmd->msec <= MAX_CMD_MSEC && cmd->forward >= -MAX_WISH_SPEED &&
           cmd->forward <= MAX_WISH_SPEED && cmd->side >= -MAX_WISH_SPEED &&
           cmd->side <= MAX_WISH_SPEED && cmd->up >= -MAX_WISH_SPEED && cmd->up <= MAX_WISH_SPEED;
}

int32_t UserCmd_FirstNew(const usercmd_packet_t *packet, uint16_t next_seq, int32_t *lost) {
    // Sequence numbers wrap.
    int32_t ahead = (int16_t)(uint16_t)(packet->first_seq - next_seq);
    *lost = Q_MaxI(ahead, 0);
    return Q_ClampI(-ahead, 0, packet->count);
}

// Codes a value that rarely changes: one bit, then the value if it differs. Rejects a value equal
// to `from`. While reading, *value is `from` on entry.
CODED_TWICE void code_changed(msg_t *msg, uint32_t from, uint32_t *value, int32_t bits) {
    bool changed = *value != from;
    if (MSG_Bool(msg, &changed)) {
        MSG_Bits(msg, value, bits);
        MSG_Check(msg, *value != from);
    }
}

CODED_TWICE void code_u16(msg_t *msg, uint16_t from, uint16_t *to) {
    uint32_t value = *to;
    code_changed(msg, from, &value, 16);
    *to = (uint16_t)value;
}

CODED_TWICE void code_u8(msg_t *msg, uint8_t from, uint8_t *to) {
    uint32_t value = *to;
    code_changed(msg, from, &value, 8);
    *to = (uint8_t)value;
}

// Codes a wished speed. UserCmd_IsValid rejects MAX_WISH_SPEED + 1.
CODED_TWICE void code_speed(msg_t *msg, int16_t from, int16_t *to) {
    uint32_t value = (uint32_t)(*to + MAX_WISH_SPEED);
    code_changed(msg, (uint32_t)(from + MAX_WISH_SPEED), &value, MOVE_BITS);
    *to = (int16_t)((int32_t)value - MAX_WISH_SPEED);
}

static bool same_input(const usercmd_t *a, const usercmd_t *b) {
    return a->pitch == b->pitch && a->yaw == b->yaw && a->forward == b->forward &&
           a->side == b->side && a->up == b->up && a->buttons == b->buttons &&
           a->impulse == b->impulse;
}

// Codes a command except its ticks. While reading, *to equals *from on entry.
CODED_TWICE void code_input(msg_t *msg, const usercmd_t *from, usercmd_t *to) {
    uint32_t msec = to->msec - 1u;
    code_u16(msg, from->view_frac, &to->view_frac);
    code_u8(msg, from->view_span, &to->view_span);
    code_changed(msg, from->msec - 1u, &msec, MSEC_BITS);
    to->msec = (uint8_t)(msec + 1);
    bool changed = !same_input(from, to);
    if (MSG_Bool(msg, &changed)) {
        code_u16(msg, from->pitch, &to->pitch);
        code_u16(msg, from->yaw, &to->yaw);
        code_speed(msg, from->forward, &to->forward);
        code_speed(msg, from->side, &to->side);
        code_speed(msg, from->up, &to->up);
        code_u8(msg, from->buttons, &to->buttons);
        code_u8(msg, from->impulse, &to->impulse);
        MSG_Check(msg, !same_input(from, to));
    }
}

// Codes a difference of ticks. A writer needs 32 bits at most.
CODED_TWICE int64_t code_difference(msg_t *msg, int64_t difference, int32_t k) {
    int32_t value = (int32_t)difference;
    ASSERT(msg->in || value == difference);
    MSG_Signed(msg, &value, k);
    return value;
}

static void code_header(msg_t *msg, usercmd_packet_t *packet) {
    uint32_t seq = packet->first_seq;
    bool has_ack = packet->ack_tick != 0;
    int64_t *first_tick = &packet->cmds[0].tick;
    MSG_Bits(msg, &packet->epoch, EPOCH_BITS);
    MSG_Bits(msg, &seq, SEQ_BITS);
    packet->first_seq = (uint16_t)seq;
    MSG_Range(msg, &packet->count, 1, MAX_CMDS_PACKET);
    MSG_Tick(msg, first_tick);
    if (MSG_Bool(msg, &has_ack)) {
        int64_t lag = code_difference(msg, *first_tick - packet->ack_tick, LAG_K);
        packet->ack_tick = *first_tick - lag;
        MSG_Check(msg, lag >= -MAX_LAG && lag <= MAX_LAG && packet->ack_tick >= 1 &&
                           packet->ack_tick <= MSG_MAX_TICK);
    }
}

// Codes the ticks of a command. For the first, `from` is NULL and *to has the tick.
CODED_TWICE void code_ticks(msg_t *msg, const usercmd_t *from, usercmd_t *to) {
    if (!from) {
        uint32_t behind = (uint32_t)(to->tick - to->view_tick);
        MSG_Var(msg, &behind, LAG_K);
        to->view_tick = to->tick - behind;
        return;
    }
    int64_t step = to->tick - from->tick;
    int64_t view_step = to->view_tick - from->view_tick;
    step = code_difference(msg, step - 1, 0) + 1;
    MSG_Check(msg, step >= 0 && step <= MAX_LAG);
    to->tick = from->tick + step;
    to->view_tick = from->view_tick + step + code_difference(msg, view_step - step, 0);
}

CODED_TWICE void code_cmd(msg_t *msg, usercmd_packet_t *packet, int32_t i) {
    const usercmd_t before = {.msec = 1};
    usercmd_t *cmd = &packet->cmds[i];
    const usercmd_t *from = i > 0 ? cmd - 1 : &before;
    if (msg->in) {
        int64_t tick = cmd->tick;
        *cmd = *from;
        cmd->tick = tick;
    }
    code_ticks(msg, i > 0 ? from : NULL, cmd);
    code_input(msg, from, cmd);
    MSG_Check(msg, UserCmd_IsValid(cmd));
}

void UserCmd_Write(msg_writer_t *msg, const usercmd_packet_t *packet) {
    usercmd_packet_t copy = *packet;
    msg_t wire = MSG_Writing(msg);
    copy.epoch &= 0xff;
    code_header(&wire, &copy);
    for (int32_t i = 0; i < copy.count; i++) {
        code_cmd(&wire, &copy, i);
    }
}

// Takes the commands after the first from `memory`, as far as the packet repeats their bits. A
// command depends only on these and on the command before it. Returns their number.
static int32_t take_known(msg_reader_t *msg, usercmd_packet_t *packet, uint16_t *ends,
                          const usercmd_memory_t *memory) {
    const usercmd_packet_t *known = &memory->packet;
    const int32_t at = (uint16_t)(packet->first_seq - known->first_seq);
    if (at >= known->count || memcmp(&known->cmds[at], packet->cmds, sizeof(usercmd_t)) != 0) {
        return 0;
    }
    const int32_t count = Q_MinI(known->count - at, packet->count) - 1;
    const size_t from = memory->ends[at];
    const size_t begin = msg->bit;
    msg_reader_t old = MSG_Reader(memory->data, memory->size);
    old.bit = from;
    if (!MSG_SkipEqual(msg, &old, memory->ends[at + count] - from)) {
        return 0;
    }
    memcpy(packet->cmds + 1, known->cmds + at + 1, (size_t)count * sizeof(usercmd_t));
    for (int32_t i = 1; i <= count; i++) {
        ends[i] = (uint16_t)(memory->ends[at + i] - from + begin);
    }
    return count;
}

static void read_cmds(msg_reader_t *msg, usercmd_packet_t *packet, uint16_t *ends,
                      const usercmd_memory_t *memory) {
    msg_t wire = MSG_Reading(msg);
    for (int32_t i = 0; i < packet->count; i++) {
        code_cmd(&wire, packet, i);
        ends[i] = (uint16_t)msg->bit;
        if (i == 0 && memory) {
            i += take_known(msg, packet, ends, memory);
        }
    }
}

static void keep(usercmd_memory_t *memory, const msg_reader_t *msg, const usercmd_packet_t *packet,
                 const uint16_t *ends) {
    memory->packet.count = 0;
    if (msg->size <= sizeof memory->data) {
        const size_t count = (size_t)packet->count;
        memory->packet.first_seq = packet->first_seq;
        memory->packet.count = packet->count;
        memcpy(memory->packet.cmds, packet->cmds, count * sizeof packet->cmds[0]);
        memcpy(memory->ends, ends, count * sizeof ends[0]);
        memcpy(memory->data, msg->data, msg->size);
        memory->size = msg->size;
    }
}

bool UserCmd_ReadNext(msg_reader_t *msg, usercmd_packet_t *packet, usercmd_memory_t *memory,
                      err_t *err) {
    msg_t wire = MSG_Reading(msg);
    const char *fault = "the header is cut off or out of range";
    uint16_t ends[MAX_CMDS_PACKET];
    *packet = (usercmd_packet_t){0};
    code_header(&wire, packet);
    if (!msg->failed) {
        fault = "a command is cut off or out of range";
        read_cmds(msg, packet, ends, memory);
    }
    if (!msg->failed) {
        fault = "bytes follow the last command";
        (void)MSG_ReadEnd(msg);
    }
    if (msg->failed) {
        *packet = (usercmd_packet_t){0};
        return Err_Set(err, "usercmd packet: %s", fault);
    }
    if (memory) {
        keep(memory, msg, packet, ends);
    }
    return true;
}

bool UserCmd_Read(msg_reader_t *msg, usercmd_packet_t *packet, err_t *err) {
    return UserCmd_ReadNext(msg, packet, NULL, err);
}
