/// probe/move_table.c - reads tables of starts and commands, and runs the commands.
//
// Each command runs when it is read; only the starts are stored.

#include "base/str.h"
#include "math/angles.h"
#include "probe/move.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SPEED  10000.0f // qu/s on each axis; far above any speed in the tables
#define MAX_DEGREE 1000000.0f

// The columns of a table of starts. Those from START_MODE on are optional.
enum {
    START_TRAJ,
    START_X,
    START_Y,
    START_Z,
    START_MODE,
    START_SPOT_CLASS,
    START_VX,
    START_VY,
    START_VZ,
    START_ONGROUND,
    START_GROUNDMODEL,
    START_WATERLEVEL,
    START_WATERTYPE,
    START_JUMP_HELD,
    START_JUMP_MSEC,
    START_WATERJUMPTIME,
    NUM_START_COLS
};

static const char *const start_names[NUM_START_COLS] = {
    "traj",      "x",          "y",           "z",
    "mode",      "spot_class", "vx",          "vy",
    "vz",        "onground",   "groundmodel", "waterlevel",
    "watertype", "jump_held",  "jump_msec",   "waterjumptime"};

enum {
    CMD_TRAJ,
    CMD_CMD,
    CMD_MSEC,
    CMD_PITCH,
    CMD_YAW,
    CMD_FORWARD,
    CMD_SIDE,
    CMD_UP,
    CMD_BUTTONS,
    NUM_CMD_COLS
};

static const char *const cmd_names[NUM_CMD_COLS] = {"traj",    "cmd",  "msec", "pitch",  "yaw",
                                                    "forward", "side", "up",   "buttons"};

bool Moves_Init(moves_t *moves, const cmap_t *map, err_t *err) {
    moves->vars = MoveVars_Default();
    moves->vars.pm_step_ms = 0;
    moves->vars.sv_maxvelocity = MAX_SPEED;
    moves->starts = NULL;
    moves->sorted = NULL;
    moves->num_starts = 0;
    moves->last = NULL;
    return Moves_InitWorld(moves, map, err);
}

player_state_t Moves_PlayerAt(vec3_t origin) {
    return (player_state_t){
        .origin = origin,
        .mins = PM_PLAYER_MINS,
        .maxs = PM_PLAYER_MAXS,
        .movetype = MOVETYPE_WALK,
        .groundentity = -1,
        .watertype = CONTENTS_EMPTY,
        .health = 100,
    };
}

static bool bad_field(const csv_t *csv, int32_t column, const char *expected, err_t *err) {
    return Err_Set(err, "%s:%d: column %s: expected %s, found \"%.40s\"", csv->name, csv->line,
                   csv->names[column], expected, Csv_Text(csv, column));
}

static bool read_name(const csv_t *csv, int32_t column, char out[MAX_MOVE_NAME_BYTES], err_t *err) {
    const char *text = Csv_Text(csv, column);
    if (strlen(text) >= MAX_MOVE_NAME_BYTES) {
        return bad_field(csv, column, "at most 47 bytes", err);
    }
    memcpy(out, text, strlen(text) + 1);
    return true;
}

// Parses a field within lo..hi. Leaves `*out` unchanged if the table has no such column.
static bool read_float(const csv_t *csv, int32_t column, float lo, float hi, float *out,
                       err_t *err) {
    float value;
    if (column < 0) {
        return true;
    }
    if (!Csv_Float(csv, column, &value, err)) {
        return false;
    }
    if (!(value >= lo && value <= hi)) {
        char expected[64];
        snprintf(expected, sizeof expected, "a number %g..%g", (double)lo, (double)hi);
        return bad_field(csv, column, expected, err);
    }
    *out = value;
    return true;
}

static bool read_int(const csv_t *csv, int32_t column, int32_t lo, int32_t hi, int32_t *out,
                     err_t *err) {
    int64_t value = 0;
    if (column < 0) {
        return true;
    }
    if (!Csv_Int(csv, column, lo, hi, &value, err)) {
        return false;
    }
    *out = (int32_t)value;
    return true;
}

static bool read_mode(const csv_t *csv, int32_t column, bool *bmodels, err_t *err) {
    if (column < 0) {
        return true;
    }
    *bmodels = strcmp(Csv_Text(csv, column), "bmodels") == 0;
    return *bmodels || strcmp(Csv_Text(csv, column), "world") == 0 ||
           bad_field(csv, column, "world or bmodels", err);
}

