// Tests that every control message arrives as sent, and that any other bytes are refused or decode
// to a valid message.

#include "lib/testing.h"

#include "base/hash.h"

#include "base/rng.h"
#include "lib/states_fixture.h"
#include "proto/control.h"
#include "proto/event_codec.h"
#include "proto/msg.h"

#include <string.h>

static const control_type_t types[] = {
    CTL_HELLO,       CTL_READY,   CTL_SAY,      CTL_COMMAND,   CTL_LEAVE, CTL_WELCOME,
    CTL_REFUSED,     CTL_MAP,     CTL_MOVEVARS, CTL_PRINT,     CTL_CHAT,  CTL_EVENT,
    CTL_PLAYER_INFO, CTL_GOODBYE, CTL_CENTER,   CTL_SKELETONS, CTL_NAMES, CTL_FIELDS,
    CTL_USERINFO,    CTL_TICKET,  CTL_GET,      CTL_PIECE};

static bool is_from_client(control_type_t type) {
    return type < CTL_WELCOME;
}

static void random_text(rng_t *rng, char *text, uint32_t max_bytes) {
    uint32_t length = Rng_Below(rng, max_bytes);
    for (uint32_t i = 0; i < length; i++) {
        text[i] = (char)(0x20 + Rng_Below(rng, 0x5f));
    }
    text[length] = '\0';
}

static movevars_t random_movevars(rng_t *rng) {
    movevars_t vars = MoveVars_Default();
    vars.sv_gravity = Rng_Range(rng, 0.0f, 8000.0f);
    vars.sv_friction = Rng_Range(rng, 0.0f, 100.0f);
    vars.pm_step_ms = TestStates_Int(rng, 0, 100);
    return vars;
}

static void random_map(rng_t *rng, ctl_map_t *map) {
    map->epoch = (uint32_t)Rng_Next(rng);
    map->hash = Rng_Next(rng);
    map->tick = (int64_t)(Rng_Next(rng) % ((uint64_t)MSG_MAX_TICK + 1));
    map->rate_mhz = TestStates_Int(rng, TICKS_MIN_RATE_MHZ, TICKS_MAX_RATE_MHZ);
    snprintf(map->name, sizeof map->name, "map_%u-+.x", Rng_Below(rng, 1000));
    map->packed = TestStates_Int(rng, 1, MAX_DOWNLOAD_BYTES);
    map->size = TestStates_Int(rng, 1, MAX_DOWNLOAD_BYTES);
    map->pack_hash = Rng_Next(rng);
    snprintf(map->url, sizeof map->url, "http%s://x/%u", Rng_Below(rng, 2) == 1 ? "s" : "",
             Rng_Below(rng, 1000));
    map->vars = random_movevars(rng);
}

static void random_piece(rng_t *rng, ctl_piece_t *piece) {
    piece->offset = TestStates_Int(rng, 0, MAX_DOWNLOAD_BYTES);
    piece->size = TestStates_Int(rng, 1, CTL_PIECE_BYTES);
    for (int32_t i = 0; i < piece->size; i++) {
        piece->data[i] = (uint8_t)Rng_Next(rng);
    }
}

static void random_table(rng_t *rng, ctl_names_t *names) {
    char *at = names->texts;
    int32_t cost = 0;
    names->table = TestStates_Int(rng, 0, NAMES_TABLES - 1);
    names->first = TestStates_Int(rng, 1, NAMES_MAX - 1);
    const int32_t count = TestStates_Int(rng, 1, NAMES_MAX - names->first);
    for (; names->count < count; names->count++) {
        char text[NAME_TEXT_BYTES];
        random_text(rng, text, NAME_TEXT_BYTES - 1);
        strlcat(text, "x", sizeof text);
        cost += Names_Cost(text);
        if (cost > CTL_NAMES_BYTES) {
            break;
        }
        at += strlcpy(at, text, sizeof text) + 1;
    }
}

static void random_skeletons(rng_t *rng, ctl_skeletons_t *models) {
    models->count = TestStates_Int(rng, 0, CTL_MAX_SKELETONS);
    for (int32_t i = 0; i < models->count; i++) {
        models->hashes[i] = Rng_Next(rng);
        random_text(rng, models->names[i], CTL_SKELETON_NAME_BYTES);
    }
}

