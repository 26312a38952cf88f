/// core/send_fields.c - the game's sent fields in entity states and info records.
//
// Reads the world between ticks, never writes it.
//
// States are built for clients that are neither the owner nor of its team. Other clients receive
// copies with their own words.

#include "core/server_local.h"
#include "proto/entity_fields.h"
#include "world/block.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CLAMPED_WINDOW_MS 5000

// Why some clients receive other words of a state.
#define OWNER_WORD 1 // a field of the owner is not 0
#define TEAM_WORD  2 // a field of the owner's team is not 0
#define HIDDEN_REF 4 // a field for all refers to an edict that some clients may not see
#define SHOWN_REF  8 // a field refers to an edict, which spectators that see nobody may not see

// The game's part of an edict, a client or the world, and its owner.
typedef struct {
    field_scope_t scope;
    bool is_public;      // all clients receive the record
    int32_t number;      // of the record
    const uint8_t *from; // values
    int32_t owner;       // slot of a client, -1 = none
} source_t;

static source_t source_of(const server_t *server, int32_t number) {
    const world_t *world = server->world;
    source_t source = {.scope = Fields_Scope(number), .number = number, .owner = -1};
    if (source.scope == SCOPE_WORLD) {
        source.from = world->game;
    } else if (source.scope == SCOPE_CLIENT) {
        source.owner = number - RECORD_CLIENT(0);
        source.from = World_Client(world, source.owner)->game;
    } else {
        const edict_t *edict = World_Edict(world, number);
        const edict_t *owner = edict->flags & FL_CLIENT ? edict : World_Deref(world, edict->owner);
        source.from = edict->game;
        if (owner && (owner->flags & FL_CLIENT)) {
            source.owner = World_EdictNumber(world, owner) - 1;
        }
    }
    return source;
}

// Returns the flags of the fields that a client receives. `slot`: EVENT_TO_ALL = any client.
static uint32_t flags_for(const server_t *server, const source_t *source, int32_t slot) {
    if (slot < 0 || source->owner < 0) {
        return FIELD_ALL;
    }
    if (slot == source->owner) {
        return FIELD_ALL | FIELD_OWNER | FIELD_TEAM;
    }
    uint32_t team = World_Client(server->world, source->owner)->team;
    bool is_friend = team != 0 && team == World_Client(server->world, slot)->team;
    return is_friend ? FIELD_ALL | FIELD_TEAM : FIELD_ALL;
}

