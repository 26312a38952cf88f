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
    "      MAP may also be an .emesh file with hitboxes.\n"                                        \
    "      --animation: animation to show (default: the entity's, or the first)\n"                 \
    "      --time: time of the animation in ms\n"                                                  \
    "      --controllers: values of the controllers (default: the entity's)\n"                     \
    "      --hitboxes: hitboxes also stop the sweeps of --points. Marks and prints the hits:\n"    \
    "           id,fraction,endx,endy,endz,met,hitgroup,bone,bonename\n"                           \
    "      Colours of hitboxes: orange = head, blue = chest, green = stomach,\n"                   \
    "           teal = left arm, purple = right arm, yellow = left leg, brown = right leg,\n"      \
    "           grey = other.\n"

static const probe_command_t commands[] = {
    {"trace", Probe_Trace, "MAP [--solids auto|hulls|brushes] < QUERIES.csv > ANSWERS.csv",
     "sweep points, hulls or boxes through a model; print a row per sweep\n"
     "      in:  id, model, start sx,sy,sz, end ex,ey,ez\n"
     "           pose of the model: ox,oy,oz and pitch,yaw,roll (default 0 0 0)\n"
     "           shape, one of:\n"
     "           - hull: number of a hull. With --solids: the box of that hull\n"
     "           - minx,miny,minz,maxx,maxy,maxz: corners of a box, relative to its origin\n"
     "           - box: number of a fixed box:\n"
     "             0: a point\n"
     "             1: -16 -16 -24 to 16 16 32\n"
     "             2: -32 -32 -24 to 32 32 64\n"
     "             3: -16 -16 -18 to 16 16 18\n"
     "             4: -4 -4 -4 to 4 4 4\n"
     "             5: -10 -10 -30 to 10 10 40\n"
     "      out: id,fraction,endx,endy,endz,nx,ny,nz,startsolid,allsolid,contents\n"
     "      --solids: solids that boxes collide with, as cvar sv_solids (default auto)"},
    {"contents", Probe_Contents, "MAP < POINTS.csv > ANSWERS.csv",
     "report the contents at points; leaf is -1 except for hull 0 of model 0\n"
     "      in:  id,model,hull,x,y,z\n"
     "      out: id,contents,leaf"},
    {"move", Probe_Move, "MAP STARTS.csv CMDS.csv [--pm-step MS] [--solids ...] > STATES.csv",
     "run player commands; print a row after every tenth command of a trajectory\n"
     "      STARTS: traj,x,y,z; optional: mode,vx,vy,vz,onground,groundmodel,waterlevel,\n"
     "              watertype,jump_held,jump_msec,waterjumptime\n"
     "      CMDS:   traj,cmd,msec,pitch,yaw,forward,side,up,buttons\n"
     "      --pm-step: length of a sub-step in ms (default: one step per command)\n"
     "      --solids auto|hulls|brushes: solids that boxes collide with (default auto)"},
    {"draw", Probe_Draw,
     "MAP [-o OUT.svg] [--slice x|y|z AT [--brushes | --hull N]] [--side [--y Y]] [--z MIN MAX]\n"
     "      [--near X Y Z R] [--step QU] [--points FILE] [--box 0|1|2] [--path FILE]\n"
     "      " FIGURE_OPTIONS,
     "draw a map as SVG: from above (floors by height), a slice, or a side view\n"
     "      --slice: cut the map at x, y or z = AT\n"
     "      --hull: cut hull N of the map (default 0)\n"
     "      --brushes: cut brushes (default if the map has no hulls)\n"
     "      --side: cut the map at Y and also draw what is behind, seen along +y\n"
     "      --z: draw only heights MIN..MAX\n"
     "      --near: draw only within R of X Y Z\n"
     "      --step: size of a cell in qu\n"
     "      --points: table of dots (x,y,z) or sweeps (sx,sy,sz,ex,ey,ez), or a .pts file.\n"
     "           Column label, or else id, is drawn beside each.\n"
     "      --box: shape of the sweeps: 0 = a point, 1 = a player, 2 = a large monster\n"
     "      --path: table of points in order (x,y,z[,traj]), or a .pts file\n" FIGURE_HELP},
    {"view", Probe_View,
     "MAP -o OUT.png [--eye X Y Z] [--at X Y Z] [--fov DEG] [--cut Z] [--size W H]\n"
     "      [--solids] [--box 0|1|2] [--points FILE] [--path FILE]\n"
     "      " FIGURE_OPTIONS,
     "draw the view of a camera as PNG: the faces of the map, with their textures\n"
     "      --eye: position of the camera (default: shows the whole map from above)\n"
     "      --at: target of a camera with --eye (default: the centre of the map)\n"
     "      --fov: horizontal field of view in degrees (default 70)\n"
     "      --cut: hide everything above Z; solid that is cut open is transparent\n"
     "      --solids: draw the surfaces that stop a point; so is a map without faces\n"
     "      --box: draw the surfaces that stop a box: 1 = a player, 2 = a large monster;\n"
     "           also the shape of the sweeps\n"
     "      --points: table of dots (x,y,z) or sweeps (sx,sy,sz,ex,ey,ez), or a .pts file\n"
     "      --path: table of points in order (x,y,z[,traj]), or a .pts file.\n"
     "           Hidden parts are faint.\n" FIGURE_HELP},
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
