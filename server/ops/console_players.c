/// ops/console_players.c - the commands kick, ban, allow, unban, bans, mute, unmute and peers.
//
// WHO is a slot, an address, a range a.b.c.d/bits, "id:" and a player id, a name, or a unique part
// of a name.

#include "base/str.h"
#include "ops/console_local.h"

#include <stdio.h>
#include <string.h>

#define NOT_SAVED "in force, but not saved: %s"

typedef struct {
    int32_t slot; // -1 = an address, a range, or the id of a player who is not here
    ban_t who;    // of a slot: its player's address
} target_t;

// ---- who ----

// Appends "SLOT NAME" of each player whose name contains `part`. `slot` receives the last slot.
// Returns the number of players.
static int32_t list_matches(const console_t *console, const char *part, char *text, size_t size,
                            int32_t *slot) {
    int32_t count = 0;
    for (int32_t i = 0; i < console->host.sv_maxclients; i++) {
        const char *name = Server_PlayerName(console->server, i);
        size_t used = strlen(text);
        if (name[0] != '\0' && strcasestr(name, part)) {
            snprintf(text + used, size - used, "%s%d %s", count > 0 ? ", " : "", i, name);
            *slot = i;
            count++;
        }
    }
    Str_TrimCut(text);
    return count;
}

// Returns the slot with exactly this name, or -1.
static int32_t slot_of_name(const console_t *console, const char *name) {
    for (int32_t i = 0; i < console->host.sv_maxclients; i++) {
        if (name[0] != '\0' && strcmp(Server_PlayerName(console->server, i), name) == 0) {
            return i;
        }
    }
    return -1;
}

// Finds the slot that `who` names. On failure returns false with a list of players.
static bool find_slot(const console_t *console, const char *who, int32_t *slot, err_t *err) {
    char names[400] = "";
    int64_t number = 0;
    if (Str_ToInt(who, 0, console->host.sv_maxclients - 1, &number) &&
        Server_PlayerName(console->server, (int32_t)number)[0] != '\0') {
        *slot = (int32_t)number;
        return true;
    }
    *slot = slot_of_name(console, who);
    if (*slot >= 0) {
        return true;
    }
    int32_t count = who[0] != '\0' ? list_matches(console, who, names, sizeof names, slot) : 0;
    if (count > 1) {
        return Err_Set(err, "\"%.64s\" matches %d players: %s; use a slot or a whole name", who,
                       count, names);
    }
    if (count == 0) {
        list_matches(console, "", names, sizeof names, slot);
        return Err_Set(err, "expected the slot, name or address of a player, found \"%.64s\"; %s%s",
                       who, names[0] != '\0' ? "players: " : "nobody plays", names);
    }
    return true;
}

static void take_slot(const console_t *console, int32_t slot, target_t *target) {
    const netrange_t address = {Server_PlayerAddress(console->server, slot).host, 32};
    *target = (target_t){.slot = slot, .who.range = address};
}

static bool find_target(const console_t *console, const cmd_args_t *args, target_t *target,
                        err_t *err) {
    const char *who = args->argv[1];
    err_t why = {{0}};
    *target = (target_t){.slot = -1};
    if (strchr(who, '.') && who[strspn(who, "0123456789./")] == '\0') {
        return Net_ParseRange(who, &target->who.range, &why) ||
               Err_Set(err, "%s: %s", args->argv[0], why.text);
    }
    if (strncmp(who, BAN_ID, strlen(BAN_ID)) == 0) {
        return Ban_ParseWho(who, &target->who, &why) ||
               Err_Set(err, "%s: %s", args->argv[0], why.text);
    }
    if (!console->server) {
        return Err_Set(err, "%s: expected an address or range before the start, found \"%.64s\"",
                       args->argv[0], who);
    }
    if (!find_slot(console, who, &target->slot, &why)) {
        return Err_Set(err, "%s: %s", args->argv[0], why.text);
    }
    take_slot(console, target->slot, target);
    return true;
}

