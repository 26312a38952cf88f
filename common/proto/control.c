#include "proto/control.h"

#include "base/assert.h"
#include "proto/event_codec.h"

#include <float.h>
#include <string.h>

#define TYPE_BITS    8
#define VERSION_BITS 16

// Encodings of a field. `lo` and `hi` limit a number; `hi` is the size of a text.
typedef enum {
    WIRE_MAGIC,         // PROTO_MAGIC; no member stores it
    WIRE_VERSION,       // uint32_t in 16 bits
    WIRE_VERSION_EQUAL, // like WIRE_VERSION; any version but PROTO_VERSION is rejected
    WIRE_VERSION_STOP,  // like WIRE_VERSION; if it is not PROTO_VERSION, the rest is skipped
    WIRE_FLAG,          // bool
    WIRE_FLAG_STOP,     // bool; if it is false, the message ends
    WIRE_RANGE,         // int32_t in lo..hi
    WIRE_U32,           // uint32_t
    WIRE_U64,           // uint64_t
    WIRE_TICK,          // int64_t
    WIRE_TEXT,          // char[hi]
    WIRE_MAP_NAME,      // char[hi], a safe file name
    WIRE_URL,           // char[hi], "" or a safe address
    WIRE_PIECE,         // ctl_piece_t.size, then so many bytes
    WIRE_LINES,         // char[hi], may have line feeds
    WIRE_EVENT,         // game_event_t
    WIRE_MOVEVARS,      // movevars_t
    WIRE_INFOS,         // ctl_infos_t: the count, then two texts per setting
    WIRE_TEXTS,         // ctl_names_t: the count, then the texts
    WIRE_SKELETONS,     // ctl_skeletons_t: the count, then a hash and a text per model
    WIRE_FIELDS         // field_schema_t: per scope the count, then the fields
} wire_kind_t;

typedef struct {
    const char *name;
    wire_kind_t kind;
    size_t offset; // offset of the member in control_msg_t
    int32_t lo, hi;
} wire_field_t;

_Static_assert(TYPE_BITS / 8 + 7 + 1 + MAX_NAME_BYTES + CTL_PASSWORD_BYTES + CTL_TOKEN_BYTES + 3 +
                       sizeof(rejoin_key_t) <=
                   MAX_REQUEST_BYTES,
               "the longest message of a client, HELLO, is one datagram");

#define MAX_FIELDS 10
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

