#include "lib/sim_net.h"

#include "base/assert.h"
#include "base/hash.h"
#include "lib/sim_local.h"

#include <stdlib.h>
#include <string.h>

#define REORDER_MS 10 // minimum delay of a held-back datagram

static bool same_address(netaddr_t a, netaddr_t b) {
    return a.host == b.host && a.port == b.port;
}

static uint64_t hash_address(netaddr_t address) {
    uint64_t key = (uint64_t)address.host << 16 | address.port;
    return Hash_Bytes(&key, sizeof key, 0);
}

sim_net_t *SimNet_Create(uint64_t seed, sim_conditions_t conditions) {
    sim_net_t *sim = calloc(1, sizeof *sim);
    if (sim) {
        sim->seed = seed;
        sim->conditions = conditions;
        sim->is_sealed = true;
    }
    return sim;
}

void SimNet_SetSeal(sim_net_t *sim, const uint8_t *server_key) {
    sim->is_sealed = server_key != NULL;
    if (server_key) {
        memcpy(sim->server_key, server_key, sizeof sim->server_key);
    }
}

void SimNet_SetConditions(sim_net_t *sim, sim_conditions_t conditions) {
    sim->conditions = conditions;
}

void SimNet_SetNetwork(sim_net_t *sim, netaddr_t client, const net_conditions_t *conditions) {
    sim_far_t **end = &sim->fars;
    for (; *end; end = &(*end)->next) {
        (*end)->is_over = (*end)->is_over || same_address((*end)->client, client);
    }
    if (!conditions) {
        return;
    }
    sim_far_t *far = malloc(sizeof *far);
    ASSERT(far); // a test's network has nobody to report an error to
    *far = (sim_far_t){.client = client,
                       .up = Impair_Create(&conditions->up),
                       .down = Impair_Create(&conditions->down)};
    ASSERT(far->up && far->down);
    *end = far;
}

// --- partitions ------------------------------------------------------------------------------

static sim_cut_t cut_of(netaddr_t a, netaddr_t b) {
    return a.host <= b.host ? (sim_cut_t){a.host, b.host} : (sim_cut_t){b.host, a.host};
}

static size_t find_cut(const sim_net_t *sim, sim_cut_t cut) {
    size_t i = 0;
    while (i < sim->num_cuts && (sim->cuts[i].a != cut.a || sim->cuts[i].b != cut.b)) {
        i++;
    }
    return i;
}

void SimNet_SetPartition(sim_net_t *sim, netaddr_t a, netaddr_t b, bool cut) {
    sim_cut_t wanted = cut_of(a, b);
    size_t at = find_cut(sim, wanted);
    if (!cut && at < sim->num_cuts) {
        sim->cuts[at] = sim->cuts[--sim->num_cuts];
    } else if (cut && at == sim->num_cuts) {
        sim_cut_t *more = realloc(sim->cuts, (sim->num_cuts + 1) * sizeof *more);
        ASSERT(more); // a test's network has nobody to report an error to
        sim->cuts = more;
        sim->cuts[sim->num_cuts++] = wanted;
    }
}

// --- nodes -----------------------------------------------------------------------------------

/// Returns the table index where the transport of an address is, or would be.
static size_t node_at(const sim_net_t *sim, netaddr_t address) {
    size_t mask = sim->node_capacity - 1;
    size_t at = hash_address(address) & mask;
    while (sim->nodes[at] && !same_address(sim->nodes[at]->address, address)) {
        at = (at + 1) & mask;
    }
    return at;
}

/// Makes a new table of at least twice the nodes. Returns false if out of memory.
static bool rehash_nodes(sim_net_t *sim, size_t capacity) {
    sim_transport_t **old = sim->nodes;
    size_t old_capacity = sim->node_capacity;
    sim_transport_t **nodes = calloc(capacity, sizeof(sim_transport_t *));
    if (!nodes) {
        return false;
    }
    sim->nodes = nodes;
    sim->node_capacity = capacity;
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i]) {
            sim->nodes[node_at(sim, old[i]->address)] = old[i];
        }
    }
    free(old);
    return true;
}

bool Sim_Add(sim_net_t *sim, sim_transport_t *net) {
    if (2 * (sim->num_nodes + 1) > sim->node_capacity &&
        !rehash_nodes(sim, sim->node_capacity ? 2 * sim->node_capacity : 16)) {
        return false;
    }
    size_t at = node_at(sim, net->address);
    if (sim->nodes[at]) {
        return false;
    }
    sim->nodes[at] = net;
    sim->num_nodes++;
    return true;
}

