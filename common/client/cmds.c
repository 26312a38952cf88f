/// client/cmds.c - creates usercmds, sends them, and repeats them until they ran.

#include "base/assert.h"
#include "base/hash.h"
#include "client/cl_local.h"
#include "math/angles.h"

#include <string.h>

cl_cmd_t *Client_Cmd(cl_t *cl, uint32_t n) {
    return &cl->cmds.list[n % CL_MAX_CMDS];
}

void Client_ResetCmds(cl_t *cl, bool anew) {
    cl_cmds_t *cmds = &cl->cmds;
    cmds->made = anew ? 0 : cmds->made;
    cmds->first = cmds->made;
    cmds->packets = 0;
    cl->prediction.tick = 0;
}

// Hashes the predicted part of a player: all but the health, which the game changes.
uint64_t Client_HashPlayer(const player_state_t *player) {
    player_state_t predicted = *player;
    predicted.health = 0;
    return Hash_Bytes(&predicted, sizeof predicted, 0);
}

// Counts a misprediction if the state after a command differs from the server's. Followers, and
// followed players, are not predicted.
static void compare(cl_t *cl, const cl_cmd_t *made, const player_state_t *player) {
    if (!made->predicted || player->movetype == MOVETYPE_FOLLOW || (player->flags & PMF_WATCHED)) {
        return;
    }
    cl->stats.predictions++;
    cl->stats.corrected += made->first_hash != Client_HashPlayer(player) ? 1 : 0;
    player_state_t after = made->after;
    after.health = player->health; // the game changes the health, so it is not predicted
    if (memcmp(&after, player, sizeof after) == 0) {
        return;
    }
    cl->stats.mispredictions++;
    float error = VectorLength(VectorSubtract(after.origin, player->origin));
    cl->stats.error_max = error > cl->stats.error_max ? error : cl->stats.error_max;
}

void Client_AckCmds(cl_t *cl, const snapshot_t *snapshot) {
    cl_cmds_t *cmds = &cl->cmds;
    int32_t ran_ms = snapshot->cmd_ran_ms;
    cl_cmd_t *last = NULL; // the newest command that is complete in the server's state
    for (uint32_t n = cmds->first; n != cmds->made; n++) {
        cl_cmd_t *made = Client_Cmd(cl, n);
        if (made->cmd.tick > snapshot->cmd_tick) {
            break;
        }
        if (made->cmd.tick == snapshot->cmd_tick) {
            ran_ms -= made->cmd.msec;
            last = ran_ms == 0 ? made : last;
        }
    }
    // Compare once. Do not compare if a pusher or crate may have moved the player in a tick without
    // command, or taken its ground; in a later snapshot the pusher may stand again.
    bool was_carried = last && last->cmd.tick != snapshot->tick - 1 &&
                       (cl->world.has_pushers || cl->world.num_crates > 0);
    if (last && !last->acked && !was_carried) {
        compare(cl, last, &snapshot->player);
    }
    if (last) {
        last->acked = true;
    }
    while (cmds->first != cmds->made &&
           Client_Cmd(cl, cmds->first)->cmd.tick < snapshot->cmd_tick) {
        cmds->first++;
    }
}

static int16_t wished_speed(float speed) {
    return (int16_t)Q_ToInt(floorf(speed + 0.5f), -MAX_WISH_SPEED, MAX_WISH_SPEED);
}

static void make_cmd(cl_t *cl) {
    cl_cmds_t *cmds = &cl->cmds;
    uint8_t msec = 0;
    int64_t tick = Clock_NextTick(&cl->clock, &msec);
    const cl_view_t *view = &cl->view;
    if (cmds->made - cmds->first == CL_MAX_CMDS) {
        cmds->first++; // the server no longer runs a command that old
    }
    *Client_Cmd(cl, cmds->made++) =
        (cl_cmd_t){.cmd = {
                       .tick = tick,
                       .view_tick = view->cmd_tick < tick ? view->cmd_tick : tick,
                       .view_frac = view->cmd_tick < tick ? view->cmd_frac : 0,
                       .view_span = view->cmd_tick < tick ? view->cmd_span : 0,
                       .msec = msec,
                       .buttons = cl->input.buttons | cl->pressed,
                       .pitch = AngleToShort(cl->input.pitch),
                       .yaw = AngleToShort(cl->input.yaw),
                       .forward = wished_speed(cl->input.forward),
                       .side = wished_speed(cl->input.side),
                       .up = wished_speed(cl->input.up),
                       .impulse = cl->input.impulse,
                   }};
    cl->input.impulse = 0;
    cl->pressed = 0;
    cl->stats.cmds++;
}

// Returns the first command of the next packet: at most MAX_CMDS_PACKET, from the last
// CL_BACKUP_PACKETS packets, not yet run.
static uint32_t first_to_send(const cl_cmds_t *cmds) {
    uint32_t kept = cmds->made - cmds->first;
    uint32_t count = kept < MAX_CMDS_PACKET ? kept : MAX_CMDS_PACKET;
    if (cmds->packets >= CL_BACKUP_PACKETS) {
        // Start with the oldest of the last CL_BACKUP_PACKETS packets, counting the next one.
        uint32_t recent = cmds->made - cmds->packet_starts[cmds->packets % CL_BACKUP_PACKETS];
        count = recent < count ? recent : count;
    }
    return cmds->made - count;
}

static void send_packet(cl_t *cl) {
    cl_cmds_t *cmds = &cl->cmds;
    uint32_t first = first_to_send(cmds);
    usercmd_packet_t packet = {.epoch = cl->map.epoch,
                               .ack_tick = cl->wants_full ? 0 : SnapshotRing_Newest(cl->ring),
                               .first_seq = (uint16_t)first,
                               .count = (int32_t)(cmds->made - first)};
    for (int32_t i = 0; i < packet.count; i++) {
        packet.cmds[i] = Client_Cmd(cl, first + (uint32_t)i)->cmd;
    }
    uint8_t data[MAX_PACKET_BYTES];
    msg_writer_t msg = MSG_Writer(data, sizeof data);
    UserCmd_Write(&msg, &packet);
    size_t size = MSG_Finish(&msg);
    ASSERT(size > 0); // MAX_CMDS_PACKET commands always fit in a packet
    transport_t *net = cl->config.net;
    net->send(net, cl->peer, NET_CHANNEL_USERCMD, false, data, size); // repeated by later packets
    Client_NoteAck(cl, packet.ack_tick);
    cl->stats.cmd_packets++;
    cl->stats.cmd_bytes += size;
}

void Client_SendCmds(cl_t *cl) {
    cl_cmds_t *cmds = &cl->cmds;
    int32_t skipped = 0;
    int32_t due = Q_MinI(Clock_Due(&cl->clock, cl->now_ms, &skipped), MAX_CMDS_PACKET);
    cl->stats.cmds_skipped += (uint64_t)skipped;
    if (skipped > 0) {
        Client_ResetCmds(cl, false); // packets have no gaps, so none can contain older commands
    }
    if (due == 0) {
        return;
    }
    uint32_t before = cmds->made;
    cl->link.packets++;
    for (int32_t i = 0; i < due; i++) {
        make_cmd(cl);
        Client_Cmd(cl, cmds->made - 1)->packet = cl->link.packets;
    }
    cmds->packet_starts[cmds->packets++ % CL_BACKUP_PACKETS] = before;
    send_packet(cl);
}