// Like find_target, but replaces a player id by the slot of that player.
static bool find_here(const console_t *console, const cmd_args_t *args, target_t *target,
                      err_t *err) {
    if (!find_target(console, args, target, err)) {
        return false;
    }
    if (target->who.id[0] == '\0') {
        return true;
    }
    for (int32_t slot = 0; slot < console->host.sv_maxclients; slot++) {
        if (strcmp(Server_PlayerId(console->server, slot), target->who.id) == 0) {
            take_slot(console, slot, target);
            return true;
        }
    }
    return Err_Set(err, "%s: no player with the id \"%s\" is here", args->argv[0], target->who.id);
}

// Takes an optional time span from word 2. `*rest` receives the index of the next word. A reason
// must not start with a digit: a mistyped time would be a ban without end.
static bool take_span(const cmd_args_t *args, int64_t *seconds, int32_t *rest, err_t *err) {
    const char *word = args->argv[2];
    int64_t later = 0;
    *seconds = 0;
    *rest = Ban_ParseSpan(word, seconds) ? 3 : 2;
    for (int32_t i = 3; *rest == 2 && i < args->argc; i++) {
        if (Ban_ParseSpan(args->argv[i], &later)) {
            return Err_Set(err,
                           "%s: expected TIME right after WHO, found \"%s\" after \"%s\"; put "
                           "names with blanks in quotes",
                           args->argv[0], args->argv[i], args->argv[i - 1]);
        }
    }
    return *rest == 3 || word[0] < '0' || word[0] > '9' ||
           Err_Set(err, "%s: expected a time such as 30m, 12h or 7d, found \"%s\"", args->argv[0],
                   word);
}

// Answers a command. The log keeps every change that an operator makes.
static void record(console_t *console, const char *line) {
    bool is_heard = console->echo || (console->source && console->source->answer);
    if (is_heard) {
        Log_Print(console->log, LOG_INFO, "%s", line);
    }
    if (!is_heard || console->server) {
        Console_Answer(console, line);
    }
}

// Writes "NAME (slot N, ADDRESS)", or the address or range.
static void describe(const console_t *console, const target_t *target, char text[128]) {
    char range[NET_RANGE_BYTES];
    Net_FormatRange(target->who.range, range);
    if (target->slot >= 0) {
        snprintf(text, 128, "%s (slot %d, %s)", Server_PlayerName(console->server, target->slot),
                 target->slot, range);
    } else {
        snprintf(text, 128, "%s", range);
    }
}

// Writes "WHAT: REASON", or "WHAT" without a reason.
static void write_reason(const cmd_args_t *args, int32_t first, const char *what, char *text,
                         size_t size) {
    char reason[MAX_TEXT_BYTES];
    Console_JoinWords(args, first, reason, sizeof reason);
    Str_Clean(reason);
    snprintf(text, size, "%s%s%s", what, reason[0] != '\0' ? ": " : "", reason);
    Str_TrimCut(text);
}

// ---- kick and mute ----

// Rejects the addresses of a netrange_t (a net_allow_fn).
static net_reason_t reject_range(void *range, netaddr_t from) {
    return Net_InRange(*(const netrange_t *)range, from.host) ? NET_REASON_KICKED : NET_REASON_NONE;
}

bool Console_RunKick(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    char text[MAX_TEXT_BYTES], whom[128], line[512], reason[MAX_TEXT_BYTES];
    target_t target;
    if (!console->server) {
        return Err_Set(err, "kick: no server is running yet");
    }
    if (!find_here(console, args, &target, err)) {
        return false;
    }
    describe(console, &target, whom);
    write_reason(args, 2, "kicked by the operator", text, sizeof text);
    int32_t dropped =
        target.slot >= 0 ? (Server_Kick(console->server, target.slot, text) ? 1 : 0)
                         : Server_DropWhere(console->server, reject_range, &target.who.range, text);
    if (dropped == 0) {
        return Err_Set(err, "kick: nobody is connected from %s", args->argv[1]);
    }
    write_reason(args, 2, "", reason, sizeof reason);
    snprintf(line, sizeof line, "kicked %s (clients dropped: %d)%s", whom, dropped, reason);
    record(console, line);
    return true;
}

