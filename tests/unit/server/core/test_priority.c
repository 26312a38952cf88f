// Tests the order of a crowd's entities in full snapshots: nobody starves, near and changed ones
// come first, and the order is always the same.

#include "core/priority.h"

#include "lib/testing.h"
#include "world/bits.h"

#include <stdlib.h>
#include <string.h>

#define CROWD       1000
#define CROWD_WORDS (CROWD / 64 + 1)
#define ROOM        100 // records in a snapshot of MAX_PACKET_BYTES
#define EVERY_TICKS 3   // 20.8 snapshots/s at 62.5 Hz
#define RATE_MHZ    62500

typedef struct {
    priority_t priority;
    round_t own_round, *round;
    turn_t turn;
    spot_t spots[CROWD];
    int64_t sent[CROWD];  // tick of the last record
    int32_t turns[CROWD]; // with a record
    int32_t longest_ticks;
    int32_t lag_ticks; // until an acknowledgement
    bool has_rounds;   // while there is a crowd
    int32_t num_listed, num_rounds;
    spot_t listed[CROWD];
    uint64_t aside[CROWD_WORDS];
} crowd_t;

// A hall of 4,096 qu with the client in its middle.
static crowd_t *new_crowd(void) {
    crowd_t *crowd = calloc(1, sizeof *crowd);
    assert_non_null(crowd);
    for (int32_t i = 0; i < CROWD; i++) {
        crowd->spots[i].number = (uint16_t)(i + 1);
        crowd->spots[i].need = 8;
        crowd->spots[i].origin = (vec3_t){(float)(i * 37 % CROWD) * 4.0f - 2000.0f,
                                          (float)(i * 91 % CROWD) * 4.0f - 2000.0f, 0.0f};
    }
    crowd->round = &crowd->own_round;
    crowd->turn.forward = (vec3_t){1.0f, 0.0f, 0.0f};
    crowd->turn.rate_mhz = RATE_MHZ;
    crowd->turn.spots = crowd->spots;
    crowd->turn.count = CROWD;
    crowd->lag_ticks = EVERY_TICKS;
    return crowd;
}

// Lists the entities of a turn of which the client has all, so that all may wait.
static void list_round(crowd_t *crowd) {
    turn_t *turn = &crowd->turn;
    const float near_qu = crowd->priority.near_qu;
    memset(crowd->aside, 0xff, sizeof crowd->aside);
    for (int32_t i = 0; i < CROWD; i++) {
        const vec3_t to = VectorSubtract(crowd->spots[i].origin, turn->eye);
        if (DotProduct(to, to) < near_qu * near_qu) {
            Bits_Clear(crowd->aside, i + 1);
        }
    }
    Priority_SetAside(&crowd->priority, crowd->round, turn, crowd->aside, CROWD_WORDS);
    turn->count = 0;
    for (int32_t i = 0; i < CROWD; i++) {
        if (!Bits_Get(crowd->aside, i + 1)) {
            crowd->listed[turn->count++] = crowd->spots[i];
        }
    }
    turn->spots = crowd->listed;
    crowd->num_listed += turn->count;
    crowd->num_rounds++;
}

// Runs a turn in which every `step`-th entity has changed, and `room` records fit.
static void run_turn(crowd_t *crowd, int32_t step, int32_t room) {
    turn_t *turn = &crowd->turn;
    turn->tick += EVERY_TICKS;
    turn->base_tick = turn->tick > crowd->lag_ticks ? turn->tick - crowd->lag_ticks : 0;
    turn->aside = NULL;
    turn->num_aside = 0;
    memset(crowd->aside, 0xff, sizeof crowd->aside);
    for (int32_t i = 0; i < EVERY_TICKS && crowd->round == &crowd->own_round; i++) {
        Priority_Advance(crowd->round, EVERY_TICKS, crowd->aside, CROWD_WORDS);
    }
    if (crowd->has_rounds && crowd->priority.is_crowd) {
        list_round(crowd);
    } else if (crowd->has_rounds) {
        turn->spots = crowd->spots;
        turn->count = CROWD;
    }
    Priority_Order(&crowd->priority, turn);
    for (int32_t n = 0; n < turn->count; n++) {
        const int32_t i = turn->spots[turn->order[n]].number - 1;
        const bool is_changed = i % step == 0;
        turn->fates[turn->order[n]] = (uint8_t)(!is_changed  ? ITEM_SAME
                                                : room-- > 0 ? ITEM_SENT
                                                             : ITEM_DEFERRED);
        if (turn->fates[turn->order[n]] == ITEM_SENT) {
            crowd->sent[i] = turn->tick;
            crowd->turns[i]++;
        }
    }
    for (int32_t i = 0; i < turn->spots[turn->count - 1].number; i += step) {
        crowd->longest_ticks = Q_MaxI(crowd->longest_ticks, (int32_t)(turn->tick - crowd->sent[i]));
    }
    turn->num_spare = Q_MaxI(room, 0);
    Priority_Note(&crowd->priority, crowd->round, turn);
}

