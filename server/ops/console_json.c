/// ops/console_json.c - answers as JSON objects: status, counters, cvarlist, bans and peers.
//
// docs/man/edict-ctl.1 names the keys.
// Memory:  allocates, so it runs only between two ticks.

#include "base/str.h"
#include "base/version.h"
#include "net/key_text.h"
#include "ops/console_local.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef json_t *json_fn(console_t *console, const char *prefix, err_t *err);

// Returns a string, with invalid bytes replaced: jansson refuses them.
static json_t *text(const char *bytes) {
    char valid[4 * CVAR_STRING_BYTES];
    Str_Printable(valid, sizeof valid, bytes);
    return json_string(valid);
}

static json_t *number(uint64_t value) {
    return json_integer((json_int_t)value);
}

static json_t *address_text(netaddr_t address) {
    char text_of[32];
    Net_FormatAddress(address, text_of, sizeof text_of);
    return json_string(text_of);
}

static void append_text(void *array, const char *line) {
    json_array_append_new(array, text(line));
}

// ---- status ----

// The fields of the game that every player receives.
static json_t *game_fields(const console_t *console, const uint8_t *values) {
    const game_fields_t *fields = &Console_Game(console)->client_fields;
    json_t *object = json_object();
    for (int32_t i = 0; i < fields->count; i++) {
        const game_field_t *field = &fields->list[i];
        int32_t value = 0;
        if ((field->flags & FIELD_ALL) && field->type == FIELD_INT) {
            memcpy(&value, values + field->offset, sizeof value);
            json_object_set_new(object, field->name, json_integer(value));
        }
    }
    return object;
}

static json_t *client_object(const console_t *console, int32_t slot,
                             const server_client_t *client) {
    return json_pack("{si so so so si si si si si si si so so sb sb sb sb sb}", "slot", (int)slot,
                     "name", text(client->name), "id",
                     client->id[0] != '\0' ? text(client->id) : json_null(), "address",
                     address_text(client->address), "ping_ms", (int)client->ping_ms, "filled_ms",
                     (int)client->filled_ms, "late", (int)client->late, "over_credit_ms",
                     (int)client->over_credit_ms, "rate_bytes_s", (int)client->rate, "wait_ms",
                     (int)client->wait_ms, "team", (int)client->team, "follows",
                     client->follows == slot ? json_null() : json_integer(client->follows),
                     "fields", game_fields(console, client->game), "bot", (int)client->is_bot,
                     "spectator", (int)client->is_spectator, "muted", (int)client->is_muted,
                     "sealed", (int)client->is_sealed, "lost", (int)client->is_lost);
}

static json_t *tick_object(const tick_stats_t *ticks) {
    return json_pack("{sf sf sf sI sI}", "p50_ms", (double)TickStats_Percentile(ticks, 0.5) / 1e6,
                     "p99_ms", (double)TickStats_Percentile(ticks, 0.99) / 1e6, "max_ms",
                     (double)TickStats_Percentile(ticks, 1.0) / 1e6, "overruns",
                     (json_int_t)ticks->overruns, "skipped", (json_int_t)ticks->skipped);
}

static json_t *server_key(const server_t *server) {
    char out[KEY_TEXT_BYTES];
    const uint8_t *key = Server_Key(server);
    if (!key) {
        return json_null();
    }
    Key_Format(key, out);
    return text(out);
}

