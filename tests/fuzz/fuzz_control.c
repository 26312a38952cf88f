// fuzz_control.c - any bytes as a control message, from either side.
//
// Input:      u8 side (1 = from a client), then the message.
// Invariants: an accepted message is within its limits; written and read again it is equal, and
//             written a third time it has the same bytes.

#include "base/assert.h"
#include "proto/control.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_fields(const field_schema_t *schema) {
    for (int32_t scope = 0; scope < SCOPE_COUNT; scope++) {
        const sent_fields_t *fields = &schema->scopes[scope];
        ASSERT(fields->count >= 0 && fields->count <= MAX_SENT_FIELDS);
        for (int32_t i = 0; i < fields->count; i++) {
            const sent_field_t *field = &fields->list[i];
            ASSERT(field->name[0] != '\0' && memchr(field->name, 0, sizeof field->name));
            ASSERT(field->type < SENT_TYPE_COUNT && field->lo <= field->hi);
            ASSERT(field->type != SENT_STEPS || field->step > 0.0f);
        }
    }
}

static void check(const control_msg_t *msg, bool from_client) {
    static control_msg_t again;
    static uint8_t once[MAX_MESSAGE_BYTES];
    static uint8_t twice[MAX_MESSAGE_BYTES];
    size_t size = CTL_Write(msg, once);
    ASSERT(size > 0);
    bool good = CTL_Read(&again, from_client, once, size, NULL);
    ASSERT(good && again.type == msg->type);
    ASSERT(CTL_Write(&again, twice) == size && memcmp(once, twice, size) == 0);
    if (msg->type == CTL_MAP) {
        ASSERT(CTL_MapNameIsSafe(msg->u.map.name));
        ASSERT(msg->u.map.rate_mhz >= TICKS_MIN_RATE_MHZ &&
               msg->u.map.rate_mhz <= TICKS_MAX_RATE_MHZ);
        ASSERT(msg->u.map.vars.pm_step_ms >= 0 && msg->u.map.vars.sv_gravity >= 0.0f);
    } else if (msg->type == CTL_EVENT) {
        ASSERT(VectorWithin(msg->u.event.event.origin, (float)MAX_WORLD_COORD));
    } else if (msg->type == CTL_FIELDS) {
        check_fields(&msg->u.fields);
    } else if (msg->type == CTL_WELCOME) {
        ASSERT(msg->u.welcome.slot >= 0 && msg->u.welcome.slot < msg->u.welcome.max_clients);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    control_msg_t msg;
    err_t err = {""};
    if (size < 1) {
        return 0;
    }
    bool from_client = data[0] & 1;
    if (CTL_Read(&msg, from_client, data + 1, size - 1, &err)) {
        check(&msg, from_client);
    } else {
        ASSERT(err.text[0] != '\0' && msg.type == 0);
    }
    return 0;
}
