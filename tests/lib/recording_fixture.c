#include "lib/recording_fixture.h"

#include "base/assert.h"
#include "proto/control.h"
#include "proto/entity_fields.h"
#include "proto/snapshot_codec.h"
#include "proto/usercmd_codec.h"
#include "state/movevars.h"

#include <stdlib.h>
#include <string.h>

// A transport_t has no room for a context, so the recorded one is kept here.
static struct {
    test_recording_t *recording;
    void (*poll)(transport_t *net, int64_t now_ms, net_event_t *event);
    bool (*send)(transport_t *net, int32_t peer, uint8_t channel, bool reliable, const void *data,
                 size_t size);
} tapped;

// ---- JSON: each object starts with a member, so that a comma precedes all others ----

static void put(FILE *file, const char *name, int64_t value) {
    if (value != 0) {
        fprintf(file, ",\"%s\":%lld", name, (long long)value);
    }
}

static void put_u64(FILE *file, const char *name, uint64_t value) {
    if (value != 0) {
        fprintf(file, ",\"%s\":%llu", name, (unsigned long long)value);
    }
}

static void put_float(FILE *file, const char *name, float value) {
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    put(file, name, bits);
}

static void put_vector(FILE *file, const char *name, vec3_t v) {
    uint32_t bits[3];
    memcpy(bits, &v, sizeof bits);
    if ((bits[0] | bits[1] | bits[2]) != 0) {
        fprintf(file, ",\"%s\":[%u,%u,%u]", name, bits[0], bits[1], bits[2]);
    }
}

static void print_text(FILE *file, const char *text) {
    fputc('"', file);
    for (const char *at = text; *at != '\0'; at++) {
        if (*at == '"' || *at == '\\') {
            fputc('\\', file);
        }
        if (*at == '\n') {
            fputs("\\n", file);
        } else {
            fputc(*at, file);
        }
    }
    fputc('"', file);
}

static void put_text(FILE *file, const char *name, const char *text) {
    if (text[0] != '\0') {
        fprintf(file, ",\"%s\":", name);
        print_text(file, text);
    }
}

// ---- control messages ----

static void put_movevars(FILE *file, const movevars_t *vars) {
    const char *comma = "";
    fputs(",\"movevars\":[", file);
    for (size_t i = 0; i < sizeof *vars; i += 4) {
        uint32_t bits = 0;
        memcpy(&bits, (const uint8_t *)vars + i, sizeof bits);
        fprintf(file, "%s%u", comma, bits);
        comma = ",";
    }
    fputc(']', file);
}

static void put_infos(FILE *file, const ctl_infos_t *infos) {
    fputs(",\"infos\":{", file);
    for (int32_t i = 0; i < infos->count; i++) {
        fputs(i > 0 ? "," : "", file);
        print_text(file, infos->list[i].key);
        fputc(':', file);
        print_text(file, infos->list[i].value);
    }
    fputc('}', file);
}

static void put_schema(FILE *file, const field_schema_t *schema) {
    static const char *const names[SCOPE_COUNT] = {"edict", "client", "world"};
    for (int32_t scope = 0; scope < SCOPE_COUNT; scope++) {
        const sent_fields_t *fields = &schema->scopes[scope];
        fprintf(file, ",\"%s\":[", names[scope]);
        for (int32_t i = 0; i < fields->count; i++) {
            const sent_field_t *field = &fields->list[i];
            fprintf(file, "%s{\"name\":", i > 0 ? "," : "");
            print_text(file, field->name);
            put(file, "type", field->type);
            put(file, "flags", field->flags);
            put(file, "lo", field->lo);
            put(file, "hi", field->hi);
            put_float(file, "step", field->step);
            fputc('}', file);
        }
        fputc(']', file);
    }
}

static void put_rejoin(FILE *file, const rejoin_key_t *key) {
    fprintf(file, ",\"rejoin\":[%llu,%llu]", (unsigned long long)key->words[0],
            (unsigned long long)key->words[1]);
}

