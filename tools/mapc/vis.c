#include "collide/vis.h"
#include "mapc/vis_local.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/// Portals that are worked on at the same time. Each uses the full visibility of portals in earlier
/// batches only, so that the result does not depend on the threads.
#define BATCH 64

/// Minimum width of a portal through which is seen. Narrower ones come from rounding.
#define MIN_WIDTH 1e-3 // qu

/// Maximum corners of a portal; half of what vis_flow.c cuts.
#define MAX_CORNERS 24

// ---- the graph ----

static bool is_open(const mc_tree_t *tree, const mc_portal_t *portal) {
    for (int32_t h = 0; h < 2; h++) {
        int32_t leaf = portal->leafs[h];
        if (leaf == MC_VOID_LEAF || MC_IsOpaque(tree->leafs[leaf].contents)) {
            return false;
        }
    }
    return portal->leafs[0] != portal->leafs[1];
}

static void add_portal(vis_t *v, const mc_portal_t *portal, const dplane_t *plane, int32_t side,
                       const winding_t *winding) {
    v->portals[v->num_portals++] = (vis_portal_t){.plane = side == 0 ? *plane : DP_Flip(*plane),
                                                  .to = portal->leafs[side] - 1,
                                                  .winding = winding};
    v->first[portal->leafs[1 - side]]++; // cluster + 1
}

/// Lists the portals by the cluster from which they lead. Portal 2n leads to the front of the
/// plane, portal 2n + 1 to the back.
static void make_graph(vis_t *v, mc_pool_t *pool, const mc_tree_t *tree,
                       const mc_portals_t *portals) {
    size_t clusters = (size_t)v->num_clusters;
    v->portals = MC_Alloc(pool, 2 * portals->count, sizeof *v->portals);
    v->first = MC_Alloc(pool, clusters + 1, sizeof *v->first);
    for (size_t i = 0; i < portals->count; i++) {
        const mc_portal_t *portal = &portals->portals[i];
        if (is_open(tree, portal)) {
            dplane_t plane = tree->table->planes[portal->plane];
            // The whole plane stands for a portal with too many corners.
            const winding_t *winding = portal->winding->num_points <= MAX_CORNERS
                                           ? portal->winding
                                           : MC_PlaneWinding(pool, &plane);
            add_portal(v, portal, &plane, 0, winding);
            add_portal(v, portal, &plane, 1, winding);
        }
    }
    v->links = MC_Alloc(pool, (size_t)v->num_portals, sizeof *v->links);
    int32_t *used = MC_Alloc(pool, clusters + 1, sizeof *used);
    for (size_t i = 0; i < clusters; i++) {
        v->first[i + 1] += v->first[i];
        used[i] = v->first[i];
    }
    for (int32_t i = 0; i < v->num_portals; i++) {
        v->links[used[v->portals[i ^ 1].to]++] = i;
    }
}

// ---- threads ----

/// Work on items `from` to `to` - 1 of an order; NULL = the numbers themselves.
typedef struct {
    vis_t *vis;
    void (*work)(vis_t *vis, int32_t portal, vis_walker_t *walker);
    const int32_t *order;
    int32_t to, walker;
} job_t;

static void *run_job(void *context) {
    job_t *job = context;
    vis_t *v = job->vis;
    for (;;) {
        int32_t item = atomic_fetch_add(&v->next, 1);
        if (item >= job->to) {
            return NULL;
        }
        if (job->walker == 0) {
            MC_Progress(v->report, job->order ? "visibility" : "base visibility", item,
                        v->num_portals);
        }
        job->work(v, job->order ? job->order[item] : item, v->walkers[job->walker]);
    }
}

