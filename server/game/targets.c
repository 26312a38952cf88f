/// game/targets.c - firing of targets: message, killtarget, use, delays; relays and counters.

#include "game/game.h"
#include "game/match.h"
#include "game/players.h"

#include <stdio.h>
#include <string.h>

#define MAX_USE_DEPTH 16  // nesting of targets that fire targets; deeper targets fire in a think
#define AUTO_MS       200 // ms from the start of the map to a trigger_auto; trains have their place
#define USE_TOGGLE    0   // values of use_state
#define USE_OFF       1
#define USE_ON        2

#define MAX_USES_TICK 4096 // targets fired in one tick; ends chains that fire themselves

static void kill_targets(sv_context_t *sv, const char *name) {
    edict_t *target = NULL;
    while ((target = sv->engine->find_target(sv, target, name)) != NULL) {
        sv->engine->remove(sv, target);
    }
}

bool Game_MayUse(sv_context_t *sv, const edict_t *self) {
    game_vars_t *vars = Game_Vars(sv);
    int64_t now = sv->engine->tick_time_ms(sv);
    vars->uses_done = vars->uses_ms == now ? vars->uses_done + 1 : 1;
    vars->uses_ms = now;
    if (vars->uses_done <= MAX_USES_TICK) {
        return true;
    }
    if (!vars->said_uses) {
        vars->said_uses = 1;
        sv->engine->warn(sv, self,
                         "more than %d targets fired in one tick; check for a chain that "
                         "fires itself",
                         MAX_USES_TICK);
    }
    return false;
}

// Returns the value of use_state for the targets of an edict, by its key triggerstate.
static int32_t state_for_targets(sv_context_t *sv, const edict_t *self) {
    const char *text = sv->engine->text(sv, Game_ConstFields(self)->map);
    return strcmp(text, "0") == 0 ? USE_OFF : strcmp(text, "1") == 0 ? USE_ON : USE_TOGGLE;
}

bool Game_Switches(sv_context_t *sv, bool is_on) {
    int32_t state = Game_Vars(sv)->use_state;
    return state == USE_TOGGLE || (state == USE_ON) != is_on;
}

static void use_each(sv_context_t *sv, edict_t *self, edict_t *activator, const char *name) {
    edict_t *target = NULL;
    while ((target = sv->engine->find_target(sv, target, name)) != NULL) {
        if (target == self) {
            continue;
        }
        if (!Game_MayUse(sv, self)) {
            return;
        }
        sv->engine->use(sv, target, self, activator);
    }
}

static void use_targets(sv_context_t *sv, edict_t *self, edict_t *activator, const char *name) {
    int32_t *state = &Game_Vars(sv)->use_state;
    int32_t outer = *state;
    *state = state_for_targets(sv, self);
    use_each(sv, self, activator, name);
    *state = outer;
}

// Shows a text in the middle of a player's screen. The letters \n, as maps write them, end a line.
static void show_text(sv_context_t *sv, const edict_t *player, const char *text) {
    char lines[MAX_TEXT_BYTES];
    size_t length = 0;
    for (; *text && length < sizeof lines - 1; text++) {
        bool is_end = text[0] == '\\' && text[1] == 'n';
        lines[length++] = is_end ? '\n' : *text;
        text += is_end ? 1 : 0;
    }
    lines[length] = '\0';
    sv->engine->center_print(sv, sv->engine->slot(sv, player), lines);
}

static void fire(sv_context_t *sv, edict_t *self, edict_t *activator) {
    const fields_t *fields = Game_Fields(self);
    client_t *client = activator ? sv->engine->client(sv, activator) : NULL;
    if (fields->message && client) {
        show_text(sv, activator, sv->engine->text(sv, fields->message));
    }
    if (fields->killtarget) {
        kill_targets(sv, sv->engine->text(sv, fields->killtarget));
    }
    if (self->target) {
        use_targets(sv, self, activator, sv->engine->text(sv, self->target));
    }
    for (size_t i = 0; i < COUNTOF(fields->more_targets); i++) {
        if (fields->more_targets[i]) {
            use_targets(sv, self, activator, sv->engine->text(sv, fields->more_targets[i]));
        }
    }
}

edict_t *Game_FireLater(sv_context_t *sv, int32_t target, int64_t ms) {
    edict_t *later = sv->engine->spawn(sv);
    if (later) {
        later->classname = sv->engine->string(sv, "delayed_use");
        later->target = target;
        later->visibility = VISIBLE_NOBODY;
        Game_After(sv, later, GAME_CALLBACK(sv, Game_DelayedThink), ms);
    }
    return later;
}

