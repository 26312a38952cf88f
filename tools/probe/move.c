/// probe/move.c - edict-probe move: runs a table of usercmds through pmove.

#include "probe/move.h"

#include "base/str.h"
#include "bsp/map.h"
#include "probe/probe.h"
#include "probe/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool print_row(void *context, const move_start_t *start) {
    (void)context;
    const player_state_t *p = &start->player;
    printf("%s,%lld,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d,%d,%d,%d,%d,%d,%.9g\n", start->traj,
           (long long)start->cmd, (double)p->origin.x, (double)p->origin.y, (double)p->origin.z,
           (double)p->velocity.x, (double)p->velocity.y, (double)p->velocity.z,
           (p->flags & PMF_ONGROUND) != 0, p->groundentity, p->waterlevel, p->watertype,
           (p->flags & PMF_JUMP_HELD) != 0, p->jump_ms, (double)((float)p->waterjump_ms / 1000.0f));
    return true;
}

static bool run_files(moves_t *moves, const char *starts, const char *cmds, err_t *err) {
    FILE *in = fopen(starts, "r");
    if (!in) {
        return Err_Set(err, "%s: %s", starts, strerror(errno));
    }
    bool good = Moves_ReadStarts(moves, in, starts, err);
    fclose(in);
    if (!good) {
        return false;
    }
    in = fopen(cmds, "r");
    if (!in) {
        return Err_Set(err, "%s: %s", cmds, strerror(errno));
    }
    puts("traj,cmd,x,y,z,vx,vy,vz,onground,groundmodel,waterlevel,watertype,jump_held,jump_msec,"
         "waterjumptime");
    good = Moves_Run(moves, in, cmds, print_row, NULL, err);
    fclose(in);
    return good;
}

int Probe_Move(int argc, char **argv) {
    const char *map_path = NULL, *starts = NULL, *cmds = NULL, *step = "0", *solids = "auto";
    const probe_option_t options[] = {{"MAP", &map_path, NULL, 0, NULL},
                                      {"STARTS.csv", &starts, NULL, 0, NULL},
                                      {"CMDS.csv", &cmds, NULL, 0, NULL},
                                      {"--pm-step", &step, NULL, 0, NULL},
                                      {"--solids", &solids, NULL, 0, NULL}};
    int64_t step_ms = 0;
    int32_t collide_with = CM_SOLIDS_AUTO;
    if (!Probe_ReadOptions(options, COUNTOF(options), argc, argv) ||
        !Str_ToInt(step, 0, MAX_CMD_MSEC, &step_ms) || !Probe_ReadSolids(solids, &collide_with)) {
        return PROBE_USAGE;
    }
    err_t err;
    moves_t *moves = calloc(1, sizeof *moves);
    if (!moves) {
        return Probe_Fail("out of memory");
    }
    cmap_t *map = Map_Load(map_path, &err);
    bool good = map && Moves_Init(moves, map, &err);
    if (good) {
        moves->vars.pm_step_ms = (int32_t)step_ms;
        moves->world.collide_with = collide_with;
        good = run_files(moves, starts, cmds, &err);
    }
    Moves_Free(moves);
    free(moves);
    Map_Free(map);
    return good ? PROBE_OK : Probe_Fail("%s", err.text);
}
