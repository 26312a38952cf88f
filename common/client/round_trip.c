/// client/round_trip.c - measures the round trip by acknowledged snapshots.

#include "client/cl_local.h"

void Client_ResetRoundTrip(cl_t *cl) {
    cl->round_trip = (cl_round_trip_t){.eighths_ms = -1};
}

void Client_NoteAck(cl_t *cl, int64_t tick) {
    cl_round_trip_t *trip = &cl->round_trip;
    if (tick > trip->acked) {
        trip->acked = tick;
        trip->ticks[tick % CL_ACKS] = tick;
        trip->sent_ms[tick % CL_ACKS] = cl->now_ms;
    }
}

void Client_MeasureRoundTrip(cl_t *cl) {
    cl_round_trip_t *trip = &cl->round_trip;
    int64_t tick = SnapshotRing_Base(cl->ring);
    if (tick <= trip->measured) {
        return;
    }
    trip->measured = tick;
    if (trip->ticks[tick % CL_ACKS] == tick) {
        int32_t sample = (int32_t)(cl->now_ms - trip->sent_ms[tick % CL_ACKS]);
        trip->eighths_ms =
            trip->eighths_ms < 0 ? 8 * sample : trip->eighths_ms + sample - trip->eighths_ms / 8;
    }
}

int32_t Client_RoundTrip(const cl_t *cl) {
    transport_t *net = cl->config.net;
    int32_t eighths_ms = cl->round_trip.eighths_ms;
    return eighths_ms >= 0 ? eighths_ms / 8 : cl->peer >= 0 ? net->rtt_ms(net, cl->peer) : 0;
}