// Fires after a delay from a new edict, because the trigger may be removed earlier.
static void fire_later(sv_context_t *sv, edict_t *self, edict_t *activator, int64_t delay_ms) {
    edict_t *later = Game_FireLater(sv, self->target, delay_ms);
    if (later) {
        *Game_Fields(later) = *Game_Fields(self);
        Game_Fields(later)->delay = 0.0f;
        Game_Fields(later)->activator = Game_RefTo(sv, activator);
        later->owner = sv->engine->ref(sv, self);
    }
}

void Game_DelayedThink(sv_context_t *sv, edict_t *self) {
    fire(sv, self, sv->engine->deref(sv, Game_Fields(self)->activator));
    sv->engine->remove(sv, self);
}

void Game_UseTargets(sv_context_t *sv, edict_t *self, edict_t *activator) {
    float delay_ms = Game_Fields(self)->delay * 1000.0f;
    game_vars_t *vars = Game_Vars(sv);
    if (delay_ms > 0.0f || vars->use_depth >= MAX_USE_DEPTH) {
        fire_later(sv, self, activator, Q_ToInt(delay_ms, 1, 1000000));
        return;
    }
    vars->use_depth++;
    fire(sv, self, activator);
    vars->use_depth--;
}

void Game_FireName(sv_context_t *sv, edict_t *self, edict_t *activator, int32_t name) {
    game_vars_t *vars = Game_Vars(sv);
    if (!name) {
        return;
    }
    if (vars->use_depth >= MAX_USE_DEPTH) {
        sv->engine->warn(sv, self, "\"%.64s\" is not fired: more than %d targets fire each other",
                         sv->engine->text(sv, name), MAX_USE_DEPTH);
        return;
    }
    vars->use_depth++;
    use_targets(sv, self, activator, sv->engine->text(sv, name));
    vars->use_depth--;
}

#define CENTER_PRINT_EVERY_MS 2000

void Game_CenterPrint(sv_context_t *sv, edict_t *player, const char *text) {
    client_t *client = sv->engine->client(sv, player);
    if (!client) {
        return;
    }
    player_fields_t *fields = Game_PlayerFields(client);
    int64_t now = sv->engine->time_ms(sv);
    if (now >= fields->message_ms) {
        fields->message_ms = now + CENTER_PRINT_EVERY_MS;
        show_text(sv, player, text);
    }
}

// ---- relays ----

void Game_RelayUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other;
    Game_UseTargets(sv, self, activator);
}

void Game_CheckTarget(sv_context_t *sv, const edict_t *self) {
    const fields_t *fields = Game_ConstFields(self);
    bool has_effect = self->target || fields->killtarget || fields->message;
    for (size_t i = 0; i < COUNTOF(fields->more_targets); i++) {
        has_effect = has_effect || fields->more_targets[i];
    }
    if (!has_effect) {
        sv->engine->warn(sv, self, "has no target, killtarget or message, so it has no effect");
    }
}

void Game_SpawnRelay(sv_context_t *sv, edict_t *self) {
    Game_CheckTarget(sv, self);
    self->visibility = VISIBLE_NOBODY;
    self->use = GAME_CALLBACK(sv, Game_RelayUse);
}

// Spawns a relay with a delay; the key `wait` counts as delay.
void Game_SpawnDelay(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    fields->wait = fields->wait > 0.0f ? fields->wait : 1.0f;
    fields->delay = fields->delay > 0.0f ? fields->delay : fields->wait;
    Game_SpawnRelay(sv, self);
}

// Fires once when the map has started.
void Game_AutoThink(sv_context_t *sv, edict_t *self) {
    Game_UseTargets(sv, self, NULL);
    sv->engine->remove(sv, self);
}

void Game_SpawnTriggerAuto(sv_context_t *sv, edict_t *self) {
    Game_CheckTarget(sv, self);
    self->visibility = VISIBLE_NOBODY;
    Game_After(sv, self, GAME_CALLBACK(sv, Game_AutoThink), AUTO_MS);
}

// ---- powers ----

void Game_RemovePowersUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)self, (void)other;
    client_t *client = activator ? sv->engine->client(sv, activator) : NULL;
    if (client) {
        player_fields_t *fields = Game_PlayerFields(client);
        for (int32_t power = 0; power < POWER_COUNT; power++) {
            fields->power_ms[power] = 0;
        }
        Game_ReturnFlag(sv, activator, client);
    }
}

