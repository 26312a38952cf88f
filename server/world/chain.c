/// world/chain.c - see chain.h.
//
// Cost:    constant, however long the chain is.

#include "world/chain.h"

void Chain_Append(world_t *world, int32_t *head, edict_t *edict) {
    int32_t number = World_EdictNumber(world, edict);
    ASSERT(number > 0 && edict->chain_prev == 0 && edict->chain_next == 0);
    edict->chain_prev = number;
    World_MarkWritten(world, edict);
    Chain_Concat(world, head, number);
}

void Chain_Concat(world_t *world, int32_t *head, int32_t other) {
    if (*head == 0 || other == 0) {
        *head = *head ? *head : other;
        return;
    }
    edict_t *first = World_Edict(world, *head);
    edict_t *added = World_Edict(world, other);
    edict_t *last = World_Edict(world, first->chain_prev);
    int32_t new_last = added->chain_prev;
    last->chain_next = other;
    added->chain_prev = World_EdictNumber(world, last);
    first->chain_prev = new_last;
    World_MarkWritten(world, first);
    World_MarkWritten(world, last);
    World_MarkWritten(world, added);
}

void Chain_Remove(world_t *world, int32_t *head, edict_t *edict) {
    int32_t number = World_EdictNumber(world, edict);
    int32_t next = edict->chain_next;
    int32_t prev = edict->chain_prev;
    ASSERT(*head != 0 && prev != 0);
    ASSERT(next == 0 || World_Edict(world, next)->chain_prev == number);
    if (*head == number) {
        *head = next;
    } else {
        World_Edict(world, prev)->chain_next = next;
        World_MarkWritten(world, World_Edict(world, prev));
    }
    // The next edict, or the first if the removed one was the last, gets a new predecessor.
    int32_t after = next ? next : *head;
    if (after != 0) {
        World_Edict(world, after)->chain_prev = prev;
        World_MarkWritten(world, World_Edict(world, after));
    }
    edict->chain_prev = 0;
    edict->chain_next = 0;
    World_MarkWritten(world, edict);
}