void Sim_Remove(sim_net_t *sim, sim_transport_t *net) {
    size_t mask = sim->node_capacity - 1;
    size_t at = node_at(sim, net->address);
    ASSERT(sim->nodes[at] == net);
    sim->nodes[at] = NULL;
    sim->num_nodes--;
    // Entries after it may have collided with it: insert them again.
    for (at = (at + 1) & mask; sim->nodes[at]; at = (at + 1) & mask) {
        sim_transport_t *moved = sim->nodes[at];
        sim->nodes[at] = NULL;
        sim->nodes[node_at(sim, moved->address)] = moved;
    }
}

// --- links -----------------------------------------------------------------------------------

static size_t link_at(const sim_net_t *sim, netaddr_t from, netaddr_t to) {
    size_t mask = sim->link_capacity - 1;
    size_t at = (hash_address(from) * 3 + hash_address(to)) & mask;
    while (sim->links[at].used &&
           (!same_address(sim->links[at].from, from) || !same_address(sim->links[at].to, to))) {
        at = (at + 1) & mask;
    }
    return at;
}

static void grow_links(sim_net_t *sim) {
    sim_link_t *old = sim->links;
    size_t old_capacity = sim->link_capacity;
    sim->link_capacity = old_capacity ? 2 * old_capacity : 64;
    sim->links = calloc(sim->link_capacity, sizeof *sim->links);
    ASSERT(sim->links);
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].used) {
            sim->links[link_at(sim, old[i].from, old[i].to)] = old[i];
        }
    }
    free(old);
}

/// Returns the link of one direction. A flood of forged addresses starts the table again: links
/// then get new, equally seeded random states, which is as good.
static sim_link_t *find_link(sim_net_t *sim, netaddr_t from, netaddr_t to) {
    if (2 * (sim->num_links + 1) > sim->link_capacity) {
        if (sim->num_links < SIM_MAX_LINKS) {
            grow_links(sim);
        } else {
            memset(sim->links, 0, sim->link_capacity * sizeof *sim->links);
            sim->num_links = 0;
        }
    }
    sim_link_t *link = &sim->links[link_at(sim, from, to)];
    if (!link->used) {
        uint64_t key[2] = {hash_address(from), hash_address(to)};
        *link = (sim_link_t){.from = from, .to = to, .used = true};
        link->rng.state = Hash_Bytes(key, sizeof key, sim->seed);
        sim->num_links++;
    }
    return link;
}

// --- what is in flight: a heap by due time ---------------------------------------------------

static bool is_before(const sim_datagram_t *a, const sim_datagram_t *b) {
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->order < b->order;
}

