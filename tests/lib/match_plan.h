/// match_plan.h - what a short match does, drawn from a seed: the server, its clients, their
/// networks, and a schedule of events.
//
// Repeat:  a plan depends on its seed only.

#ifndef EDICTD_TESTS_MATCH_PLAN_H
#define EDICTD_TESTS_MATCH_PLAN_H

#include "base/rng.h"
#include "net/impair.h"

#define PLAN_CLIENTS 8
#define PLAN_EVENTS  24
#define PLAN_MAPS    10
#define PLAN_ROOMS   4 // the first of them: one of each format of Quake and Half-Life

/// X(name): what happens.
#define PLAN_ACTS(X)                                                                               \
    X(LEAVE)    /* the client disconnects */                                                       \
    X(VANISH)   /* the client's program dies */                                                    \
    X(JOIN)     /* an absent client joins again */                                                 \
    X(CUT)      /* nothing arrives from and at the client for `value` ms */                        \
    X(CUT_UP)   /* nothing arrives from the client */                                              \
    X(CUT_DOWN) /* nothing arrives at the client */                                                \
    X(NETWORK)  /* the client's network becomes bad */                                             \
    X(HANG)     /* the client does nothing for `value` ms */                                       \
    X(OVERRUN)  /* the server does nothing for `value` ms */                                       \
    X(MAP)      /* the server starts map `value` */                                                \
    X(RESTART)  /* the server starts its map again */                                              \
    X(RATE)     /* sv_tickrate becomes `value`, with the next map */                               \
    X(KICK)                                                                                        \
    X(NAME) /* the client takes name `value` */                                                    \
    X(SAY)                                                                                         \
    X(COMMAND)   /* the client sends command `value` */                                            \
    X(GRAVITY)   /* sv_gravity becomes `value` */                                                  \
    X(RELOAD)    /* the game is loaded again; 1 = the map starts again */                          \
    X(SNAPSHOTS) /* sv_snapshot_ticks becomes `value` */                                           \
    X(CULL)      /* sv_cull_los becomes `value` */                                                 \
    X(DELAY)     /* sv_spectate_delay_s becomes `value` */                                         \
    X(GRACE)     /* sv_grace_ms becomes `value` */                                                 \
    X(RATES)     /* sv_minrate and sv_maxrate become `value` */

typedef enum {
#define PLAN_ACT(name) ACT_##name,
    PLAN_ACTS(PLAN_ACT)
#undef PLAN_ACT
        ACT_COUNT
} plan_act_t;

typedef struct {
    int32_t at_ms;
    plan_act_t act;
    int32_t client, value;
} plan_event_t;

typedef struct {
    int32_t join_ms;
    bool is_spectator;
    int32_t rate;       ///< wished bytes/s; 0 = any
    int32_t frame_ms;   ///< between two frames
    int32_t silence_ms; ///< of cl_config_t
    int32_t offset_ms;  ///< of its clock
    int32_t drift_ppm;  ///< of its clock
    int32_t network_ms; ///< time at which its network becomes bad; -1 = never
    bool has_no_map;    ///< cannot predict
    bool lacks_maps;    ///< has no map files, and downloads them
    char network[256];  ///< for Net_Conditions
} plan_client_t;

typedef struct {
    uint64_t seed;
    int32_t num_clients;
    int32_t num_slots; ///< sv_maxclients
    int32_t map;
    float rate_hz;
    int32_t step_ms; ///< of virtual time
    int32_t snapshot_ticks;
    int32_t min_rate, max_rate;
    bool cull_los;
    int32_t grace_ms, maxunlag_ms, delay_s;
    int32_t end_ms; ///< then all networks heal
    bool allows_downloads;
    bool shuts_down; ///< the server ends the match; otherwise the clients leave
    plan_client_t clients[PLAN_CLIENTS];
    int32_t num_events;
    plan_event_t events[PLAN_EVENTS]; ///< by time
} plan_t;

/// Draws the plan of a seed.
void Plan_Draw(plan_t *plan, uint64_t seed);

/// Prints a plan, one line per client and event.
void Plan_Print(const plan_t *plan);

#endif
