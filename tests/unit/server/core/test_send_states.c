// States and spots that are kept from tick to tick equal those made anew, while edicts come, go,
// hide and change at random; and versions change with the states. Ticks have 16 or 17 ms.
// EDICTD_LONG=1 plays 30 seeds.

#include "core/interest.h"

#include "lib/net_fixture.h"
#include "lib/testing.h"

#include "base/rng.h"
#include "proto/entity_fields.h"
#include "world/bits.h"
#include "world/link.h"

#include <stdio.h>
#include <string.h>

#define TICKS      1500
#define EDICTS     24   // that the test spawns, at most
#define MAX_STATES 2048 // of 1,024 edicts
#define MAX_FIELDS 256  // of an edict, at most
#define REST_TICKS 15   // until the need of an edict that moved has faded

typedef struct {
    entity_state_t states[MAX_STATES];
    uint16_t numbers[MAX_STATES];
    uint32_t versions[MAX_STATES];
    uint8_t audiences[MAX_STATES];
    uint8_t private_words[MAX_STATES];
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
    moved_t moved[MAX_STATES / 2]; // before the tick
    int32_t num_kept, num_inserted, num_gone, num_exact;
} play_t;

static void begin(play_t *play, uint64_t seed) {
    char path[512];
    memset(play, 0, sizeof *play);
    snprintf(path, sizeof path, "%s/maps/arena.bsp", Test_BuildFolder());
    TestNet_Init(&play->net, &(test_net_config_t){
                                 .seed = 5, .rate_hz = 62.0f, .max_clients = 2, .map_file = path});
    TestNet_AddClient(&play->net, "player");
    assert_true(TestNet_WaitActive(&play->net, 10000));
    play->server = play->net.server;
    play->server->config.send_bones = SEND_BONES;
    play->sv = SV_Context(play->server->world, play->server->map, &play->server->game,
                          play->server->events);
    play->rng = (rng_t){seed};
}

static void save(const server_t *server, saved_t *to) {
    to->count = server->num_states;
    to->last_version = server->last_version;
    memcpy(to->states, server->states, (size_t)to->count * sizeof to->states[0]);
    memcpy(to->numbers, server->numbers, (size_t)to->count * sizeof to->numbers[0]);
    memcpy(to->versions, server->versions, (size_t)to->count * sizeof to->versions[0]);
    memcpy(to->audiences, server->audiences, (size_t)to->count);
    memcpy(to->private_words, server->private_words, (size_t)to->count);
    memcpy(to->settled, server->settled, sizeof to->settled);
    memcpy(to->kept, server->kept, sizeof to->kept);
}

static int32_t below(play_t *play, int32_t count) {
    return (int32_t)Rng_Below(&play->rng, (uint32_t)count);
}

static edict_t *any_edict(play_t *play) {
    const world_t *world = play->server->world;
    return World_Edict(world, 1 + below(play, world->num_edicts - 1));
}

// Sets one of the fields that clients receive.
static void change_field(play_t *play, edict_t *edict) {
    const int32_t row = below(play, play->server->sent.schema.scopes[SCOPE_EDICT].count);
    const game_field_t *field = play->server->sent.fields[SCOPE_EDICT][row];
    const edict_ref_t ref = World_Ref(play->server->world, any_edict(play));
    const int32_t word = below(play, 9);
    if (field->type == FIELD_REF) {
        memcpy(edict->game + field->offset, &ref, sizeof ref);
    } else {
        memcpy(edict->game + field->offset, &word, sizeof word);
    }
}

static void change_look(play_t *play, edict_t *edict) {
    switch (below(play, 8)) {
    case 0:
        edict->effects ^= 1;
        break;
    case 1:
        edict->visibility = (int16_t)below(play, 4);
        break;
    case 2:
        edict->skeleton = edict->skeleton == 0 ? 1 : 0;
        break;
    case 3:
        edict->modelindex = below(play, 4);
        break;
    case 4:
        edict->classname = any_edict(play)->classname;
        break;
    case 5:
        edict->type = (int16_t)below(play, 3);
        break;
    case 6:
        edict->owner = World_Ref(play->server->world, World_Edict(play->server->world, 1));
        break;
    default:
        change_field(play, edict);
    }
}

static void change_body(play_t *play, edict_t *edict) {
    switch (below(play, 9)) {
    case 0:
        edict->origin.z += 8.0f;
        break;
    case 1:
        edict->angles.y += 20.0f;
        break;
    case 2:
        edict->velocity.x = (float)below(play, 3) * 15.5f;
        break;
    case 3:
        edict->maxs.z += 1.0f;
        break;
    case 4:
        edict->model = below(play, 4);
        break;
    case 5:
        edict->contents = CONTENTS_WATER - below(play, 3);
        break;
    case 6:
        edict->surface_velocity.x += 5.0f;
        break;
    case 7:
        edict->friction = 0.5f;
        break;
    default:
        edict->solid = edict->solid == SOLID_NOT ? SOLID_TRIGGER : SOLID_NOT;
    }
}