static void random_fields(rng_t *rng, field_schema_t *schema) {
    for (int32_t scope = 0; scope < SCOPE_COUNT; scope++) {
        schema->scopes[scope].count = TestStates_Int(rng, 0, MAX_SENT_FIELDS);
        for (int32_t i = 0; i < schema->scopes[scope].count; i++) {
            sent_field_t *field = &schema->scopes[scope].list[i];
            random_text(rng, field->name, SENT_NAME_BYTES - 1);
            strcat(field->name, "x"); // not empty
            field->type = (uint8_t)Rng_Below(rng, SENT_TYPE_COUNT);
            field->flags = (uint8_t)Rng_Below(rng, 256);
            if (field->type == SENT_INT || field->type == SENT_STEPS) {
                field->lo = -TestStates_Int(rng, 0, INT32_MAX);
                field->hi = TestStates_Int(rng, 0, INT32_MAX);
            }
            field->step = field->type == SENT_STEPS ? Rng_Range(rng, 0.01f, 9.0f) : 0.0f;
        }
    }
}

static void random_infos(rng_t *rng, ctl_infos_t *infos) {
    infos->count = TestStates_Int(rng, 0, MAX_INFO_KEYS);
    for (int32_t i = 0; i < infos->count; i++) {
        random_text(rng, infos->list[i].key, CTL_INFO_KEY_BYTES);
        random_text(rng, infos->list[i].value, MAX_INFO_BYTES);
    }
}

static void random_player(rng_t *rng, ctl_player_info_t *info) {
    info->slot = TestStates_Int(rng, 0, PROTO_MAX_CLIENTS - 1);
    info->inuse = Rng_Below(rng, 4) > 0;
    if (info->inuse) {
        info->spectator = Rng_Below(rng, 2) == 1;
        info->is_lost = Rng_Below(rng, 2) == 1;
        random_text(rng, info->name, MAX_NAME_BYTES);
        random_infos(rng, &info->infos);
    }
}

static void random_hello(rng_t *rng, ctl_hello_t *hello) {
    hello->version = PROTO_VERSION;
    hello->spectator = Rng_Below(rng, 2) == 1;
    random_text(rng, hello->name, MAX_NAME_BYTES);
    random_text(rng, hello->password, CTL_PASSWORD_BYTES);
    random_text(rng, hello->token, CTL_TOKEN_BYTES);
    hello->rejoin = (rejoin_key_t){{Rng_Next(rng), Rng_Next(rng)}};
}

static void random_welcome(rng_t *rng, ctl_welcome_t *welcome) {
    welcome->version = PROTO_VERSION;
    welcome->max_clients = TestStates_Int(rng, 1, PROTO_MAX_CLIENTS);
    welcome->slot = TestStates_Int(rng, 0, welcome->max_clients - 1);
    random_text(rng, welcome->server, MAX_TEXT_BYTES);
    welcome->is_back = Rng_Below(rng, 2) == 1;
    welcome->grace_ms = TestStates_Int(rng, 0, CTL_MAX_GRACE_MS);
    welcome->rejoin = (rejoin_key_t){{Rng_Next(rng), Rng_Next(rng)}};
}

static game_event_t random_event(rng_t *rng) {
    game_event_t event = {.kind = TestStates_Int(rng, GAME_SOUND, GAME_EFFECT),
                          .number = TestStates_Int(rng, 1, NAMES_MAX - 1),
                          .entity = TestStates_Int(rng, 0, MAX_EDICTS - 1),
                          .has_origin = Rng_Below(rng, 2) == 1,
                          .origin = {Rng_Range(rng, -65536.0f, 65536.0f), -0.0f, 1e-40f},
                          .range = TestStates_Int(rng, 0, GAME_EVENT_MAX_RANGE),
                          .volume = Rng_Range(rng, 0.0f, 1.0f),
                          .num_args = 1,
                          .args = {(int32_t)Rng_Next(rng)}};
    assert_true(GameEvent_Clamp(&event));
    return event;
}

