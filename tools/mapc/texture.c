#include "mapc/texture.h"

#include <string.h>
#include <strings.h>

/// A special texture name. `prefix`: the rule matches all names that start with it.
typedef struct {
    const char *name;
    bool prefix;
    bool halflife; ///< only with --hl
    contents_t contents;
} texture_rule_t;

// The first matching rule applies. All other names are solid, for example skip, caulk and trigger.
static const texture_rule_t RULES[] = {
    {"origin", false, false, CONTENTS_ORIGIN},
    {"clip", false, false, CONTENTS_CLIP},
    {"hint", true, false, CONTENTS_EMPTY},
    {"ladder", false, false, CONTENTS_LADDER},
    {"sky", true, false, CONTENTS_SKY},
    {"*lava", true, false, CONTENTS_LAVA},
    {"*slime", true, false, CONTENTS_SLIME},
    {"*", true, false, CONTENTS_WATER},
    {"!lava", true, true, CONTENTS_LAVA},
    {"!slime", true, true, CONTENTS_SLIME},
    {"!cur_0", true, true, CONTENTS_CURRENT_0},
    {"!cur_90", true, true, CONTENTS_CURRENT_90},
    {"!cur_180", true, true, CONTENTS_CURRENT_180},
    {"!cur_270", true, true, CONTENTS_CURRENT_270},
    {"!cur_up", true, true, CONTENTS_CURRENT_UP},
    {"!cur_dwn", true, true, CONTENTS_CURRENT_DOWN},
    {"!", true, true, CONTENTS_WATER},
};

contents_t MC_TextureContents(const char *name, bool halflife) {
    for (size_t i = 0; i < COUNTOF(RULES); i++) {
        const texture_rule_t *rule = &RULES[i];
        bool fits = rule->prefix ? strncasecmp(name, rule->name, strlen(rule->name)) == 0
                                 : strcasecmp(name, rule->name) == 0;
        if (fits && (halflife || !rule->halflife)) {
            return rule->contents;
        }
    }
    return CONTENTS_SOLID;
}

int32_t MC_ContentsRank(contents_t contents) {
    switch (contents) {
    case CONTENTS_SOLID:
        return 4;
    case CONTENTS_SKY:
        return 3;
    case CONTENTS_WATER:
    case CONTENTS_SLIME:
    case CONTENTS_LAVA:
    case CONTENTS_CURRENT_0:
    case CONTENTS_CURRENT_90:
    case CONTENTS_CURRENT_180:
    case CONTENTS_CURRENT_270:
    case CONTENTS_CURRENT_UP:
    case CONTENTS_CURRENT_DOWN:
        return 2;
    case CONTENTS_LADDER:
        return 1;
    case CONTENTS_EMPTY:
    case CONTENTS_ORIGIN:
    case CONTENTS_CLIP:
    case CONTENTS_TRANSLUCENT:
    default:
        return 0;
    }
}
