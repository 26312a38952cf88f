/// probe/main.c - edict-probe: queries and draws the collision of a map.

#include "base/types.h"
#include "base/version.h"
#include "probe/probe.h"

#include <stdio.h>
#include <string.h>

typedef struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *usage, *help;
} probe_command_t;

#define FIGURE_OPTIONS "[--animation NAME] [--time MS] [--controllers \"A B ..\"] [--hitboxes]"
#define FIGURE_HELP                                                                                \
    "      MAP may also be an .emesh file with hitboxes. Hitboxes have the colours of their hit\n" \
    "           groups: head orange, chest blue, stomach green, arms teal and purple, legs "       \
    "yellow\n"                                                                                     \
    "           and brown (left and right), others grey\n"                                         \
    "      --animation, --time, --controllers: the animation to show, its time, its "              \
    "controllers;\n"                                                                               \
    "           default: those of the entity, else the first animation at its start\n"             \
    "      --hitboxes: hitboxes stop the sweeps of --points, too; hits are marked and printed "    \
    "on\n"                                                                                         \
    "           stdout: id,fraction,endx,endy,endz,met,hitgroup,bone,bonename\n"

static const probe_command_t commands[] = {
    {"trace", Probe_Trace, "MAP [--solids auto|hulls|brushes] < QUERIES.csv > ANSWERS.csv",
     "sweep points, hulls or boxes of any size through a model, which may be rotated\n"
     "      in:  id,model,sx,sy,sz,ex,ey,ez and the shape (other columns are ignored):\n"
     "           hull: a point through that hull (the hull's own origin); or\n"
     "           minx,miny,minz,maxx,maxy,maxz: a box around its origin; or\n"
     "           box: 0 a point, 1 -16 -16 -24..16 16 32, 2 -32 -32 -24..32 32 64,\n"
     "                3 +-16 +-16 +-18, 4 +-4, 5 -10 -10 -30..10 10 40\n"
     "           and the model's pose, if not at 0 0 0: ox,oy,oz pitch,yaw,roll (degrees)\n"
     "      out: id,fraction,endx,endy,endz,nx,ny,nz,startsolid,allsolid,contents\n"
     "      --solids: solids that boxes collide with, as the cvar sv_solids (default auto); with\n"
     "           it, a hull number selects the box that the hull was made for"},
    {"contents", Probe_Contents, "MAP < POINTS.csv > ANSWERS.csv",
     "report the contents at points, and the leaf for hull 0 of model 0\n"
     "      in:  id,model,hull,x,y,z\n"
     "      out: id,contents,leaf"},
    {"move", Probe_Move, "MAP STARTS.csv CMDS.csv [--pm-step MS] [--solids ...] > STATES.csv",
     "run usercmds through pmove; prints a row after every tenth command of a trajectory\n"
     "      STARTS: traj,x,y,z[,mode,vx,vy,vz,onground,groundmodel,waterlevel,watertype,"
     "jump_held,jump_msec,waterjumptime]\n"
     "      CMDS:   traj,cmd,msec,pitch,yaw,forward,side,up,buttons\n"
     "      --pm-step: fixed sub-steps of MS; default: each command is one step\n"
     "      --solids auto|hulls|brushes: solids that boxes collide with"},
    {"draw", Probe_Draw,
     "MAP [-o OUT.svg] [--slice x|y|z AT [--brushes | --hull N]] [--side [--y Y]] [--z MIN MAX]\n"
     "      [--near X Y Z R] [--step QU] [--points FILE] [--box 0|1|2] [--path FILE]\n"
     "      " FIGURE_OPTIONS,
     "draw a map as SVG: floors by height from above, or the cut of a plane, or a section\n"
     "      --slice: the cut at x, y or z = AT: triangles; brushes if the map has no hulls (or\n"
     "           with --brushes), else hull N (0); seen along -x, along +y, or from above\n"
     "      --side: a section at Y, seen along +y, with the map behind it\n"
     "      --z: only heights MIN..MAX; --near: only within R of a point along each axis\n"
     "      --step: size of a cell in qu\n"
     "      --points: x,y,z (dots) or sx,sy,sz,ex,ey,ez (sweeps of --box: 0 a point, 1 a player,\n"
     "           2 a large monster; up to their end); column label, else id, is written beside\n"
     "      --path: x,y,z[,traj] row after row, as `move` writes it\n"
     "      both also read the .pts file of a leak\n" FIGURE_HELP},
    {"view", Probe_View,
     "MAP -o OUT.png [--eye X Y Z] [--at X Y Z] [--fov DEG] [--cut Z] [--box 0|1|2]\n"
     "      [--size W H] [--points FILE] [--path FILE]\n"
     "      " FIGURE_OPTIONS,
     "draw the view of a camera as PNG: the surfaces that stop a point, or a box\n"
     "      --eye, --at: position and target; default: the whole map from above\n"
     "      --cut: hides everything above Z; a ray that starts in solid begins behind it\n"
     "      --box: the shape swept along each ray: 0 a point, 1 a player, 2 a large monster\n"
     "      --points: x,y,z (dots) or sx,sy,sz,ex,ey,ez (sweeps, up to their end)\n"
     "      --path: x,y,z[,traj] row after row, as `move` writes it; hidden parts are faint\n"
     "      both also read the .pts file of a leak\n" FIGURE_HELP},
};

static void print_help(FILE *out) {
    fputs("usage: edict-probe COMMAND ...\n", out);
    for (size_t i = 0; i < COUNTOF(commands); i++) {
        fprintf(out, "  %s %s\n      %s\n", commands[i].name, commands[i].usage, commands[i].help);
    }
    fputs("exit status: 0 done, 1 bad data, 2 wrong arguments\n", out);
}

int main(int argc, char **argv) {
    if (argc >= 2 && (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0)) {
        print_help(stdout);
        return PROBE_OK;
    }
    if (argc >= 2 && (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0)) {
        puts("edict-probe " EDICTD_VERSION);
        return PROBE_OK;
    }
    for (size_t i = 0; argc >= 2 && i < COUNTOF(commands); i++) {
        if (strcmp(argv[1], commands[i].name) != 0) {
            continue;
        }
        int status = commands[i].run(argc - 1, argv + 1);
        if (status == PROBE_USAGE) {
            fprintf(stderr, "usage: edict-probe %s %s\n", commands[i].name, commands[i].usage);
        }
        if (status == PROBE_OK && (fflush(stdout) != 0 || ferror(stdout))) {
            status = Probe_Fail("stdout: write error");
        }
        return status;
    }
    if (argc >= 2) {
        fprintf(stderr, "edict-probe: expected a command, found \"%s\"\n", argv[1]);
    }
    print_help(stderr);
    return PROBE_USAGE;
}
