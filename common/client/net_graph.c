/// client/net_graph.c - measures the connection, and says why it lags.

#include "base/str.h"
#include "client/cl_local.h"

#include <stdio.h>
#include <string.h>

// Above these values, CL_WhyLag names the cause.
#define LAG_SILENCE_MS 250
#define LAG_LOSS       0.02f
#define LAG_FILLED_MS  100
#define LAG_SKIPPED    2
#define LAG_JITTER_MS  25
#define LAG_FULL       0.2f
#define LAG_RTT_MS     200

// Notes the jitter: the mean difference of the delays of two snapshots, as in RFC 3550.
static void note_jitter(cl_t *cl, const snapshot_t *snapshot) {
    cl_link_t *link = &cl->link;
    int64_t transit_ms = cl->now_ms - Ticks_EndMs(cl->map.rate_mhz, snapshot->tick);
    int64_t change_ms = transit_ms - link->transit_ms;
    change_ms = change_ms < 0 ? -change_ms : change_ms;
    int32_t change_us = change_ms < 1000 ? (int32_t)change_ms * 1000 : 1000000;
    if (link->snapshots > 1) {
        link->jitter_us += (change_us - link->jitter_us) / 16;
    }
    link->transit_ms = transit_ms;
}

_Static_assert(REPORT_CMDS == CL_MAX_CMDS, "the command of a report must be unique");

// Writes how many packets were sent until the one with the newest command of a report. Returns
// false if there is none.
static bool find_sent(cl_t *cl, const snapshot_report_t *report, uint32_t *sent) {
    const uint32_t back = (cl->cmds.made - report->next_cmd) % REPORT_CMDS;
    const uint32_t newest = cl->cmds.made - back - 1;
    if (back >= cl->cmds.made) {
        return false;
    }
    *sent = Client_Cmd(cl, newest)->packet;
    return true;
}

void Client_LinkSnapshot(cl_t *cl) {
    cl_link_t *link = &cl->link;
    const snapshot_t *snapshot = Client_Newest(cl);
    const snapshot_report_t *report = &snapshot->report;
    link->snapshots++;
    link->full += snapshot->num_deferred > 0;
    note_jitter(cl, snapshot);
    link->heard_ms = cl->now_ms;
    uint32_t sent_up = 0;
    bool is_new = report->tick != link->report_tick;
    link->report_tick = report->tick;
    if (!is_new || !find_sent(cl, report, &sent_up)) {
        return;
    }
    link->samples[link->num_samples++ % CL_LINK_SAMPLES] = (cl_sample_t){
        .now_ms = cl->now_ms,
        .sent_down = report->snapshots,
        .got_down = link->snapshots - (report->tick < snapshot->tick ? 1 : 0),
        .sent_up = sent_up,
        .got_up = report->cmd_packets,
        .snapshots = link->snapshots,
        .full = link->full,
        .bytes = cl->stats.snapshot_bytes,
        .up_bytes = cl->stats.cmd_bytes,
        .filled_ms = cl->stats.filled_ms,
        .skipped = cl->stats.cmds_skipped,
    };
}

static float lost_share(uint32_t sent, uint32_t got) {
    return sent == 0 || got >= sent ? 0.0f : (float)(sent - got) / (float)sent;
}

static int32_t per_s(uint64_t count, int64_t ms) {
    return ms > 0 ? (int32_t)(count * 1000 / (uint64_t)ms) : 0;
}

// Writes what two reports measure.
static void compare(const cl_sample_t *a, const cl_sample_t *b, cl_net_graph_t *graph) {
    int64_t ms = b->now_ms - a->now_ms;
    graph->loss_down =
        lost_share((b->sent_down - a->sent_down) % REPORT_COUNTS, b->got_down - a->got_down);
    graph->loss_up = lost_share(b->sent_up - a->sent_up, (b->got_up - a->got_up) % REPORT_COUNTS);
    graph->bytes_s = per_s(b->bytes - a->bytes, ms);
    graph->up_bytes_s = per_s(b->up_bytes - a->up_bytes, ms);
    uint32_t snapshots = b->snapshots - a->snapshots;
    graph->full = snapshots > 0 ? (float)(b->full - a->full) / (float)snapshots : 0.0f;
    graph->filled_ms = (int32_t)(b->filled_ms - a->filled_ms);
    graph->skipped = (int32_t)(b->skipped - a->skipped);
}