static bool read_state(const csv_t *csv, const int32_t *cols, player_state_t *player, err_t *err) {
    int32_t onground = 0;
    int32_t jump_held = 0;
    float waterjumptime = 0.0f;
    if (!read_float(csv, cols[START_VX], -MAX_SPEED, MAX_SPEED, &player->velocity.x, err) ||
        !read_float(csv, cols[START_VY], -MAX_SPEED, MAX_SPEED, &player->velocity.y, err) ||
        !read_float(csv, cols[START_VZ], -MAX_SPEED, MAX_SPEED, &player->velocity.z, err) ||
        !read_int(csv, cols[START_ONGROUND], 0, 1, &onground, err) ||
        !read_int(csv, cols[START_GROUNDMODEL], -1, MAX_MAP_MODELS, &player->groundentity, err) ||
        !read_int(csv, cols[START_WATERLEVEL], 0, 3, &player->waterlevel, err) ||
        !read_int(csv, cols[START_WATERTYPE], CONTENTS_LADDER, 0, &player->watertype, err) ||
        !read_int(csv, cols[START_JUMP_HELD], 0, 1, &jump_held, err) ||
        !read_int(csv, cols[START_JUMP_MSEC], 0, 1000, &player->jump_ms, err) ||
        !read_float(csv, cols[START_WATERJUMPTIME], 0.0f, 10.0f, &waterjumptime, err)) {
        return false;
    }
    player->flags = (onground ? PMF_ONGROUND : 0u) | (jump_held ? PMF_JUMP_HELD : 0u);
    player->waterjump_ms = Q_ToInt(waterjumptime * 1000.0f + 0.5f, 0, 10000);
    return true;
}

static bool read_start(const csv_t *csv, const int32_t cols[NUM_START_COLS], move_start_t *start,
                       err_t *err) {
    vec3_t origin;
    if (!read_name(csv, cols[START_TRAJ], start->traj, err) ||
        (cols[START_SPOT_CLASS] >= 0 &&
         !read_name(csv, cols[START_SPOT_CLASS], start->spot_class, err)) ||
        !read_mode(csv, cols[START_MODE], &start->bmodels, err) ||
        !Csv_Vector(csv, &cols[START_X], MAX_WORLD_COORD, &origin, err)) {
        return false;
    }
    start->player = Moves_PlayerAt(origin);
    start->cmd = -1;
    return read_state(csv, cols, &start->player, err);
}

static bool grow_starts(moves_t *moves, int32_t *room) {
    if (moves->num_starts < *room) {
        return true;
    }
    int32_t more = Q_MinI(Q_MaxI(*room * 2, 64), MAX_MOVE_STARTS);
    move_start_t *grown =
        more > *room ? realloc(moves->starts, (size_t)more * sizeof *grown) : NULL;
    if (!grown) {
        return false;
    }
    moves->starts = grown;
    *room = more;
    return true;
}

static bool read_all_starts(moves_t *moves, csv_t *csv, const int32_t cols[NUM_START_COLS],
                            err_t *err) {
    int32_t room = 0;
    csv_read_t got;
    while ((got = Csv_Next(csv, err)) == CSV_ROW) {
        if (!grow_starts(moves, &room)) {
            return Err_Set(err,
                           moves->num_starts == MAX_MOVE_STARTS
                               ? "%s:%d: expected at most %d starts, found more"
                               : "%s:%d: out of memory for %d starts",
                           csv->name, csv->line, moves->num_starts);
        }
        move_start_t *start = &moves->starts[moves->num_starts];
        *start = (move_start_t){.line = csv->line};
        if (!read_start(csv, cols, start, err)) {
            return false;
        }
        moves->num_starts++;
    }
    return got == CSV_END;
}

static int compare_names(const void *a, const void *b) {
    const move_start_t *const *x = a;
    const move_start_t *const *y = b;
    return strcmp((*x)->traj, (*y)->traj);
}

// Sorts the starts by name for binary search. Fails if a name occurs twice.
static bool sort_starts(moves_t *moves, const char *name, err_t *err) {
    moves->sorted = calloc((size_t)moves->num_starts + 1, sizeof(move_start_t *));
    if (!moves->sorted) {
        return Err_Set(err, "%s: out of memory for %d starts", name, moves->num_starts);
    }
    for (int32_t i = 0; i < moves->num_starts; i++) {
        moves->sorted[i] = &moves->starts[i];
    }
    qsort(moves->sorted, (size_t)moves->num_starts, sizeof(move_start_t *), compare_names);
    for (int32_t i = 1; i < moves->num_starts; i++) {
        const move_start_t *one = moves->sorted[i - 1];
        const move_start_t *other = moves->sorted[i];
        if (strcmp(one->traj, other->traj) == 0) {
            return Err_Set(err, "%s:%d: column traj: expected each traj once, found %s in line %d",
                           name, Q_MaxI(one->line, other->line), one->traj,
                           Q_MinI(one->line, other->line));
        }
    }
    return true;
}

bool Moves_ReadStarts(moves_t *moves, FILE *in, const char *name, err_t *err) {
    csv_t csv;
    int32_t cols[NUM_START_COLS];
    if (!Csv_Open(&csv, in, name, err) || !Csv_Columns(&csv, start_names, START_MODE, cols, err)) {
        return false;
    }
    for (int32_t i = START_MODE; i < NUM_START_COLS; i++) {
        cols[i] = Csv_Column(&csv, start_names[i]);
    }
    return read_all_starts(moves, &csv, cols, err) && sort_starts(moves, name, err);
}