void Game_SpawnRemovePowers(sv_context_t *sv, edict_t *self) {
    self->visibility = VISIBLE_NOBODY;
    self->use = GAME_CALLBACK(sv, Game_RemovePowersUse);
}

// ---- counters ----

#define COUNTER_SILENT 1 // spawnflag

static void print_count(sv_context_t *sv, edict_t *activator, int32_t left) {
    static const char *const lines[] = {"Sequence completed!", "Only 1 more to go ...",
                                        "Only 2 more to go ...", "Only 3 more to go ..."};
    if (activator && sv->engine->client(sv, activator)) {
        sv->engine->center_print(sv, sv->engine->slot(sv, activator),
                                 left < (int32_t)COUNTOF(lines) ? lines[left]
                                                                : "There are more to go ...");
    }
}

void Game_CounterUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    (void)other;
    fields_t *fields = Game_Fields(self);
    if (fields->count <= 0) {
        return; // the counter has fired
    }
    fields->count--;
    if (!(fields->spawnflags & COUNTER_SILENT)) {
        print_count(sv, activator, fields->count);
    }
    if (fields->count == 0) {
        Game_UseTargets(sv, self, activator);
    }
}

void Game_SpawnCounter(sv_context_t *sv, edict_t *self) {
    fields_t *fields = Game_Fields(self);
    Game_CheckTarget(sv, self);
    self->visibility = VISIBLE_NOBODY;
    fields->count = fields->count > 0 ? fields->count : 2;
    self->use = GAME_CALLBACK(sv, Game_CounterUse);
}

// ---- multisources ----
//
// A source has the multisource among its targets, and each firing switches it on or off. Fields of
// a multisource: `count` = sources, `state` = sources that are on.

#define MAX_TARGETS 5

// Returns the index of the target of `source` that is `name`, or -1.
static int32_t find_slot(const edict_t *source, int32_t name) {
    const fields_t *fields = Game_ConstFields(source);
    int32_t slot = source->target == name ? 0 : 1;
    while (slot > 0 && slot < MAX_TARGETS && fields->more_targets[slot - 1] != name) {
        slot++;
    }
    return slot < MAX_TARGETS ? slot : -1;
}

void Game_CountSources(sv_context_t *sv) {
    edict_t *multi = NULL;
    while ((multi = sv->engine->find_class(sv, multi, "multisource")) != NULL) {
        fields_t *fields = Game_Fields(multi);
        fields->count = 0;
        for (int32_t i = 1; multi->targetname && i < sv->engine->num_edicts(sv); i++) {
            const edict_t *source = sv->engine->edict(sv, i);
            fields->count += source && find_slot(source, multi->targetname) >= 0 ? 1 : 0;
        }
    }
}

// Switches the source `other`. If that turns on the last source, fires the targets.
void Game_MultisourceUse(sv_context_t *sv, edict_t *self, edict_t *other, edict_t *activator) {
    fields_t *fields = Game_Fields(self);
    edict_t *source = other;
    if (other && other->classname == sv->engine->string(sv, "delayed_use")) {
        edict_t *owner = sv->engine->deref(sv, other->owner);
        source = owner ? owner : other; // a source that fires once may be gone
    }
    int32_t slot = source && self->targetname ? find_slot(source, self->targetname) : -1;
    if (slot < 0) {
        return; // fired by something that was not counted, such as the start of the map
    }
    int32_t *bits = &Game_Fields(source)->hurt_taken;
    *bits = source->flags & FL_MONSTER ? 1 << slot : *bits ^ (1 << slot); // it fires only once
    bool is_on = (*bits >> slot) & 1;
    fields->state = Q_ClampI(fields->state + (is_on ? 1 : -1), 0, fields->count);
    if (is_on && fields->state == fields->count) {
        Game_UseTargets(sv, self, activator);
    }
}

bool Game_IsLocked(sv_context_t *sv, const edict_t *self) {
    int32_t name = Game_ConstFields(self)->lock;
    int32_t use = GAME_CALLBACK(sv, Game_MultisourceUse);
    edict_t *multi = NULL;
    while (name && (multi = sv->engine->find_target(sv, multi, sv->engine->text(sv, name)))) {
        const fields_t *fields = Game_Fields(multi);
        if (multi->use == use && fields->state < fields->count) {
            return true;
        }
    }
    return false;
}

void Game_SpawnMultisource(sv_context_t *sv, edict_t *self) {
    self->visibility = VISIBLE_NOBODY;
    self->use = GAME_CALLBACK(sv, Game_MultisourceUse);
}
