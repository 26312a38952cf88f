// match_noises.c - sounds and effects of the matches: no client receives one twice.

#include "core/server_local.h"
#include "lib/match_run.h"

void Match_HearEvent(match_t *match, int32_t n, const cl_event_t *event) {
    match_client_t *client = &match->clients[n];
    if (event->type == CL_EVENT_MAP || event->type == CL_EVENT_CONNECTED ||
        event->type == CL_EVENT_RETURNED) {
        client->num_noises = 0; // the server has emptied its queue
    } else if (event->type == CL_EVENT_SOUND || event->type == CL_EVENT_EFFECT) {
        client->num_noises += event->range > 0 ? 1 : 0; // others may be sent reliably
        match->house->counts.noises++;
    }
}

void Match_CheckNoises(match_t *match, int32_t n, int32_t slot) {
    // The games send all that have a range in snapshots, where they are numbered from 0.
    const int32_t num_sent = match->server->event_queues[slot].next_seq;
    if (match->clients[n].num_noises > num_sent) {
        Match_Fault(match, "client %d received %d sounds and effects, the server sent %d", n,
                    match->clients[n].num_noises, num_sent);
    }
}

void Match_CountQueued(match_t *match) {
    for (int32_t slot = 0; slot < match->plan->num_slots; slot++) {
        const uint16_t next = match->server->event_queues[slot].next_seq;
        const uint16_t before = match->event_seqs[slot];
        match->house->counts.queued += (uint64_t)(next >= before ? next - before : next);
        match->event_seqs[slot] = next;
    }
}