static control_msg_t random_message(rng_t *rng, control_type_t type) {
    control_msg_t msg;
    memset(&msg, 0, sizeof msg);
    msg.type = type;
    switch (type) {
    case CTL_HELLO:
        random_hello(rng, &msg.u.hello);
        break;
    case CTL_READY:
        msg.u.ready.epoch = (uint32_t)Rng_Next(rng);
        msg.u.ready.has_map = Rng_Below(rng, 2) == 1;
        break;
    case CTL_LEAVE:
        break;
    case CTL_GET:
        msg.u.get.epoch = (uint32_t)Rng_Next(rng);
        msg.u.get.offset = TestStates_Int(rng, 0, MAX_DOWNLOAD_BYTES);
        break;
    case CTL_PIECE:
        random_piece(rng, &msg.u.piece);
        break;
    case CTL_WELCOME:
        random_welcome(rng, &msg.u.welcome);
        break;
    case CTL_REFUSED:
        msg.u.refused.version = Rng_Below(rng, 65536);
        random_text(rng, msg.u.refused.text, MAX_TEXT_BYTES);
        break;
    case CTL_MAP:
        random_map(rng, &msg.u.map);
        break;
    case CTL_MOVEVARS:
        msg.u.movevars.tick = (int64_t)Rng_Below(rng, 1000000);
        msg.u.movevars.vars = random_movevars(rng);
        break;
    case CTL_CHAT:
        msg.u.chat.team = Rng_Below(rng, 2) == 1;
        msg.u.chat.slot = TestStates_Int(rng, -1, PROTO_MAX_CLIENTS - 1);
        random_text(rng, msg.u.chat.text, MAX_TEXT_BYTES);
        break;
    case CTL_EVENT:
        msg.u.event.tick = (int64_t)Rng_Below(rng, 1000000);
        msg.u.event.event = random_event(rng);
        break;
    case CTL_PLAYER_INFO:
        random_player(rng, &msg.u.player_info);
        break;
    case CTL_USERINFO:
        random_infos(rng, &msg.u.userinfo);
        break;
    case CTL_SKELETONS:
        random_skeletons(rng, &msg.u.skeletons);
        break;
    case CTL_NAMES:
        random_table(rng, &msg.u.names);
        break;
    case CTL_FIELDS:
        random_fields(rng, &msg.u.fields);
        break;
    default:
        msg.u.text.team = type == CTL_SAY && Rng_Below(rng, 2) == 1;
        random_text(rng, msg.u.text.text, MAX_TEXT_BYTES);
        break;
    }
    return msg;
}

// Compares the written bytes, because bytes after the ends of texts do not matter.
static void assert_same(const control_msg_t *a, const control_msg_t *b) {
    uint8_t data_a[MAX_MESSAGE_BYTES];
    uint8_t data_b[MAX_MESSAGE_BYTES];
    size_t size = CTL_Write(a, data_a);
    assert_int_equal(CTL_Write(b, data_b), size);
    assert_memory_equal(data_a, data_b, size);
}

static void test_round_trips(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        rng_t rng = {seed};
        for (size_t i = 0; i < COUNTOF(types); i++) {
            control_msg_t msg = random_message(&rng, types[i]);
            control_msg_t back;
            uint8_t data[MAX_MESSAGE_BYTES];
            err_t err;
            size_t size = CTL_Write(&msg, data);
            if (!CTL_Read(&back, is_from_client(types[i]), data, size, &err)) {
                fail_msg("seed %llu: %s", (unsigned long long)seed, err.text);
            }
            assert_memory_equal(&back, &msg, sizeof msg);
            assert_false(CTL_Read(&back, !is_from_client(types[i]), data, size, &err));
            data[size] = 0;
            assert_false(CTL_Read(&back, is_from_client(types[i]), data, size + 1, &err));
        }
    }
}

static void test_every_truncation_is_refused(void **state) {
    (void)state;
    rng_t rng = {7};
    for (size_t i = 0; i < COUNTOF(types); i++) {
        control_msg_t msg = random_message(&rng, types[i]);
        control_msg_t back;
        uint8_t data[MAX_MESSAGE_BYTES];
        err_t err;
        size_t size = CTL_Write(&msg, data);
        for (size_t cut = 0; cut < size; cut++) {
            uint8_t *exact = malloc(cut + 1); // exact size: ASan sees each read beyond its end
            memcpy(exact, data, cut);
            err.text[0] = '\0';
            assert_false(CTL_Read(&back, is_from_client(types[i]), exact, cut, &err));
            assert_true(err.text[0] != '\0');
            assert_int_equal(back.type, 0);
            free(exact);
        }
    }
}