static int32_t float_word(const game_field_t *field, const sent_field_t *sent, float value) {
    if (sent->type == SENT_STEPS) {
        return Q_ToInt(floorf(value / field->step + 0.5f), sent->lo, sent->hi);
    }
    int32_t bits = 0;
    value += 0.0f; // turns -0 into 0
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static const edict_t *ref_of(const server_t *server, const source_t *source,
                             const game_field_t *field) {
    edict_ref_t ref;
    memcpy(&ref, source->from + field->offset, sizeof ref);
    return World_Deref(server->world, ref);
}

static bool is_known(const server_t *server, const edict_t *edict, int32_t slot) {
    bool is_blind = slot >= 0 && SV_IsBlind(server->world, slot);
    return SV_IsVisible(server->world, edict, slot) && (!is_blind || edict->type == ENTITY_BRUSH);
}

// Returns the word of a field for a client. `*clamped`: set to true if the value is out of range.
static int32_t word_of(server_t *server, const source_t *source, int32_t row, int32_t slot,
                       bool *clamped) {
    const game_field_t *field = server->sent.fields[source->scope][row];
    const sent_field_t *sent = &server->sent.schema.scopes[source->scope].list[row];
    const uint8_t *from = source->from + field->offset;
    int32_t value = 0;
    memcpy(&value, from, sizeof value); // the first half of a ref
    if (field->type == FIELD_REF) {
        const edict_t *edict = ref_of(server, source, field);
        return edict && is_known(server, edict, slot) ? World_EdictNumber(server->world, edict) : 0;
    }
    if (field->type == FIELD_STRING) {
        bool is_public = source->is_public && (field->flags & FIELD_ALL);
        return NameTables_Number(server, NAMES_TEXTS, value, is_public);
    }
    if (field->type == FIELD_INT) {
        int32_t held = Q_ClampI(value, sent->lo, sent->hi);
        *clamped = *clamped || held != value;
        return held;
    }
    float real;
    memcpy(&real, from, sizeof real);
    bool has_range = field->min < field->max;
    bool is_finite = real >= -FLT_MAX && real <= FLT_MAX;
    float held = is_finite ? real : 0.0f;
    held = has_range ? Q_ClampF(held, field->min, field->max) : held;
    *clamped = *clamped || !is_finite || held < real || held > real;
    return float_word(field, sent, held);
}

static void note_clamped(server_t *server, const source_t *source, const game_field_t *field) {
    static const char *const whats[SCOPE_COUNT] = {"edict", "client slot", "world"};
    server->stats.fields_clamped++;
    if (Log_BurstAllows(&server->fields_burst, server->now_ms, CLAMPED_WINDOW_MS)) {
        int32_t number = source->scope == SCOPE_CLIENT ? source->owner : source->number;
        Log_Print(server->config.log, LOG_WARN,
                  "%s %d: field \"%s\" is out of its range (%g to %g) and is sent clamped%s",
                  whats[source->scope], source->scope == SCOPE_WORLD ? 0 : number, field->name,
                  (double)field->min, (double)field->max, server->fields_burst.more);
    }
}

// Rows of the engine come first.
static int32_t first_row(field_scope_t scope) {
    return scope == SCOPE_CLIENT ? SENT_NUM_ROWS : 0;
}

// Returns true if a field and its word are zero, as most are.
static bool is_zero(const server_t *server, const source_t *source, int32_t row) {
    int32_t value = 0;
    memcpy(&value, source->from + server->sent.fields[source->scope][row]->offset, sizeof value);
    return value == 0 && (server->sent.zeros[source->scope] >> row & 1);
}

// Sets the words of the game's fields that a client receives. Words of fields that are zero are
// zero already, whoever receives them.
static void write_words(server_t *server, const source_t *source, int32_t slot,
                        entity_state_t *state) {
    const sent_fields_t *rows = &server->sent.schema.scopes[source->scope];
    const uint32_t flags = flags_for(server, source, slot);
    for (int32_t i = first_row(source->scope); i < rows->count; i++) {
        bool clamped = false;
        if ((server->sent.fields[source->scope][i]->flags & flags) && !is_zero(server, source, i)) {
            Fields_Set(state, i, word_of(server, source, i, slot, &clamped));
        }
    }
}

uint8_t SendFields_Public(server_t *server, entity_state_t *state, bool is_public) {
    source_t source = source_of(server, state->number);
    source.is_public = is_public;
    const sent_fields_t *rows = &server->sent.schema.scopes[source.scope];
    uint8_t private_words = 0;
    for (int32_t i = first_row(source.scope); i < rows->count; i++) {
        if (is_zero(server, &source, i)) {
            continue;
        }
        const game_field_t *field = server->sent.fields[source.scope][i];
        const uint8_t private_word = field->flags & FIELD_TEAM ? TEAM_WORD : OWNER_WORD;
        bool clamped = false;
        int32_t word = word_of(server, &source, i, EVENT_TO_ALL, &clamped);
        if (clamped) {
            note_clamped(server, &source, field);
        }
        if (field->flags & FIELD_ALL) {
            Fields_Set(state, i, word);
        } else if (word != 0) {
            private_words |= private_word;
        }
        if (field->type == FIELD_REF && word != 0) {
            private_words |= SHOWN_REF;
        } else if (field->type == FIELD_REF && ref_of(server, &source, field)) {
            private_words |= field->flags & FIELD_ALL ? HIDDEN_REF : private_word;
        }
    }
    return private_words;
}

// Writes the rows of the engine in a client's record.
static void write_rows(server_t *server, entity_state_t *state, int32_t slot) {
    const client_t *client = World_Client(server->world, slot);
    int32_t peer = server->peer_of_slot[slot];
    Fields_Set(state, SENT_ROW_ping, peer >= 0 ? Q_MaxI(server->sessions[peer].ping_ms, 0) : 0);
    Fields_Set(state, SENT_ROW_team, client->team);
    Fields_Set(state, SENT_ROW_spectator, client->spectator ? 1 : 0);
}

void SendFields_Own(server_t *server, entity_state_t *state) {
    const source_t source = source_of(server, state->number);
    write_words(server, &source, source.owner, state);
}

// Notes what all clients receive of an info record, NULL = nothing. Returns true if it has changed.
static bool note_info(server_t *server, int32_t index, const entity_state_t *now) {
    shared_infos_t *shared = &server->shared_infos;
    entity_state_t *info = &server->infos[index];
    if (now ? shared->list[index] && Entity_Equal(info, now) : !shared->list[index]) {
        return false;
    }
    if (now) {
        *info = *now;
    }
    shared->list[index] = now ? info : NULL;
    shared->ticks[index] = server->world->tick;
    return true;
}

// Moves the info records that changed in this tick to the front.
static void sort_infos(shared_infos_t *shared, int64_t tick) {
    uint16_t sorted[MAX_SNAPSHOT_INFOS];
    int32_t count = 0;
    for (int32_t i = 0; i < MAX_SNAPSHOT_INFOS; i++) {
        if (shared->ticks[i] == tick) {
            sorted[count++] = (uint16_t)i;
        }
    }
    for (int32_t i = 0; i < MAX_SNAPSHOT_INFOS; i++) {
        if (shared->ticks[shared->recent[i]] != tick) {
            sorted[count++] = shared->recent[i];
        }
    }
    ASSERT(count == MAX_SNAPSHOT_INFOS);
    memcpy(shared->recent, sorted, sizeof sorted);
}

void SendFields_StartMap(server_t *server) {
    shared_infos_t *shared = &server->shared_infos;
    memset(shared, 0, sizeof *shared);
    for (int32_t i = 0; i < MAX_SNAPSHOT_INFOS; i++) {
        shared->recent[i] = (uint16_t)i;
    }
}

void SendFields_Build(server_t *server) {
    bool is_changed = false;
    server->num_private = 0;
    for (int32_t slot = 0; slot <= server->config.max_clients; slot++) {
        bool is_world = slot == server->config.max_clients;
        const int32_t number = is_world ? RECORD_WORLD : RECORD_CLIENT(slot);
        if (!is_world && !World_Client(server->world, slot)->inuse) {
            is_changed |= note_info(server, slot, NULL);
            continue;
        }
        entity_state_t now = {.number = number};
        if (!is_world) {
            write_rows(server, &now, slot);
        }
        const uint8_t private_words = SendFields_Public(server, &now, true);
        is_changed |= note_info(server, number - MAX_EDICTS, &now);
        if (private_words != 0) {
            server->private_infos[server->num_private++] =
                (private_info_t){number - MAX_EDICTS, private_words};
        }
    }
    server->has_private_words = false;
    for (int32_t i = 0; i < server->num_states && !server->has_private_words; i++) {
        server->has_private_words = server->private_words[i] != 0;
    }
    if (is_changed) {
        sort_infos(&server->shared_infos, server->world->tick);
    }
}

// Returns the state that a client receives: `state`, or a copy with the client's own words.
static const entity_state_t *state_for(server_t *server, const entity_state_t *state,
                                       uint8_t private_words, int32_t slot) {
    const source_t source = source_of(server, state->number);
    const uint32_t flags = flags_for(server, &source, slot);
    bool differs = (private_words & HIDDEN_REF) ||
                   ((private_words & (OWNER_WORD | TEAM_WORD)) && flags != FIELD_ALL) ||
                   ((private_words & SHOWN_REF) && SV_IsBlind(server->world, slot));
    if (!differs || server->num_copies == MAX_SNAPSHOT_RECORDS) {
        return state; // all copies are used by more important states
    }
    entity_state_t *copy = &server->copies[server->num_copies++];
    Entity_Copy(copy, state);
    write_words(server, &source, slot, copy);
    return copy;
}

void SendFields_Infos(server_t *server, int32_t slot, snapshot_parts_t *parts) {
    server->num_copies = 0;
    parts->infos = server->info_order;
    parts->num_infos = 0;
    parts->shared_infos = &server->shared_infos;
    for (int32_t i = 0; i < server->num_private; i++) {
        const private_info_t *record = &server->private_infos[i];
        const entity_state_t *info = &server->infos[record->index];
        const entity_state_t *own = info;
        if (record->index == slot || record->words != OWNER_WORD) {
            own = state_for(server, info, record->words, slot);
        }
        if (own != info) {
            server->info_order[parts->num_infos++] = own;
        }
    }
}

void SendFields_Entities(server_t *server, int32_t slot, int32_t count, int32_t own) {
    for (int32_t i = 0; i < count && server->has_private_words; i++) {
        const entity_state_t *state = server->order[i];
        uint8_t private_words = i == own ? 0 : server->private_words[state - server->states];
        if (private_words != 0) {
            server->order[i] = state_for(server, state, private_words, slot);
        }
    }
}
