#include "proto/entity_fields.h"
#include "proto/snapshot_codec.h"
#include "proto/snapshot_wire.h"

// Reads all but tick and entities.
static void read_owner(msg_reader_t *msg, const snapshot_ring_t *ring, const snapshot_t *base,
                       snapshot_t *now) {
    int64_t lag = MSG_ReadVar(msg, SNAP_CMD_K);
    now->cmd_tick = now->tick - lag;
    int64_t ran = (int64_t)ring->tick_ms + MSG_ReadSigned(msg, SNAP_RAN_K);
    uint32_t queued = MSG_ReadVar(msg, SNAP_QUEUED_K);
    if (lag > SNAP_MAX_LAG || lag > now->tick || ran < 0 || ran > MAX_RAN_MS ||
        queued > MAX_RAN_MS) {
        MSG_Fail(msg);
        return;
    }
    now->cmd_ran_ms = (int32_t)ran;
    now->cmd_queued_ms = (int32_t)queued;
    now->filled_ms = base->filled_ms;
    now->dropped_cmds = base->dropped_cmds;
    if (MSG_ReadBool(msg)) {
        uint32_t filled = MSG_ReadVar(msg, SNAP_COUNTER_K);
        uint32_t dropped = MSG_ReadVar(msg, SNAP_COUNTER_K);
        now->filled_ms += filled;
        now->dropped_cmds += dropped;
        if (filled == 0 && dropped == 0) {
            MSG_Fail(msg);
        }
    }
    Player_Read(msg, &base->player, &now->player);
}

// Where the merge of baseline and records stands.
typedef struct {
    snapshot_ring_t *ring;
    int32_t base; // slot, -1 = from zero
    int32_t slot; // being filled
    int32_t next; // first entity of the baseline not looked at yet
    int32_t elapsed_ms;
} merge_t;

static bool has_room(const merge_t *merge) {
    return merge->ring->slots[merge->slot].count < MAX_SNAPSHOT_ENTS;
}

// Takes over what the baseline holds below a number. False when that is too much.
static bool keep_below(merge_t *merge, int32_t number) {
    const ring_slot_t *base = merge->base >= 0 ? &merge->ring->slots[merge->base] : NULL;
    while (base && merge->next < base->count &&
           merge->ring->states[base->states[merge->next]].number < number) {
        if (!has_room(merge)) {
            return false;
        }
        Ring_Append(merge->ring, merge->slot, base->states[merge->next++]);
    }
    return true;
}

static bool read_record(msg_reader_t *msg, merge_t *merge, int32_t *number) {
    const ring_slot_t *base = merge->base >= 0 ? &merge->ring->slots[merge->base] : NULL;
    uint32_t gap = MSG_ReadVar(msg, SNAP_GAP_K);
    if (msg->failed || gap >= (uint32_t)(MAX_EDICTS - 1 - *number)) {
        return false;
    }
    *number += (int32_t)gap + 1;
    if (!keep_below(merge, *number)) {
        return false;
    }
    entity_state_t from = {.number = *number};
    if (base && merge->next < base->count &&
        merge->ring->states[base->states[merge->next]].number == *number) {
        from = merge->ring->states[base->states[merge->next++]];
        if (MSG_ReadBool(msg)) {
            return !msg->failed; // gone
        }
    }
    entity_state_t to;
    Entity_Read(msg, &from, &to, merge->elapsed_ms);
    if (msg->failed || !has_room(merge)) {
        return false;
    }
    int32_t state = Ring_NewState(merge->ring, merge->base, &to);
    if (state == NO_STATE) {
        return false;
    }
    Ring_Append(merge->ring, merge->slot, state);
    return true;
}

static bool read_entities(msg_reader_t *msg, merge_t *merge, snapshot_t *now) {
    int32_t count = (int32_t)MSG_ReadBits(msg, SNAP_RECORD_BITS);
    int32_t number = 0;
    for (int32_t i = 0; i < count; i++) {
        if (!read_record(msg, merge, &number)) {
            return false;
        }
    }
    uint32_t deferred = MSG_ReadVar(msg, SNAP_DEFERRED_K);
    now->num_deferred = (int32_t)deferred;
    return keep_below(merge, MAX_EDICTS) && deferred <= 2 * MAX_SNAPSHOT_ENTS && MSG_ReadEnd(msg);
}

snapshot_result_t Snapshot_Read(msg_reader_t *msg, snapshot_ring_t *ring, err_t *err) {
    snapshot_t now = {0};
    uint32_t epoch = MSG_ReadBits(msg, SNAP_EPOCH_BITS);
    now.tick = MSG_ReadTick(msg);
    int64_t back = MSG_ReadVar(msg, SNAP_BASE_K);
    if (msg->failed || now.tick < 1 || back > SNAP_MAX_LAG || back >= now.tick) {
        Err_Set(err, "snapshot: a header that cannot be");
        return SNAPSHOT_BAD;
    }
    if (epoch != (ring->epoch & 0xff) || now.tick <= SnapshotRing_Newest(ring)) {
        return SNAPSHOT_STALE;
    }
    int32_t base = back > 0 ? Ring_FindSlot(ring, now.tick - back) : -1;
    if (back > 0 && base < 0) {
        return SNAPSHOT_NO_BASE;
    }
    const snapshot_t before = base >= 0 ? ring->slots[base].snapshot : Snap_Zero();
    read_owner(msg, ring, &before, &now);
    if (msg->failed) {
        Err_Set(err, "snapshot of tick %lld: a player state that cannot be", (long long)now.tick);
        return SNAPSHOT_BAD;
    }
    merge_t merge = {ring, base, Ring_NewSlot(ring, base), 0,
                     Snap_ElapsedMs(ring, before.tick, now.tick)};
    if (!read_entities(msg, &merge, &now)) {
        Ring_ClearSlot(ring, merge.slot);
        Err_Set(err, "snapshot of tick %lld: entities that cannot be", (long long)now.tick);
        return SNAPSHOT_BAD;
    }
    ring->slots[merge.slot].snapshot = now;
    ring->newest = merge.slot;
    ring->base = base;
    return SNAPSHOT_OK;
}
