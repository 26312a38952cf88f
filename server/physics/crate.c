/// physics/crate.c - players shove crates (FL_PUSHABLE).

#include "physics/physics_local.h"

#include "move/loose.h"
#include "world/client.h"

void SV_ShoveCrate(sv_context_t *sv, edict_t *player, edict_t *crate) {
    const client_t *client = World_ClientOf(sv->world, player);
    if (crate->movetype != MOVETYPE_STEP || !client) {
        return;
    }
    pm_shoved_t shoved = {.box = {crate->absmin, crate->absmax},
                          .velocity = crate->velocity,
                          .friction = crate->friction};
    const vec3_t before = player->velocity;
    const bounds_t box = {player->absmin, player->absmax};
    if (PM_Shove(&client->player, &player->velocity, box, &client->last_cmd,
                 sv->world->cvars.move.sv_maxspeed, &shoved)) {
        crate->velocity = shoved.velocity;
        World_MarkWritten(sv->world, crate);
        SV_WakeEdict(sv, crate);
    }
    if (!VectorCompare(before, player->velocity)) {
        World_MarkWritten(sv->world, player);
    }
}
