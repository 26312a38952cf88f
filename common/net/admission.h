/// net/admission.h - decides which connections may hold an ENet peer, and how long.
//
// Private to the ENet transport.
// Units:   ms of the caller's monotonic clock.
// Memory:  the fields of enet_slot_t.
//
// A peer waits from its CONNECT to `admit`. A leaving peer yields to any newcomer if none is free.
//
//   CONNECT --> half-open --acknowledged--> connected --admit--> admitted --drop--> leaving
//               3 s                         no slot of a player                     2 s

#ifndef EDICTD_NET_ADMISSION_H
#define EDICTD_NET_ADMISSION_H

#include "net/enet_local.h"

#define ADMISSION_HALF_OPEN_MS 3000 // time for the last acknowledgement of a connection
#define ADMISSION_PER_ADDRESS  3    // waiting peers of one address
#define ADMISSION_YIELD_MS     500  // a peer that waits so long yields to a new one
#define ADMISSION_MAX_WAITING  64   // waiting peers in all
#define ADMISSION_CHECK_MS     100  // interval of Admission_Check

typedef enum {
    ADMISSION_PASS,   ///< for ENet
    ADMISSION_IGNORE, ///< the client repeats its CONNECT and may then find a free peer
    ADMISSION_REFUSE  ///< no retry will help
} admission_t;

/// Decides whether a CONNECT from a proven address may take a peer. If too many peers wait, ends a
/// peer of the address with most waiting peers. Ends a peer of an exempt address only if no peer is
/// free. Writes the reason of a refusal.
admission_t Admission_Judge(enet_transport_t *net, const guard_datagram_t *in,
                            net_reason_t *reason);

/// Resets incomplete connections and silent peers after their time limits. A pause of this program
/// is no silence.
void Admission_Check(enet_transport_t *net);

/// Returns the time since the last datagram of a slot's peer, ms.
int64_t Admission_SilenceMs(enet_transport_t *net, enet_slot_t *slot);

/// Returns the age of a half-open connection, ms, and writes its address; -1 = it is none.
int64_t Admission_HalfOpenMs(enet_transport_t *net, int32_t peer, netaddr_t *from);

#endif