// All messages, each with its fields in their order on the wire.
static const wire_message_t messages[] = {
    {CTL_HELLO,
     "HELLO",
     true,
     {{"magic", WIRE_MAGIC, 0, 0, 0},
      FIELD(WIRE_VERSION_STOP, hello.version),
      FIELD(WIRE_FLAG, hello.spectator),
      TEXT(WIRE_TEXT, hello.name, MAX_NAME_BYTES),
      TEXT(WIRE_TEXT, hello.password, CTL_PASSWORD_BYTES),
      TEXT(WIRE_TEXT, hello.token, CTL_TOKEN_BYTES),
      FIELD(WIRE_U64, hello.rejoin.words[0]),
      FIELD(WIRE_U64, hello.rejoin.words[1])},
     8},
    {CTL_READY, "READY", true, {FIELD(WIRE_U32, ready.epoch), FIELD(WIRE_FLAG, ready.has_map)}, 2},
    {CTL_SAY,
     "SAY",
     true,
     {FIELD(WIRE_FLAG, text.team), TEXT(WIRE_TEXT, text.text, MAX_TEXT_BYTES)},
     2},
    {CTL_COMMAND, "COMMAND", true, {TEXT(WIRE_TEXT, text.text, MAX_TEXT_BYTES)}, 1},
    {CTL_LEAVE, "LEAVE", true, {{0}}, 0},
    {CTL_USERINFO, "USERINFO", true, {FIELD(WIRE_INFOS, userinfo)}, 1},
    {CTL_GET,
     "GET",
     true,
     {FIELD(WIRE_U32, get.epoch), RANGE(get.offset, 0, MAX_DOWNLOAD_BYTES)},
     2},
    {CTL_WELCOME,
     "WELCOME",
     false,
     {FIELD(WIRE_VERSION_EQUAL, welcome.version), RANGE(welcome.slot, 0, PROTO_MAX_CLIENTS - 1),
      RANGE(welcome.max_clients, 1, PROTO_MAX_CLIENTS),
      TEXT(WIRE_TEXT, welcome.server, MAX_TEXT_BYTES), FIELD(WIRE_FLAG, welcome.is_back),
      RANGE(welcome.grace_ms, 0, CTL_MAX_GRACE_MS), FIELD(WIRE_U64, welcome.rejoin.words[0]),
      FIELD(WIRE_U64, welcome.rejoin.words[1])},
     8},
    {CTL_REFUSED,
     "REFUSED",
     false,
     {FIELD(WIRE_VERSION, refused.version), TEXT(WIRE_TEXT, refused.text, MAX_TEXT_BYTES)},
     2},
    {CTL_MAP,
     "MAP",
     false,
     {FIELD(WIRE_U32, map.epoch), FIELD(WIRE_U64, map.hash), FIELD(WIRE_TICK, map.tick),
      RANGE(map.rate_mhz, TICKS_MIN_RATE_MHZ, TICKS_MAX_RATE_MHZ),
      TEXT(WIRE_MAP_NAME, map.name, MAX_MAP_NAME_BYTES), RANGE(map.packed, 0, MAX_DOWNLOAD_BYTES),
      RANGE(map.size, 0, MAX_DOWNLOAD_BYTES), FIELD(WIRE_U64, map.pack_hash),
      TEXT(WIRE_URL, map.url, MAX_URL_BYTES), FIELD(WIRE_MOVEVARS, map.vars)},
     10},
    {CTL_MOVEVARS,
     "MOVEVARS",
     false,
     {FIELD(WIRE_TICK, movevars.tick), FIELD(WIRE_MOVEVARS, movevars.vars)},
     2},
    {CTL_PRINT, "PRINT", false, {TEXT(WIRE_TEXT, text.text, MAX_TEXT_BYTES)}, 1},
    {CTL_CHAT,
     "CHAT",
     false,
     {RANGE(chat.slot, -1, PROTO_MAX_CLIENTS - 1), FIELD(WIRE_FLAG, chat.team),
      TEXT(WIRE_TEXT, chat.text, MAX_TEXT_BYTES)},
     3},
    {CTL_PLAYER_INFO,
     "PLAYER_INFO",
     false,
     {RANGE(player_info.slot, 0, PROTO_MAX_CLIENTS - 1), FIELD(WIRE_FLAG_STOP, player_info.inuse),
      FIELD(WIRE_FLAG, player_info.spectator), FIELD(WIRE_FLAG, player_info.is_lost),
      TEXT(WIRE_TEXT, player_info.name, MAX_NAME_BYTES), FIELD(WIRE_INFOS, player_info.infos)},
     6},
    {CTL_GOODBYE, "GOODBYE", false, {TEXT(WIRE_TEXT, text.text, MAX_TEXT_BYTES)}, 1},
    {CTL_CENTER, "CENTER", false, {TEXT(WIRE_LINES, text.text, MAX_TEXT_BYTES)}, 1},
    {CTL_TICKET, "TICKET", false, {TEXT(WIRE_TEXT, text.text, MAX_TEXT_BYTES)}, 1},
    {CTL_SKELETONS, "SKELETONS", false, {FIELD(WIRE_SKELETONS, skeletons)}, 1},
    {CTL_NAMES,
     "NAMES",
     false,
     {RANGE(names.table, 0, NAMES_TABLES - 1),
      RANGE(names.first, 1, NAMES_MAX - 1),
      {"texts", WIRE_TEXTS, offsetof(control_msg_t, u.names), 0, 0}},
     3},
    {CTL_FIELDS, "FIELDS", false, {FIELD(WIRE_FIELDS, fields)}, 1},
    {CTL_EVENT, "EVENT", false, {FIELD(WIRE_TICK, event.tick), FIELD(WIRE_EVENT, event.event)}, 2},
    {CTL_PIECE,
     "PIECE",
     false,
     {RANGE(piece.offset, 0, MAX_DOWNLOAD_BYTES),
      {"data", WIRE_PIECE, offsetof(control_msg_t, u.piece), 0, 0}},
     2},
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

bool CTL_UrlIsSafe(const char *url) {
    const size_t length = strlen(url);
    size_t visible = 0;
    while (visible < length && url[visible] > ' ' && url[visible] < 0x7f) {
        visible++;
    }
    return length < MAX_URL_BYTES && visible == length &&
           (strncmp(url, "http://", 7) == 0 || strncmp(url, "https://", 8) == 0);
}

// Replaces each character that clients reject with '_'. A client then reports that it lacks the
// map, instead of rejecting the whole message.
static void make_map_name_safe(char name[MAX_MAP_NAME_BYTES]) {
    name[MAX_MAP_NAME_BYTES - 1] = '\0';
    for (size_t i = 0; name[i] != '\0'; i++) {
        bool good = strchr(map_name_characters, name[i]) && (i > 0 || name[i] != '.');
        name[i] = good ? name[i] : '_';
    }
    if (name[0] == '\0') {
        memcpy(name, "_", 2);
    }
}

static bool movevars_are_valid(const movevars_t *vars) {
#define IN_RANGE(type, name, def, min, max, unit, help)                                            \
    &&vars->name >= (type)(min) && vars->name <= (type)(max)
    return true MOVEVARS(IN_RANGE);
#undef IN_RANGE
}

_Static_assert(sizeof(movevars_t) % sizeof(uint32_t) == 0, "movevars are coded as 32-bit words");

static void code_movevars(msg_t *wire, movevars_t *vars) {
    uint8_t *at = (uint8_t *)vars;
    for (size_t i = 0; i < sizeof *vars; i += sizeof(uint32_t)) {
        uint32_t bits = 0;
        memcpy(&bits, at + i, sizeof bits);
        MSG_Bits(wire, &bits, 32);
        memcpy(at + i, &bits, sizeof bits);
    }
    MSG_Check(wire, movevars_are_valid(vars));
}

static void code_infos(msg_t *wire, ctl_infos_t *infos) {
    MSG_Range(wire, &infos->count, 0, MAX_INFO_KEYS);
    for (int32_t i = 0; i < infos->count; i++) {
        MSG_String(wire, infos->list[i].key, CTL_INFO_KEY_BYTES);
        MSG_String(wire, infos->list[i].value, MAX_INFO_BYTES);
    }
}

static void code_skeletons(msg_t *wire, ctl_skeletons_t *models) {
    MSG_Range(wire, &models->count, 0, CTL_MAX_SKELETONS);
    for (int32_t i = 0; i < models->count; i++) {
        MSG_U64(wire, &models->hashes[i]);
        MSG_String(wire, models->names[i], CTL_SKELETON_NAME_BYTES);
    }
}

static void code_sent_field(msg_t *wire, sent_field_t *field) {
    int32_t type = field->type;
    uint32_t flags = field->flags;
    MSG_String(wire, field->name, SENT_NAME_BYTES);
    MSG_Check(wire, field->name[0] != '\0');
    MSG_Range(wire, &type, 0, SENT_TYPE_COUNT - 1);
    MSG_Bits(wire, &flags, 8);
    field->type = (uint8_t)type;
    field->flags = (uint8_t)flags;
    if (type == SENT_INT || type == SENT_STEPS) {
        uint32_t lo = (uint32_t)field->lo;
        uint32_t hi = (uint32_t)field->hi;
        MSG_Bits(wire, &lo, 32);
        MSG_Bits(wire, &hi, 32);
        field->lo = (int32_t)lo;
        field->hi = (int32_t)hi;
        MSG_Check(wire, field->lo <= field->hi);
    }
    if (type == SENT_STEPS) {
        MSG_Float(wire, &field->step);
        MSG_Check(wire, field->step > 0.0f && field->step <= FLT_MAX);
    }
}

static void code_schema(msg_t *wire, field_schema_t *schema) {
    for (int32_t scope = 0; scope < SCOPE_COUNT; scope++) {
        sent_fields_t *fields = &schema->scopes[scope];
        MSG_Range(wire, &fields->count, 0, MAX_SENT_FIELDS);
        for (int32_t i = 0; i < fields->count; i++) {
            code_sent_field(wire, &fields->list[i]);
        }
    }
}

static void code_piece(msg_t *wire, ctl_piece_t *piece) {
    MSG_Range(wire, &piece->size, 1, CTL_PIECE_BYTES);
    for (int32_t i = 0; i < piece->size && !(wire->in && wire->in->failed); i++) {
        uint32_t byte = piece->data[i];
        MSG_Bits(wire, &byte, 8);
        piece->data[i] = (uint8_t)byte;
    }
}

static void code_texts(msg_t *wire, ctl_names_t *names) {
    char *at = names->texts;
    int32_t cost = 0;
    MSG_Range(wire, &names->count, 1, NAMES_MAX - 1);
    MSG_Check(wire, names->first + names->count <= NAMES_MAX);
    for (int32_t i = 0; i < names->count && !(wire->in && wire->in->failed); i++) {
        const size_t left = (size_t)(names->texts + sizeof names->texts - at);
        MSG_String(wire, at, left < NAME_TEXT_BYTES ? left : NAME_TEXT_BYTES);
        cost += Names_Cost(at);
        MSG_Check(wire,
                  (at[0] != '\0' || names->table >= NAMES_OF_GAME) && cost <= CTL_NAMES_BYTES);
        at += strlen(at) + 1;
    }
}

// Codes a version. Returns false if it ends the message.
static bool code_version(msg_t *wire, wire_kind_t kind, uint32_t *version) {
    MSG_Bits(wire, version, VERSION_BITS);
    if (*version == PROTO_VERSION) {
        return true;
    }
    if (wire->in && kind == WIRE_VERSION_EQUAL) {
        MSG_Fail(wire->in);
    }
    if (kind != WIRE_VERSION_STOP) {
        return true;
    }
    if (wire->in && !wire->in->failed) {
        *wire->in = MSG_Reader(NULL, 0); // skip the rest: other versions have other layouts
    }
    return false;
}

// Codes a field. Returns false if it ends the message.
static bool code_field(msg_t *wire, const wire_field_t *field, control_msg_t *msg) {
    void *at = (uint8_t *)msg + field->offset;
    uint32_t magic = PROTO_MAGIC;
    switch (field->kind) {
    case WIRE_MAGIC:
        MSG_Bits(wire, &magic, 32);
        MSG_Check(wire, magic == PROTO_MAGIC);
        break;
    case WIRE_VERSION:
    case WIRE_VERSION_EQUAL:
    case WIRE_VERSION_STOP:
        return code_version(wire, field->kind, at);
    case WIRE_FLAG:
        (void)MSG_Bool(wire, at);
        break;
    case WIRE_FLAG_STOP:
        return MSG_Bool(wire, at);
    case WIRE_RANGE:
        MSG_Range(wire, at, field->lo, field->hi);
        break;
    case WIRE_U32:
        MSG_Bits(wire, at, 32);
        break;
    case WIRE_U64:
        MSG_U64(wire, at);
        break;
    case WIRE_TICK:
        MSG_Tick(wire, at);
        break;
    case WIRE_MAP_NAME:
        MSG_String(wire, at, (size_t)field->hi);
        MSG_Check(wire, CTL_MapNameIsSafe(at));
        break;
    case WIRE_URL:
        MSG_String(wire, at, (size_t)field->hi);
        MSG_Check(wire, *(const char *)at == '\0' || CTL_UrlIsSafe(at));
        break;
    case WIRE_PIECE:
        code_piece(wire, at);
        break;
    case WIRE_TEXT:
        MSG_String(wire, at, (size_t)field->hi);
        break;
    case WIRE_LINES:
        MSG_Lines(wire, at, (size_t)field->hi);
        break;
    case WIRE_EVENT:
        GameEvent_Code(wire, at, vec3_zero);
        break;
    case WIRE_MOVEVARS:
        code_movevars(wire, at);
        break;
    case WIRE_INFOS:
        code_infos(wire, at);
        break;
    case WIRE_TEXTS:
        code_texts(wire, at);
        break;
    case WIRE_SKELETONS:
        code_skeletons(wire, at);
        break;
    case WIRE_FIELDS:
        code_schema(wire, at);
        break;
    }
    return true;
}

// Clamps the game's values to what clients accept.
static void make_valid(control_msg_t *msg) {
    if (msg->type == CTL_MAP) {
        make_map_name_safe(msg->u.map.name);
    } else if (msg->type == CTL_EVENT) {
        bool good = GameEvent_Clamp(&msg->u.event.event);
        ASSERT(good);
    }
}

size_t CTL_Write(const control_msg_t *msg, uint8_t data[MAX_MESSAGE_BYTES]) {
    const wire_message_t *message = find_message((uint32_t)msg->type);
    ASSERT(message);
    control_msg_t valid = *msg;
    make_valid(&valid);
    msg_writer_t out = MSG_Writer(data, MAX_MESSAGE_BYTES);
    msg_t wire = MSG_Writing(&out);
    MSG_WriteBits(&out, (uint32_t)msg->type, TYPE_BITS);
    bool more = true;
    for (int32_t i = 0; i < message->num_fields && more; i++) {
        more = code_field(&wire, &message->fields[i], &valid);
    }
    ASSERT(!out.overflowed);
    return MSG_Finish(&out);
}

static bool read_message(control_msg_t *msg, bool from_client, msg_reader_t *in, err_t *err) {
    uint32_t type = MSG_ReadBits(in, TYPE_BITS);
    const wire_message_t *message = in->failed ? NULL : find_message(type);
    if (!message || message->from_client != from_client) {
        return Err_Set(err, "control message: expected a type that a %s sends, found %u",
                       from_client ? "client" : "server", type);
    }
    msg->type = message->type;
    msg_t wire = MSG_Reading(in);
    bool more = true;
    for (int32_t i = 0; i < message->num_fields && more; i++) {
        const wire_field_t *field = &message->fields[i];
        more = code_field(&wire, field, msg);
        if (in->failed) {
            return Err_Set(err, "control message %s: field %s is missing or out of range",
                           message->name, field->name);
        }
    }
    if (!MSG_ReadEnd(in)) {
        return Err_Set(err, "control message %s: bytes follow after the last field", message->name);
    }
    if (msg->type == CTL_WELCOME && msg->u.welcome.slot >= msg->u.welcome.max_clients) {
        return Err_Set(err, "control message WELCOME: expected a slot below %d, found %d",
                       msg->u.welcome.max_clients, msg->u.welcome.slot);
    }
    if (msg->type == CTL_MAP && (msg->u.map.packed == 0) != (msg->u.map.size == 0)) {
        return Err_Set(err, "control message MAP: expected two sizes of a download, found one");
    }
    return true;
}

bool CTL_Read(control_msg_t *msg, bool from_client, const uint8_t *data, size_t size, err_t *err) {
    msg_reader_t in = MSG_Reader(data, size);
    *msg = (control_msg_t){0};
    bool good = size <= MAX_MESSAGE_BYTES
                    ? read_message(msg, from_client, &in, err)
                    : Err_Set(err, "control message: expected at most %d bytes, found %zu",
                              MAX_MESSAGE_BYTES, size);
    if (!good) {
        *msg = (control_msg_t){0};
    }
    return good;
}
