// Tests the queue of one client's sounds and effects: repeats until an acknowledgement, staleness,
// overflow.

#include "core/event_queue.h"

#include "lib/testing.h"

#define RATE_MHZ 62500 // 3 ticks are 48 ms, 31 ticks 500 ms
#define NEXT     1000  // number of the log's next event

static event_queue_t *new_queue(void) {
    event_queue_t *queue = EventQueues_Create(1);
    assert_non_null(queue);
    EventQueue_Reset(queue, RATE_MHZ);
    return queue;
}

// Sends the snapshot of `tick` with at most `max` events. Returns their count.
static int32_t send_far(event_queue_t *queue, int64_t tick, int32_t ping_ms, int32_t max,
                        uint64_t *stale) {
    queued_event_t *chosen[MAX_SNAPSHOT_EVENTS];
    int32_t count = Q_MinI(EventQueue_Choose(queue, NEXT, tick, ping_ms, chosen, stale), max);
    EventQueue_NoteSent(queue, tick, chosen, count);
    return count;
}

static int32_t send(event_queue_t *queue, int64_t tick, int32_t max, uint64_t *stale) {
    return send_far(queue, tick, -1, max, stale);
}

static void test_repeats_until_the_acknowledgement(void **state) {
    (void)state;
    for (int64_t first = 1; first <= 100; first += 99) {
        event_queue_t *queue = new_queue();
        uint64_t stale = 0;
        assert_true(EventQueue_Add(queue, 1, false, first));
        const int32_t expected[] = {1, 0, 0, 1, 0, 0, 1, 0};
        for (int32_t i = 0; i < (int32_t)COUNTOF(expected); i++) {
            assert_int_equal(send(queue, first + i, 9, &stale), expected[i]);
        }
        EventQueue_Ack(queue, first + 1); // a snapshot without the event
        assert_int_equal(queue->count, 1);
        EventQueue_Ack(queue, first + 3);
        assert_int_equal(queue->count, 0);
        assert_int_equal(stale, 0);
        free(queue);
    }
}

// Acknowledgements of ticks that never had a snapshot remove nothing.
static void test_wrong_acknowledgements(void **state) {
    (void)state;
    static const int64_t ticks[] = {-1, 0, 1, 63, 64, 99, 100, 101, 163, 164, 228, INT64_MAX};
    event_queue_t *queue = new_queue();
    uint64_t stale = 0;
    queued_event_t *chosen[MAX_SNAPSHOT_EVENTS];
    for (int32_t i = 1; i <= 2; i++) {
        EventQueue_Add(queue, (uint32_t)i, false, 100);
    }
    assert_int_equal(send(queue, 102, 1, &stale), 1); // the other one waits
    for (size_t i = 0; i < COUNTOF(ticks); i++) {
        EventQueue_Ack(queue, ticks[i]);
        assert_int_equal(queue->count, 2);
    }
    EventQueue_Ack(queue, 102);
    assert_int_equal(queue->count, 1);
    assert_int_equal(EventQueue_Choose(queue, NEXT, 103, 0, chosen, &stale), 1);
    assert_int_equal(chosen[0]->number, 2);
    free(queue);
}

// Each snapshot that can have an event is remembered, up to 63 ticks after the first.
static void test_fast_ticks(void **state) {
    (void)state;
    for (int64_t acked = 100; acked <= 163; acked += 63) {
        event_queue_t *queue = new_queue();
        uint64_t stale = 0;
        EventQueue_Reset(queue, 128000);
        EventQueue_Add(queue, 1, false, 100);
        assert_int_equal(send(queue, 100, 1, &stale), 1);
        assert_int_equal(send(queue, 163, 1, &stale), 1);
        EventQueue_Ack(queue, 162);
        assert_int_equal(queue->count, 1);
        EventQueue_Ack(queue, acked);
        assert_int_equal(queue->count, 0);
        EventQueue_Add(queue, 1, false, 100);
        assert_int_equal(send(queue, 164, 1, &stale), 0);
        assert_int_equal(stale, 1);
        free(queue);
    }
}

// With ticks longer than the time between copies, each snapshot has one.
static void test_slow_ticks(void **state) {
    (void)state;
    event_queue_t *queue = new_queue();
    uint64_t stale = 0;
    int32_t sent = 0;
    EventQueue_Reset(queue, 10000);
    EventQueue_Add(queue, 1, false, 100);
    for (int64_t tick = 100; tick < 110; tick++) {
        sent += send(queue, tick, 9, &stale);
    }
    assert_int_equal(sent, 6); // up to the age of 500 ms
    free(queue);
}

