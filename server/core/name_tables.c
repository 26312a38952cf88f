/// core/name_tables.c - sends the tables of names: those of the game, and those made here.
//
// A class or text that not every client may know is a placeholder for the others: an empty name. A
// client receives the text before the first record that uses it, or when all clients may know it.

#include "core/delay.h"
#include "world/bits.h"

#include <stdio.h>
#include <string.h>

#define LOG_WINDOW_MS 5000

static int32_t refuse(server_t *server, names_table_t table, const char *name) {
    made_names_t *made = &server->made_names;
    if (Log_BurstAllows(&made->burst, server->now_ms, LOG_WINDOW_MS)) {
        char shown[NAME_TEXT_BYTES];
        const bool is_class = table == NAMES_CLASSES;
        Str_Printable(shown, sizeof shown, name);
        Log_Print(server->config.log, LOG_WARN,
                  "%s \"%s\": clients receive no name; expected 1 to 63 bytes of UTF-8 without "
                  "control characters, at most %d %s, and %d bytes of classes and texts%s",
                  is_class ? "class" : "text", shown, NAMES_MAX - 1, is_class ? "classes" : "texts",
                  NAMES_BYTES - NAMES_GAME_BYTES, made->burst.more);
    }
    return 0;
}

// Adds a name. Returns its number, or NAMES_MAX if clients cannot receive the name.
static uint16_t add(server_t *server, int32_t row, const char *name, int32_t string_id) {
    made_names_t *made = &server->made_names;
    if (World_FindString(server->world, name) != string_id || !Names_IsValid(name) ||
        made->counts[row] == NAMES_MAX - 1 ||
        made->bytes + Names_Cost(name) > NAMES_BYTES - NAMES_GAME_BYTES) {
        return NAMES_MAX;
    }
    made->bytes += Names_Cost(name);
    made->ids[row][++made->counts[row]] = (uint16_t)string_id;
    return (uint16_t)made->counts[row];
}

int32_t NameTables_Number(server_t *server, names_table_t table, int32_t string_id,
                          bool is_public) {
    ASSERT(table >= NAMES_OF_GAME);
    made_names_t *made = &server->made_names;
    const int32_t row = (int32_t)table - NAMES_OF_GAME;
    const char *name = World_Text(server->world, string_id);
    if (name[0] == '\0') {
        return 0;
    }
    uint16_t *number = &made->numbers[row][string_id]; // in range, or the text would be ""
    if (*number == 0) {
        *number = add(server, row, name, string_id);
    }
    if (*number == NAMES_MAX) {
        return refuse(server, table, name);
    }
    if (is_public && !(*number & NAME_IS_PUBLIC)) {
        made->publics[made->num_publics++] = (public_name_t){server->world->tick, table, *number};
        *number |= NAME_IS_PUBLIC;
    }
    return *number & ~NAME_IS_PUBLIC;
}

// Returns a name as a session receives it: "" for a placeholder.
static const char *name_for(const server_t *server, const session_t *session, int32_t table,
                            int32_t number) {
    const int32_t row = table - NAMES_OF_GAME;
    if (row >= 0 && !Bits_Get(session->names.known[row], number)) {
        return "";
    }
    const uint16_t *ids = row < 0 ? server->world->name_ids[table] : server->made_names.ids[row];
    return World_Text(server->world, ids[number]);
}

// Sends names number `first` to `last`, as many as fit in each message.
static void send_names(server_t *server, int32_t peer, int32_t table, int32_t first, int32_t last) {
    while (first <= last) {
        control_msg_t msg = {.type = CTL_NAMES, .u.names = {.table = table, .first = first}};
        char *at = msg.u.names.texts;
        for (int32_t cost = 0; first <= last; first++) {
            const char *name = name_for(server, &server->sessions[peer], table, first);
            cost += Names_Cost(name);
            if (cost > CTL_NAMES_BYTES) {
                break;
            }
            memcpy(at, name, strlen(name) + 1);
            at += strlen(name) + 1;
            msg.u.names.count++;
        }
        Session_Send(server, peer, &msg);
    }
}

// New names for a session.
typedef struct {
    int32_t last[NAMES_MADE]; // highest number
    int32_t num_late;         // names that replace placeholders: bits in `late`
    uint64_t late[NAMES_MADE][NAMES_MAX / 64];
} news_t;

