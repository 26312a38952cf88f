/// probe/main.c - edict-probe: answers queries about the collision of a map, and draws it.

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
    "      --animation, --time, --controllers: animation to show, its time and the "               \
    "controllers;\n"                                                                               \
    "           default: those of the entity, or the start of the first animation\n"               \
    "      --hitboxes: hitboxes also stop the sweeps of --points; hits are marked, and printed "   \
    "to\n"                                                                                         \
    "           stdout: id,fraction,endx,endy,endz,met,hitgroup,bone,bonename\n"

static const probe_command_t commands[] = {
    {"trace", Probe_Trace, "MAP [--solids auto|hulls|brushes] < QUERIES.csv > ANSWERS.csv",
     "sweep points, hulls or boxes of any size through a model, which may be rotated\n"
     "      in:  id,model,sx,sy,sz,ex,ey,ez and the shape to sweep, one of:\n"
     "           hull: a point through the hull with that number\n"
     "           minx,miny,minz,maxx,maxy,maxz: a box, relative to its origin\n"
     "           box: the number of a fixed box: 0 = a point, 1 = -16 -16 -24..16 16 32,\n"
     "                2 = -32 -32 -24..32 32 64, 3 = -16 -16 -18..16 16 18,\n"
     "                4 = -4 -4 -4..4 4 4, 5 = -10 -10 -30..10 10 40\n"
     "           and the pose of the model: ox,oy,oz and pitch,yaw,roll (default 0 0 0)\n"
     "      out: id,fraction,endx,endy,endz,nx,ny,nz,startsolid,allsolid,contents\n"
     "      --solids: solids that boxes collide with, as cvar sv_solids (default auto). With\n"
     "           --solids, a number in column hull selects the box of that hull, not the hull"},
    {"contents", Probe_Contents, "MAP < POINTS.csv > ANSWERS.csv",
     "report the contents at points, and the leaf for hull 0 of model 0\n"
     "      in:  id,model,hull,x,y,z\n"
     "      out: id,contents,leaf"},
    {"move", Probe_Move, "MAP STARTS.csv CMDS.csv [--pm-step MS] [--solids ...] > STATES.csv",
     "run usercmds through pmove; print a row after every tenth command of a trajectory\n"
     "      STARTS: traj,x,y,z[,mode,vx,vy,vz,onground,groundmodel,waterlevel,watertype,"
     "jump_held,jump_msec,waterjumptime]\n"
     "      CMDS:   traj,cmd,msec,pitch,yaw,forward,side,up,buttons\n"
     "      --pm-step: sub-steps of MS milliseconds (default: one step per command)\n"
     "      --solids auto|hulls|brushes: solids that boxes collide with (default auto)"},
    {"draw", Probe_Draw,
     "MAP [-o OUT.svg] [--slice x|y|z AT [--brushes | --hull N]] [--side [--y Y]] [--z MIN MAX]\n"
     "      [--near X Y Z R] [--step QU] [--points FILE] [--box 0|1|2] [--path FILE]\n"
     "      " FIGURE_OPTIONS,
     "draw a map as SVG: floors by height from above, the cut of a plane, or a section\n"
     "      --slice: cut the map at x, y or z = AT. Draws the triangles of a mesh; else brushes,\n"
     "           with --brushes or if the map has no hulls; else hull N (default 0)\n"
     "      --side: the section at Y, and the map behind it, seen along +y\n"
     "      --z: draw only heights MIN..MAX; --near: draw only what is within R of X Y Z\n"
     "      --step: size of a cell in qu\n"
     "      --points: table with x,y,z (dots) or sx,sy,sz,ex,ey,ez (sweeps of --box: 0 a point,\n"
     "           1 a player, 2 a large monster); the text of column label or id is added\n"
     "      --path: table with x,y,z[,traj], one point per row, as `move` prints it\n"
     "      both options also read the .pts file of a leak\n" FIGURE_HELP},
    {"view", Probe_View,
     "MAP -o OUT.png [--eye X Y Z] [--at X Y Z] [--fov DEG] [--cut Z] [--box 0|1|2]\n"
     "      [--size W H] [--points FILE] [--path FILE]\n"
     "      " FIGURE_OPTIONS,
     "draw the view of a camera as PNG: the surfaces that stop a point or a box\n"
     "      --eye, --at: position and target of the camera (default: the whole map from above)\n"
     "      --cut: hide everything above Z; solid that is cut open is transparent\n"
     "      --box: the shape swept along each ray: 0 a point, 1 a player, 2 a large monster\n"
     "      --points: table with x,y,z (dots) or sx,sy,sz,ex,ey,ez (sweeps)\n"
     "      --path: table with x,y,z[,traj], one point per row; hidden parts are faint\n"
     "      both options also read the .pts file of a leak\n" FIGURE_HELP},
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