static bool mute(console_t *console, const cmd_args_t *args, bool ends, err_t *err) {
    target_t target;
    int64_t seconds = 0;
    int32_t rest = 0;
    char whom[128], line[256];
    if (!console->server) {
        return Err_Set(err, "%s: no server is running yet", args->argv[0]);
    }
    if (!find_here(console, args, &target, err) || !take_span(args, &seconds, &rest, err)) {
        return false;
    }
    if (target.who.range.bits != 32) {
        return Err_Set(err, "%s: expected one player or address, found the range \"%s\"",
                       args->argv[0], args->argv[1]);
    }
    if (rest < args->argc) {
        return Err_Set(err, "%s: expected %s, found \"%s\"", args->argv[0],
                       ends ? "only a player or address" : "a time such as 30m, or nothing",
                       args->argv[rest]);
    }
    int64_t for_ms = ends ? MUTE_END : seconds > 0 ? seconds * 1000 : MUTE_THIS_MAP;
    if (!Server_Mute(console->server, target.slot, target.who.range.host, for_ms)) {
        return Err_Set(err, "mute: too many addresses are muted; unmute some, or ban instead");
    }
    describe(console, &target, whom);
    snprintf(line, sizeof line, "%sd %s%s%s", args->argv[0], whom,
             ends          ? ""
             : seconds > 0 ? " for "
                           : " until the map changes",
             seconds > 0 ? args->argv[2] : "");
    record(console, line);
    return true;
}

bool Console_RunMute(void *context, const cmd_args_t *args, err_t *err) {
    return mute(context, args, false, err);
}

bool Console_RunUnmute(void *context, const cmd_args_t *args, err_t *err) {
    return mute(context, args, true, err);
}

bool Console_RunPeers(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    (void)args;
    if (!console->server) {
        return Err_Set(err, "peers: no server is running yet");
    }
    Server_PrintPeers(console->server, Console_Answer, console);
    return true;
}

// ---- bans ----

// Reads the file again before a change, because the operator may have edited it.
static void refresh(const console_t *console) {
    err_t err = {{0}};
    if (console->server && !Bans_Load(console->bans, console->log, &err)) {
        Log_Print(console->log, LOG_ERROR, "%s", err.text);
    }
}

// Drops the clients that the list bans. Returns their number.
static int32_t drop_banned(const console_t *console, const char *text) {
    int32_t dropped = Server_DropWhere(console->server, Bans_Allow, console->bans, text);
    for (int32_t slot = 0; slot < console->host.sv_maxclients; slot++) {
        const char *id = Server_PlayerId(console->server, slot);
        bool is_banned = Bans_AllowId(console->bans, id) != NET_REASON_NONE;
        dropped += is_banned && Server_Kick(console->server, slot, text) ? 1 : 0;
    }
    return dropped;
}

// Saves the list after a change, and drops the clients that it bans now.
static bool apply(console_t *console, const char *change, const char *text, err_t *err) {
    char line[BAN_LINE_BYTES + 128], number[64] = "";
    err_t why = {{0}};
    if (!console->server) { // Console_LoadBans saves it
        console->bans->is_unsaved = true;
        record(console, change);
        return true;
    }
    bool is_saved = Bans_Save(console->bans, &why);
    int32_t dropped = drop_banned(console, text);
    if (dropped > 0) {
        snprintf(number, sizeof number, " (clients dropped: %d)", dropped);
    }
    snprintf(line, sizeof line, "%s%s%s", change, number,
             console->bans->path[0] == '\0'
                 ? "; lasts only until the server ends, because sv_banfile is empty"
                 : "");
    record(console, line);
    return is_saved || Err_Set(err, NOT_SAVED, why.text);
}

