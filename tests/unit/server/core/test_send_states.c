// States that are kept from tick to tick equal those made anew, while edicts come, go, hide and
// change at random; and their versions change with them.

#include "core/interest.h"

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "base/rng.h"
#include "proto/entity_fields.h"
#include "world/link.h"

#include <stdio.h>
#include <string.h>

#define TICKS      1500
#define EDICTS     24   // that the test spawns, at most
#define MAX_STATES 2048 // of 1,024 edicts

typedef struct {
    entity_state_t states[MAX_STATES];
    uint16_t numbers[MAX_STATES];
    uint32_t versions[MAX_STATES];
    uint8_t audiences[MAX_STATES];
    settled_t settled[MAX_STATES / 2];
    uint64_t kept[MAX_EDICTS / 64];
    uint32_t last_version;
    int32_t count;
} saved_t;

typedef struct {
    test_net_t net;
    server_t *server;
    sv_context_t sv;
    rng_t rng;
    edict_ref_t edicts[EDICTS];
    saved_t before, now;
    int32_t num_kept, num_inserted, num_gone, num_exact;
} play_t;

static void begin(play_t *play) {
    char path[512];
    snprintf(path, sizeof path, "%s/maps/arena.bsp", Test_BuildFolder());
    TestNet_Init(&play->net, &(test_net_config_t){.seed = 5, .max_clients = 2, .map_file = path});
    TestNet_AddClient(&play->net, "player");
    assert_true(TestNet_WaitActive(&play->net, 10000));
    play->server = play->net.server;
    play->server->config.send_bones = SEND_BONES;
    play->sv = SV_Context(play->server->world, play->server->map, &play->server->game,
                          play->server->events);
    play->rng = (rng_t){11};
}

static void save(const server_t *server, saved_t *to) {
    to->count = server->num_states;
    to->last_version = server->last_version;
    memcpy(to->states, server->states, (size_t)to->count * sizeof to->states[0]);
    memcpy(to->numbers, server->numbers, (size_t)to->count * sizeof to->numbers[0]);
    memcpy(to->versions, server->versions, (size_t)to->count * sizeof to->versions[0]);
    memcpy(to->audiences, server->audiences, (size_t)to->count);
    memcpy(to->settled, server->settled, sizeof to->settled);
    memcpy(to->kept, server->kept, sizeof to->kept);
}

// Changes an edict without World_MarkWritten, as a game may by a pointer.
static void change(play_t *play, edict_t *edict) {
    const game_field_t *field = play->server->sent.fields[SCOPE_EDICT][0];
    const int32_t word = 1 + (int32_t)Rng_Below(&play->rng, 9);
    switch (Rng_Below(&play->rng, 7)) {
    case 0:
        edict->effects ^= 1;
        break;
    case 1:
        edict->visibility = (int16_t)Rng_Below(&play->rng, 4);
        break;
    case 2:
        memcpy(edict->game + field->offset, &word, sizeof word);
        break;
    case 3:
        edict->origin.z += 8.0f;
        break;
    case 4:
        edict->skeleton = edict->skeleton == 0 ? 1 : 0;
        break;
    case 5: // a crate that the player may reach, or not
        edict->movetype = MOVETYPE_STEP;
        edict->solid = SOLID_BBOX;
        edict->flags ^= FL_PUSHABLE;
        break;
    default:
        edict->solid = edict->solid == SOLID_NOT ? SOLID_TRIGGER : SOLID_NOT;
    }
}

// Spawns, removes or changes an edict in some ticks.
static void disturb(play_t *play) {
    edict_ref_t *ref = &play->edicts[Rng_Below(&play->rng, EDICTS)];
    edict_t *edict = World_Deref(play->server->world, *ref);
    const uint32_t dice = Rng_Below(&play->rng, 16);
    if (!edict && dice < 4) {
        edict = play->sv.engine->spawn(&play->sv);
        edict->movetype = MOVETYPE_NONE;
        edict->origin = World_Edict(play->server->world, 1)->origin;
        SV_LinkEdict(&play->sv, edict, false);
        *ref = World_Ref(play->server->world, edict);
    } else if (edict && dice == 0) {
        play->sv.engine->remove(&play->sv, edict);
    } else if (edict && dice < 6) {
        change(play, edict);
    }
}

// Runs a tick and returns with its states.
static void run(play_t *play) {
    const int64_t tick = play->server->world->tick;
    while (play->server->world->tick == tick) {
        TestNet_Step(&play->net);
    }
    play->before = play->now;
    save(play->server, &play->now);
}

// Makes all states anew and compares them. The next tick continues from those that were kept.
static void compare(play_t *play) {
    server_t *server = play->server;
    const saved_t *kept = &play->now;
    memset(server->settled, 0, sizeof kept->settled);
    server->num_states = 0;
    SendStates_Build(server);
    assert_int_equal(server->num_states, kept->count);
    for (int32_t i = 0; i < kept->count; i++) {
        assert_int_equal(kept->numbers[i], kept->states[i].number);
        assert_memory_equal(&kept->states[i], &server->states[i], sizeof kept->states[0]);
        assert_int_equal(kept->audiences[i], server->audiences[i]);
        assert_true((kept->versions[i] != 0) == (kept->audiences[i] == AUDIENCE_ALL));
    }
    memcpy(server->versions, kept->versions, (size_t)kept->count * sizeof kept->versions[0]);
    memcpy(server->settled, kept->settled, sizeof kept->settled);
    memcpy(server->kept, kept->kept, sizeof kept->kept);
    server->last_version = kept->last_version;
}

// Returns the index of the first state of an edict, or -1.
static int32_t find(const saved_t *saved, int32_t number) {
    for (int32_t i = 0; i < saved->count; i++) {
        if (saved->numbers[i] == number) {
            return i;
        }
    }
    return -1;
}

static void check_versions(play_t *play) {
    const saved_t *before = &play->before, *now = &play->now;
    for (int32_t i = 0; i < now->count; i++) {
        const int32_t last = find(before, now->numbers[i]);
        if (now->versions[i] != 0) {
            const bool is_same = last >= 0 && before->versions[last] != 0 &&
                                 Entity_Equal(&before->states[last], &now->states[i]);
            assert_int_equal(now->versions[i],
                             is_same ? before->versions[last] : now->last_version);
        }
        play->num_exact += now->audiences[i] == AUDIENCE_NEAR ? 1 : 0;
        play->num_inserted += last < 0 && i + 1 < now->count ? 1 : 0;
        play->num_kept += now->kept[now->numbers[i] / 64] >> (now->numbers[i] % 64) & 1 ? 1 : 0;
    }
    for (int32_t i = 0; i + 1 < before->count; i++) {
        play->num_gone += find(now, before->numbers[i]) < 0 ? 1 : 0;
    }
}

static void test_states_are_as_made_anew(void **state) {
    (void)state;
    static play_t play;
    begin(&play);
    run(&play);
    for (int32_t tick = 0; tick < TICKS; tick++) {
        disturb(&play);
        run(&play);
        check_versions(&play);
        compare(&play);
    }
    print_message("%d kept, %d inserted, %d gone, %d exact\n", play.num_kept, play.num_inserted,
                  play.num_gone, play.num_exact);
    assert_true(play.num_kept > 10 * TICKS && play.num_inserted > 20 && play.num_gone > 20 &&
                play.num_exact > 20);
    TestNet_Free(&play.net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_are_as_made_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