static void test_every_flipped_bit_is_refused_or_valid(void **state) {
    (void)state;
    rng_t rng = {8};
    int32_t refused = 0;
    int32_t valid = 0;
    for (size_t i = 0; i < COUNTOF(types); i++) {
        control_msg_t msg = random_message(&rng, types[i]);
        uint8_t data[MAX_MESSAGE_BYTES];
        size_t size = CTL_Write(&msg, data);
        for (size_t bit = 0; bit < size * 8; bit++) {
            control_msg_t back;
            control_msg_t again;
            uint8_t rewritten[MAX_MESSAGE_BYTES];
            data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
            for (int32_t side = 0; side < 2; side++) {
                if (CTL_Read(&back, side == 0, data, size, NULL)) {
                    size_t new_size = CTL_Write(&back, rewritten);
                    assert_true(CTL_Read(&again, side == 0, rewritten, new_size, NULL));
                    assert_same(&back, &again);
                    valid++;
                } else {
                    refused++;
                }
            }
            data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        }
    }
    assert_true(refused > 1000);
    assert_true(valid > 1000);
}

static void test_hello_of_another_version(void **state) {
    (void)state;
    control_msg_t msg = {.type = CTL_HELLO};
    control_msg_t back;
    uint8_t data[MAX_MESSAGE_BYTES] = {0};
    msg.u.hello.version = PROTO_VERSION + 1;
    size_t size = CTL_Write(&msg, data);
    memset(data + size, 0xa5, 100); // bytes of an unknown version
    assert_true(CTL_Read(&back, true, data, size + 100, NULL));
    assert_int_equal(back.u.hello.version, PROTO_VERSION + 1);
    assert_string_equal(back.u.hello.name, "");
    data[1] ^= 1; // wrong magic number
    assert_false(CTL_Read(&back, true, data, size, NULL));
}

static void test_values_that_cannot_be(void **state) {
    (void)state;
    rng_t rng = {9};
    control_msg_t back;
    uint8_t data[MAX_MESSAGE_BYTES];
    err_t err;

    control_msg_t msg = random_message(&rng, CTL_WELCOME);
    msg.u.welcome.slot = 9;
    msg.u.welcome.max_clients = 9;
    assert_false(CTL_Read(&back, false, data, CTL_Write(&msg, data), &err));
    assert_non_null(strstr(err.text, "a slot below 9, found 9"));
    msg.u.welcome.slot = 8;
    msg.u.welcome.version = PROTO_VERSION + 1;
    assert_false(CTL_Read(&back, false, data, CTL_Write(&msg, data), &err));
    assert_non_null(strstr(err.text, "version"));

    // Test a movevar out of its range, and NaN. The movevars are the last 56 bytes of a MOVEVARS.
    msg = random_message(&rng, CTL_MOVEVARS);
    const float bad[] = {-1.0f, 9000.0f, NAN, INFINITY};
    for (size_t i = 0; i < COUNTOF(bad); i++) {
        size_t size = CTL_Write(&msg, data);
        memcpy(data + size - sizeof(movevars_t), &bad[i], sizeof bad[i]);
        assert_false(CTL_Read(&back, false, data, size, &err));
        assert_non_null(strstr(err.text, "vars"));
    }
}

