#include "proto/player_codec.h"

#include "base/assert.h"
#include "base/limits.h"
#include "math/angles.h"
#include "state/contents.h"

#include <string.h>

#define LENGTH_BITS  5 // for the index of the highest bit that differs in a word
#define INT_K        3
#define MAX_VELOCITY 1048576.0f // qu/s
#define MAX_ANGLE    1048576.0f // degrees
#define MAX_GRAVITY  1000.0f

// Encodings of a word that differs.
typedef enum {
    WORD_BITS,  // index of the highest bit that differs from the old word, and all bits below it
    WORD_ANGLE, // float: 16 bits if it is exactly ShortToAngle of them, otherwise like WORD_BITS
    WORD_INT    // signed difference
} word_kind_t;

// Groups of words that usually change together, with one bit each.
typedef enum { PART_ORIGIN, PART_VELOCITY, PART_ANGLES, PART_BOX, PART_REST } part_t;

// All words of player_state_t, sorted by group.
#define PLAYER_WORDS(X)                                                                            \
    X(origin.x, PART_ORIGIN, WORD_BITS)                                                            \
    X(origin.y, PART_ORIGIN, WORD_BITS)                                                            \
    X(origin.z, PART_ORIGIN, WORD_BITS)                                                            \
    X(velocity.x, PART_VELOCITY, WORD_BITS)                                                        \
    X(velocity.y, PART_VELOCITY, WORD_BITS)                                                        \
    X(velocity.z, PART_VELOCITY, WORD_BITS)                                                        \
    X(angles.x, PART_ANGLES, WORD_ANGLE)                                                           \
    X(angles.y, PART_ANGLES, WORD_ANGLE)                                                           \
    X(angles.z, PART_ANGLES, WORD_ANGLE)                                                           \
    X(mins.x, PART_BOX, WORD_BITS)                                                                 \
    X(mins.y, PART_BOX, WORD_BITS)                                                                 \
    X(mins.z, PART_BOX, WORD_BITS)                                                                 \
    X(maxs.x, PART_BOX, WORD_BITS)                                                                 \
    X(maxs.y, PART_BOX, WORD_BITS)                                                                 \
    X(maxs.z, PART_BOX, WORD_BITS)                                                                 \
    X(pm_type, PART_REST, WORD_INT)                                                                \
    X(flags, PART_REST, WORD_BITS)                                                                 \
    X(groundentity, PART_REST, WORD_INT)                                                           \
    X(waterlevel, PART_REST, WORD_INT)                                                             \
    X(watertype, PART_REST, WORD_INT)                                                              \
    X(waterjump_ms, PART_REST, WORD_INT)                                                           \
    X(jump_ms, PART_REST, WORD_INT)                                                                \
    X(step_ms, PART_REST, WORD_INT)                                                                \
    X(step_buttons, PART_REST, WORD_BITS)                                                          \
    X(delta_yaw, PART_REST, WORD_INT)                                                              \
    X(gravity, PART_REST, WORD_BITS)                                                               \
    X(basevelocity.x, PART_REST, WORD_BITS)                                                        \
    X(basevelocity.y, PART_REST, WORD_BITS)                                                        \
    X(basevelocity.z, PART_REST, WORD_BITS)                                                        \
    X(carrier, PART_REST, WORD_INT)                                                                \
    X(duck_ms, PART_REST, WORD_INT)                                                                \
    X(heading, PART_REST, WORD_BITS)                                                               \
    X(steer, PART_REST, WORD_BITS)                                                                 \
    X(health, PART_REST, WORD_INT)                                                                 \
    X(movetype, PART_REST, WORD_INT)

typedef struct {
    size_t offset;
    part_t part;
    word_kind_t kind;
} word_t;

#define WORD_ROW(field, part, kind) {offsetof(player_state_t, field), part, kind},
static const word_t words[] = {PLAYER_WORDS(WORD_ROW)};
#undef WORD_ROW

#define WORD_MASK(field, part, kind) | UINT64_C(1) << (offsetof(player_state_t, field) / 4)
_Static_assert((0u PLAYER_WORDS(WORD_MASK)) == (UINT64_C(1) << (sizeof(player_state_t) / 4)) - 1,
               "a field of player_state_t is missing in PLAYER_WORDS");
_Static_assert(COUNTOF(words) == sizeof(player_state_t) / 4,
               "a field is listed twice in PLAYER_WORDS");
#undef WORD_MASK

player_state_t Player_Default(void) {
    return (player_state_t){.mins = PM_PLAYER_MINS,
                            .maxs = PM_PLAYER_MAXS,
                            .movetype = MOVETYPE_WALK,
                            .groundentity = -1,
                            .watertype = CONTENTS_EMPTY,
                            .health = 100};
}

