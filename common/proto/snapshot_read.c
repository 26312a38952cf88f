#include "proto/snapshot_codec.h"
#include "proto/snapshot_wire.h"

void Snap_CodeStart(msg_t *msg, uint32_t *epoch, int64_t *tick, uint32_t *back) {
    MSG_Bits(msg, epoch, SNAP_EPOCH_BITS);
    MSG_Tick(msg, tick);
    MSG_Var(msg, back, SNAP_BASE_K);
    MSG_Check(msg, *tick >= 1 && *back <= SNAP_MAX_LAG && *back < *tick);
}

static void code_count(msg_t *msg, uint16_t *count, int32_t bits) {
    uint32_t number = *count & ((1u << bits) - 1);
    MSG_Bits(msg, &number, bits);
    *count = (uint16_t)number;
}

static void code_time(msg_t *msg, uint16_t *tenths_ms) {
    uint32_t number = *tenths_ms;
    MSG_Var(msg, &number, SNAP_TIME_K);
    MSG_Check(msg, number <= UINT16_MAX);
    *tenths_ms = (uint16_t)number;
}

// Codes the report if it is newer than that of the baseline. Returns true if it is.
static bool code_report(msg_t *msg, const snapshot_t *base, snapshot_t *now) {
    snapshot_report_t *report = &now->report;
    bool is_new = report->tick != base->report.tick;
    uint32_t age = (uint32_t)(now->tick - report->tick);
    if (!MSG_Bool(msg, &is_new)) {
        return false;
    }
    MSG_Var(msg, &age, SNAP_AGE_K);
    MSG_Check(msg, age <= SNAP_MAX_LAG && now->tick - age > base->report.tick);
    report->tick = now->tick - age;
    code_count(msg, &report->snapshots, 10);
    code_count(msg, &report->cmd_packets, 10);
    code_count(msg, &report->next_cmd, 8);
    code_time(msg, &report->tick_mean);
    code_time(msg, &report->tick_worst);
    return true;
}

static void code_counters(msg_t *msg, const snapshot_t *base, snapshot_t *now) {
    uint32_t filled = now->filled_ms - base->filled_ms;
    uint32_t dropped = now->dropped_cmds - base->dropped_cmds;
    bool counted = filled != 0 || dropped != 0 || now->report.tick != base->report.tick;
    if (MSG_Bool(msg, &counted)) {
        MSG_Var(msg, &filled, SNAP_COUNTER_K);
        MSG_Var(msg, &dropped, SNAP_COUNTER_K);
        bool is_new = code_report(msg, base, now);
        MSG_Check(msg, filled != 0 || dropped != 0 || is_new);
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
        now->report = base->report;
    }
    code_counters(msg, base, now);
    if (msg->in) {
        Player_Read(msg->in, &base->player, &now->player);
    } else {
        Player_Write(msg->out, &base->player, &now->player);
    }
}

snapshot_t Snap_ClampOwner(const snapshot_t *now, const snapshot_t *base, bool *clamped) {
    snapshot_t wire = *now;
    int64_t lag = now->tick - now->cmd_tick;
    lag = lag < 0 ? 0 : lag > SNAP_MAX_LAG ? SNAP_MAX_LAG : lag;
    wire.cmd_tick = lag > now->tick ? 0 : now->tick - lag;
    wire.cmd_ran_ms = Q_ClampI(now->cmd_ran_ms, 0, MAX_RAN_MS);
    wire.cmd_queued_ms = Q_ClampI(now->cmd_queued_ms, 0, MAX_RAN_MS);
    wire.report = now->report.tick > base->report.tick ? now->report : base->report;
    *clamped = wire.cmd_tick != now->cmd_tick || wire.cmd_ran_ms != now->cmd_ran_ms ||
               wire.cmd_queued_ms != now->cmd_queued_ms;
    if (!Player_IsValid(&now->player)) {
        wire.player = base->player;
        *clamped = true;
    }
    return wire;
}

// Merges the baseline with the records of a message.
typedef struct {
    snapshot_ring_t *ring;
    int32_t base; // slot of the baseline, -1 = none
    int32_t slot; // slot of the new snapshot
    int32_t next; // next record of the baseline
    int64_t tick;
} merge_t;

// Returns the number of the next record of the baseline, or INT32_MAX.
static int32_t next_held(const merge_t *merge) {
    bool any = merge->base >= 0 && merge->next < merge->ring->slots[merge->base].count;
    return any ? Ring_Number(merge->ring, *Ring_Record(merge->ring, merge->base, merge->next))
               : INT32_MAX;
}

// Copies baseline records below `number`. Returns false if they do not fit.
static bool keep_below(merge_t *merge, int32_t number) {
    return Ring_AppendBelow(merge->ring, merge->slot, merge->base, &merge->next, number);
}