static json_t *status(console_t *console, const char *prefix, err_t *err) {
    server_t *server = console->server;
    server_client_t client;
    char line[512], hash[24];
    (void)prefix;
    if (!server || !Server_World(server)) {
        Err_Set(err, "status: no map is running yet");
        return NULL;
    }
    const world_t *world = Server_World(server);
    json_t *clients = json_array();
    for (int32_t slot = 0; slot < console->host.sv_maxclients; slot++) {
        if (Server_Client(server, slot, &client)) {
            json_array_append_new(clients, client_object(console, slot, &client));
        }
    }
    bool is_described = Server_Describe(server, line, sizeof line);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)world->tick_hash);
    return json_pack(
        "{ss so so sI ss si si si so so so so so}", "version", EDICTD_VERSION, "hostname",
        text(console->host.sv_hostname), "map", text(CM_Info(Server_Map(server)).name), "tick",
        (json_int_t)world->tick, "hash", hash, "edicts", (int)world->num_edicts, "players",
        (int)Server_NumPlayers(server), "max_players", (int)console->host.sv_maxclients, "match",
        is_described ? text(line) : json_null(), "ticks",
        console->ticks ? tick_object(console->ticks) : json_null(), "seal",
        text(console->host.sv_seal), "server_key", server_key(server), "clients", clients);
}

// ---- counters ----

static json_t *counters(console_t *console, const char *prefix, err_t *err) {
    uint64_t count = 0;
    const char *why = NULL;
    (void)prefix;
    if (!console->server || !Server_World(console->server)) {
        Err_Set(err, "counters: no map is running yet");
        return NULL;
    }
    const world_counters_t *world = &Server_World(console->server)->counters;
    server_stats_t stats = Server_Stats(console->server);
    net_counters_t net = Server_NetCounters(console->server);
    json_t *all = json_object();
    json_t *drops = json_object();
#define SET_WORLD(name, help)   json_object_set_new(all, #name, number(world->name));
#define SET_STAT(name, help)    json_object_set_new(all, #name, number(stats.name));
#define SET_CONTROL(name, help) json_object_set_new(all, #name, number(console->counters.name));
#define SET_NET(name, help)     json_object_set_new(all, #name, number(net.name));
    WORLD_COUNTERS(SET_WORLD)
    SERVER_STATS(SET_STAT)
    CONTROL_COUNTERS(SET_CONTROL)
    NET_COUNTERS(SET_NET)
    SET_NET(packets_in, )
    SET_NET(bytes_in, )
    SET_NET(packets_out, )
    SET_NET(bytes_out, )
    SET_NET(guard_dropped, )
    SET_NET(guard_replied, )
    SET_NET(send_failed, )
    SET_NET(service_errors, )
    SET_NET(kernel_dropped, )
    SET_NET(no_memory, )
    for (int32_t i = 0; (why = Server_NetDrops(console->server, i, &count)) != NULL; i++) {
        if (count > 0) {
            json_object_set_new(drops, why, number(count));
        }
    }
    return json_pack("{so so}", "counters", all, "drops", drops);
}

// ---- cvars ----

static json_t *value_of(const cvar_def_t *def, const char *value) {
    return def->type == CVAR_STRING  ? text(value)
           : def->type == CVAR_FLOAT ? json_real(strtod(value, NULL))
                                     : json_integer(strtoll(value, NULL, 10));
}

static json_t *cvar_object(const cvar_def_t *def, const cvar_values_t *values) {
    static const char *const types[] = {"int", "float", "string"};
    char value[CVAR_STRING_BYTES], next[CVAR_STRING_BYTES];
    bool is_secret = def->flags & CVAR_SECRET;
    Cvar_Format(def, values->in_force, value, sizeof value);
    Cvar_Format(def, values->wanted, next, sizeof next);
    json_t *object =
        json_pack("{ss ss so so so ss ss sb sb sb}", "name", def->name, "type", types[def->type],
                  "value", is_secret ? json_null() : value_of(def, value), "next",
                  is_secret ? json_null() : value_of(def, next), "default", value_of(def, def->def),
                  "unit", def->unit, "help", def->help, "start_only", (def->flags & CVAR_INIT) != 0,
                  "next_map", (def->flags & CVAR_LATCH) != 0, "secret", (int)is_secret);
    if (def->type != CVAR_STRING) {
        json_object_set_new(object, "min", json_real(def->min));
        json_object_set_new(object, "max", json_real(def->max));
    }
    return object;
}

