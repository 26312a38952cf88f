#include "proto/entity_fields.h"
#include "proto/snapshot_codec.h"
#include "proto/snapshot_wire.h"

void Snap_CodeStart(msg_t *msg, uint32_t *epoch, int64_t *tick, uint32_t *back) {
    MSG_Bits(msg, epoch, SNAP_EPOCH_BITS);
    MSG_Tick(msg, tick);
    MSG_Var(msg, back, SNAP_BASE_K);
    MSG_Check(msg, *tick >= 1 && *back <= SNAP_MAX_LAG && *back < *tick);
}

static void code_counters(msg_t *msg, const snapshot_t *base, snapshot_t *now) {
    uint32_t filled = now->filled_ms - base->filled_ms;
    uint32_t dropped = now->dropped_cmds - base->dropped_cmds;
    bool counted = filled != 0 || dropped != 0;
    if (MSG_Bool(msg, &counted)) {
        MSG_Var(msg, &filled, SNAP_COUNTER_K);
        MSG_Var(msg, &dropped, SNAP_COUNTER_K);
        MSG_Check(msg, filled != 0 || dropped != 0);
        now->filled_ms = base->filled_ms + filled;
        now->dropped_cmds = base->dropped_cmds + dropped;
    }
}

void Snap_CodeOwner(msg_t *msg, const snapshot_ring_t *ring, const snapshot_t *base,
                    snapshot_t *now) {
    uint32_t lag = (uint32_t)(now->tick - now->cmd_tick);
    uint32_t queued_ms = (uint32_t)now->cmd_queued_ms;
    MSG_Var(msg, &lag, SNAP_CMD_K);
    int32_t tick_ms = Ticks_LengthMs(ring->rate_mhz, now->tick - lag);
    int32_t ran_ms = now->cmd_ran_ms - tick_ms;
    MSG_Signed(msg, &ran_ms, SNAP_RAN_K);
    MSG_Var(msg, &queued_ms, SNAP_QUEUED_K);
    int64_t all_ran_ms = (int64_t)ran_ms + tick_ms;
    MSG_Check(msg, lag <= SNAP_MAX_LAG && lag <= now->tick && all_ran_ms >= 0 &&
                       all_ran_ms <= MAX_RAN_MS && queued_ms <= MAX_RAN_MS);
    if (msg->in) {
        now->cmd_tick = now->tick - lag;
        now->cmd_ran_ms = (int32_t)all_ran_ms;
        now->cmd_queued_ms = (int32_t)queued_ms;
        now->filled_ms = base->filled_ms;
        now->dropped_cmds = base->dropped_cmds;
    }
    code_counters(msg, base, now);
    if (msg->in) {
        Player_Read(msg->in, &base->player, &now->player);
    } else {
        Player_Write(msg->out, &base->player, &now->player);
    }
}

// Merges the baseline with the records of a message.
typedef struct {
    snapshot_ring_t *ring;
    int32_t base; // slot of the baseline, -1 = none
    int32_t slot; // slot of the new snapshot
    int32_t next; // next entity of the baseline
    int32_t elapsed_ms;
} merge_t;

static bool has_room(const merge_t *merge) {
    return merge->ring->slots[merge->slot].count < MAX_SNAPSHOT_ENTS;
}

// Copies baseline entities below `number`. Returns false if they do not fit.
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
            return !msg->failed; // the entity is gone
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
    msg_t wire = MSG_Reading(msg);
    snapshot_t now = {0};
    uint32_t epoch = 0;
    uint32_t back = 0;
    Snap_CodeStart(&wire, &epoch, &now.tick, &back);
    if (msg->failed) {
        Err_Set(err, "snapshot: the header is cut off or out of range");
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
    Snap_CodeOwner(&wire, ring, &before, &now);
    if (msg->failed) {
        Err_Set(err, "snapshot of tick %lld: the player state is cut off or out of range",
                (long long)now.tick);
        return SNAPSHOT_BAD;
    }
    merge_t merge = {ring, base, Ring_NewSlot(ring, base), 0,
                     Snap_ElapsedMs(ring, before.tick, now.tick)};
    if (!read_entities(msg, &merge, &now)) {
        Ring_ClearSlot(ring, merge.slot);
        Err_Set(err, "snapshot of tick %lld: an entity is cut off or out of range",
                (long long)now.tick);
        return SNAPSHOT_BAD;
    }
    ring->slots[merge.slot].snapshot = now;
    ring->newest = merge.slot;
    ring->base = base;
    return SNAPSHOT_OK;
}
