/// net/admission.h - decides which connections may hold a peer of ENet, and for how long.
//
// Floor:   net; private to the ENet transport.
// Units:   ms of the caller's monotonic clock.
// Memory:  the fields of enet_slot_t.
//
// A peer of a server waits from its CONNECT until transport_t.admit, or from drop until it is gone:
//
//   CONNECT --> half-open --acknowledged--> connected --admit--> admitted --drop--> leaving
//               3 s                         no slot of a player

#ifndef EDICTD_NET_ADMISSION_H
#define EDICTD_NET_ADMISSION_H

#include "net/enet_local.h"

#define ADMISSION_HALF_OPEN_MS 3000 // time for the last acknowledgement of a connection
#define ADMISSION_PER_ADDRESS  3    // maximum waiting peers of one address
#define ADMISSION_YIELD_MS     500  // a peer that waits so long yields to any new one
#define ADMISSION_MAX_WAITING  64   // waiting peers that are compared
#define ADMISSION_CHECK_MS     100  // interval of the checks of time

typedef enum {
    ADMISSION_PASS,   ///< for ENet
    ADMISSION_IGNORE, ///< the client sends its CONNECT again, and may find a free peer then
    ADMISSION_REFUSE  ///< no retry will help
} admission_t;

/// Decides whether a CONNECT from a proven address may take a peer. If too many peers wait, ends
/// one of the address that has most of them. Writes the reason of a refusal.
admission_t Admission_Judge(enet_transport_t *net, const guard_datagram_t *in,
                            net_reason_t *reason);

/// Resets connections that were not completed in time, and peers that were silent for too long. A
/// pause of this program does not count as silence.
void Admission_Check(enet_transport_t *net);

/// Returns the time since something was received from the peer of a slot, ms.
int64_t Admission_SilenceMs(enet_transport_t *net, enet_slot_t *slot);

#endif