static int32_t wished_rate(const cl_t *cl) {
    for (int32_t i = 0; i < cl->infos.count; i++) {
        int64_t rate = 0;
        if (strcmp(cl->infos.list[i].key, "rate") == 0 &&
            Str_ToInt(cl->infos.list[i].value, 0, INT32_MAX, &rate)) {
            return (int32_t)rate;
        }
    }
    return 0;
}

void CL_NetGraph(const cl_t *cl, cl_net_graph_t *graph) {
    const cl_link_t *link = &cl->link;
    const snapshot_t *newest = Client_Newest(cl);
    *graph = (cl_net_graph_t){0};
    if (!newest) {
        return;
    }
    graph->rtt_ms = Client_RoundTrip(cl);
    graph->jitter_ms = (link->jitter_us + 500) / 1000;
    graph->rate_bytes_s = wished_rate(cl);
    graph->queued_ms = newest->cmd_queued_ms;
    graph->delay_ms = cl->view.delay_us / 1000;
    graph->silence_ms = Q_ClampI((int32_t)(cl->now_ms - link->heard_ms), 0, INT32_MAX);
    graph->left_out = cl->prediction.tick > 0 ? cl->world.left_out : 0;
    graph->tick_ms = 1e6f / (float)cl->map.rate_mhz;
    graph->tick_mean_ms = (float)newest->report.tick_mean * 0.1f;
    graph->tick_worst_ms = (float)newest->report.tick_worst * 0.1f;
    if (link->num_samples > 1) {
        int32_t last = link->num_samples - 1;
        int32_t first = Q_MaxI(0, link->num_samples - CL_LINK_SAMPLES);
        compare(&link->samples[first % CL_LINK_SAMPLES], &link->samples[last % CL_LINK_SAMPLES],
                graph);
    }
    CL_WhyLag(graph, graph->why, sizeof graph->why);
}

void CL_WhyLag(const cl_net_graph_t *graph, char *text, size_t size) {
    if (size == 0) {
        return;
    }
    text[0] = '\0';
    if (graph->silence_ms > LAG_SILENCE_MS) {
        snprintf(text, size, "nothing arrived for %d ms", graph->silence_ms);
    } else if (graph->tick_worst_ms > graph->tick_ms) {
        snprintf(text, size, "the server overran: a tick of %.0f ms took %.0f ms",
                 (double)graph->tick_ms, (double)graph->tick_worst_ms);
    } else if (graph->skipped > LAG_SKIPPED) {
        snprintf(text, size, "this program was late: %d commands skipped", graph->skipped);
    } else if (graph->loss_up >= LAG_LOSS && graph->loss_up >= graph->loss_down) {
        snprintf(text, size, "your uplink lost %.0f %%", (double)graph->loss_up * 100.0);
    } else if (graph->loss_down >= LAG_LOSS) {
        snprintf(text, size, "your downlink lost %.0f %%", (double)graph->loss_down * 100.0);
    } else if (graph->filled_ms > LAG_FILLED_MS) {
        snprintf(text, size, "your commands came too late: %d ms were filled", graph->filled_ms);
    } else if (graph->jitter_ms > LAG_JITTER_MS) {
        snprintf(text, size, "the delay of your network varies by %d ms", graph->jitter_ms);
    } else if (graph->full > LAG_FULL) {
        snprintf(text, size, "the rate is too low: %.0f %% of the snapshots were full",
                 (double)graph->full * 100.0);
    } else if (graph->rtt_ms > LAG_RTT_MS) {
        snprintf(text, size, "the server is far: %d ms of round trip", graph->rtt_ms);
    }
}
