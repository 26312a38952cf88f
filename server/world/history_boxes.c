#include "world/history_boxes.h"

#include "collide/lanes.h"

// A box that every sweep touches.
static const bounds_t everywhere = {{-1.0e6f, -1.0e6f, -1.0e6f}, {1.0e6f, 1.0e6f, 1.0e6f}};

// Returns the boxes of all tracks in a period, four each.
static history_boxes_t *boxes_of(const world_t *world, int64_t period) {
    const history_head_t *head = History_Head(world);
    const uint64_t row = (uint64_t)period % HISTORY_PERIODS;
    const uint64_t groups = ((uint64_t)head->num_tracks + 3) / 4;
    return (history_boxes_t *)((uintptr_t)head + head->ofs_boxes) + row * groups;
}

// Returns the period of the last change of each track.
static int64_t *changes_of(const world_t *world) {
    return (int64_t *)((uintptr_t)History_Head(world) + History_Head(world)->ofs_changes);
}

static int64_t period_of(const world_t *world, int64_t tick) {
    return (tick > 0 ? tick : 0) / History_Period(world);
}

// ---- recording ----

static void set_box(history_boxes_t *boxes, int32_t lane, bounds_t box) {
    boxes->mins[0][lane] = box.mins.x;
    boxes->mins[1][lane] = box.mins.y;
    boxes->mins[2][lane] = box.mins.z;
    boxes->maxs[0][lane] = box.maxs.x;
    boxes->maxs[1][lane] = box.maxs.y;
    boxes->maxs[2][lane] = box.maxs.z;
}

static bounds_t get_box(const history_boxes_t *boxes, int32_t lane) {
    return (bounds_t){{boxes->mins[0][lane], boxes->mins[1][lane], boxes->mins[2][lane]},
                      {boxes->maxs[0][lane], boxes->maxs[1][lane], boxes->maxs[2][lane]}};
}

// Returns the box of an edict in a state. A pusher may carry its riders anywhere until a view shows
// them.
static bounds_t box_of(const history_state_t *state) {
    return state->ground.index != 0 ? everywhere
                                    : (bounds_t){VectorAdd(state->pose.origin, state->mins),
                                                 VectorAdd(state->pose.origin, state->maxs)};
}

void HistoryBoxes_Begin(world_t *world) {
    history_head_t *head = History_Head(world);
    uint64_t *recent = History_Recent(world);
    const int64_t period = period_of(world, world->tick);
    if (head->period == period) {
        return;
    }
    head->period = period;
    for (int32_t i = Bits_Next(recent, -1, head->used); i >= 0;
         i = Bits_Next(recent, i, head->used)) {
        if (changes_of(world)[i] <= period - HISTORY_PERIODS) {
            Bits_Clear(recent, i);
        } else {
            set_box(&boxes_of(world, period)[i / 4], i % 4, box_of(&History_Tracks(world)[i]));
        }
    }
}

void HistoryBoxes_Add(world_t *world, int32_t index, const history_state_t *last,
                      const history_state_t *state) {
    const int64_t period = period_of(world, world->tick);
    const int32_t lane = index % 4;
    uint64_t *recent = History_Recent(world);
    for (int32_t i = 0; i < HISTORY_PERIODS && !Bits_Get(recent, index); i++) {
        set_box(&boxes_of(world, i)[index / 4], lane, box_of(last ? last : state));
    }
    Bits_Set(recent, index);
    changes_of(world)[index] = period;
    // A view may show the older size at the newer place.
    const bool resizes =
        last && !(VectorCompare(last->mins, state->mins) && VectorCompare(last->maxs, state->maxs));
    history_boxes_t *boxes = &boxes_of(world, period)[index / 4];
    const bounds_t box = resizes ? everywhere : box_of(state);
    set_box(boxes, lane, BoundsUnion(get_box(boxes, lane), box));
}

// ---- queries ----

// A sweep, with each number in all lanes.
typedef struct {
    lanes_t middles[3], path[3], size[3];
} wide_sweep_t;