static void print_client_message(FILE *file, const control_msg_t *msg) {
    switch (msg->type) {
    case CTL_HELLO:
        put(file, "version", msg->u.hello.version);
        put(file, "spectator", msg->u.hello.spectator);
        put_text(file, "name", msg->u.hello.name);
        put_text(file, "password", msg->u.hello.password);
        put_text(file, "token", msg->u.hello.token);
        put_rejoin(file, &msg->u.hello.rejoin);
        break;
    case CTL_READY:
        put(file, "epoch", msg->u.ready.epoch);
        put(file, "has_map", msg->u.ready.has_map);
        break;
    case CTL_USERINFO:
        put_infos(file, &msg->u.userinfo);
        break;
    case CTL_SAY:
        put(file, "team", msg->u.text.team);
        put_text(file, "text", msg->u.text.text);
        break;
    case CTL_COMMAND:
        put_text(file, "text", msg->u.text.text);
        break;
    case CTL_GET:
        put(file, "epoch", msg->u.get.epoch);
        put(file, "offset", msg->u.get.offset);
        break;
    default:
        break; // LEAVE has no fields
    }
}

static void put_skeletons(FILE *file, const ctl_skeletons_t *skeletons) {
    fputs(",\"list\":[", file);
    for (int32_t i = 0; i < skeletons->count; i++) {
        fprintf(file, "%s{\"hash\":%llu", i > 0 ? "," : "",
                (unsigned long long)skeletons->hashes[i]);
        put_text(file, "name", skeletons->names[i]);
        fputc('}', file);
    }
    fputc(']', file);
}

static void put_names(FILE *file, const ctl_names_t *names) {
    const char *at = names->texts;
    put(file, "table", names->table);
    put(file, "first", names->first);
    fputs(",\"names\":[", file);
    for (int32_t i = 0; i < names->count; i++) {
        fputs(i > 0 ? "," : "", file);
        print_text(file, at);
        at += strlen(at) + 1;
    }
    fputc(']', file);
}

// Prints an event; the volume in 1/255.
static void put_event(FILE *file, const game_event_t *event) {
    put(file, "kind", event->kind);
    put(file, "number", event->number);
    put(file, "entity", event->entity);
    put(file, "has_origin", event->has_origin);
    put_vector(file, "origin", event->origin);
    put(file, "range", event->range);
    put(file, "volume", (int64_t)(event->volume * 255.0f + 0.5f));
    fputs(",\"args\":[", file);
    for (int32_t i = 0; i < event->num_args; i++) {
        fprintf(file, "%s%d", i > 0 ? "," : "", event->args[i]);
    }
    fputc(']', file);
}

static void put_piece(FILE *file, const ctl_piece_t *piece) {
    put(file, "offset", piece->offset);
    fputs(",\"data\":[", file);
    for (int32_t i = 0; i < piece->size; i++) {
        fprintf(file, "%s%d", i > 0 ? "," : "", piece->data[i]);
    }
    fputc(']', file);
}

