/// client/udp.c - the transport of the library: ENet on UDP. A build for other networks omits it.

#include "edict/client.h"
#include "net/enet_transport.h"

#define DEFAULT_PEERS 4 // a last goodbye may still be in flight when a client joins again

cl_transport_t *CL_NetCreate(const cl_net_config_t *config, cl_err_t *err) {
    static const cl_net_config_t usual = {.network = NULL};
    config = config ? config : &usual;
    net_conditions_t bad;
    enet_transport_config_t net = {.bind = config->local,
                                   .max_peers =
                                       config->max_peers > 0 ? config->max_peers : DEFAULT_PEERS};
    if (config->network) {
        if (!Net_Conditions(config->network, config->seed, &bad, err)) {
            return NULL;
        }
        net.impair = &bad.down;
        net.impair_sent = &bad.up;
    }
    return EnetTransport_Create(&net, err);
}