static void test_nobody_starves(void **state) {
    (void)state;
    static const struct {
        int32_t step, lag_ticks, max_ms;
        bool has_rounds;
    } rows[] = {{1, 1, 700, false}, {1, 3, 700, false}, {1, 6, 1000, false},
                {2, 3, 600, false}, {1, 1, 700, true},  {1, 3, 700, true},
                {1, 6, 1400, true}, {2, 3, 600, true},  {1, 100000, 2000, false}};
    for (size_t row = 0; row < COUNTOF(rows); row++) {
        crowd_t *crowd = new_crowd();
        crowd->lag_ticks = rows[row].lag_ticks;
        crowd->has_rounds = rows[row].has_rounds;
        for (int32_t i = 0; i < CROWD; i += 3) {
            crowd->spots[i].need = (uint16_t)(1 + i % 24); // items to players in a fight
        }
        for (int32_t n = 0; n < 300; n++) {
            if (rows[row].has_rounds && n == 50) { // the rounds have begun
                crowd->priority.longest_wait_ms = crowd->longest_ticks = 0;
                crowd->num_listed = crowd->num_rounds = 0;
            }
            run_turn(crowd, rows[row].step, ROOM);
            for (int32_t i = 0; i < CROWD; i += 7) { // players run about
                crowd->spots[i].origin.x = (float)((i * 37 + n * 13) % 4000) - 2000.0f;
            }
        }
        print_message("acknowledged after %d ticks: longest wait %d ms, longest gap %d ms\n",
                      rows[row].lag_ticks, crowd->priority.longest_wait_ms,
                      crowd->longest_ticks * 16);
        assert_true(crowd->priority.longest_wait_ms > 0);
        assert_true(crowd->priority.longest_wait_ms <= rows[row].max_ms);
        assert_true(crowd->longest_ticks * 16 <= rows[row].max_ms + EVERY_TICKS * 16);
        assert_true(!rows[row].has_rounds || crowd->num_rounds == 250);
        assert_true(crowd->num_listed <= 3 * ROOM * crowd->num_rounds); // not the whole crowd
        free(crowd);
    }
}

// Tests that clients with enough room take the same numbers, and that one with little room misses
// none while the round of the others is faster.
static void test_clients_are_in_step(void **state) {
    (void)state;
    enum { CLIENTS = 6, SLOW = 5, SLOW_ROOM = 25, TURNS = 600, HALF = TURNS / 2 };
    crowd_t *crowds[CLIENTS];
    int32_t in_step = 0;
    for (int32_t k = 0; k < CLIENTS; k++) {
        crowds[k] = new_crowd();
        crowds[k]->round = &crowds[0]->own_round;
        crowds[k]->has_rounds = true;
        crowds[k]->turn.eye.x = 300.0f * (float)k; // others are near
    }
    for (int32_t n = 0; n < TURNS; n++) {
        for (int32_t k = 0; k < CLIENTS; k++) {
            crowds[k]->longest_ticks = n == HALF ? 0 : crowds[k]->longest_ticks;
            run_turn(crowds[k], 1, k == SLOW ? SLOW_ROOM : ROOM + 5 * k);
            in_step += n >= HALF && k < SLOW && crowds[k]->priority.next == crowds[0]->round->next;
        }
    }
    print_message("in step %d of %d, longest gap %d ms, of the slow one %d ms\n", in_step,
                  HALF * SLOW, crowds[1]->longest_ticks * 16, crowds[SLOW]->longest_ticks * 16);
    assert_true(in_step >= HALF * SLOW * 3 / 4);
    for (int32_t k = 0; k < CLIENTS; k++) {
        const int32_t turns = CROWD / (k == SLOW ? SLOW_ROOM : ROOM);
        assert_true(crowds[k]->longest_ticks <= turns * EVERY_TICKS * 3 / 2);
    }
    for (int32_t k = CLIENTS - 1; k >= 0; k--) {
        free(crowds[k]);
    }
}

// Tests that the pace of a larger crowd does not remain.
static void test_pace_of_a_smaller_crowd(void **state) {
    (void)state;
    crowd_t *crowd = new_crowd();
    crowd->has_rounds = true;
    crowd->own_round.pace = 10.0f * CROWD;
    run_turn(crowd, 1, ROOM);
    assert_true(crowd->own_round.pace <= 64.0f * CROWD_WORDS);
    free(crowd);
}