static void print_server_message(FILE *file, const control_msg_t *msg) {
    switch (msg->type) {
    case CTL_WELCOME:
        put(file, "version", msg->u.welcome.version);
        put(file, "slot", msg->u.welcome.slot);
        put(file, "max_clients", msg->u.welcome.max_clients);
        put_text(file, "server", msg->u.welcome.server);
        put(file, "is_back", msg->u.welcome.is_back);
        put(file, "grace_ms", msg->u.welcome.grace_ms);
        put_rejoin(file, &msg->u.welcome.rejoin);
        break;
    case CTL_MAP:
        put(file, "epoch", msg->u.map.epoch);
        put_u64(file, "hash", msg->u.map.hash);
        put(file, "tick", msg->u.map.tick);
        put(file, "rate", msg->u.map.rate_mhz);
        put_text(file, "name", msg->u.map.name);
        put(file, "packed", msg->u.map.packed);
        put(file, "size", msg->u.map.size);
        put_u64(file, "pack_hash", msg->u.map.pack_hash);
        put_text(file, "url", msg->u.map.url);
        put_movevars(file, &msg->u.map.vars);
        break;
    case CTL_MOVEVARS:
        put(file, "tick", msg->u.movevars.tick);
        put_movevars(file, &msg->u.movevars.vars);
        break;
    case CTL_CHAT:
        put(file, "slot", msg->u.chat.slot);
        put(file, "team", msg->u.chat.team);
        put_text(file, "text", msg->u.chat.text);
        break;
    case CTL_PLAYER_INFO:
        put(file, "slot", msg->u.player_info.slot);
        put(file, "inuse", msg->u.player_info.inuse);
        put(file, "spectator", msg->u.player_info.spectator);
        put(file, "is_lost", msg->u.player_info.is_lost);
        put_text(file, "name", msg->u.player_info.name);
        put_infos(file, &msg->u.player_info.infos);
        break;
    case CTL_SKELETONS:
        put_skeletons(file, &msg->u.skeletons);
        break;
    case CTL_NAMES:
        put_names(file, &msg->u.names);
        break;
    case CTL_EVENT:
        put(file, "tick", msg->u.event.tick);
        put_event(file, &msg->u.event.event);
        break;
    case CTL_FIELDS:
        put_schema(file, &msg->u.fields);
        break;
    case CTL_PIECE:
        put_piece(file, &msg->u.piece);
        break;
    case CTL_REFUSED:
        put(file, "version", msg->u.refused.version);
        put_text(file, "text", msg->u.refused.text);
        break;
    default: // PRINT, CENTER, GOODBYE
        put_text(file, "text", msg->u.text.text);
        break;
    }
}

static bool print_control(FILE *file, bool from_client, const uint8_t *data, size_t size) {
    control_msg_t msg;
    err_t err;
    if (!CTL_Read(&msg, from_client, data, size, &err)) {
        return false;
    }
    fprintf(file, "{\"type\":\"%s\"", CTL_TypeName(msg.type));
    (from_client ? print_client_message : print_server_message)(file, &msg);
    return true;
}

// ---- usercmds ----

static bool print_usercmds(FILE *file, const uint8_t *data, size_t size) {
    msg_reader_t reader = MSG_Reader(data, size);
    usercmd_packet_t packet;
    err_t err;
    if (!UserCmd_Read(&reader, &packet, &err)) {
        return false;
    }
    fprintf(file, "{\"type\":\"USERCMDS\"");
    put(file, "epoch", packet.epoch);
    put(file, "ack", packet.ack_tick);
    put(file, "first", packet.first_seq);
    fputs(",\"cmds\":[", file);
    for (int32_t i = 0; i < packet.count; i++) {
        const usercmd_t *cmd = &packet.cmds[i];
        fprintf(file, "%s{\"tick\":%lld", i > 0 ? "," : "", (long long)cmd->tick);
        put(file, "view_tick", cmd->view_tick);
        put(file, "view_frac", cmd->view_frac);
        put(file, "view_span", cmd->view_span);
        put(file, "msec", cmd->msec);
        put(file, "pitch", cmd->pitch);
        put(file, "yaw", cmd->yaw);
        put(file, "forward", cmd->forward);
        put(file, "side", cmd->side);
        put(file, "up", cmd->up);
        put(file, "buttons", cmd->buttons);
        put(file, "impulse", cmd->impulse);
        fputc('}', file);
    }
    fputc(']', file);
    return true;
}

// ---- snapshots ----

