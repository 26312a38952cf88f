#include "base/assert.h"
#include "net/enet_local.h"

#include <errno.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <time.h>

// About 5,000 small datagrams: 80 ms at 64,000 a second. Sent: a tick's snapshots to 1,000 players.
#define SERVER_BUFFER_BYTES (4 * 1024 * 1024)
#define MAX_WAITED_US       1000000 // a longer wait in the kernel is a step of its clock

bool EnetSocket_Send(enet_transport_t *net, netaddr_t to, const void *data, size_t size) {
    struct sockaddr_in address = EnetSocket_Address(to);
    ssize_t sent = sendto(net->host->socket, data, size, MSG_NOSIGNAL,
                          (const struct sockaddr *)&address, sizeof address);
    if (sent != (ssize_t)size) {
        net->counters.send_failed++;
        return false;
    }
    net->counters.packets_out++;
    net->counters.bytes_out += size;
    return true;
}

void EnetSocket_Flush(enet_transport_t *net) {
    enet_out_t *out = &net->out;
    struct mmsghdr messages[ENET_OUT_BATCH];
    struct iovec pieces[ENET_OUT_BATCH];
    uint8_t *at = out->data;
    for (int32_t i = 0; i < out->count; i++) {
        pieces[i] = (struct iovec){.iov_base = at, .iov_len = out->sizes[i]};
        messages[i].msg_hdr = (struct msghdr){.msg_iov = &pieces[i],
                                              .msg_iovlen = 1,
                                              .msg_name = &out->to[i],
                                              .msg_namelen = sizeof out->to[i]};
        at += out->sizes[i];
    }
    for (int32_t next = 0; next < out->count;) {
        int sent = sendmmsg(net->host->socket, messages + next, (unsigned)(out->count - next),
                            MSG_NOSIGNAL);
        for (int32_t i = 0; i < sent; i++) {
            net->counters.packets_out++;
            net->counters.bytes_out += out->sizes[next++];
        }
        if (sent <= 0) { // the first one failed; the others may not
            net->counters.send_failed++;
            next++;
        }
    }
    out->count = 0;
    out->used = 0;
}

uint8_t *EnetSocket_Room(enet_transport_t *net) {
    if (net->out.count == ENET_OUT_BATCH ||
        sizeof net->out.data - net->out.used < ENET_LONGEST_SENT) {
        EnetSocket_Flush(net);
    }
    return net->out.data + net->out.used;
}

void EnetSocket_Queue(enet_transport_t *net, netaddr_t to, size_t size) {
    enet_out_t *out = &net->out;
    ASSERT(out->count < ENET_OUT_BATCH && size <= sizeof out->data - out->used);
    out->to[out->count] = EnetSocket_Address(to);
    out->sizes[out->count++] = size;
    out->used += size;
}

static bool bind_error(netaddr_t address, int error, err_t *err) {
    char text[32];
    Net_FormatAddress(address, text, sizeof text);
    if (error == EADDRINUSE) {
        return Err_Set(err,
                       "port %u/udp is already in use by another program: choose another with -p",
                       (unsigned)address.port);
    }
    if (error == EACCES) {
        return Err_Set(err, "port %u/udp needs privileges: choose one above 1023 with -p",
                       (unsigned)address.port);
    }
    if (error == EADDRNOTAVAIL) {
        return Err_Set(
            err, "cannot listen on %s: this machine has no such address; set another one", text);
    }
    return Err_Set(err, "cannot listen on %s: %s", text, strerror(error));
}

/// A buffer of the kernel: its socket options, and the setting that limits it.
typedef struct {
    int force, option;
    const char *name, *limit;
} buffer_t;

/// Requests a larger buffer, and logs the real size.
static void grow_buffer(enet_transport_t *net, const buffer_t *buffer) {
    int wanted = SERVER_BUFFER_BYTES;
    int real = 0;
    socklen_t size = sizeof real;
    // A size above the limit needs privileges.
    if (setsockopt(net->host->socket, SOL_SOCKET, buffer->force, &wanted, sizeof wanted) != 0) {
        setsockopt(net->host->socket, SOL_SOCKET, buffer->option, &wanted, sizeof wanted);
    }
    getsockopt(net->host->socket, SOL_SOCKET, buffer->option, &real, &size);
    real /= 2; // the kernel doubles the size for overhead
    if (real < wanted) {
        Log_Print(
            net->log, LOG_INFO,
            "network: %s buffer is %d of %d bytes; raise %s to lose fewer datagrams in bursts",
            buffer->name, real, wanted, buffer->limit);
    } else {
        Log_Print(net->log, LOG_DEBUG, "network: %s buffer is %d bytes", buffer->name, real);
    }
}