static move_start_t *find_start(moves_t *moves, const char *traj) {
    if (moves->last && strcmp(moves->last->traj, traj) == 0) {
        return moves->last;
    }
    move_start_t wanted;
    const move_start_t *key = &wanted;
    if (strlen(traj) >= sizeof wanted.traj) {
        return NULL;
    }
    memcpy(wanted.traj, traj, strlen(traj) + 1);
    move_start_t **found = bsearch(&key, moves->sorted, (size_t)moves->num_starts,
                                   sizeof(move_start_t *), compare_names);
    moves->last = found ? *found : NULL;
    return moves->last;
}

static bool read_cmd(const csv_t *csv, const int32_t cols[NUM_CMD_COLS], pm_input_t *input,
                     int32_t *msec, err_t *err) {
    int32_t buttons = 0;
    *input = (pm_input_t){0};
    if (!read_int(csv, cols[CMD_MSEC], 1, MAX_CMD_MSEC, msec, err) ||
        !read_float(csv, cols[CMD_PITCH], -MAX_DEGREE, MAX_DEGREE, &input->angles.x, err) ||
        !read_float(csv, cols[CMD_YAW], -MAX_DEGREE, MAX_DEGREE, &input->angles.y, err) ||
        !read_float(csv, cols[CMD_FORWARD], -MAX_WISH_SPEED, MAX_WISH_SPEED, &input->forward,
                    err) ||
        !read_float(csv, cols[CMD_SIDE], -MAX_WISH_SPEED, MAX_WISH_SPEED, &input->side, err) ||
        !read_float(csv, cols[CMD_UP], -MAX_WISH_SPEED, MAX_WISH_SPEED, &input->up, err) ||
        !read_int(csv, cols[CMD_BUTTONS], 0, 255, &buttons, err)) {
        return false;
    }
    input->buttons = (uint32_t)buttons;
    return true;
}

// Runs a command. For fixed sub-steps, the input is first rounded to a usercmd, as clients do.
static void run_cmd(const moves_t *moves, move_start_t *start, const pm_world_t *world,
                    const pm_input_t *input, int32_t msec) {
    if (moves->vars.pm_step_ms < 1) {
        pm_touch_t touch;
        PM_Move(&start->player, input, msec, &moves->vars, world, &touch);
        return;
    }
    usercmd_t cmd = {
        .msec = (uint8_t)msec,
        .buttons = (uint8_t)input->buttons,
        .pitch = AngleToShort(input->angles.x),
        .yaw = AngleToShort(input->angles.y),
        .forward = (int16_t)Q_ToInt(input->forward, -MAX_WISH_SPEED, MAX_WISH_SPEED),
        .side = (int16_t)Q_ToInt(input->side, -MAX_WISH_SPEED, MAX_WISH_SPEED),
        .up = (int16_t)Q_ToInt(input->up, -MAX_WISH_SPEED, MAX_WISH_SPEED),
    };
    PM_RunCommand(&start->player, &cmd, msec, &moves->vars, world, NULL);
}

/// Runs one row of commands. Returns the trajectory that it moved (an entry of the table of
/// starts), or NULL with the reason.
static const move_start_t *run_row(moves_t *moves, const csv_t *csv,
                                   const int32_t cols[NUM_CMD_COLS], err_t *err) {
    pm_input_t input;
    int32_t msec = 0;
    int64_t number = 0;
    move_start_t *start = find_start(moves, Csv_Text(csv, cols[CMD_TRAJ]));
    if (!start) {
        bad_field(csv, cols[CMD_TRAJ], "a traj of the table of starts", err);
        return NULL;
    }
    if (!Csv_Int(csv, cols[CMD_CMD], start->cmd + 1, INT32_MAX, &number, err) ||
        !read_cmd(csv, cols, &input, &msec, err)) {
        return NULL;
    }
    start->cmd = number;
    start->num_cmds++;
    run_cmd(moves, start, &moves->pm_worlds[start->bmodels], &input, msec);
    return start;
}

bool Moves_Run(moves_t *moves, FILE *in, const char *name, moves_row_t row, void *context,
               err_t *err) {
    csv_t csv;
    int32_t cols[NUM_CMD_COLS];
    if (!Csv_Open(&csv, in, name, err) || !Csv_Columns(&csv, cmd_names, NUM_CMD_COLS, cols, err)) {
        return false;
    }
    csv_read_t got;
    while ((got = Csv_Next(&csv, err)) == CSV_ROW) {
        const move_start_t *start = run_row(moves, &csv, cols, err);
        if (!start) {
            return false;
        }
        if (start->num_cmds % MOVE_ROW_CMDS == 0 && !row(context, start)) {
            return Err_Set(err, "%s:%d: the state after this command was not accepted", name,
                           csv.line);
        }
    }
    return got == CSV_END;
}

void Moves_Free(moves_t *moves) {
    free(moves->starts);
    free(moves->sorted);
    moves->starts = NULL;
    moves->sorted = NULL;
    moves->last = NULL;
    moves->num_starts = 0;
}