static void change_movement(play_t *play, edict_t *edict) {
    const world_t *world = play->server->world;
    edict_t *other = any_edict(play);
    const bool is_free = other->inuse && other != edict && other->movetype != MOVETYPE_FOLLOW;
    switch (below(play, 6)) {
    case 0: // a crate that the player may reach, or not
        edict->movetype = MOVETYPE_STEP;
        edict->solid = SOLID_BBOX;
        edict->flags ^= FL_PUSHABLE;
        break;
    case 1:
        edict->groundentity = is_free ? World_Ref(world, other) : (edict_ref_t){0};
        edict->flags &= ~(uint32_t)FL_ONGROUND;
        edict->flags |= is_free ? FL_ONGROUND : 0;
        edict->movetype = MOVETYPE_TOSS;
        break;
    case 2:
        edict->movetype = MOVETYPE_PUSH;
        edict->solid = SOLID_BSP;
        break;
    case 3:
        edict->motion = (motion_t){.kind = edict->motion.kind ? MOTION_NONE : MOTION_MOVE,
                                   .start_ms = world->time_ms,
                                   .base = {edict->origin, edict->angles},
                                   .duration_ms = 100000};
        break;
    case 4:
        edict->movetype = is_free ? MOVETYPE_FOLLOW : MOVETYPE_NONE;
        edict->aiment = is_free ? World_Ref(world, other) : (edict_ref_t){0};
        break;
    default:
        edict->movetype = MOVETYPE_NONE;
    }
}

// Changes an edict without World_MarkWritten, as a game may by a pointer.
static void change(play_t *play, edict_t *edict) {
    switch (below(play, 3)) {
    case 0:
        change_look(play, edict);
        break;
    case 1:
        change_body(play, edict);
        break;
    default:
        change_movement(play, edict);
    }
}

// Adds an edict at the player's place.
static edict_t *add(play_t *play) {
    edict_t *edict = play->sv.engine->spawn(&play->sv);
    edict->movetype = MOVETYPE_NONE;
    edict->origin = World_Edict(play->server->world, 1)->origin;
    SV_LinkEdict(&play->sv, edict, false);
    return edict;
}

// Spawns, removes or changes an edict in some ticks.
static void disturb(play_t *play) {
    edict_ref_t *ref = &play->edicts[Rng_Below(&play->rng, EDICTS)];
    edict_t *edict = World_Deref(play->server->world, *ref);
    const uint32_t dice = Rng_Below(&play->rng, 16);
    if (!edict && dice < 4) {
        *ref = World_Ref(play->server->world, add(play));
    } else if (edict && dice == 0) {
        play->sv.engine->remove(&play->sv, edict);
    } else if (edict && dice < 10) {
        change(play, edict);
    }
}

// Runs a tick and returns with its states.
static void run(play_t *play) {
    const int64_t tick = play->server->world->tick;
    memcpy(play->moved, play->server->moved, sizeof play->moved);
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
        assert_int_equal(kept->private_words[i], server->private_words[i]);
        assert_true((kept->versions[i] != 0) == (kept->audiences[i] == AUDIENCE_ALL));
    }
    memcpy(server->versions, kept->versions, (size_t)kept->count * sizeof kept->versions[0]);
    memcpy(server->settled, kept->settled, sizeof kept->settled);
    memcpy(server->kept, kept->kept, sizeof kept->kept);
    server->last_version = kept->last_version;
}

