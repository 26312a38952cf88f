/// client/players.c - the other players: their names, settings, and the list of all.

#include "client/cl_local.h"

#include <string.h>

const char *CL_PlayerName(const cl_t *cl, int32_t slot) {
    bool is_used = slot >= 0 && slot < PROTO_MAX_CLIENTS && cl->players[slot].inuse;
    return is_used ? cl->players[slot].name : "";
}

const char *CL_Info(const cl_t *cl, int32_t slot, const char *key) {
    if (strcmp(key, "name") == 0) {
        return CL_PlayerName(cl, slot);
    }
    bool is_used = slot >= 0 && slot < PROTO_MAX_CLIENTS && cl->players[slot].inuse;
    for (int32_t i = 0; is_used && i < cl->players[slot].num_settings; i++) {
        if (strcmp(cl->settings[i][slot].key, key) == 0) {
            return cl->settings[i][slot].value;
        }
    }
    return "";
}

int32_t CL_Followed(const cl_t *cl) {
    const snapshot_t *snapshot = Client_Newest(cl);
    int32_t number =
        snapshot && (snapshot->player.flags & PMF_WATCHED) ? snapshot->player.carrier : 0;
    return number >= 1 && number <= PROTO_MAX_CLIENTS ? number - 1 : -1;
}

// Returns a number of the newest snapshot, 0 if there is none of this name.
static int32_t number_of(const cl_t *cl, int32_t slot, const char *field) {
    cl_value_t value = {.number = 0};
    (void)CL_PlayerField(cl, slot, field, &value);
    return value.number;
}

bool CL_Player(const cl_t *cl, int32_t slot, cl_player_row_t *row) {
    if (slot < 0 || slot >= PROTO_MAX_CLIENTS || !cl->players[slot].inuse) {
        return false;
    }
    *row = (cl_player_row_t){.slot = slot,
                             .name = cl->players[slot].name,
                             .is_spectator = cl->players[slot].is_spectator,
                             .is_lost = cl->players[slot].is_lost,
                             .team = number_of(cl, slot, "team"),
                             .ping_ms = number_of(cl, slot, "ping"),
                             .score = number_of(cl, slot, CL_ScoreField(cl))};
    return true;
}

int32_t CL_Players(const cl_t *cl, cl_player_row_t *list, int32_t max) {
    int32_t count = 0;
    for (int32_t slot = 0; slot < PROTO_MAX_CLIENTS && count < max; slot++) {
        count += CL_Player(cl, slot, &list[count]) ? 1 : 0;
    }
    return count;
}
