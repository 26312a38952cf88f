#include "net/enet_local.h"

bool EnetImpair_Open(enet_transport_t *net, const enet_transport_config_t *config, err_t *err) {
    impair_conditions_t out = config->impair_sent ? *config->impair_sent : *config->impair;
    out.seed ^= config->impair_sent ? 0 : UINT64_MAX;
    bool has_out = !net->guard.is_server;
    net->impair_in = Impair_Create(config->impair);
    net->impair_out = has_out ? Impair_Create(&out) : NULL;
    if (!net->impair_in || (has_out && !net->impair_out)) {
        return Err_Set(err, "network: out of memory for the impairment model");
    }
    return true;
}

void EnetImpair_Close(enet_transport_t *net) {
    Impair_Destroy(net->impair_in);
    Impair_Destroy(net->impair_out);
}

bool EnetImpair_Receive(enet_transport_t *net, guard_datagram_t *in) {
    for (int32_t i = 0; i < NET_DRAIN_LIMIT && EnetSocket_Receive(net, in); i++) {
        Impair_Push(net->impair_in, net->now_ms, in->from, in->data, in->size);
    }
    const impair_datagram_t *due = Impair_Pop(net->impair_in, net->now_ms);
    if (due) {
        *in = (guard_datagram_t){.data = due->data, .size = due->size, .from = due->address};
    }
    return due != NULL;
}

void EnetImpair_Send(enet_transport_t *net) {
    const impair_datagram_t *due = NULL;
    while ((due = Impair_Pop(net->impair_out, net->now_ms)) != NULL) {
        EnetSocket_Send(net, due->address, due->data, due->size); // a failure is one more loss
    }
}
