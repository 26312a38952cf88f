#include "bot/meeting.h"

#include <string.h>

/// Returns the barrier named `name`, which is created if needed, or NULL if there are too many.
static meeting_t *find(meetings_t *meetings, const char *name) {
    for (int32_t i = 0; i < meetings->count; i++) {
        if (strcmp(meetings->list[i].name, name) == 0) {
            return &meetings->list[i];
        }
    }
    if (meetings->count == BOT_MAX_MEETINGS) {
        return NULL;
    }
    meeting_t *meeting = &meetings->list[meetings->count++];
    strlcpy(meeting->name, name, sizeof meeting->name);
    return meeting;
}

meeting_t *Meeting_Arrive(meetings_t *meetings, const char *name, int32_t needed, int32_t *round,
                          err_t *err) {
    if (name[0] == '\0' || strlen(name) >= MEETING_NAME_SIZE) {
        Err_Set(err, "expected a name of 1 to %d bytes, found %zu bytes: \"%.60s\"",
                MEETING_NAME_SIZE - 1, strlen(name), name);
        return NULL;
    }
    meeting_t *meeting = find(meetings, name);
    if (!meeting) {
        Err_Set(err, "\"%s\": at most %d names are possible; reuse one", name, BOT_MAX_MEETINGS);
        return NULL;
    }
    if (meeting->arrived > 0 && meeting->needed != needed) {
        Err_Set(err, "\"%s\": other bots wait for %d bots, this bot for %d; use one count", name,
                meeting->needed, needed);
        return NULL;
    }
    *round = meeting->round;
    meeting->needed = needed;
    meeting->arrived++;
    if (meeting->arrived == needed) {
        meeting->arrived = 0;
        meeting->round++;
    }
    return meeting;
}
