#include "proto/usercmd_codec.h"

#include "base/assert.h"

#define EPOCH_BITS 8
#define SEQ_BITS   16
#define COUNT_BITS 5 // count - 1
#define MSEC_BITS  7 // msec - 1
#define MOVE_BITS  14
#define LAG_K      3         // ticks between command and snapshot: a round trip
#define MAX_LAG    (1 << 20) // ticks; more is nonsense

_Static_assert(MAX_CMDS_PACKET == 1 << COUNT_BITS, "a count fits");
_Static_assert(MAX_CMD_MSEC <= 1 << MSEC_BITS, "an msec fits");
_Static_assert(2 * MAX_WISH_SPEED < 1 << MOVE_BITS, "a movement fits");

bool UserCmd_IsValid(const usercmd_t *cmd) {
    return cmd->tick >= 0 && cmd->tick <= MSG_MAX_TICK && cmd->view_tick >= 0 &&
           cmd->view_tick <= cmd->tick && cmd->tick - cmd->view_tick <= MAX_LAG && cmd->msec >= 1 &&
           cmd->msec <= MAX_CMD_MSEC && cmd->forward >= -MAX_WISH_SPEED &&
           cmd->forward <= MAX_WISH_SPEED && cmd->side >= -MAX_WISH_SPEED &&
           cmd->side <= MAX_WISH_SPEED && cmd->up >= -MAX_WISH_SPEED && cmd->up <= MAX_WISH_SPEED &&
           cmd->zero == 0;
}

int32_t UserCmd_FirstNew(const usercmd_packet_t *packet, uint16_t next_seq, int32_t *lost) {
    // The distance on the circle of 16-bit numbers, -32768..32767.
    int32_t ahead = (int16_t)(uint16_t)(packet->first_seq - next_seq);
    *lost = Q_MaxI(ahead, 0);
    return Q_ClampI(-ahead, 0, packet->count);
}

// A value that seldom changes: one bit, and the value when it did.
static void write_changed(msg_writer_t *msg, uint32_t from, uint32_t to, int32_t bits) {
    MSG_WriteBool(msg, from != to);
    if (from != to) {
        MSG_WriteBits(msg, to, bits);
    }
}

// Every packet has one form only: a change to the same value is refused.
static uint32_t read_changed(msg_reader_t *msg, uint32_t from, int32_t bits) {
    if (!MSG_ReadBool(msg)) {
        return from;
    }
    uint32_t to = MSG_ReadBits(msg, bits);
    if (to == from) {
        MSG_Fail(msg);
    }
    return to;
}

static uint32_t speed_to_wire(int16_t speed) {
    return (uint32_t)(speed + MAX_WISH_SPEED);
}

// Up to MAX_WISH_SPEED + 1, which UserCmd_IsValid then refuses.
static int16_t speed_from_wire(uint32_t wire) {
    return (int16_t)((int32_t)wire - MAX_WISH_SPEED);
}

static bool same_input(const usercmd_t *a, const usercmd_t *b) {
    return a->pitch == b->pitch && a->yaw == b->yaw && a->forward == b->forward &&
           a->side == b->side && a->up == b->up && a->buttons == b->buttons &&
           a->impulse == b->impulse;
}

// All of a command but its ticks.
static void write_input(msg_writer_t *msg, const usercmd_t *from, const usercmd_t *to) {
    write_changed(msg, from->view_frac, to->view_frac, 16);
    write_changed(msg, from->msec - 1u, to->msec - 1u, MSEC_BITS);
    bool same = same_input(from, to);
    MSG_WriteBool(msg, !same);
    if (same) {
        return;
    }
    write_changed(msg, from->pitch, to->pitch, 16);
    write_changed(msg, from->yaw, to->yaw, 16);
    write_changed(msg, speed_to_wire(from->forward), speed_to_wire(to->forward), MOVE_BITS);
    write_changed(msg, speed_to_wire(from->side), speed_to_wire(to->side), MOVE_BITS);
    write_changed(msg, speed_to_wire(from->up), speed_to_wire(to->up), MOVE_BITS);
    write_changed(msg, from->buttons, to->buttons, 8);
    write_changed(msg, from->impulse, to->impulse, 8);
}

static void read_input(msg_reader_t *msg, const usercmd_t *from, usercmd_t *to) {
    to->view_frac = (uint16_t)read_changed(msg, from->view_frac, 16);
    to->msec = (uint8_t)(read_changed(msg, from->msec - 1u, MSEC_BITS) + 1);
    if (!MSG_ReadBool(msg)) {
        return;
    }
    to->pitch = (uint16_t)read_changed(msg, from->pitch, 16);
    to->yaw = (uint16_t)read_changed(msg, from->yaw, 16);
    to->forward = speed_from_wire(read_changed(msg, speed_to_wire(from->forward), MOVE_BITS));
    to->side = speed_from_wire(read_changed(msg, speed_to_wire(from->side), MOVE_BITS));
    to->up = speed_from_wire(read_changed(msg, speed_to_wire(from->up), MOVE_BITS));
    to->buttons = (uint8_t)read_changed(msg, from->buttons, 8);
    to->impulse = (uint8_t)read_changed(msg, from->impulse, 8);
    if (same_input(from, to)) {
        MSG_Fail(msg);
    }
}

