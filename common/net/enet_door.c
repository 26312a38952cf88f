#include "base/bucket.h"
#include "net/admission.h"

#include <string.h>

#define EVERY_US 3000 // a CONNECT and the join after it cost up to 0.5 ms
#define LATE_MS  500  // while datagrams of players wait in the kernel, the door opens so often
#define BURST    16   // CONNECTs at once: half of the peers that may wait for a slot

static bool has_turn(enet_transport_t *net) {
    return Bucket_Charge(&net->door.empty_us, net->now_ms * 1000, EVERY_US, (BURST - 1) * EVERY_US);
}

static uint32_t connect_id_of(const enet_transport_t *net, const guard_datagram_t *in,
                              guard_action_t action) {
    seal_connect_t connect = {0};
    if (action == GUARD_CONNECT) {
        return Guard_ConnectID(&net->guard, in);
    }
    (void)Seal_ReadConnect(in->data, in->size, &connect);
    return connect.connect_id;
}

/// Returns how many CONNECTs of an address wait, or -1 if this one does.
static int32_t count_same(const enet_transport_t *net, const guard_datagram_t *in,
                          uint32_t connect_id) {
    const enet_door_t *door = &net->door;
    int32_t same = 0;
    for (int32_t i = 0; i < door->count; i++) {
        int32_t at = (door->first + i) % ENET_DOOR_ROOM;
        bool is_same = door->from[at].host == in->from.host;
        if (is_same && door->from[at].port == in->from.port && door->ids[at] == connect_id) {
            return -1;
        }
        same += is_same;
    }
    return same;
}

static bool may_wait(const enet_transport_t *net, const guard_datagram_t *in, int32_t same) {
    return net->door.count < ENET_DOOR_ROOM && in->size <= ENET_DOOR_BYTES &&
           (same < ADMISSION_PER_ADDRESS || Net_IsExempt(net->exempt, in->from.host));
}

bool EnetDoor_Pass(enet_transport_t *net, const guard_datagram_t *in, guard_action_t action) {
    enet_door_t *door = &net->door;
    if (door->count == 0 && has_turn(net)) {
        return true;
    }
    uint32_t connect_id = connect_id_of(net, in, action);
    int32_t same = count_same(net, in, connect_id);
    if (same < 0) {
        return false; // its client repeats it
    }
    if (!may_wait(net, in, same)) {
        net->counters.crowded++;
        EnetDatagram_Drop(net, in->from, true, "too many connections wait");
        return false;
    }
    int32_t at = (door->first + door->count++) % ENET_DOOR_ROOM;
    door->from[at] = in->from;
    door->ids[at] = connect_id;
    door->actions[at] = (uint8_t)action;
    door->sizes[at] = (uint16_t)in->size;
    memcpy(door->data[at], in->data, in->size);
    return false;
}

bool EnetDoor_Opens(enet_transport_t *net) {
    enet_door_t *door = &net->door;
    bool is_late = net->is_cut && net->now_ms - door->opened_ms < LATE_MS;
    if (door->count == 0 || is_late) {
        return false;
    }
    door->opened_ms = net->now_ms;
    return true;
}

bool EnetDoor_Next(enet_transport_t *net, guard_datagram_t *in, guard_action_t *action) {
    enet_door_t *door = &net->door;
    if (door->count == 0 || !has_turn(net)) {
        return false;
    }
    int32_t at = door->first;
    door->first = (at + 1) % ENET_DOOR_ROOM;
    door->count--;
    *in = (guard_datagram_t){.data = door->data[at],
                             .size = door->sizes[at],
                             .from = door->from[at],
                             .now_ms = net->now_ms};
    *action = (guard_action_t)door->actions[at];
    return true;
}