bool EnetSocket_Open(enet_transport_t *net, const enet_transport_config_t *config, err_t *err) {
    // Bind here: enet_host_create does not report the reason of a failure.
    struct sockaddr_in address = EnetSocket_Address(config->bind);
    int socket = net->host->socket;
    int no = 0, yes = 1;
    if (bind(socket, (const struct sockaddr *)&address, sizeof address) != 0) {
        return bind_error(config->bind, errno, err);
    }
    socklen_t size = sizeof address;
    if (getsockname(socket, (struct sockaddr *)&address, &size) != 0) {
        return Err_Set(err, "network: cannot read the address of the socket: %s", strerror(errno));
    }
    net->host->address.host = address.sin_addr.s_addr;
    net->host->address.port = ntohs(address.sin_port);
    // Disable broadcast, so that no reply goes to a forged broadcast address.
    setsockopt(socket, SOL_SOCKET, SO_BROADCAST, &no, sizeof no);
    net->is_stamped = setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes) == 0;
    net->is_real_time = config->is_real_time && net->is_stamped;
    if (config->is_server) {
        static const buffer_t receive = {SO_RCVBUFFORCE, SO_RCVBUF, "receive", "net.core.rmem_max"};
        static const buffer_t send = {SO_SNDBUFFORCE, SO_SNDBUF, "send", "net.core.wmem_max"};
        grow_buffer(net, &receive);
        grow_buffer(net, &send);
    }
    return true;
}

/// Returns true if the time for reading is over. Counts it after a full batch.
static bool is_cut(enet_transport_t *net) {
    if (!net->is_cut && net->is_late && net->is_late(net->late_context)) {
        net->is_cut = true;
        net->counters.drains_cut += net->batch.count == ENET_BATCH;
    }
    return net->is_cut;
}

// Control data of a received datagram: its time.
typedef struct {
    _Alignas(struct cmsghdr) uint8_t bytes[CMSG_SPACE(sizeof(struct timespec))];
} control_t;

int64_t EnetSocket_KernelNs(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/// Returns when the kernel received a datagram, ns; 0 if that is unknown.
static int64_t arrived_ns(const enet_transport_t *net, struct msghdr *message) {
    const struct cmsghdr *control = net->is_stamped ? CMSG_FIRSTHDR(message) : NULL;
    struct timespec at;
    if (!control || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_TIMESTAMPNS) {
        return 0;
    }
    memcpy(&at, CMSG_DATA(control), sizeof at);
    return (int64_t)at.tv_sec * 1000000000 + at.tv_nsec;
}

int32_t EnetSocket_WaitedUs(int64_t arrived_ns, int64_t now_ns) {
    const int64_t us = (now_ns - arrived_ns) / 1000;
    return us >= 0 && us <= MAX_WAITED_US ? (int32_t)us : 0;
}

/// Reads a batch. Returns false if none waits or the time is over.
static bool read_batch(enet_transport_t *net) {
    if (is_cut(net)) {
        return false;
    }
    struct mmsghdr messages[ENET_BATCH];
    struct iovec pieces[ENET_BATCH];
    struct sockaddr_in from[ENET_BATCH];
    control_t controls[ENET_BATCH] = {0};
    if (net->is_real_time && net->num_read == 0) {
        net->read_ns = EnetSocket_KernelNs();
    }
    for (int32_t i = 0; i < ENET_BATCH; i++) {
        pieces[i] = (struct iovec){.iov_base = net->batch.data[i], .iov_len = GUARD_MAX_DATAGRAM};
        messages[i].msg_hdr =
            (struct msghdr){.msg_iov = &pieces[i],
                            .msg_iovlen = 1,
                            .msg_name = &from[i],
                            .msg_namelen = sizeof from[i],
                            .msg_control = net->is_stamped ? &controls[i] : NULL,
                            .msg_controllen = net->is_stamped ? sizeof controls[i] : 0};
    }
    int count = recvmmsg(net->host->socket, messages, ENET_BATCH, MSG_DONTWAIT, NULL);
    net->counters.service_errors += count < 0 && errno != EAGAIN;
    net->batch.next = 0;
    net->batch.count = count > 0 ? count : 0;
    for (int32_t i = 0; i < net->batch.count; i++) {
        bool is_long = (messages[i].msg_hdr.msg_flags & MSG_TRUNC) != 0;
        net->batch.arrived_ns[i] = arrived_ns(net, &messages[i].msg_hdr);
        net->batch.sizes[i] = is_long ? GUARD_MAX_DATAGRAM + 1 : messages[i].msg_len;
        net->batch.from[i] =
            (netaddr_t){.host = ntohl(from[i].sin_addr.s_addr), .port = ntohs(from[i].sin_port)};
    }
    return net->batch.count > 0;
}

bool EnetSocket_Receive(enet_transport_t *net, guard_datagram_t *in) {
    enet_batch_t *batch = &net->batch;
    if (batch->next == batch->count && batch->count > 0 && batch->count < ENET_BATCH) {
        batch->next = batch->count = 0; // there was no more
        return false;
    }
    if (net->num_read >= NET_DRAIN_LIMIT || (batch->next == batch->count && !read_batch(net))) {
        return false;
    }
    int32_t i = batch->next++;
    *in = (guard_datagram_t){.data = batch->data[i],
                             .size = batch->sizes[i],
                             .from = batch->from[i],
                             .arrived_ns = batch->arrived_ns[i]};
    net->num_read++;
    net->counters.packets_in++;
    net->counters.bytes_in += in->size;
    net->counters.empty += in->size == 0;
    return true;
}

uint64_t EnetSocket_KernelDrops(const enet_transport_t *net) {
    // SO_RXQ_OVFL has the same counter, but per datagram.
    uint32_t info[SK_MEMINFO_VARS] = {0};
    socklen_t size = sizeof info;
    if (getsockopt(net->host->socket, SOL_SOCKET, SO_MEMINFO, info, &size) != 0) {
        return 0;
    }
    return size > SK_MEMINFO_DROPS * sizeof info[0] ? info[SK_MEMINFO_DROPS] : 0;
}