// Tests that no entity starves if the round passes all of them between two turns, and ends
// where the client is.
static void test_a_whole_round_between_turns(void **state) {
    (void)state;
    crowd_t *crowd = new_crowd();
    uint64_t all[CROWD_WORDS];
    round_t round = {0};
    memset(all, 0xff, sizeof all);
    crowd->round = &round;
    crowd->has_rounds = true;
    for (int32_t n = 0; n < 100; n++) {
        const uint32_t whole = round.passed + (64 / PRIORITY_BLOCK) * CROWD_WORDS;
        while (round.passed < whole || round.next != crowd->priority.next) {
            round.turns = 0;
            round.pace = 8.0f; // less than a block, so that the round stops at each
            Priority_Advance(&round, EVERY_TICKS, all, CROWD_WORDS);
            assert_true(round.passed < 2 * whole);
        }
        crowd->longest_ticks = n == 20 ? 0 : crowd->longest_ticks;
        run_turn(crowd, 1, ROOM);
    }
    assert_true(crowd->priority.is_crowd);
    print_message("longest gap %d ms\n", crowd->longest_ticks * 16);
    assert_true(crowd->longest_ticks <= CROWD / ROOM * EVERY_TICKS * 3 / 2);
    free(crowd);
}

static void near_ones_come_more_often(bool has_rounds) {
    crowd_t *crowd = new_crowd();
    crowd->has_rounds = has_rounds;
    int32_t counts[2] = {0, 0};
    int32_t sums[2] = {0, 0};
    for (int32_t n = 0; n < 300; n++) {
        run_turn(crowd, 1, ROOM);
    }
    for (int32_t i = 0; i < CROWD; i++) {
        const bool is_far = DotProduct(crowd->spots[i].origin, crowd->spots[i].origin) > 1e6f;
        counts[is_far]++;
        sums[is_far] += crowd->turns[i];
    }
    assert_true(counts[0] > 100 && counts[1] > 100);
    assert_true(sums[0] / counts[0] * 100 > sums[1] / counts[1] * 115);
    free(crowd);
}

static void test_near_ones_come_more_often(void **state) {
    (void)state;
    near_ones_come_more_often(false);
    near_ones_come_more_often(true);
}

static void test_order(void **state) {
    (void)state;
    crowd_t *crowd = new_crowd();
    turn_t *turn = &crowd->turn;
    for (int32_t i = 0; i < CROWD; i++) {
        crowd->spots[i].origin = (vec3_t){5000.0f, 0.0f, 0.0f};
    }
    crowd->spots[500].need = 9;                          // changed
    crowd->spots[600].origin.x = 100.0f;                 // near
    crowd->spots[700].origin = (vec3_t){-5000.0f, 0, 0}; // behind
    turn->own = 900;
    run_turn(crowd, 1, ROOM); // without a baseline: all are new
    const uint16_t first[] = {900, 600, 500, 0, 1, 2};
    assert_memory_equal(turn->order, first, sizeof first);
    assert_int_equal(turn->order[CROWD - 1], 700);
    run_turn(crowd, 1, ROOM);
    assert_int_equal(turn->order[0], 900);
    assert_int_equal(turn->order[1], ROOM - 3); // the first that waits
    free(crowd);
}

// Tests that a small scene costs nothing, and that a sent entity comes again until an
// acknowledgement.
static void test_turns_without_waits(void **state) {
    (void)state;
    crowd_t *crowd = new_crowd();
    turn_t *turn = &crowd->turn;
    turn->count = 60;
    run_turn(crowd, 1, ROOM);
    run_turn(crowd, 1, ROOM);
    for (int32_t i = 0; i < 60; i++) {
        assert_int_equal(turn->order[i], i);
    }
    assert_int_equal(crowd->priority.count, 0);
    assert_int_equal(crowd->priority.longest_wait_ms, 0);
    turn->count = 70; // a few more, which do not fit
    run_turn(crowd, 1, 65);
    assert_int_equal(crowd->priority.count, 70);
    crowd->lag_ticks = 2 * EVERY_TICKS;
    run_turn(crowd, 1, 65); // the baseline is older
    assert_int_equal(turn->fates[0], ITEM_SENT);
    assert_int_equal(turn->fates[69], ITEM_DEFERRED);
    crowd->lag_ticks = EVERY_TICKS;
    run_turn(crowd, 1, 65);
    assert_int_equal(turn->fates[69], ITEM_SENT);
    assert_int_equal(crowd->priority.longest_wait_ms, 2 * EVERY_TICKS * 16);
    run_turn(crowd, 1, CROWD);
    assert_int_equal(crowd->priority.count, 0);
    Priority_Reset(&crowd->priority);
    assert_int_equal(crowd->priority.longest_wait_ms, 0);
    free(crowd);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_starves),
        cmocka_unit_test(test_clients_are_in_step),
        cmocka_unit_test(test_pace_of_a_smaller_crowd),
        cmocka_unit_test(test_a_whole_round_between_turns),
        cmocka_unit_test(test_near_ones_come_more_often),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_turns_without_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