// Compares the spots with spots that are made anew. Restores the kept ones for the next tick.
static void compare_spots(play_t *play) {
    static spot_t spots[MAX_STATES];
    static moved_t moved[MAX_STATES / 2];
    server_t *server = play->server;
    memcpy(spots, server->spots, sizeof spots);
    memcpy(moved, server->moved, sizeof moved);
    memcpy(server->moved, play->moved, sizeof moved);
    memset(server->kept, 0, sizeof server->kept);
    SendOrder_Build(server);
    for (int32_t i = 0; i < server->num_states; i++) {
        assert_int_equal(spots[i].number, server->numbers[i]);
        assert_memory_equal(&spots[i], &server->spots[i], sizeof spots[0]);
    }
    assert_memory_equal(moved, server->moved, sizeof moved);
    memcpy(server->spots, spots, sizeof spots);
    memcpy(server->kept, play->now.kept, sizeof server->kept);
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

// Runs ticks and checks each of them.
static void check(play_t *play, int32_t ticks) {
    for (int32_t i = 0; i < ticks; i++) {
        run(play);
        check_versions(play);
        compare_spots(play);
        compare(play);
    }
}

static void test_states_are_as_made_anew(void **state) {
    (void)state;
    static play_t play;
    const int32_t ticks = Test_IsSlow() ? TICKS / 3 : TICKS;
    for (int32_t seed = 1; seed <= (Test_IsLong() ? 30 : 2); seed++) {
        begin(&play, (uint64_t)seed);
        run(&play);
        for (int32_t tick = 0; tick < ticks; tick++) {
            disturb(&play);
            check(&play, 1);
        }
        print_message("%d kept, %d inserted, %d gone, %d exact\n", play.num_kept, play.num_inserted,
                      play.num_gone, play.num_exact);
        assert_true(play.num_kept > 10 * ticks && play.num_inserted > ticks / 100 &&
                    play.num_gone > ticks / 100 && play.num_exact > ticks / 100);
        TestNet_Free(&play.net);
    }
}

// An edict that moves while an edict before it is hidden returns to its old index.
static void test_an_old_index(void **state) {
    (void)state;
    static play_t play;
    begin(&play, 1);
    edict_t *low = add(&play);
    edict_t *high = add(&play);
    while (World_EdictNumber(play.server->world, high) < play.server->world->num_edicts - 1) {
        high = add(&play); // not the last one yet
    }
    const int32_t number = World_EdictNumber(play.server->world, high);
    run(&play);
    check(&play, REST_TICKS);
    const int32_t index = play.now.count - 1;
    assert_int_equal(play.now.numbers[index], number);
    low->visibility = VISIBLE_NOBODY;
    high->origin.z += 40.0f;
    check(&play, REST_TICKS);
    assert_int_equal(find(&play.now, number), index - 1);
    assert_true(Bits_Get(play.now.kept, number));
    low->visibility = VISIBLE_ALL;
    check(&play, 3);
    assert_int_equal(find(&play.now, number), index);
    TestNet_Free(&play.net);
}

// Clients receive a hidden pusher only while a pusher rides on it.
static void test_a_hidden_parent(void **state) {
    (void)state;
    static play_t play;
    begin(&play, 1);
    edict_t *edicts[] = {add(&play), add(&play), add(&play)}; // a parent and its children
    const int32_t number = World_EdictNumber(play.server->world, edicts[0]);
    edicts[0]->visibility = VISIBLE_NOBODY;
    for (int32_t i = 0; i < 3; i++) {
        edicts[i]->movetype = MOVETYPE_PUSH;
        assert_true(i == 0 || play.sv.engine->pusher_glue(&play.sv, edicts[i], edicts[0]));
    }
    run(&play);
    assert_true(find(&play.now, number) >= 0);
    for (int32_t i = 1; i < 3; i++) {
        edicts[i]->movetype = MOVETYPE_NONE;
        run(&play);
        assert_true((find(&play.now, number) >= 0) == (i == 1));
    }
    TestNet_Free(&play.net);
}

// After a game is replaced, only the owner may receive a field that all clients received before.
static void test_another_game(void **state) {
    (void)state;
    static play_t play;
    static game_field_t fields[MAX_FIELDS];
    err_t err;
    begin(&play, 1);
    const game_export_t *game = Server_Game(play.server);
    game_export_t other = *game;
    edict_t *edict = add(&play);
    assert_in_range(game->edict_fields.count, 1, MAX_FIELDS);
    for (int32_t i = 0; i < game->edict_fields.count; i++) {
        fields[i] = game->edict_fields.list[i];
        if (fields[i].flags & FIELD_ALL) {
            fields[i].flags = (fields[i].flags & ~FIELD_ALL) | FIELD_OWNER;
            edict->game[fields[i].offset] = fields[i].type == FIELD_INT ? 1 : 0;
        }
    }
    other.edict_fields.list = fields;
    run(&play);
    check(&play, REST_TICKS);
    const int32_t number = World_EdictNumber(play.server->world, edict);
    assert_true(Bits_Get(play.now.kept, number));
    assert_int_equal(play.now.private_words[find(&play.now, number)], 0);
    assert_true(Server_SetGame(play.server, &other, false, &err));
    check(&play, 1);
    assert_int_not_equal(play.now.private_words[find(&play.now, number)], 0);
    TestNet_Free(&play.net);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_are_as_made_anew),
        cmocka_unit_test(test_an_old_index),
        cmocka_unit_test(test_a_hidden_parent),
        cmocka_unit_test(test_another_game),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
