#include "proto/control.h"

#include "base/assert.h"
#include "proto/msg.h"

#include <string.h>

#define TYPE_BITS    8
#define VERSION_BITS 16

// How a field lies on the wire. `lo` and `hi` bound numbers; `hi` of a text is its size with NUL.
typedef enum {
    WIRE_MAGIC,         // PROTO_MAGIC, in no member
    WIRE_VERSION,       // uint32_t, 16 bits
    WIRE_VERSION_EQUAL, // the same; another version than ours is refused
    WIRE_VERSION_STOP,  // the same; of another version nothing more is read
    WIRE_FLAG,          // bool
    WIRE_FLAG_STOP,     // bool; false = nothing more follows
    WIRE_RANGE,         // int32_t within lo..hi, as few bits as hold it
    WIRE_U32,           // uint32_t
    WIRE_U64,           // uint64_t
    WIRE_TICK,          // int64_t
    WIRE_TEXT,          // char[hi]
    WIRE_MAP_NAME,      // char[hi], a safe file name
    WIRE_ORIGIN,        // vec3_t
    WIRE_MOVEVARS,      // movevars_t
    WIRE_NAMES,         // ctl_stat_names_t: their count in 6 bits, then texts
    WIRE_VALUES,        // ctl_stats_t from `changed` on: that, then 32 bits for each of its ones
    WIRE_MODELS         // ctl_models_t: their count in 4 bits, then a hash and a text for each
} wire_kind_t;

typedef struct {
    const char *name;
    wire_kind_t kind;
    size_t offset; // in control_msg_t
    int32_t lo, hi;
} wire_field_t;