static wide_sweep_t widen(const sweep_bounds_t *sweep) {
    return (wide_sweep_t){
        {Lanes_All(sweep->middles.x), Lanes_All(sweep->middles.y), Lanes_All(sweep->middles.z)},
        {Lanes_All(sweep->path.x), Lanes_All(sweep->path.y), Lanes_All(sweep->path.z)},
        {Lanes_All(sweep->size.x), Lanes_All(sweep->size.y), Lanes_All(sweep->size.z)}};
}

// Like Bounds_SweepTouches, with four boxes: those around the boxes of `num_rows` periods. Returns
// a bit per track.
static uint32_t touched(const wide_sweep_t *sweep, history_boxes_t *const *rows, int32_t num_rows,
                        int32_t group) {
    lanes_t m[3], e[3];
    lanes_mask_t touches = {-1, -1, -1, -1};
    LANES_UNROLL
    for (int32_t k = 0; k < 3; k++) {
        lanes_t mins = Lanes_Load(rows[0][group].mins[k]);
        lanes_t maxs = Lanes_Load(rows[0][group].maxs[k]);
        for (int32_t row = 1; row < num_rows; row++) {
            mins = Lanes_Min(mins, Lanes_Load(rows[row][group].mins[k]));
            maxs = Lanes_Max(maxs, Lanes_Load(rows[row][group].maxs[k]));
        }
        m[k] = sweep->middles[k] - (mins + maxs);
        e[k] = sweep->size[k] + (maxs - mins);
        touches &= Lanes_Abs(m[k]) <= e[k] + Lanes_Abs(sweep->path[k]);
    }
    if (Lanes_Bits(touches) == 0) { // most groups
        return 0;
    }
    LANES_UNROLL
    for (int32_t k = 0; k < 3; k++) {
        const lanes_t p = sweep->path[(k + 1) % 3];
        const lanes_t q = sweep->path[(k + 2) % 3];
        touches &= Lanes_Abs(m[(k + 1) % 3] * q - m[(k + 2) % 3] * p) <=
                   e[(k + 1) % 3] * Lanes_Abs(q) + e[(k + 2) % 3] * Lanes_Abs(p);
    }
    return Lanes_Bits(touches);
}

// Finds the rows of boxes of a view. Returns their number. If states of the view are lost, the view
// shows the oldest one left, which may be of any later period.
static int32_t find_rows(const world_t *world, int64_t from, int64_t to,
                         history_boxes_t *rows[HISTORY_PERIODS]) {
    const int64_t now = period_of(world, world->tick - 1); // tick T records the states of T + 1
    const int64_t begin = period_of(world, from - 1);
    const int64_t end = from < History_Head(world)->lost ? now : period_of(world, to - 1);
    const int64_t oldest = now - (HISTORY_PERIODS - 1);
    const int64_t first = begin < oldest ? oldest : begin;
    int32_t count = 0;
    do {
        rows[count] = boxes_of(world, first + count);
        count++;
    } while (count < HISTORY_PERIODS && first + count <= end);
    return count;
}

void History_Visit(const world_t *world, int64_t from, int64_t to, const sweep_bounds_t *sweep,
                   void (*visit)(void *context, int32_t number), void *context) {
    history_boxes_t *rows[HISTORY_PERIODS];
    const int32_t num_rows = find_rows(world, from, to, rows);
    const wide_sweep_t wide = widen(sweep);
    const history_state_t *tracks = History_Tracks(world);
    const uint64_t *recent = History_Recent(world);
    const int32_t used = History_Head(world)->used;
    for (int32_t first = 0; first < used; first += 4) {
        const uint32_t changed = (uint32_t)(recent[first >> 6] >> (first & 63)) & 15;
        uint32_t left = changed ? changed & touched(&wide, rows, num_rows, first / 4) : 0;
        for (; left != 0; left &= left - 1) {
            visit(context, tracks[first + Bits_Lowest(left)].number);
        }
    }
}
