/// world/timers.c - times of the next thinks: a binary heap with at most one entry per edict.
//
// Units:   ms of world time.
// Repeat:  the order of equal times is not used: due edicts are visited by number.

#include "world/world_local.h"

static void put(world_t *world, int32_t place, timer_entry_t entry) {
    World_TimerHeap(world)[place] = entry;
    World_TimerPlaces(world)[entry.number] = place;
}

static void sift_up(world_t *world, int32_t place, timer_entry_t entry) {
    const timer_entry_t *heap = World_TimerHeap(world);
    while (place > 1 && heap[place / 2].time_ms > entry.time_ms) {
        put(world, place, heap[place / 2]);
        place /= 2;
    }
    put(world, place, entry);
}

static void sift_down(world_t *world, int32_t place, timer_entry_t entry) {
    const timer_entry_t *heap = World_TimerHeap(world);
    for (;;) {
        int32_t child = place * 2;
        if (child > world->num_timers) {
            break;
        }
        if (child < world->num_timers && heap[child + 1].time_ms < heap[child].time_ms) {
            child++;
        }
        if (heap[child].time_ms >= entry.time_ms) {
            break;
        }
        put(world, place, heap[child]);
        place = child;
    }
    put(world, place, entry);
}

// Puts an entry into the free index `place`.
static void settle(world_t *world, int32_t place, timer_entry_t entry) {
    const timer_entry_t *heap = World_TimerHeap(world);
    if (place > 1 && heap[place / 2].time_ms > entry.time_ms) {
        sift_up(world, place, entry);
    } else {
        sift_down(world, place, entry);
    }
}

static void remove_at(world_t *world, int32_t place) {
    timer_entry_t *heap = World_TimerHeap(world);
    timer_entry_t last = heap[world->num_timers];
    World_TimerPlaces(world)[heap[place].number] = 0;
    heap[world->num_timers] = (timer_entry_t){0, 0, 0};
    world->num_timers--;
    if (place <= world->num_timers) {
        settle(world, place, last);
    }
}

void Timers_Set(world_t *world, int32_t number, int64_t time_ms) {
    int32_t place = World_TimerPlaces(world)[number];
    ASSERT(place == 0 || World_TimerHeap(world)[place].number == number);
    if (time_ms <= 0) {
        if (place != 0) {
            remove_at(world, place);
        }
        return;
    }
    timer_entry_t entry = {time_ms, number, 0};
    if (place == 0) {
        ASSERT(world->num_timers < world->max_edicts);
        sift_up(world, ++world->num_timers, entry);
    } else if (World_TimerHeap(world)[place].time_ms != time_ms) {
        settle(world, place, entry);
    }
}

int32_t Timers_PopDue(world_t *world, int64_t now_ms) {
    const timer_entry_t *heap = World_TimerHeap(world);
    if (world->num_timers == 0 || heap[1].time_ms > now_ms) {
        return -1;
    }
    int32_t number = heap[1].number;
    remove_at(world, 1);
    return number;
}

bool Timers_Check(const world_t *world, err_t *err) {
    const timer_entry_t *heap = World_TimerHeap(world);
    const int32_t *places = World_TimerPlaces(world);
    int32_t count = world->num_timers;
    if (count < 0 || count > world->max_edicts) {
        return Err_Set(err, "timers: expected a count of 0..%d, found %d", world->max_edicts,
                       count);
    }
    for (int32_t place = 1; place <= count; place++) {
        int32_t number = heap[place].number;
        int64_t lo_ms = place > 1 ? heap[place / 2].time_ms : 1;
        if (number < 0 || number >= world->num_edicts) {
            return Err_Set(err, "timers: entry %d: expected an edict 0..%d, found %d", place,
                           world->num_edicts - 1, number);
        }
        if (heap[place].time_ms < lo_ms) {
            return Err_Set(err, "timers: entry %d: expected at least %lld ms, found %lld", place,
                           (long long)lo_ms, (long long)heap[place].time_ms);
        }
        if (places[number] != place) {
            return Err_Set(err, "timers: entry %d names edict %d, which has entry %d", place,
                           number, places[number]);
        }
    }
    for (int32_t i = 0; i < world->max_edicts; i++) {
        if (places[i] < 0 || places[i] > count) {
            return Err_Set(err, "timers: edict %d: expected entry 0..%d, found %d", i, count,
                           places[i]);
        }
        if (places[i] && heap[places[i]].number != i) {
            return Err_Set(err, "timers: edict %d has entry %d, which names edict %d", i, places[i],
                           heap[places[i]].number);
        }
    }
    return true;
}