void UserCmd_Write(msg_writer_t *msg, const usercmd_packet_t *packet) {
    ASSERT(packet->count >= 1 && packet->count <= MAX_CMDS_PACKET);
    const usercmd_t *first = &packet->cmds[0];
    MSG_WriteBits(msg, packet->epoch & 0xff, EPOCH_BITS);
    MSG_WriteBits(msg, packet->first_seq, SEQ_BITS);
    MSG_WriteBits(msg, (uint32_t)packet->count - 1, COUNT_BITS);
    MSG_WriteTick(msg, first->tick);
    MSG_WriteBool(msg, packet->ack_tick != 0);
    if (packet->ack_tick != 0) {
        ASSERT(packet->ack_tick > 0 && packet->ack_tick <= MSG_MAX_TICK);
        int64_t lag = first->tick - packet->ack_tick;
        ASSERT(lag >= -MAX_LAG && lag <= MAX_LAG);
        MSG_WriteSigned(msg, (int32_t)lag, LAG_K);
    }
    const usercmd_t before = {.msec = 1};
    for (int32_t i = 0; i < packet->count; i++) {
        const usercmd_t *cmd = &packet->cmds[i];
        const usercmd_t *from = i > 0 ? cmd - 1 : &before;
        ASSERT(UserCmd_IsValid(cmd));
        if (i == 0) {
            MSG_WriteVar(msg, (uint32_t)(cmd->tick - cmd->view_tick), LAG_K);
        } else {
            int64_t step = cmd->tick - from->tick;
            int64_t view_step = cmd->view_tick - from->view_tick;
            ASSERT(step >= 0 && step <= MAX_LAG);
            MSG_WriteSigned(msg, (int32_t)(step - 1), 0);
            MSG_WriteSigned(msg, (int32_t)(view_step - step), 0);
        }
        write_input(msg, from, cmd);
    }
}

static bool read_cmds(msg_reader_t *msg, usercmd_packet_t *packet, int64_t first_tick) {
    const usercmd_t before = {.msec = 1};
    for (int32_t i = 0; i < packet->count; i++) {
        usercmd_t *cmd = &packet->cmds[i];
        const usercmd_t *from = i > 0 ? cmd - 1 : &before;
        *cmd = *from;
        if (i == 0) {
            cmd->tick = first_tick;
            cmd->view_tick = first_tick - (int64_t)MSG_ReadVar(msg, LAG_K);
        } else {
            int64_t step = (int64_t)MSG_ReadSigned(msg, 0) + 1;
            if (step < 0 || step > MAX_LAG) {
                return false;
            }
            cmd->tick = from->tick + step;
            cmd->view_tick = from->view_tick + step + MSG_ReadSigned(msg, 0);
        }
        read_input(msg, from, cmd);
        if (msg->failed || !UserCmd_IsValid(cmd)) {
            return false;
        }
    }
    return true;
}

bool UserCmd_Read(msg_reader_t *msg, usercmd_packet_t *packet, err_t *err) {
    *packet = (usercmd_packet_t){0};
    packet->epoch = MSG_ReadBits(msg, EPOCH_BITS);
    packet->first_seq = (uint16_t)MSG_ReadBits(msg, SEQ_BITS);
    int32_t count = (int32_t)MSG_ReadBits(msg, COUNT_BITS) + 1;
    int64_t first_tick = MSG_ReadTick(msg);
    if (MSG_ReadBool(msg)) {
        int64_t lag = MSG_ReadSigned(msg, LAG_K);
        packet->ack_tick = first_tick - lag;
        if (lag < -MAX_LAG || lag > MAX_LAG || packet->ack_tick < 1 ||
            packet->ack_tick > MSG_MAX_TICK) {
            MSG_Fail(msg);
        }
    }
    if (msg->failed) {
        *packet = (usercmd_packet_t){0};
        return Err_Set(err, "usercmd packet: a header that cannot be");
    }
    packet->count = count;
    if (!read_cmds(msg, packet, first_tick)) {
        *packet = (usercmd_packet_t){0};
        return Err_Set(err, "usercmd packet of %d: a command that cannot be", count);
    }
    if (!MSG_ReadEnd(msg)) {
        *packet = (usercmd_packet_t){0};
        return Err_Set(err, "usercmd packet of %d: expected its end, found more bytes", count);
    }
    return true;
}