static json_t *cvarlist(console_t *console, const char *prefix, err_t *err) {
    json_t *list = json_array();
    for (cvar_table_t table = CVARS_HOST; table < CVAR_TABLES; table++) {
        cvar_values_t cvars = Console_CvarTable(console, table);
        for (int32_t i = 0; i < cvars.count; i++) {
            if (strncmp(cvars.defs[i].name, prefix, strlen(prefix)) == 0) {
                json_array_append_new(list, cvar_object(&cvars.defs[i], &cvars));
            }
        }
    }
    if (json_array_size(list) == 0) {
        Err_Set(err, "cvarlist: no cvar begins with \"%s\"", prefix);
        json_decref(list);
        return NULL;
    }
    return json_pack("{so}", "cvars", list);
}

// ---- bans and peers ----

static json_t *bans(console_t *console, const char *part, err_t *err) {
    json_t *list = json_array();
    json_t *mutes = json_array();
    (void)err;
    for (int32_t i = 0; console->bans && i < console->bans->count; i++) {
        const ban_t *ban = &console->bans->list[i];
        char line[BAN_LINE_BYTES], until[32], who[BAN_WHO_BYTES];
        Ban_FormatLine(ban, line);
        Ban_FormatTime(ban->until_s, until);
        Ban_FormatWho(ban, who);
        if (Bans_InForce(console->bans, ban) && strstr(line, part)) {
            json_array_append_new(
                list, json_pack("{sb so so so}", "allowed", (int)ban->is_allowed, "who", text(who),
                                "until", ban->until_s != 0 ? json_string(until) : json_null(),
                                "reason", text(ban->reason)));
        }
    }
    if (console->server && part[0] == '\0') {
        Server_PrintMutes(console->server, append_text, mutes);
    }
    return json_pack("{so so}", "bans", list, "mutes", mutes);
}

static json_t *peers(console_t *console, const char *prefix, err_t *err) {
    server_peer_t found;
    (void)prefix;
    if (!console->server) {
        Err_Set(err, "peers: no server is running yet");
        return NULL;
    }
    json_t *list = json_array();
    for (int32_t peer = 0; Server_NextPeer(console->server, &peer, &found);) {
        bool is_half = found.half_open_ms >= 0;
        json_array_append_new(
            list,
            json_pack("{so ss sI sI}", "address", address_text(found.address), "state",
                      is_half            ? "half-open"
                      : found.is_leaving ? "leaving"
                                         : "connected",
                      "age_ms", (json_int_t)(is_half ? found.half_open_ms : found.connected_ms),
                      "bytes_in", (json_int_t)found.bytes_in));
    }
    return json_pack("{so}", "peers", list);
}

char *Console_Json(console_t *console, const char *line, err_t *err) {
    static const struct {
        const char *name;
        int32_t max_args;
        json_fn *make;
    } known[] = {{"status", 0, status},
                 {"counters", 0, counters},
                 {"cvarlist", 1, cvarlist},
                 {"bans", 1, bans},
                 {"peers", 0, peers}};
    char command[MAX_CMD_LINE];
    cmd_args_t args;
    err->text[0] = '\0';
    if (Cmd_Next(line, command) || !Cmd_Split(command, &args, err)) {
        return NULL;
    }
    for (size_t i = 0; i < COUNTOF(known); i++) {
        if (strcmp(known[i].name, args.argv[0]) == 0 && args.argc - 1 <= known[i].max_args) {
            json_t *object = known[i].make(console, args.argv[1], err);
            char *made = NULL;
            if (object) {
                json_object_set_new(object, "ok", json_true());
                made = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(9));
                json_decref(object);
            }
            if (!made && err->text[0] == '\0') {
                Err_Set(err, "%s: no memory", args.argv[0]);
            }
            return made;
        }
    }
    return NULL;
}