// A field needs a name, a known type, a range from low to high and a step above 0.
static void test_fields_that_cannot_be(void **state) {
    (void)state;
    control_msg_t msg = {.type = CTL_FIELDS};
    control_msg_t back;
    uint8_t data[MAX_MESSAGE_BYTES];
    sent_fields_t *edicts = &msg.u.fields.scopes[SCOPE_EDICT];
    edicts->count = 1;
    edicts->list[0] = (sent_field_t){
        .name = "a", .type = SENT_STEPS, .flags = 1, .lo = -1, .hi = 1, .step = 0.5f};
    // 8 bits type, 6 count, 16 + 8 name, 3 type, 8 flags, 32 lo, 32 hi, 32 step, 2 * 6 counts
    const size_t size = CTL_Write(&msg, data);
    assert_int_equal(size, (8 + 6 + 24 + 3 + 8 + 96 + 12 + 7) / 8);
    assert_true(CTL_Read(&back, false, data, size, NULL));
    assert_memory_equal(&back.u.fields, &msg.u.fields, sizeof msg.u.fields);
    static const struct {
        size_t bit;
        const char *why;
    } flips[] = {
        {14, "an empty name"},    // its length was 1
        {40, "type 6"},           // it was 2
        {49 + 31, "lo above hi"}, // lo was -1
        {49 + 64 + 31, "a step below 0"},
    };
    for (size_t i = 0; i < COUNTOF(flips); i++) {
        data[flips[i].bit / 8] ^= (uint8_t)(1u << flips[i].bit % 8);
        if (CTL_Read(&back, false, data, size, NULL)) {
            fail_msg("%s was accepted", flips[i].why);
        }
        data[flips[i].bit / 8] ^= (uint8_t)(1u << flips[i].bit % 8);
    }
}

static void test_map_names(void **state) {
    (void)state;
    assert_true(CTL_MapNameIsSafe("arena"));
    assert_true(CTL_MapNameIsSafe("dm2.v1_x-y+Z"));
    assert_false(CTL_MapNameIsSafe(""));
    assert_false(CTL_MapNameIsSafe(".hidden"));
    assert_false(CTL_MapNameIsSafe("../arena"));
    assert_false(CTL_MapNameIsSafe("a/b"));
    assert_false(CTL_MapNameIsSafe("a b"));
    assert_false(CTL_MapNameIsSafe("a\\b"));

    rng_t rng = {10};
    control_msg_t msg = random_message(&rng, CTL_MAP);
    control_msg_t back;
    uint8_t data[MAX_MESSAGE_BYTES];
    snprintf(msg.u.map.name, sizeof msg.u.map.name, "../my map");
    assert_true(CTL_Read(&back, false, data, CTL_Write(&msg, data), NULL));
    assert_string_equal(back.u.map.name, "_._my_map");
}

static void test_what_a_game_says_always_arrives(void **state) {
    (void)state;
    control_msg_t msg = {.type = CTL_EVENT};
    control_msg_t back;
    uint8_t data[MAX_MESSAGE_BYTES];
    msg.u.event.event = (game_event_t){
        .kind = GAME_EFFECT, .number = 7, .has_origin = true, .origin = {NAN, INFINITY, -1e30f}};
    assert_true(CTL_Read(&back, false, data, CTL_Write(&msg, data), NULL));
    assert_true(VectorCompare(back.u.event.event.origin, Vector(-65536.0f, 65536.0f, -65536.0f)));
    msg = (control_msg_t){.type = CTL_PRINT};
    snprintf(msg.u.text.text, sizeof msg.u.text.text, "two\nlines\xff");
    assert_true(CTL_Read(&back, false, data, CTL_Write(&msg, data), NULL));
    assert_string_equal(back.u.text.text, "two?lines?");
    msg.type = CTL_CENTER; // the only text with lines
    snprintf(msg.u.text.text, sizeof msg.u.text.text, "two\nlines\r\x7f");
    assert_true(CTL_Read(&back, false, data, CTL_Write(&msg, data), NULL));
    assert_string_equal(back.u.text.text, "two\nlines??");
}

// Tests the hash of all bytes that 200 seeds write. If it changes, PROTO_VERSION must change.
static void test_bytes_stay(void **state) {
    (void)state;
    uint64_t hash = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        rng_t rng = {seed};
        for (size_t i = 0; i < COUNTOF(types); i++) {
            control_msg_t msg = random_message(&rng, types[i]);
            uint8_t data[MAX_MESSAGE_BYTES];
            hash = Hash_Bytes(data, CTL_Write(&msg, data), hash);
        }
    }
    assert_int_equal(hash, UINT64_C(0x4ef886ba51693234));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_every_truncation_is_refused),
        cmocka_unit_test(test_every_flipped_bit_is_refused_or_valid),
        cmocka_unit_test(test_hello_of_another_version),
        cmocka_unit_test(test_values_that_cannot_be),
        cmocka_unit_test(test_fields_that_cannot_be),
        cmocka_unit_test(test_map_names),
        cmocka_unit_test(test_what_a_game_says_always_arrives),
        cmocka_unit_test(test_bytes_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