// Reads the state of a record. `held`: index of the baseline's state; NO_STATE = none.
static bool read_state(msg_reader_t *msg, merge_t *merge, int32_t number, int32_t held) {
    snapshot_ring_t *ring = merge->ring;
    entity_state_t *to = &ring->read;
    const entity_state_t *from = held == NO_STATE ? &ring->zero : &ring->pool->states[held].state;
    const sent_fields_t *fields = &ring->schema->scopes[Fields_Scope(number)];
    ring->zero.number = number;
    if (number < MAX_EDICTS) {
        const entity_coding_t coding = {
            .elapsed_ms = held == NO_STATE ? 0 : Ring_ElapsedMs(ring, held, merge->tick),
            .fields = fields,
            .is_new = held == NO_STATE};
        if (!Entity_Read(msg, from, to, &coding) && held != NO_STATE) {
            return false; // the record says nothing new
        }
    } else {
        Entity_Copy(to, from);
        Fields_Read(msg, fields, from, to);
        if (to->field_mask == 0 || Entity_Equal(from, to)) {
            return false;
        }
    }
    if (msg->failed || !Ring_HasSpace(ring, merge->slot, number)) {
        return false;
    }
    int32_t state = Ring_NewState(ring, merge->base, merge->tick, to, NO_PLACE);
    if (state == NO_STATE) {
        return false;
    }
    Ring_Append(ring, merge->slot, state, number);
    return true;
}

// Reads a record of a number above *number and below `end`.
static bool read_record(msg_reader_t *msg, merge_t *merge, int32_t *number, int32_t end) {
    uint32_t gap = MSG_ReadVar(msg, SNAP_GAP_K);
    if (msg->failed || gap >= (uint32_t)(end - 1 - *number)) {
        return false;
    }
    *number += (int32_t)gap + 1;
    const bool is_info = *number >= MAX_EDICTS;
    int32_t held = is_info ? Ring_InfoState(merge->ring, merge->base, *number) : NO_STATE;
    if (!is_info && !keep_below(merge, *number)) {
        return false;
    }
    if (!is_info && next_held(merge) == *number) {
        held = *Ring_Record(merge->ring, merge->base, merge->next++);
    }
    if (held == NO_STATE || !MSG_ReadBool(msg)) {
        return read_state(msg, merge, *number, held);
    }
    if (is_info) {
        Ring_Append(merge->ring, merge->slot, NO_STATE, *number);
    }
    return !msg->failed; // the record is gone
}

static bool read_records(msg_reader_t *msg, merge_t *merge, int32_t before, int32_t end,
                         int32_t k) {
    uint32_t count = MSG_ReadVar(msg, k);
    int32_t number = before;
    for (uint32_t i = 0; i < count; i++) {
        if (!read_record(msg, merge, &number, end)) {
            return false;
        }
    }
    return before >= MAX_EDICTS - 1 || keep_below(merge, end);
}

static bool read_all_records(msg_reader_t *msg, merge_t *merge, snapshot_t *now) {
    bool valid = read_records(msg, merge, 0, MAX_EDICTS, SNAP_ENTITIES_K) &&
                 read_records(msg, merge, MAX_EDICTS - 1, RECORD_WORLD + 1, SNAP_INFOS_K);
    uint32_t deferred = MSG_ReadVar(msg, SNAP_DEFERRED_K);
    now->num_deferred = (int32_t)deferred;
    return valid && deferred <= SNAP_MAX_RECORDS && MSG_ReadEnd(msg);
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
    if (back > 0 && (base < 0 || !ring->slots[base].has_infos)) {
        return SNAPSHOT_NO_BASE;
    }
    const snapshot_t before = base >= 0 ? ring->slots[base].snapshot : Snap_Zero();
    Snap_CodeOwner(&wire, ring, &before, &now);
    if (msg->failed) {
        Err_Set(err, "snapshot of tick %lld: the player state is cut off or out of range",
                (long long)now.tick);
        return SNAPSHOT_BAD;
    }
    SnapshotEvents_Read(msg, &ring->events, now.tick, now.player.origin);
    if (msg->failed) {
        Err_Set(err, "snapshot of tick %lld: an event is cut off or out of range",
                (long long)now.tick);
        return SNAPSHOT_BAD;
    }
    merge_t merge = {
        .ring = ring, .base = base, .slot = Ring_NewSlot(ring, base), .tick = now.tick};
    if (!read_all_records(msg, &merge, &now)) {
        Ring_ClearSlot(ring, merge.slot);
        ring->read = (entity_state_t){0}; // may be half a record
        Err_Set(err, "snapshot of tick %lld: a record is cut off or out of range",
                (long long)now.tick);
        return SNAPSHOT_BAD;
    }
    Ring_SetBase(ring, base);
    Ring_Store(ring, merge.slot, &now);
    int64_t second_ago = now.tick - ring->rate_mhz / 1000; // clients draw the past
    Ring_DropBefore(ring, before.tick < second_ago ? before.tick : second_ago);
    return SNAPSHOT_OK;
}