bool Player_IsValid(const player_state_t *p) {
    float coord = (float)MAX_WORLD_COORD;
    bool places = VectorWithin(p->origin, coord) && VectorWithin(p->mins, coord) &&
                  VectorWithin(p->maxs, coord) && p->mins.x <= p->maxs.x &&
                  p->mins.y <= p->maxs.y && p->mins.z <= p->maxs.z;
    bool motion = VectorWithin(p->velocity, MAX_VELOCITY) &&
                  VectorWithin(p->basevelocity, MAX_VELOCITY) && fabsf(p->gravity) <= MAX_GRAVITY &&
                  VectorWithin(p->angles, MAX_ANGLE) && fabsf(p->heading) <= MAX_ANGLE &&
                  fabsf(p->steer) <= MAX_ANGLE;
    bool state = p->pm_type >= 0 && p->pm_type < PM_TYPE_COUNT &&
                 MoveType_FitsClient(p->movetype) && p->groundentity >= -1 &&
                 p->groundentity < MAX_EDICTS && p->waterlevel >= 0 && p->waterlevel <= 3 &&
                 p->watertype >= CONTENTS_LADDER && p->watertype <= CONTENTS_EMPTY;
    bool times = p->waterjump_ms >= 0 && p->jump_ms >= 0 && p->step_ms >= 0 && p->duck_ms >= 0 &&
                 p->carrier >= -1 && p->carrier < MAX_EDICTS && p->step_ms <= MAX_CMD_MSEC &&
                 p->delta_yaw >= 0 && p->delta_yaw <= 65535;
    return places && motion && state && times;
}

static uint32_t get(const player_state_t *player, size_t offset) {
    uint32_t bits = 0;
    memcpy(&bits, (const uint8_t *)player + offset, sizeof bits);
    return bits;
}

static void set(player_state_t *player, size_t offset, uint32_t bits) {
    memcpy((uint8_t *)player + offset, &bits, sizeof bits);
}

static uint32_t bits_of_short(uint32_t turn) {
    float angle = ShortToAngle((uint16_t)turn);
    uint32_t bits = 0;
    memcpy(&bits, &angle, sizeof bits);
    return bits;
}

// Returns true if the float is exactly ShortToAngle(*turn).
static bool is_short_angle(uint32_t bits, uint32_t *turn) {
    float angle = 0.0f;
    memcpy(&angle, &bits, sizeof angle);
    *turn = AngleToShort(angle);
    return bits_of_short(*turn) == bits;
}

// Codes differing bits: index of the highest, then all below it.
CODED_TWICE void code_xor(msg_t *msg, uint32_t *differing) {
    uint32_t top = 31 - (uint32_t)__builtin_clz(*differing | 1);
    MSG_Bits(msg, &top, LENGTH_BITS);
    uint32_t rest = *differing ^ (1u << top);
    MSG_Bits(msg, &rest, (int32_t)top);
    *differing = rest | 1u << top;
}

// Codes a word. While reading, *to equals `from` on entry.
CODED_TWICE void code_word(msg_t *msg, word_kind_t kind, uint32_t from, uint32_t *to) {
    uint32_t turn = 0;
    uint32_t differing = from ^ *to;
    int32_t step = (int32_t)(*to - from);
    bool changed = differing != 0;
    if (!MSG_Bool(msg, &changed)) {
        return;
    }
    bool is_short = kind == WORD_ANGLE && is_short_angle(*to, &turn);
    if (kind == WORD_INT) {
        MSG_Signed(msg, &step, INT_K);
        *to = from + (uint32_t)step;
    } else if (kind == WORD_ANGLE && MSG_Bool(msg, &is_short)) {
        MSG_Bits(msg, &turn, 16);
        *to = bits_of_short(turn);
    } else {
        code_xor(msg, &differing);
        *to = from ^ differing;
        if (msg->in && kind == WORD_ANGLE) {
            MSG_Check(msg, !is_short_angle(*to, &turn)); // each value has only one valid code
        }
    }
    MSG_Check(msg, *to != from);
}

// Returns the end of the group at `first`. *changed: a word differs.
static size_t part_end(size_t first, const player_state_t *from, const player_state_t *to,
                       bool *changed) {
    size_t i = first;
    *changed = false;
    for (; i < COUNTOF(words) && words[i].part == words[first].part; i++) {
        *changed = *changed || get(from, words[i].offset) != get(to, words[i].offset);
    }
    return i;
}

// Codes all groups. While reading, *to equals *from on entry.
CODED_TWICE void code_player(msg_t *msg, const player_state_t *from, player_state_t *to) {
    for (size_t first = 0, end = 0; first < COUNTOF(words); first = end) {
        bool changed = false;
        bool differs = false;
        end = part_end(first, from, to, &changed);
        if (!MSG_Bool(msg, &changed)) {
            continue;
        }
        for (size_t i = first; i < end; i++) {
            uint32_t word = get(to, words[i].offset);
            code_word(msg, words[i].kind, get(from, words[i].offset), &word);
            set(to, words[i].offset, word);
        }
        if (msg->in) {
            (void)part_end(first, from, to, &differs);
            MSG_Check(msg, differs);
        }
    }
    MSG_Check(msg, (msg->in && msg->in->failed) || Player_IsValid(to));
}

void Player_Write(msg_writer_t *msg, const player_state_t *from, const player_state_t *to) {
    player_state_t copy = *to;
    msg_t wire = MSG_Writing(msg);
    code_player(&wire, from, &copy);
}

void Player_Read(msg_reader_t *msg, const player_state_t *from, player_state_t *to) {
    msg_t wire = MSG_Reading(msg);
    *to = *from;
    code_player(&wire, from, to);
}