// Lets a session receive a class or text.
static void reveal(session_t *session, names_table_t table, int32_t number, news_t *news) {
    const int32_t row = (int32_t)table - NAMES_OF_GAME;
    if (number == 0 || Bits_Get(session->names.known[row], number)) {
        return;
    }
    Bits_Set(session->names.known[row], number);
    session->names.num_known++;
    if (number <= session->names.sent[table]) {
        Bits_Set(news->late[row], number);
        news->num_late++;
    }
    news->last[row] = Q_MaxI(news->last[row], number);
}

static void reveal_names_of(server_t *server, session_t *session, const entity_state_t *record,
                            news_t *news) {
    uint32_t texts = record->field_mask & server->sent.texts[Fields_Scope(record->number)];
    reveal(session, NAMES_CLASSES, record->classname, news);
    for (; texts != 0; texts &= texts - 1) {
        reveal(session, NAMES_TEXTS, record->fields[__builtin_ctz(texts)], news);
    }
}

static void replace(server_t *server, int32_t peer, const news_t *news) {
    for (int32_t row = 0; row < NAMES_MADE && news->num_late > 0; row++) {
        const uint64_t *bits = news->late[row];
        int32_t last = 0;
        for (int32_t first = 0; (first = Bits_Next(bits, last, NAMES_MAX)) > 0;) {
            for (last = first; last + 1 < NAMES_MAX && Bits_Get(bits, last + 1);) {
                last++;
            }
            send_names(server, peer, NAMES_OF_GAME + row, first, last);
        }
    }
}

// Returns the tick whose public names a session may receive: spectators that see nobody receive
// only the names that they use.
static int64_t public_tick(const server_t *server, const session_t *session) {
    const world_t *world = server->world;
    bool is_blind = session->joined ? SV_IsBlind(world, session->slot)
                                    : session->spectator && world->cvars.sv_spectate < 2;
    return is_blind ? -1 : Delay_Tick(server, session);
}

// Returns true if a session may lack rows that do not depend on its snapshots.
static bool lacks_rows(const server_t *server, const session_names_t *names) {
    bool lacks = names->num_publics < server->made_names.num_publics;
    for (int32_t table = 0; table < NAMES_OF_GAME; table++) {
        lacks = lacks || names->sent[table] < server->world->name_counts[table];
    }
    return lacks;
}

void NameTables_Send(server_t *server, int32_t peer, const snapshot_parts_t *parts) {
    const made_names_t *made = &server->made_names;
    session_t *session = &server->sessions[peer];
    session_names_t *names = &session->names;
    parts = names->num_known < made->counts[0] + made->counts[1] ? parts : NULL;
    if (!parts && !lacks_rows(server, names)) {
        return; // most calls
    }
    news_t news = {0};
    const int64_t tick = public_tick(server, session);
    for (; names->num_publics < made->num_publics; names->num_publics++) {
        const public_name_t *name = &made->publics[names->num_publics];
        if (name->tick > tick) {
            break;
        }
        reveal(session, name->table, name->number, &news);
    }
    if (parts) {
        for (int32_t i = 0; i < Q_MinI(parts->num_entities, MAX_SNAPSHOT_ENTS); i++) {
            reveal_names_of(server, session, parts->entities[i], &news);
        }
        for (int32_t i = 0; i < parts->num_infos; i++) {
            reveal_names_of(server, session, parts->infos[i], &news);
        }
        // Shared records have public names, which only these spectators lack.
        for (int32_t i = 0; tick < 0 && parts->shared_infos && i < MAX_SNAPSHOT_INFOS; i++) {
            if (parts->shared_infos->list[i]) {
                reveal_names_of(server, session, parts->shared_infos->list[i], &news);
            }
        }
    }
    replace(server, peer, &news);
    for (int32_t table = 0; table < NAMES_TABLES; table++) {
        const int32_t row = table - NAMES_OF_GAME;
        const int32_t last = row < 0 ? server->world->name_counts[table] : news.last[row];
        if (last > names->sent[table]) {
            send_names(server, peer, table, names->sent[table] + 1, last);
            names->sent[table] = last;
        }
    }
}

void NameTables_SendAll(server_t *server) {
    for (int32_t peer = 0; peer < server->num_sessions; peer++) {
        const session_state_t state = server->sessions[peer].state;
        if (state == SESSION_LOADING || state == SESSION_ACTIVE) {
            NameTables_Send(server, peer, NULL);
        }
    }
}
