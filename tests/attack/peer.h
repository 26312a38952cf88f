/// attack/peer.h - an ENet client of an attack: connects, joins, sends any command, acknowledges or
/// not.

#ifndef EDICTD_TESTS_ATTACK_PEER_H
#define EDICTD_TESTS_ATTACK_PEER_H

#include "attack.h"

#define PEER_CHANNELS 3

typedef enum { PEER_CLOSED, PEER_ASKING, PEER_CONNECTING, PEER_CONNECTED, PEER_GONE } peer_state_t;

/// Set `host` and the switches; the rest belongs to peer.c.
typedef struct {
    uint32_t host;     ///< its address, of 127/8
    uint32_t mtu;      ///< asked for; 0 = 1392
    bool half_open;    ///< does not acknowledge the VERIFY until Peer_Complete
    bool deaf;         ///< acknowledges nothing after it is connected
    bool frozen;       ///< sends nothing at all after it has joined; also set `deaf`
    bool joins;        ///< sends HELLO and READY
    bool loads;        ///< with `joins`: does not send READY
    bool stays_away;   ///< does not connect again after it was dropped
    const char *greet; ///< name in HELLO; NULL = "intruder"

    peer_state_t state;
    int fd;
    uint8_t connect_id[4];
    uint32_t number;  ///< of the peer at the server, with session bits
    bool is_verified; ///< a VERIFY has come; it is the first command of `verify`
    datagram_t verify;
    uint32_t control; ///< last reliable sequence number of the control channel
    uint32_t sequence[PEER_CHANNELS];
    uint32_t unreliable[PEER_CHANNELS];
    uint32_t usercmds;
    int64_t next_ns; ///< of the next attempt
    int64_t ping_ns;
} peer_t;

/// Opens the socket and starts to connect.
void Peer_Start(attack_t *attack, peer_t *peer);

/// Reads, acknowledges, repeats requests, connects again. Returns true while it is connected.
bool Peer_Step(attack_t *attack, peer_t *peer);

/// Acknowledges the VERIFY and joins, if the peer does that.
void Peer_Complete(attack_t *attack, peer_t *peer);

/// Steps a list. Returns how many are connected.
int Peer_StepAll(attack_t *attack, peer_t *list, int count);

/// Closes the sockets of a list; peers of a polite attack disconnect first.
void Peer_CloseAll(attack_t *attack, peer_t *list, int count);

/// Disconnects without waiting for the acknowledgement.
void Peer_Disconnect(attack_t *attack, peer_t *peer);

/// Starts a datagram of this peer; seals and sends it.
void Peer_Begin(const peer_t *peer, datagram_t *out);
void Peer_Send(attack_t *attack, const peer_t *peer, datagram_t *out);

/// Sends a reliable message on the control channel of the game, in order.
void Peer_Say(attack_t *attack, peer_t *peer, const uint8_t *message, size_t size);

#endif