static void test_a_new_map(void **state) {
    (void)state;
    event_queue_t *queue = new_queue();
    uint64_t stale = 0;
    queued_event_t *chosen[MAX_SNAPSHOT_EVENTS];
    for (int32_t i = 1; i <= MAX_QUEUED_EVENTS + 5; i++) {
        EventQueue_Add(queue, (uint32_t)i, false, 100);
    }
    assert_int_equal(send(queue, 100, 6, &stale), 6);
    EventQueue_Reset(queue, RATE_MHZ);
    for (int32_t i = 1; i <= 20; i++) {
        EventQueue_Add(queue, (uint32_t)i, false, 1);
    }
    assert_int_equal(EventQueue_Choose(queue, NEXT, 1, 0, chosen, &stale), 20);
    assert_int_equal(chosen[0]->number, 1);
    assert_int_equal(chosen[0]->seq, 0);
    assert_int_equal(stale, 0);
    free(queue);
}

static void test_stale_events_go(void **state) {
    (void)state;
    event_queue_t *queue = new_queue();
    uint64_t stale = 0;
    int32_t sent = 0;
    EventQueue_Add(queue, 1, false, 100);
    for (int64_t tick = 100; tick < 200; tick++) {
        sent += send(queue, tick, 9, &stale);
        assert_int_equal(queue->count, tick <= 131 ? 1 : 0);
    }
    assert_int_equal(sent, 11);
    assert_int_equal(stale, 1);
    free(queue);
}

// On a long path, copies are further apart. Otherwise many would be under way in vain.
static void test_copies_on_a_long_path(void **state) {
    (void)state;
    static const struct {
        int32_t ping_ms, sent;
    } rows[] = {{0, 11}, {190, 11}, {400, 6}, {700, 3}, {900, 3}, {2500, 3}, {60000, 3}};
    for (size_t i = 0; i < COUNTOF(rows); i++) {
        event_queue_t *queue = new_queue();
        uint64_t stale = 0;
        int32_t sent = 0;
        EventQueue_Add(queue, 1, false, 100);
        for (int64_t tick = 100; tick < 200; tick++) {
            sent += send_far(queue, tick, rows[i].ping_ms, 9, &stale);
        }
        assert_int_equal(sent, rows[i].sent);
        assert_int_equal(stale, 1);
        free(queue);
    }
}

static void test_new_events_come_before_repeats(void **state) {
    (void)state;
    event_queue_t *queue = new_queue();
    uint64_t stale = 0;
    queued_event_t *chosen[MAX_SNAPSHOT_EVENTS];
    for (int32_t i = 1; i <= 10; i++) {
        EventQueue_Add(queue, (uint32_t)i, false, 100);
    }
    assert_int_equal(send(queue, 100, 6, &stale), 6);
    assert_int_equal(EventQueue_Choose(queue, NEXT, 103, 0, chosen, &stale), 10);
    const int32_t expected[] = {7, 8, 9, 10, 1, 2, 3, 4, 5, 6};
    for (int32_t i = 0; i < 10; i++) {
        assert_int_equal(chosen[i]->number, expected[i]);
        assert_int_equal(chosen[i]->seq, expected[i] - 1);
    }
    free(queue);
}

static void test_a_full_queue_drops_the_oldest(void **state) {
    (void)state;
    event_queue_t *queue = new_queue();
    uint64_t stale = 0;
    queued_event_t *chosen[MAX_SNAPSHOT_EVENTS];
    int32_t dropped = 0;
    for (int32_t i = 1; i <= MAX_QUEUED_EVENTS + 100; i++) {
        dropped += EventQueue_Add(queue, (uint32_t)i, false, 100) ? 0 : 1;
    }
    assert_int_equal(dropped, 100);
    assert_int_equal(EventQueue_Choose(queue, NEXT, 100, 0, chosen, &stale), MAX_SNAPSHOT_EVENTS);
    assert_int_equal(chosen[0]->number, 101);
    assert_int_equal(chosen[0]->seq, 0); // an event that was never sent has no number
    free(queue);
}

// Tests that events that the log has overwritten are not sent, also where numbers begin again.
static void test_a_full_log(void **state) {
    (void)state;
    static const uint32_t numbers[] = {0, 1, 5000, UINT32_MAX};
    for (size_t i = 0; i < COUNTOF(numbers); i++) {
        event_queue_t *queue = new_queue();
        uint64_t stale = 0;
        queued_event_t *chosen[MAX_SNAPSHOT_EVENTS];
        EventQueue_Add(queue, numbers[i], false, 100);
        const uint32_t next = numbers[i] + MAX_GAME_EVENTS;
        assert_int_equal(EventQueue_Choose(queue, next, 100, 0, chosen, &stale), 1);
        assert_int_equal(stale, 0);
        assert_int_equal(EventQueue_Choose(queue, next + 1, 100, 0, chosen, &stale), 0);
        assert_int_equal(stale, 1);
        assert_int_equal(queue->count, 0);
        free(queue);
    }
}