#define MAX_FIELDS 6
#define FIELD(kind, member)                                                                        \
    { #member, kind, offsetof(control_msg_t, u.member), 0, 0 }
#define RANGE(member, lo, hi)                                                                      \
    { #member, WIRE_RANGE, offsetof(control_msg_t, u.member), lo, hi }
#define TEXT(kind, member, hi)                                                                     \
    { #member, kind, offsetof(control_msg_t, u.member), 0, hi }

typedef struct {
    control_type_t type;
    const char *name;
    bool from_client;
    wire_field_t fields[MAX_FIELDS];
    int32_t num_fields;
} wire_message_t;

// Every message, in the order of its fields on the wire.
static const wire_message_t messages[] = {
    {CTL_HELLO,
     "HELLO",
     true,
     {{"magic", WIRE_MAGIC, 0, 0, 0},
      FIELD(WIRE_VERSION_STOP, hello.version),
      FIELD(WIRE_FLAG, hello.spectator),
      TEXT(WIRE_TEXT, hello.name, MAX_NAME_BYTES)},
     4},
    {CTL_READY, "READY", true, {FIELD(WIRE_U32, ready.epoch), FIELD(WIRE_FLAG, ready.has_map)}, 2},
    {CTL_SAY, "SAY", true, {TEXT(WIRE_TEXT, text.text, MAX_TEXT_BYTES)}, 1},
    {CTL_COMMAND, "COMMAND", true, {TEXT(WIRE_TEXT, text.text, MAX_TEXT_BYTES)}, 1},
    {CTL_LEAVE, "LEAVE", true, {{0}}, 0},
    {CTL_WELCOME,
     "WELCOME",
     false,
     {FIELD(WIRE_VERSION_EQUAL, welcome.version), RANGE(welcome.slot, 0, MAX_CLIENTS - 1),
      RANGE(welcome.max_clients, 1, MAX_CLIENTS), TEXT(WIRE_TEXT, welcome.server, MAX_TEXT_BYTES)},
     4},
    {CTL_REFUSED,
     "REFUSED",
     false,
     {FIELD(WIRE_VERSION, refused.version), TEXT(WIRE_TEXT, refused.text, MAX_TEXT_BYTES)},
     2},
    {CTL_MAP,
     "MAP",
     false,
     {FIELD(WIRE_U32, map.epoch), FIELD(WIRE_U64, map.hash), FIELD(WIRE_TICK, map.tick),
      RANGE(map.tick_ms, CTL_MIN_TICK_MS, CTL_MAX_TICK_MS),
      TEXT(WIRE_MAP_NAME, map.name, MAX_MAP_NAME_BYTES), FIELD(WIRE_MOVEVARS, map.vars)},
     6},
    {CTL_MOVEVARS,
     "MOVEVARS",
     false,
     {FIELD(WIRE_TICK, movevars.tick), FIELD(WIRE_MOVEVARS, movevars.vars)},
     2},
    {CTL_PRINT, "PRINT", false, {TEXT(WIRE_TEXT, text.text, MAX_TEXT_BYTES)}, 1},
    {CTL_CHAT,
     "CHAT",
     false,
     {RANGE(chat.slot, -1, MAX_CLIENTS - 1), TEXT(WIRE_TEXT, chat.text, MAX_TEXT_BYTES)},
     2},
    {CTL_EFFECT,
     "EFFECT",
     false,
     {FIELD(WIRE_TICK, effect.tick), RANGE(effect.number, 0, MAX_EDICTS - 1),
      FIELD(WIRE_ORIGIN, effect.origin), TEXT(WIRE_TEXT, effect.text, MAX_TEXT_BYTES)},
     4},
    {CTL_PLAYER_INFO,
     "PLAYER_INFO",
     false,
     {RANGE(player_info.slot, 0, MAX_CLIENTS - 1), FIELD(WIRE_FLAG_STOP, player_info.inuse),
      FIELD(WIRE_FLAG, player_info.spectator), TEXT(WIRE_TEXT, player_info.name, MAX_NAME_BYTES)},
     4},
    {CTL_GOODBYE, "GOODBYE", false, {TEXT(WIRE_TEXT, text.text, MAX_TEXT_BYTES)}, 1},
    {CTL_CENTER, "CENTER", false, {TEXT(WIRE_TEXT, text.text, MAX_TEXT_BYTES)}, 1},
    {CTL_STAT_NAMES, "STAT_NAMES", false, {FIELD(WIRE_NAMES, stat_names)}, 1},
    {CTL_STATS,
     "STATS",
     false,
     {RANGE(stats.slot, 0, MAX_CLIENTS - 1),
      {"values", WIRE_VALUES, offsetof(control_msg_t, u.stats), 0, 0}},
     2},
    {CTL_MODELS, "MODELS", false, {FIELD(WIRE_MODELS, models)}, 1},
};

static const wire_message_t *find_message(uint32_t type) {
    for (size_t i = 0; i < COUNTOF(messages); i++) {
        if ((uint32_t)messages[i].type == type) {
            return &messages[i];
        }
    }
    return NULL;
}

const char *CTL_TypeName(control_type_t type) {
    const wire_message_t *message = find_message((uint32_t)type);
    return message ? message->name : "?";
}

static const char map_name_characters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+.";

bool CTL_MapNameIsSafe(const char *name) {
    size_t length = strlen(name);
    return length > 0 && length < MAX_MAP_NAME_BYTES && name[0] != '.' &&
           strspn(name, map_name_characters) == length;
}

// A name that no client would accept goes out with '_' in the wrong places: nobody finds that map,
// which says what is wrong, and the server lives.
static void write_map_name(msg_writer_t *out, const char *name) {
    char safe[MAX_MAP_NAME_BYTES];
    size_t length = strnlen(name, sizeof safe - 1);
    for (size_t i = 0; i < length; i++) {
        bool good = strchr(map_name_characters, name[i]) && (i > 0 || name[i] != '.');
        safe[i] = good ? name[i] : '_';
    }
    safe[length] = '\0';
    MSG_WriteString(out, length > 0 ? safe : "_", MAX_MAP_NAME_BYTES);
}

static bool movevars_are_valid(const movevars_t *vars) {
#define IN_RANGE(type, name, def, min, max, unit, help)                                            \
    &&vars->name >= (type)(min) && vars->name <= (type)(max)
    return true MOVEVARS(IN_RANGE);
#undef IN_RANGE
}

// Bits that hold 0..hi-lo.
static int32_t range_bits(const wire_field_t *field) {
    return 32 - __builtin_clz((uint32_t)(field->hi - field->lo) | 1);
}

static void write_movevars(msg_writer_t *out, const movevars_t *vars) {
    ASSERT(movevars_are_valid(vars));
    const uint8_t *from = (const uint8_t *)vars;
    for (size_t i = 0; i < sizeof *vars; i += sizeof(uint32_t)) {
        uint32_t bits = 0;
        memcpy(&bits, from + i, sizeof bits);
        MSG_WriteBits(out, bits, 32);
    }
}

_Static_assert(sizeof(movevars_t) % sizeof(uint32_t) == 0, "every movevar is 32 bits");

static void read_movevars(msg_reader_t *in, movevars_t *vars) {
    uint8_t *to = (uint8_t *)vars;
    for (size_t i = 0; i < sizeof *vars; i += sizeof(uint32_t)) {
        uint32_t bits = MSG_ReadBits(in, 32);
        memcpy(to + i, &bits, sizeof bits);
    }
    if (!movevars_are_valid(vars)) {
        MSG_Fail(in);
    }
}

static void write_origin(msg_writer_t *out, const vec3_t *origin) {
    float limit = (float)MAX_WORLD_COORD; // a game's effect may name any place
    MSG_WriteFloat(out, Q_ClampF(origin->x, -limit, limit));
    MSG_WriteFloat(out, Q_ClampF(origin->y, -limit, limit));
    MSG_WriteFloat(out, Q_ClampF(origin->z, -limit, limit));
}

static void read_origin(msg_reader_t *in, vec3_t *origin) {
    origin->x = MSG_ReadFloat(in);
    origin->y = MSG_ReadFloat(in);
    origin->z = MSG_ReadFloat(in);
    if (!VectorWithin(*origin, (float)MAX_WORLD_COORD)) {
        MSG_Fail(in);
    }
}

#define COUNT_BITS 6 // of names

_Static_assert(CTL_MAX_STATS < 1 << COUNT_BITS && CTL_MAX_STATS <= 32, "they fit");

static void write_names(msg_writer_t *out, const ctl_stat_names_t *names) {
    ASSERT(names->count >= 0 && names->count <= CTL_MAX_STATS);
    MSG_WriteBits(out, (uint32_t)names->count, COUNT_BITS);
    for (int32_t i = 0; i < names->count; i++) {
        MSG_WriteString(out, names->names[i], CTL_STAT_NAME_BYTES);
    }
}

static void read_names(msg_reader_t *in, ctl_stat_names_t *names) {
    names->count = (int32_t)MSG_ReadRange(in, COUNT_BITS, 0, CTL_MAX_STATS);
    for (int32_t i = 0; i < names->count; i++) {
        MSG_ReadString(in, names->names[i], CTL_STAT_NAME_BYTES);
    }
}

static void write_values(msg_writer_t *out, const ctl_stats_t *stats) {
    MSG_WriteBits(out, stats->changed, 32);
    for (int32_t i = 0; i < CTL_MAX_STATS; i++) {
        if (stats->changed & 1u << i) {
            MSG_WriteBits(out, (uint32_t)stats->values[i], 32);
        }
    }
}

static void read_values(msg_reader_t *in, ctl_stats_t *stats) {
    stats->changed = MSG_ReadBits(in, 32);
    for (int32_t i = 0; i < CTL_MAX_STATS; i++) {
        if (stats->changed & 1u << i) {
            stats->values[i] = (int32_t)MSG_ReadBits(in, 32);
        }
    }
}

#define MODEL_COUNT_BITS 4

_Static_assert(CTL_MAX_MODELS < 1 << MODEL_COUNT_BITS, "they can be counted");

static void write_models(msg_writer_t *out, const ctl_models_t *models) {
    ASSERT(models->count >= 0 && models->count <= CTL_MAX_MODELS);
    MSG_WriteBits(out, (uint32_t)models->count, MODEL_COUNT_BITS);
    for (int32_t i = 0; i < models->count; i++) {
        MSG_WriteU64(out, models->hashes[i]);
        MSG_WriteString(out, models->names[i], CTL_MODEL_NAME_BYTES);
    }
}

static void read_models(msg_reader_t *in, ctl_models_t *models) {
    models->count = (int32_t)MSG_ReadRange(in, MODEL_COUNT_BITS, 0, CTL_MAX_MODELS);
    for (int32_t i = 0; i < models->count; i++) {
        models->hashes[i] = MSG_ReadU64(in);
        MSG_ReadString(in, models->names[i], CTL_MODEL_NAME_BYTES);
    }
}

// Writes one field. False when nothing more follows it.
static bool write_field(msg_writer_t *out, const wire_field_t *field, const control_msg_t *msg) {
    const void *at = (const uint8_t *)msg + field->offset;
    switch (field->kind) {
    case WIRE_MAGIC:
        MSG_WriteBits(out, PROTO_MAGIC, 32);
        return true;
    case WIRE_VERSION:
    case WIRE_VERSION_EQUAL:
    case WIRE_VERSION_STOP:
        MSG_WriteBits(out, *(const uint32_t *)at, VERSION_BITS);
        return field->kind != WIRE_VERSION_STOP || *(const uint32_t *)at == PROTO_VERSION;
    case WIRE_FLAG:
    case WIRE_FLAG_STOP:
        MSG_WriteBool(out, *(const bool *)at);
        return field->kind != WIRE_FLAG_STOP || *(const bool *)at;
    case WIRE_RANGE:
        ASSERT(*(const int32_t *)at >= field->lo && *(const int32_t *)at <= field->hi);
        MSG_WriteBits(out, (uint32_t)(*(const int32_t *)at - field->lo), range_bits(field));
        return true;
    case WIRE_U32:
        MSG_WriteBits(out, *(const uint32_t *)at, 32);
        return true;
    case WIRE_U64:
        MSG_WriteU64(out, *(const uint64_t *)at);
        return true;
    case WIRE_TICK:
        MSG_WriteTick(out, *(const int64_t *)at);
        return true;
    case WIRE_TEXT:
        MSG_WriteString(out, at, (size_t)field->hi);
        return true;
    case WIRE_MAP_NAME:
        write_map_name(out, at);
        return true;
    case WIRE_ORIGIN:
        write_origin(out, at);
        return true;
    case WIRE_MOVEVARS:
        write_movevars(out, at);
        return true;
    case WIRE_NAMES:
        write_names(out, at);
        return true;
    case WIRE_VALUES:
        write_values(out, at);
        return true;
    case WIRE_MODELS:
        write_models(out, at);
        return true;
    }
    ASSERT(false); // a kind of the table without a writer
    return false;
}

static void read_version(msg_reader_t *in, const wire_field_t *field, uint32_t *version) {
    *version = MSG_ReadBits(in, VERSION_BITS);
    if (field->kind == WIRE_VERSION_EQUAL && *version != PROTO_VERSION) {
        MSG_Fail(in);
    }
}

// Reads one field. False when nothing more is to be read: the end, or what follows is skipped.
static bool read_field(msg_reader_t *in, const wire_field_t *field, control_msg_t *msg) {
    void *at = (uint8_t *)msg + field->offset;
    uint32_t span = (uint32_t)(field->hi - field->lo);
    switch (field->kind) {
    case WIRE_MAGIC:
        if (MSG_ReadBits(in, 32) != PROTO_MAGIC) {
            MSG_Fail(in);
        }
        return true;
    case WIRE_VERSION:
    case WIRE_VERSION_EQUAL:
        read_version(in, field, at);
        return true;
    case WIRE_VERSION_STOP:
        read_version(in, field, at);
        if (in->failed || *(uint32_t *)at == PROTO_VERSION) {
            return true;
        }
        *in = MSG_Reader(NULL, 0); // another version's: nothing of the rest is ours to judge
        return false;
    case WIRE_FLAG:
    case WIRE_FLAG_STOP:
        *(bool *)at = MSG_ReadBool(in);
        return field->kind != WIRE_FLAG_STOP || *(bool *)at;
    case WIRE_RANGE:
        *(int32_t *)at = field->lo + (int32_t)MSG_ReadRange(in, range_bits(field), 0, span);
        return true;
    case WIRE_U32:
        *(uint32_t *)at = MSG_ReadBits(in, 32);
        return true;
    case WIRE_U64:
        *(uint64_t *)at = MSG_ReadU64(in);
        return true;
    case WIRE_TICK:
        *(int64_t *)at = MSG_ReadTick(in);
        return true;
    case WIRE_TEXT:
    case WIRE_MAP_NAME:
        MSG_ReadString(in, at, (size_t)field->hi);
        if (field->kind == WIRE_MAP_NAME && !CTL_MapNameIsSafe(at)) {
            MSG_Fail(in);
        }
        return true;
    case WIRE_ORIGIN:
        read_origin(in, at);
        return true;
    case WIRE_MOVEVARS:
        read_movevars(in, at);
        return true;
    case WIRE_NAMES:
        read_names(in, at);
        return true;
    case WIRE_VALUES:
        read_values(in, at);
        return true;
    case WIRE_MODELS:
        read_models(in, at);
        return true;
    }
    ASSERT(false); // a kind of the table without a reader
    return false;
}

size_t CTL_Write(const control_msg_t *msg, uint8_t data[MAX_MESSAGE_BYTES]) {
    const wire_message_t *message = find_message((uint32_t)msg->type);
    ASSERT(message);
    msg_writer_t out = MSG_Writer(data, MAX_MESSAGE_BYTES);
    MSG_WriteBits(&out, (uint32_t)msg->type, TYPE_BITS);
    bool more = true;
    for (int32_t i = 0; i < message->num_fields && more; i++) {
        more = write_field(&out, &message->fields[i], msg);
    }
    ASSERT(!out.overflowed);
    return MSG_Finish(&out);
}

static bool read_message(control_msg_t *msg, bool from_client, msg_reader_t *in, err_t *err) {
    uint32_t type = MSG_ReadBits(in, TYPE_BITS);
    const wire_message_t *message = in->failed ? NULL : find_message(type);
    if (!message || message->from_client != from_client) {
        return Err_Set(err, "control message: type %u: expected one that a %s sends", type,
                       from_client ? "client" : "server");
    }
    msg->type = message->type;
    bool more = true;
    for (int32_t i = 0; i < message->num_fields && more; i++) {
        const wire_field_t *field = &message->fields[i];
        more = read_field(in, field, msg);
        if (in->failed) {
            return Err_Set(err, "control message %s: %s: missing, or a value that cannot be",
                           message->name, field->name);
        }
    }
    if (!MSG_ReadEnd(in)) {
        return Err_Set(err, "control message %s: expected its end, found more bytes",
                       message->name);
    }
    if (msg->type == CTL_WELCOME && msg->u.welcome.slot >= msg->u.welcome.max_clients) {
        return Err_Set(err, "control message WELCOME: slot %d of %d", msg->u.welcome.slot,
                       msg->u.welcome.max_clients);
    }
    return true;
}

bool CTL_Read(control_msg_t *msg, bool from_client, const uint8_t *data, size_t size, err_t *err) {
    msg_reader_t in = MSG_Reader(data, size);
    *msg = (control_msg_t){0};
    bool good = size <= MAX_MESSAGE_BYTES
                    ? read_message(msg, from_client, &in, err)
                    : Err_Set(err, "control message of %zu bytes, at most %d are allowed", size,
                              MAX_MESSAGE_BYTES);
    if (!good) {
        *msg = (control_msg_t){0};
    }
    return good;
}
