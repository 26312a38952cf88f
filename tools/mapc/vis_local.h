/// mapc/vis_local.h - the portals of a tree as a graph, and sets of them. Private to vis*.c.

#ifndef EDICTD_MAPC_VIS_LOCAL_H
#define EDICTD_MAPC_VIS_LOCAL_H

#include "mapc/vis.h"

#include <stdatomic.h>

/// A portal in one direction: from a cluster to a cluster. `plane` faces where it leads.
typedef struct {
    dplane_t plane;
    int32_t to;
    const winding_t *winding;
} vis_portal_t;

typedef struct vis_walker vis_walker_t;

/// The work on all portals. Sets have a bit for each portal.
typedef struct {
    const mc_vis_options_t *options;
    const mc_report_t *report;
    vis_portal_t *portals;
    int32_t num_portals, num_clusters;
    int32_t *first, *links; ///< portals of cluster c: links[first[c]] .. links[first[c + 1] - 1]
    size_t words;           ///< of a set
    uint64_t *base;         ///< per portal: portals that may be visible after it
    uint64_t *full;         ///< per portal: portals that are visible through it
    int32_t *order;         ///< portals, least base visibility first
    int32_t *rank;          ///< per portal: its place in that order
    uint8_t *limited;       ///< per portal: took too many steps
    int64_t *steps;         ///< per portal: steps taken
    int32_t num_done;       ///< ranks below are finished; other threads may read their `full`
    int64_t max_steps;      ///< of a portal in this batch
    vis_walker_t *walkers[MC_MAX_THREADS];
    atomic_int next; ///< next item of work
    atomic_bool no_memory;
} vis_t;

static inline bool Vis_Has(const uint64_t *set, int32_t n) {
    return set[n / 64] >> n % 64 & 1;
}

static inline void Vis_Add(uint64_t *set, int32_t n) {
    set[n / 64] |= (uint64_t)1 << n % 64;
}

/// Computes the base visibility of a portal.
void Vis_Base(vis_t *vis, int32_t portal, vis_walker_t *walker);

/// Computes the full visibility of a portal.
void Vis_Full(vis_t *vis, int32_t portal, vis_walker_t *walker);

/// Make and free the memory of a thread. NULL if out of memory.
vis_walker_t *Vis_NewWalker(const vis_t *vis);
void Vis_FreeWalker(vis_walker_t *walker);

#endif
