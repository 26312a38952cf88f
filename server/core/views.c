#include "core/views.h"

#include "base/limits.h"
#include "state/ticks.h"

static bool has(const uint64_t *words, int64_t age) {
    return age >= 0 && age < VIEWS_TICKS && (words[age / 64] >> (age % 64) & 1) != 0;
}

static void make_older(uint64_t *words, int64_t ticks) {
    if (ticks >= VIEWS_TICKS) {
        words[0] = words[1] = 0;
    } else if (ticks >= 64) {
        words[1] = words[0] << (ticks - 64);
        words[0] = 0;
    } else if (ticks > 0) {
        words[1] = words[1] << ticks | words[0] >> (64 - ticks);
        words[0] <<= ticks;
    }
}

static_assert(VIEWS_TICKS == 128, "make_older shifts two words");

void Views_Sent(views_t *views, int64_t tick) {
    make_older(views->sent, tick - views->newest);
    make_older(views->acked, tick - views->newest);
    views->first = views->first > 0 ? views->first : tick;
    views->newest = tick;
    views->sent[0] |= 1;
}

void Views_Acked(views_t *views, int64_t tick) {
    const int64_t age = views->newest - tick;
    if (has(views->sent, age)) {
        views->acked[age / 64] |= UINT64_C(1) << (age % 64);
        views->newest_acked = tick > views->newest_acked ? tick : views->newest_acked;
    }
}

bool Views_Allow(const views_t *views, const usercmd_t *cmd) {
    const int64_t from = cmd->view_tick - (cmd->view_span & 15);
    const int64_t to = from + (cmd->view_span >> 4);
    if (cmd->view_span >> 4 == 0) {
        return true;
    }
    if (to > views->newest_acked) {
        return false;
    }
    for (int64_t tick = from + 1; tick < to; tick++) {
        if (has(views->acked, views->newest - tick)) {
            return false;
        }
    }
    return has(views->sent, views->newest - from) && has(views->sent, views->newest - to);
}

bool Views_Limit(const views_t *views, usercmd_t *cmd) {
    if (cmd->view_tick > 0 && (views->first == 0 || cmd->view_tick < views->first)) {
        cmd->view_tick = views->first;
        cmd->view_frac = 0;
        cmd->view_span = 0;
        return false;
    }
    if (!Views_Allow(views, cmd)) {
        cmd->view_span = 0;
        return false;
    }
    return true;
}

bool Views_IsOld(const usercmd_t *cmd, int32_t rate_mhz, int64_t next, int32_t max_ms) {
    const int64_t last = next + MAX_CMD_QUEUE; // hostile commands name later ticks
    const int64_t named = cmd->tick < last ? cmd->tick : last;
    const int64_t tick = named > next ? named : next;
    return max_ms > 0 && cmd->view_tick > 0 && cmd->view_tick < next &&
           Ticks_EndMs(rate_mhz, tick) - Ticks_TimeMs(rate_mhz, cmd->view_tick, cmd->view_frac) >
               max_ms;
}