/// Returns false if too many datagrams are in flight.
static bool heap_push(sim_net_t *sim, sim_datagram_t *datagram) {
    if (sim->num_flying == SIM_MAX_FLYING) {
        return false;
    }
    if (sim->num_flying == sim->heap_capacity) {
        size_t capacity = sim->heap_capacity ? 2 * sim->heap_capacity : 256;
        sim_datagram_t **more = realloc(sim->heap, capacity * sizeof(sim_datagram_t *));
        if (!more) {
            return false;
        }
        sim->heap = more;
        sim->heap_capacity = capacity;
    }
    size_t at = sim->num_flying++;
    while (at > 0 && is_before(datagram, sim->heap[(at - 1) / 2])) {
        sim->heap[at] = sim->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    sim->heap[at] = datagram;
    return true;
}

static sim_datagram_t *heap_pop(sim_net_t *sim) {
    sim_datagram_t *top = sim->heap[0];
    sim_datagram_t *last = sim->heap[--sim->num_flying];
    size_t at = 0;
    for (size_t child = 1; child < sim->num_flying; child = 2 * at + 1) {
        if (child + 1 < sim->num_flying && is_before(sim->heap[child + 1], sim->heap[child])) {
            child++;
        }
        if (!is_before(sim->heap[child], last)) {
            break;
        }
        sim->heap[at] = sim->heap[child];
        at = child;
    }
    sim->heap[at] = last;
    return top;
}

// --- sending and arriving --------------------------------------------------------------------

static int32_t below(sim_link_t *link, int32_t count) {
    return count > 0 ? (int32_t)Rng_Below(&link->rng, (uint32_t)count) : 0;
}

/// Returns when a datagram sent now arrives. Delay and jitter alone never change the order, as in a
/// router's queue. The fraction `reorder` is held back and may be overtaken.
static int64_t arrival_ms(sim_net_t *sim, sim_link_t *link) {
    const sim_conditions_t *c = &sim->conditions;
    int64_t due = sim->now_ms + c->delay_ms - c->jitter_ms + below(link, 2 * c->jitter_ms + 1);
    if (Rng_Float(&link->rng) < c->reorder) {
        return due + REORDER_MS + below(link, c->delay_ms + c->jitter_ms);
    }
    due = due > link->clear_ms ? due : link->clear_ms;
    due = due > sim->now_ms ? due : sim->now_ms;
    link->clear_ms = due;
    return due;
}

static bool put_in_flight(sim_net_t *sim, sim_link_t *link, const uint8_t *data, size_t size) {
    sim_datagram_t *datagram = malloc(sizeof *datagram + size);
    if (!datagram) {
        return false;
    }
    *datagram = (sim_datagram_t){.due_ms = arrival_ms(sim, link),
                                 .order = sim->next_order++,
                                 .from = link->from,
                                 .to = link->to,
                                 .size = (uint32_t)size};
    memcpy(datagram->data, data, size);
    if (!heap_push(sim, datagram)) {
        free(datagram);
        return false;
    }
    return true;
}

static bool inject(sim_net_t *sim, netaddr_t from, netaddr_t to, const void *data, size_t size) {
    sim_link_t *link = find_link(sim, from, to);
    if (find_cut(sim, cut_of(from, to)) < sim->num_cuts ||
        Rng_Float(&link->rng) < sim->conditions.loss) {
        return true;
    }
    bool ok = put_in_flight(sim, link, data, size);
    if (ok && Rng_Float(&link->rng) < sim->conditions.duplicate) {
        ok = put_in_flight(sim, link, data, size);
    }
    return ok;
}

bool SimNet_Inject(sim_net_t *sim, netaddr_t from, netaddr_t to, const void *data, size_t size) {
    for (sim_far_t *far = sim->fars; far; far = far->next) {
        if (!far->is_over && same_address(from, far->client)) {
            Impair_Push(far->up, sim->now_ms, to, data, size);
            return true;
        }
        if (!far->is_over && same_address(to, far->client)) {
            Impair_Push(far->down, sim->now_ms, from, data, size);
            return true;
        }
    }
    return inject(sim, from, to, data, size);
}

void Sim_Send(sim_transport_t *net, netaddr_t to, const uint8_t *data, size_t size) {
    net->counters.packets_out++;
    net->counters.bytes_out += size;
    if (!SimNet_Inject(net->sim, net->address, to, data, size)) {
        net->counters.send_failed++;
    }
}

static void arrive(sim_net_t *sim, sim_datagram_t *datagram) {
    sim_transport_t *net = sim->node_capacity > 0 ? sim->nodes[node_at(sim, datagram->to)] : NULL;
    if (!net || find_cut(sim, cut_of(datagram->from, datagram->to)) < sim->num_cuts) {
        free(datagram);
    } else if (net->num_inbox == SIM_MAX_INBOX) {
        net->counters.kernel_dropped++;
        free(datagram);
    } else {
        datagram->next = NULL;
        if (net->inbox_last) {
            net->inbox_last->next = datagram;
        } else {
            net->inbox_first = datagram;
        }
        net->inbox_last = datagram;
        net->num_inbox++;
    }
}

void SimNet_Advance(sim_net_t *sim, int64_t now_ms) {
    ASSERT(now_ms >= sim->now_ms);
    const impair_datagram_t *due = NULL;
    sim->now_ms = now_ms;
    for (sim_far_t *far = sim->fars; far; far = far->next) {
        while ((due = Impair_Pop(far->up, now_ms)) != NULL) {
            (void)inject(sim, far->client, due->address, due->data, due->size);
        }
        while ((due = Impair_Pop(far->down, now_ms)) != NULL) {
            (void)inject(sim, due->address, far->client, due->data, due->size);
        }
    }
    while (sim->num_flying > 0 && sim->heap[0]->due_ms <= now_ms) {
        arrive(sim, heap_pop(sim));
    }
}

void SimNet_Destroy(sim_net_t *sim) {
    if (!sim) {
        return;
    }
    for (size_t i = 0; i < sim->node_capacity; i++) {
        if (sim->nodes[i]) {
            SimTransport_Free(sim->nodes[i]);
        }
    }
    for (size_t i = 0; i < sim->num_flying; i++) {
        free(sim->heap[i]);
    }
    for (sim_far_t *far = sim->fars, *next; far; far = next) {
        next = far->next;
        Impair_Destroy(far->up);
        Impair_Destroy(far->down);
        free(far);
    }
    free(sim->heap);
    free(sim->nodes);
    free(sim->links);
    free(sim->cuts);
    free(sim);
}