static void print_player(FILE *file, const player_state_t *player) {
    fputs(",\"player\":{\"pm_type\":", file);
    fprintf(file, "%d", player->pm_type);
    put_vector(file, "origin", player->origin);
    put_vector(file, "velocity", player->velocity);
    put_vector(file, "mins", player->mins);
    put_vector(file, "maxs", player->maxs);
    put_vector(file, "angles", player->angles);
    put(file, "flags", player->flags);
    put(file, "groundentity", player->groundentity);
    put(file, "waterlevel", player->waterlevel);
    put(file, "watertype", player->watertype);
    put(file, "waterjump_ms", player->waterjump_ms);
    put(file, "jump_ms", player->jump_ms);
    put(file, "step_ms", player->step_ms);
    put(file, "step_buttons", player->step_buttons);
    put(file, "delta_yaw", player->delta_yaw);
    put_float(file, "gravity", player->gravity);
    put_vector(file, "basevelocity", player->basevelocity);
    put(file, "carrier", player->carrier);
    put(file, "duck_ms", player->duck_ms);
    put_float(file, "heading", player->heading);
    put_float(file, "steer", player->steer);
    put(file, "health", player->health);
    put(file, "movetype", player->movetype);
    fputc('}', file);
}

// Prints the game's fields by name, as their words.
static void put_fields(FILE *file, const sent_fields_t *scope, const entity_state_t *state) {
    for (int32_t i = 0; i < scope->count; i++) {
        char name[SENT_NAME_BYTES + 1];
        snprintf(name, sizeof name, ".%s", scope->list[i].name);
        put(file, name, state->fields[i]);
    }
}