static bool set_entry(console_t *console, const cmd_args_t *args, bool is_allowed, err_t *err) {
    target_t target;
    int64_t seconds = 0;
    int32_t rest = 0;
    char line[BAN_LINE_BYTES], text[MAX_TEXT_BYTES], until[32], what[64] = "banned";
    if (!find_target(console, args, &target, err) || !take_span(args, &seconds, &rest, err)) {
        return false;
    }
    ban_t ban = target.who;
    ban.is_allowed = is_allowed;
    if (is_allowed && ban.id[0] != '\0') {
        return Err_Set(err, "allow: expected an address or range, found \"%s\"", args->argv[1]);
    }
    ban.until_s = seconds > 0 ? console->bans->now_s + seconds : 0;
    Console_JoinWords(args, rest, ban.reason, sizeof ban.reason);
    Str_Clean(ban.reason);
    refresh(console);
    if (!Bans_Set(console->bans, &ban)) {
        return Err_Set(err, "%s: the list has %d entries, the maximum; use ranges, or unban some",
                       args->argv[0], MAX_BANS);
    }
    if (seconds > 0) {
        Ban_FormatTime(ban.until_s, until);
        snprintf(what, sizeof what, "banned until %s", until);
    }
    write_reason(args, rest, what, text, sizeof text);
    Ban_FormatLine(&ban, line);
    return apply(console, line, text, err);
}

bool Console_RunBan(void *context, const cmd_args_t *args, err_t *err) {
    return set_entry(context, args, false, err);
}

bool Console_RunAllow(void *context, const cmd_args_t *args, err_t *err) {
    return set_entry(context, args, true, err);
}

bool Console_RunUnban(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    ban_t which = {.is_removed = false};
    char text[BAN_WHO_BYTES], covering[NET_RANGE_BYTES], line[96];
    if (!Ban_ParseWho(args->argv[1], &which, err)) {
        return false;
    }
    Ban_FormatWho(&which, text);
    refresh(console);
    if (!console->server || console->reloading) { // in a config, a missing entry is no fault
        (void)Bans_Set(console->bans, &which);
    }
    if (!Bans_Remove(console->bans, &which)) {
        const ban_t *other = which.id[0] ? NULL : Bans_Find(console->bans, which.range.host);
        if (!other) {
            return Err_Set(err, "unban: no entry %s (bans lists them)", text);
        }
        Net_FormatRange(other->range, covering);
        return Err_Set(err,
                       "unban: no entry %s, but the entry %s covers it; \"unban %s\" removes that "
                       "entry, \"allow %s\" exempts this address",
                       text, covering, covering, text);
    }
    snprintf(line, sizeof line, "unban %s", text);
    return apply(console, line, "banned", err);
}

bool Console_RunBans(void *context, const cmd_args_t *args, err_t *err) {
    console_t *console = context;
    const bans_t *bans = console->bans;
    int32_t shown = 0;
    for (int32_t i = 0; bans && i < bans->count; i++) {
        char line[BAN_LINE_BYTES];
        Ban_FormatLine(&bans->list[i], line);
        if (Bans_InForce(bans, &bans->list[i]) && strstr(line, args->argv[1])) {
            Console_Answer(console, line);
            shown++;
        }
    }
    bool is_all = args->argv[1][0] == '\0';
    if (is_all && shown == 0) {
        Console_Answer(console, "no bans");
    }
    if (is_all && console->server) {
        Server_PrintMutes(console->server, Console_Answer, console);
    }
    return is_all || shown > 0 || Err_Set(err, "bans: no entry contains \"%s\"", args->argv[1]);
}

bool Console_LoadBans(console_t *console, bool check_only) {
    bans_t *bans = console->bans;
    err_t err = {{0}};
    bool good = Bans_Load(bans, console->log, &err) && (!check_only || Bans_Check(bans, &err));
    if (!good) {
        Log_Print(console->log, LOG_ERROR, "%s", err.text);
    } else if (bans->is_unsaved && !check_only && !Bans_Save(bans, &err)) {
        Log_Print(console->log, LOG_ERROR, "bans " NOT_SAVED, err.text);
    }
    if (good && !check_only && bans->path[0] != '\0') {
        Log_Print(console->log, LOG_INFO, "sv_banfile %s: %d entries%s", bans->path, bans->count,
                  bans->is_missing ? "; the file does not exist yet" : "");
    }
    return good;
}

void Console_ReloadBans(console_t *console) {
    (void)Console_LoadBans(console, false);
    drop_banned(console, "banned");
}