/// Runs the work on items in all threads, the caller's included.
static void run_all(job_t job, int32_t from) {
    vis_t *v = job.vis;
    job_t jobs[MC_MAX_THREADS];
    pthread_t threads[MC_MAX_THREADS];
    int32_t started = 1;
    atomic_store(&v->next, from);
    for (int32_t i = 1; i < v->options->threads && i < job.to - from; i++, started++) {
        jobs[i] = job;
        jobs[i].walker = i;
        if (!v->walkers[i] || pthread_create(&threads[i], NULL, run_job, &jobs[i]) != 0) {
            break; // the others do its work
        }
    }
    run_job(&job);
    for (int32_t i = 1; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
}

typedef struct {
    int32_t count, portal;
} place_t;

static int compare_places(const void *a, const void *b) {
    const place_t *one = a;
    const place_t *two = b;
    return one->count != two->count ? (one->count > two->count) - (one->count < two->count)
                                    : (one->portal > two->portal) - (one->portal < two->portal);
}

/// Orders the portals: the one that sees least comes first, as others use its result.
static void order_portals(vis_t *v, mc_pool_t *pool) {
    place_t *places = MC_Alloc(pool, (size_t)v->num_portals, sizeof *places);
    for (int32_t i = 0; i < v->num_portals; i++) {
        places[i].portal = i;
        for (size_t k = 0; k < v->words; k++) {
            places[i].count += __builtin_popcountll(v->base[(size_t)i * v->words + k]);
        }
    }
    qsort(places, (size_t)v->num_portals, sizeof *places, compare_places);
    for (int32_t i = 0; i < v->num_portals; i++) {
        v->order[i] = places[i].portal;
        v->rank[places[i].portal] = i;
    }
}

// ---- rows ----

static void add_to_row(mc_vis_t *out, int32_t cluster, int32_t seen) {
    uint8_t *byte = &out->rows[(size_t)cluster * out->row_bytes + (size_t)seen / 8];
    *byte = (uint8_t)(*byte | 1u << seen % 8);
}

static bool is_in_row(const mc_vis_t *out, int32_t cluster, int32_t seen) {
    return out->rows[(size_t)cluster * out->row_bytes + (size_t)seen / 8] >> seen % 8 & 1;
}

static void make_row(mc_vis_t *out, const vis_t *v, const uint64_t *sets, int32_t cluster) {
    add_to_row(out, cluster, cluster);
    for (int32_t i = v->first[cluster]; i < v->first[cluster + 1]; i++) {
        int32_t portal = v->links[i];
        const uint64_t *set = sets + (size_t)portal * v->words;
        add_to_row(out, cluster, v->portals[portal].to);
        for (size_t k = 0; k < v->words; k++) {
            for (uint64_t bits = set[k]; bits; bits &= bits - 1) {
                int32_t seen = (int32_t)k * 64 + __builtin_ctzll(bits);
                add_to_row(out, cluster, v->portals[seen].to);
            }
        }
    }
}

/// Makes the rows. Sight is mutual, and both directions are supersets of it: what only one of two
/// clusters sees is removed.
static void make_rows(mc_vis_t *out, const vis_t *v, mc_pool_t *pool) {
    const uint64_t *sets = v->options->fast ? v->base : v->full;
    out->row_bytes = ((size_t)v->num_clusters + 7) / 8;
    out->rows = MC_Alloc(pool, (size_t)v->num_clusters, out->row_bytes);
    for (int32_t i = 0; i < v->num_clusters; i++) {
        make_row(out, v, sets, i);
    }
    for (int32_t i = 0; i < v->num_clusters; i++) {
        for (int32_t k = 0; k < v->num_clusters; k++) {
            if (is_in_row(out, i, k) && !is_in_row(out, k, i)) {
                uint8_t *byte = &out->rows[(size_t)i * out->row_bytes + (size_t)k / 8];
                *byte = (uint8_t)(*byte & ~(1u << k % 8));
            }
        }
    }
}

static void find_portals(vis_t *v, mc_pools_t *pools) {
    size_t count = (size_t)v->num_portals;
    v->words = (count + 63) / 64;
    v->base = MC_Alloc(&pools->temp, count * v->words, sizeof *v->base);
    v->full = MC_Alloc(&pools->temp, v->options->fast ? 0 : count * v->words, sizeof *v->full);
    v->order = MC_Alloc(&pools->temp, count, sizeof *v->order);
    v->rank = MC_Alloc(&pools->temp, count, sizeof *v->rank);
    v->limited = MC_Alloc(&pools->temp, count, sizeof *v->limited);
    v->steps = MC_Alloc(&pools->temp, count, sizeof *v->steps);
    for (int32_t i = 0; i < v->options->threads; i++) {
        v->walkers[i] = Vis_NewWalker(v);
    }
    if (v->walkers[0]) {
        run_all((job_t){v, Vis_Base, NULL, v->num_portals, 0}, 0);
    } else {
        atomic_store(&v->no_memory, true);
    }
}

/// Removes from base visibility what the full visibility of portals `from` to `to` - 1 of the order
/// excludes: if no line goes through a, then b, none goes back through b, then a.
static void refine_base(vis_t *v, int32_t from, int32_t to) {
    for (int32_t i = to; i < v->num_portals; i++) {
        int32_t portal = v->order[i];
        uint64_t *set = v->base + (size_t)portal * v->words;
        for (int32_t k = from; k < to; k++) {
            int32_t done = v->order[k];
            if (!Vis_Has(v->full + (size_t)done * v->words, portal ^ 1)) {
                set[(done ^ 1) / 64] &= ~((uint64_t)1 << (done ^ 1) % 64);
            }
        }
    }
}

/// Works in batches. Steps that a batch does not use are left for the next.
static void find_full(vis_t *v, mc_pool_t *pool) {
    int64_t most = v->options->max_steps;
    int64_t steps_left = most ? most : MC_MAX_VIS_STEPS;
    order_portals(v, pool);
    while (v->num_done < v->num_portals && !atomic_load(&v->no_memory)) {
        int32_t end = Q_MinI(v->num_done + BATCH, v->num_portals);
        v->max_steps = steps_left / (v->num_portals - v->num_done);
        run_all((job_t){v, Vis_Full, v->order, end, 0}, v->num_done);
        for (int32_t i = v->num_done; i < end; i++) {
            steps_left -= v->steps[v->order[i]];
        }
        refine_base(v, v->num_done, end);
        v->num_done = end;
    }
}

void MC_FindVis(mc_vis_t *vis, mc_pools_t *pools, const mc_tree_t *tree,
                const mc_vis_options_t *options, const mc_report_t *report) {
    *vis = (mc_vis_t){0};
    mc_mark_t mark = MC_Mark(&pools->temp);
    mc_portals_t portals;
    MC_FindPortals(&portals, pools, tree, MIN_WIDTH);
    vis_t *v = MC_Alloc(&pools->temp, 1, sizeof *v);
    v->options = options;
    v->report = report;
    v->num_clusters = (int32_t)tree->num_leafs - 1;
    make_graph(v, &pools->temp, tree, &portals);
    vis->num_portals = v->num_portals;
    // Two sets for each portal must leave memory for the rest of the compilation.
    double set_bytes = 2.0 * (double)v->num_portals * ((double)v->num_portals / 8.0 + 8.0);
    if (set_bytes <= 0.5 * (double)*pools->temp.budget_bytes &&
        v->num_clusters <= CM_MAX_CLUSTERS) {
        find_portals(v, pools);
        if (!options->fast) {
            find_full(v, &pools->temp);
        }
        for (int32_t i = 0; i < MC_MAX_THREADS; i++) {
            Vis_FreeWalker(v->walkers[i]);
        }
        if (atomic_load(&v->no_memory)) {
            MC_Fail(pools->temp.fail, "out of memory");
        }
        for (int32_t i = 0; i < v->num_portals; i++) {
            vis->num_limited += v->limited[i];
        }
        vis->num_clusters = v->num_clusters;
        make_rows(vis, v, &pools->keep);
    }
    MC_Release(&pools->temp, mark);
}