static void print_entity(FILE *file, const sent_fields_t *scope, const entity_state_t *state) {
    fprintf(file, "{\"number\":%d", state->number);
#define PUT_FIELD(field, kind, lo, hi, k)                                                          \
    {                                                                                              \
        int32_t value = 0;                                                                         \
        memcpy(&value, &state->field, sizeof value);                                               \
        put(file, #field, value);                                                                  \
    }
    ENTITY_FIELDS(PUT_FIELD)
#undef PUT_FIELD
    put_fields(file, scope, state);
    fputc('}', file);
}

// Prints the info records: those of clients by slot, that of the world as 1024.
static void print_infos(const test_recording_t *recording, int64_t tick) {
    FILE *file = recording->file;
    const char *comma = "";
    for (int32_t number = MAX_EDICTS; number <= RECORD_WORLD; number++) {
        const entity_state_t *state = SnapshotRing_Record(recording->ring, tick, number, NULL);
        if (state) {
            fprintf(file, "%s{\"number\":%d", comma, number - MAX_EDICTS);
            put_fields(file, &recording->schema.scopes[Fields_Scope(number)], state);
            fputc('}', file);
            comma = ",";
        }
    }
}

static void print_events(const test_recording_t *recording) {
    const snapshot_events_t *events = SnapshotRing_Events(recording->ring);
    for (int32_t i = 0; i < events->count; i++) {
        const snapshot_event_t *event = &events->list[i];
        fprintf(recording->file, "%s{\"seq\":%u", i > 0 ? "," : "", event->seq);
        put(recording->file, "tick", event->tick);
        put_event(recording->file, &event->event);
        fputc('}', recording->file);
    }
}

static bool print_snapshot(test_recording_t *recording, const uint8_t *data, size_t size) {
    FILE *file = recording->file;
    msg_reader_t reader = MSG_Reader(data, size);
    err_t err;
    if (size == SNAPSHOT_BUSY_BYTES) {
        fprintf(file, "{\"type\":\"BUSY\"");
        return true;
    }
    snapshot_result_t result = Snapshot_Read(&reader, recording->ring, &err);
    static const char *const names[] = {"SNAPSHOT", "STALE", "NO_BASE"};
    if (result == SNAPSHOT_BAD) {
        return false;
    }
    fprintf(file, "{\"type\":\"%s\"", names[result]);
    if (result != SNAPSHOT_OK) {
        return true;
    }
    const entity_state_t *list[MAX_SNAPSHOT_ENTS];
    entity_state_t moved[MAX_SNAPSHOT_ENTS];
    int64_t tick = SnapshotRing_Newest(recording->ring);
    const snapshot_t *now = SnapshotRing_Find(recording->ring, tick);
    int32_t count = SnapshotRing_Entities(recording->ring, tick, list, moved);
    ASSERT(now);
    put(file, "tick", tick);
    put(file, "cmd_tick", now->cmd_tick);
    put(file, "cmd_ran_ms", now->cmd_ran_ms);
    put(file, "cmd_queued_ms", now->cmd_queued_ms);
    put(file, "filled_ms", now->filled_ms);
    put(file, "dropped_cmds", now->dropped_cmds);
    put(file, "report_tick", now->report.tick);
    put(file, "report_snapshots", now->report.snapshots);
    put(file, "report_cmd_packets", now->report.cmd_packets);
    put(file, "report_next_cmd", now->report.next_cmd);
    put(file, "report_tick_mean", now->report.tick_mean);
    put(file, "report_tick_worst", now->report.tick_worst);
    put(file, "deferred", now->num_deferred);
    print_player(file, &now->player);
    fputs(",\"events\":[", file);
    print_events(recording);
    fputs("],\"entities\":[", file);
    for (int32_t i = 0; i < count; i++) {
        fputs(i > 0 ? "," : "", file);
        print_entity(file, &recording->schema.scopes[SCOPE_EDICT], list[i]);
    }
    fputs("],\"infos\":[", file);
    print_infos(recording, tick);
    fputc(']', file);
    recording->snapshots++;
    return true;
}

// ---- recording ----

static void record(bool from_client, uint8_t channel, const uint8_t *data, size_t size) {
    test_recording_t *recording = tapped.recording;
    FILE *file = recording->file;
    fprintf(file, "{\"from\":\"%s\",\"channel\":%u,\"hex\":\"", from_client ? "client" : "server",
            channel);
    for (size_t i = 0; i < size; i++) {
        fprintf(file, "%02x", data[i]);
    }
    fputs("\",\"values\":", file);
    bool good = channel == NET_CHANNEL_CONTROL   ? print_control(file, from_client, data, size)
                : channel == NET_CHANNEL_USERCMD ? print_usercmds(file, data, size)
                                                 : print_snapshot(recording, data, size);
    fputs(good ? "}}\n" : "null}\n", file);
    recording->bad += good ? 0 : 1;
    recording->messages++;
    control_msg_t msg;
    err_t err;
    if (good && channel == NET_CHANNEL_CONTROL && CTL_Read(&msg, from_client, data, size, &err)) {
        if (msg.type == CTL_FIELDS) {
            recording->schema = msg.u.fields;
        } else if (msg.type == CTL_MAP) {
            SnapshotRing_Reset(recording->ring, msg.u.map.epoch, msg.u.map.rate_mhz,
                               &recording->schema);
        }
    }
}

static void tap_poll(transport_t *net, int64_t now_ms, net_event_t *event) {
    tapped.poll(net, now_ms, event);
    if (event->type == NET_MESSAGE) {
        record(false, event->channel, event->data, event->size);
    }
}

static bool tap_send(transport_t *net, int32_t peer, uint8_t channel, bool reliable,
                     const void *data, size_t size) {
    record(true, channel, data, size);
    return tapped.send(net, peer, channel, reliable, data, size);
}

void TestRecording_Start(test_recording_t *recording, const char *path) {
    *recording = (test_recording_t){.file = fopen(path, "w"),
                                    .ring = SnapshotRing_Create(SNAPSHOT_BACKUP, NULL)};
    if (!recording->file || !recording->ring) {
        perror(path);
        abort();
    }
}

void TestRecording_Tap(test_recording_t *recording, transport_t *net) {
    tapped.recording = recording;
    tapped.poll = net->poll;
    tapped.send = net->send;
    net->poll = tap_poll;
    net->send = tap_send;
}

void TestRecording_End(test_recording_t *recording) {
    fclose(recording->file);
    SnapshotRing_Destroy(recording->ring);
}
