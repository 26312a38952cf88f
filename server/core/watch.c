/// core/watch.c - spectators and dead players that watch a player with the command "follow".
//
// A watching client receives the view of the watched player (send.c). Its own spectator moves
// along, hidden and not solid, so that it stays there afterwards.

#include "base/str.h"
#include "core/core_local.h"
#include "world/link.h"

#include <stdio.h>
#include <string.h>

static bool may_watch(const void *context, int32_t slot, int32_t other) {
    const world_t *world = context;
    const client_t *client = World_Client(world, slot);
    const client_t *watched = World_Client(world, other);
    bool is_idle = client->spectator || client->player.pm_type == PM_DEAD;
    bool is_alive = watched->inuse && !watched->spectator && watched->player.pm_type != PM_DEAD;
    bool is_friend = client->team != 0 && client->team == watched->team;
    int32_t allowed = world->cvars.sv_spectate;
    return is_idle && is_alive && SV_IsVisible(world, World_Edict(world, other + 1), slot) &&
           allowed > 0 && (is_friend || (allowed == 2 && client->spectator));
}

int32_t SV_ViewSlot(const world_t *world, int32_t slot) {
    int32_t watches = World_Client(world, slot)->watches;
    return watches > 0 && may_watch(world, slot, watches - 1) ? watches - 1 : slot;
}

bool SV_IsBlind(const world_t *world, int32_t slot) {
    return World_Client(world, slot)->spectator && world->cvars.sv_spectate < 2 &&
           SV_ViewSlot(world, slot) == slot;
}

static bool may_watch_friend(const void *context, int32_t slot, int32_t other) {
    const world_t *world = context;
    uint32_t team = World_Client(world, slot)->team;
    return team != 0 && team == World_Client(world, other)->team && may_watch(world, slot, other);
}

// Returns the next player after `from` that a client may watch, or -1.
static int32_t next_watched(const follow_rules_t *rules, int32_t slot, int32_t from) {
    for (int32_t i = 1; i <= rules->world->max_clients; i++) {
        int32_t other = (from + i) % rules->world->max_clients;
        if (rules->may(rules->context, slot, other)) {
            return other;
        }
    }
    return -1;
}

bool SV_FollowCommand(const follow_rules_t *rules, int32_t slot, uint16_t *watches,
                      const char *text, char answer[MAX_TEXT_BYTES]) {
    const world_t *world = rules->world;
    int64_t number = -1;
    if (strncmp(text, "follow", 6) != 0 || (text[6] != ' ' && text[6] != '\0')) {
        return false;
    }
    const char *whom = text + 6 + strspn(text + 6, " ");
    bool is_next = strcmp(whom, "next") == 0;
    if (is_next) {
        number = next_watched(rules, slot, *watches > 0 ? *watches - 1 : slot);
    }
    if (strcmp(whom, "off") == 0) {
        *watches = 0;
        snprintf(answer, MAX_TEXT_BYTES, "you follow nobody");
    } else if (is_next && number < 0) {
        snprintf(answer, MAX_TEXT_BYTES, "follow: there is nobody whom you may follow");
    } else if (!is_next && !Str_ToInt(whom, 0, world->max_clients - 1, &number)) {
        snprintf(answer, MAX_TEXT_BYTES, "follow: expected a slot of 0..%d, next or off",
                 world->max_clients - 1);
    } else if (!rules->may(rules->context, slot, (int32_t)number)) {
        snprintf(answer, MAX_TEXT_BYTES, "follow: you may not follow the player in slot %d",
                 (int32_t)number);
    } else {
        *watches = (uint16_t)(number + 1);
        snprintf(answer, MAX_TEXT_BYTES, "you follow %s",
                 World_Client(world, (int32_t)number)->name);
    }
    return true;
}

bool SV_RunFollow(sv_context_t *sv, int32_t slot, const char *text, bool friends_only) {
    char answer[MAX_TEXT_BYTES];
    const follow_rules_t rules = {sv->world, sv->world,
                                  friends_only ? may_watch_friend : may_watch};
    if (!SV_FollowCommand(&rules, slot, &World_Client(sv->world, slot)->watches, text, answer)) {
        return false;
    }
    Events_Add(sv->events, EVENT_PRINT, slot, 0, (vec3_t){0}, answer);
    return true;
}

void SV_MoveWatchers(sv_context_t *sv) {
    for (int32_t slot = 0; slot < sv->world->max_clients; slot++) {
        client_t *client = World_Client(sv->world, slot);
        if (client->watches == 0) {
            continue;
        }
        int32_t other = SV_ViewSlot(sv->world, slot);
        if (other == slot) {
            client->watches = 0;
        } else if (client->spectator) {
            edict_t *edict = World_Edict(sv->world, slot + 1);
            edict->origin = World_Edict(sv->world, other + 1)->origin;
            SV_LinkEdict(sv, edict, false);
            SV_PlayerFromEdict(sv, edict);
            World_MarkWritten(sv->world, edict);
        }
    }
}
