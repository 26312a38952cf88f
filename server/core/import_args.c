/// core/import_args.c - checks of the arguments that a game passes to game_import_t.

#include "core/import_local.h"
#include "world/faults.h"

#include <stdio.h>

#define MAX_VECTOR (4.0f * MAX_WORLD_COORD)

// Writes what a pointer points to that is no edict in use. Returns false for an edict in use.
static bool find_fault(const world_t *world, const edict_t *edict, char fault[64]) {
    const uintptr_t offset = (uintptr_t)edict - (uintptr_t)World_Edict(world, 0);
    const uintptr_t number = offset / sizeof *edict;
    if (!edict) {
        snprintf(fault, 64, "NULL");
    } else if (number >= (uintptr_t)world->num_edicts) {
        snprintf(fault, 64, "a pointer that is no edict");
    } else if (offset % sizeof *edict != 0) {
        snprintf(fault, 64, "a pointer into the middle of edict %d", (int)number);
    } else if (!edict->inuse) {
        snprintf(fault, 64, "edict %d, which is not in use", (int)number);
    } else {
        return false;
    }
    return true;
}

bool Import_Edict(const sv_context_t *sv, const char *function, const edict_t *edict) {
    char fault[64];
    if (find_fault(sv->world, edict, fault)) {
        SV_ReportFault(sv, function, "expected an edict, found %s", fault);
        return false;
    }
    return true;
}

bool Import_MayBeNull(const sv_context_t *sv, const char *function, const edict_t *edict) {
    return !edict || Import_Edict(sv, function, edict);
}

bool Import_Entity(const sv_context_t *sv, const char *function, const edict_t *edict) {
    if (!Import_Edict(sv, function, edict)) {
        return false;
    }
    const bool is_map = edict == World_Edict(sv->world, EDICT_WORLD);
    if (is_map) {
        SV_ReportFault(sv, function, "expected an edict, found edict 0, which is the map");
    }
    return !is_map;
}

client_t *Import_Client(const sv_context_t *sv, const char *function, const edict_t *edict) {
    if (!Import_Edict(sv, function, edict)) {
        return NULL;
    }
    client_t *client = World_ClientOf(sv->world, edict);
    if (!client) {
        SV_ReportFault(sv, function, "expected the edict of a client, found edict %d (%.40s)",
                       World_EdictNumber(sv->world, edict),
                       World_Text(sv->world, edict->classname));
    }
    return client;
}

int32_t Import_Slot(const sv_context_t *sv, const char *function, const client_t *client) {
    const uintptr_t offset = (uintptr_t)client - (uintptr_t)World_Client(sv->world, 0);
    const uintptr_t slot = offset / sizeof *client;
    if (slot >= (uintptr_t)sv->world->max_clients || offset % sizeof *client != 0) {
        SV_ReportFault(sv, function, "expected a client, found %s",
                       client ? "a pointer that is no client" : "NULL");
        return -1;
    }
    return (int32_t)slot;
}

bool Import_Given(const sv_context_t *sv, const char *function, const char *what,
                  const void *pointer) {
    if (!pointer) {
        SV_ReportFault(sv, function, "expected %s, found NULL", what);
    }
    return pointer != NULL;
}

bool Import_Vector(const sv_context_t *sv, const char *function, const char *what, vec3_t v) {
    bool good = VectorWithin(v, MAX_VECTOR);
    if (!good) {
        SV_ReportFault(sv, function, "%s: expected numbers up to %g, found %g %g %g", what,
                       (double)MAX_VECTOR, (double)v.x, (double)v.y, (double)v.z);
    }
    return good;
}

bool Import_Number(const sv_context_t *sv, const char *function, const char *what, float number) {
    bool good = fabsf(number) <= MAX_VECTOR;
    if (!good) {
        SV_ReportFault(sv, function, "%s: expected a number up to %g, found %g", what,
                       (double)MAX_VECTOR, (double)number);
    }
    return good;
}

bool Import_Range(const sv_context_t *sv, const char *function, const char *what, int64_t number,
                  int64_t lo, int64_t hi) {
    bool good = number >= lo && number <= hi;
    if (!good) {
        SV_ReportFault(sv, function, "%s: expected %lld..%lld, found %lld", what, (long long)lo,
                       (long long)hi, (long long)number);
    }
    return good;
}