// Tests that the log keeps its newest events under their numbers.
static void test_the_log(void **state) {
    (void)state;
    event_log_t *log = calloc(1, sizeof *log);
    assert_non_null(log);
    log->next = UINT32_MAX - 5;
    for (int32_t i = 0; i < MAX_GAME_EVENTS + 10; i++) {
        const emitted_t what = {.event = {.number = i}};
        assert_int_equal(EventLog_Add(log, &what), (uint32_t)(i - 6));
    }
    for (int32_t i = 10; i < MAX_GAME_EVENTS + 10; i++) {
        assert_int_equal(EventLog_Get(log, (uint32_t)(i - 6))->event.number, i);
    }
    free(log);
}

// Tests that the queue chooses little more than what fits, and all again once all fits.
static void test_chooses_what_may_fit(void **state) {
    (void)state;
    event_queue_t *queue = new_queue();
    uint64_t stale = 0;
    queued_event_t *chosen[MAX_SNAPSHOT_EVENTS];
    for (int32_t i = 1; i <= MAX_QUEUED_EVENTS; i++) {
        EventQueue_Add(queue, (uint32_t)i, false, 100);
    }
    assert_int_equal(send(queue, 100, 20, &stale), 20);
    assert_int_equal(EventQueue_Choose(queue, NEXT, 101, 0, chosen, &stale), 24);
    assert_int_equal(chosen[0]->number, 21);
    EventQueue_NoteSent(queue, 101, chosen, 24);
    assert_int_equal(send(queue, 102, 48, &stale), 48);
    assert_int_equal(send(queue, 103, 96, &stale), 96);
    assert_int_equal(EventQueue_Choose(queue, NEXT, 106, 0, chosen, &stale), MAX_SNAPSHOT_EVENTS);
    EventQueue_NoteSent(queue, 106, chosen, 0);
    assert_true(EventQueue_Choose(queue, NEXT, 107, 0, chosen, &stale) >
                0); // the next may have space
    free(queue);
}

// Tests that no event is repeated once the client could take its number for another one, whatever
// is acknowledged.
static void test_numbers_stay_within_the_window(void **state) {
    (void)state;
    event_queue_t *queue = new_queue();
    uint64_t stale = 0;
    EventQueue_Add(queue, 1, false, 100); // its snapshot is never acknowledged
    assert_int_equal(send(queue, 100, 1, &stale), 1);
    for (int64_t tick = 101; tick < 131; tick++) {
        for (int32_t i = 0; i < 100; i++) {
            EventQueue_Add(queue, 1, false, tick);
        }
        queued_event_t *chosen[MAX_SNAPSHOT_EVENTS];
        int32_t count = EventQueue_Choose(queue, NEXT, tick, 0, chosen, &stale);
        uint16_t next = (uint16_t)(queue->next_seq + 100);
        for (int32_t i = 0; i < count; i++) {
            assert_true((uint16_t)(next - chosen[i]->seq) <= EVENT_WINDOW);
        }
        EventQueue_NoteSent(queue, tick, chosen, 100);
        EventQueue_Ack(queue, tick);
    }
    assert_int_equal(stale, 1);
    free(queue);
}

// An event is repeated until so many newer ones were sent that a snapshot full of them could make
// the client take its number for another one, also where numbers begin again.
static void test_the_end_of_the_window(void **state) {
    (void)state;
    static const uint16_t first[] = {0, 5000, 65000, UINT16_MAX};
    for (size_t i = 0; i < COUNTOF(first); i++) {
        event_queue_t *queue = new_queue();
        uint64_t stale = 0;
        queue->next_seq = first[i];
        EventQueue_Add(queue, 1, false, 100);
        assert_int_equal(send(queue, 100, 1, &stale), 1);
        // The window begins with the event itself.
        for (int32_t newer = 1; newer < EVENT_WINDOW - MAX_SNAPSHOT_EVENTS; newer++) {
            EventQueue_Add(queue, 1, false, 101);
            assert_int_equal(send(queue, 101, 1, &stale), 1);
            EventQueue_Ack(queue, 101);
        }
        assert_int_equal(send(queue, 103, 1, &stale), 1); // still repeated
        EventQueue_Add(queue, 1, false, 104);
        assert_int_equal(send(queue, 104, 1, &stale), 1);
        EventQueue_Ack(queue, 104);
        assert_int_equal(queue->count, 1);
        assert_int_equal(send(queue, 107, 1, &stale), 0);
        assert_int_equal(stale, 1);
        free(queue);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeats_until_the_acknowledgement),
        cmocka_unit_test(test_wrong_acknowledgements),
        cmocka_unit_test(test_fast_ticks),
        cmocka_unit_test(test_slow_ticks),
        cmocka_unit_test(test_a_new_map),
        cmocka_unit_test(test_stale_events_go),
        cmocka_unit_test(test_copies_on_a_long_path),
        cmocka_unit_test(test_new_events_come_before_repeats),
        cmocka_unit_test(test_a_full_queue_drops_the_oldest),
        cmocka_unit_test(test_a_full_log),
        cmocka_unit_test(test_the_log),
        cmocka_unit_test(test_chooses_what_may_fit),
        cmocka_unit_test(test_numbers_stay_within_the_window),
        cmocka_unit_test(test_the_end_of_the_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
