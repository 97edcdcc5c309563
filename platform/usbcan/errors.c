/* Bus errors and the error counters of a channel's controller (ISO 11898-1, 12.1), without the
 * finer rules: +1 received, +8 sent, -1 for every good frame. */
#include "device.h"

bool errors_damage(struct usbcan *d, uint32_t channel)
{
    struct channel *c = &d->channels[channel];
    if (c->damages == 0)
        return false;
    if (c->damages != UINT32_MAX)
        c->damages--;
    return true;
}

static uint32_t state_of(const struct usbcan_channel_counters *n)
{
    uint32_t worst = n->rx_errors > n->tx_errors ? n->rx_errors : n->tx_errors;
    return worst >= 128 ? USBCAN_PASSIVE : worst >= 96 ? USBCAN_WARNING : USBCAN_ACTIVE;
}

static void settle(struct usbcan *d, uint32_t channel)
{
    struct usbcan_channel_counters *n = &d->channels[channel].n;
    uint32_t old = n->state;
    n->state = state_of(n);
    if (n->state != old)
        d->kind->state_changed(d, channel, old);
}

void errors_good(struct usbcan *d, uint32_t channel, bool sent)
{
    struct usbcan_channel_counters *n = &d->channels[channel].n;
    uint32_t *errors = sent ? &n->tx_errors : &n->rx_errors;
    if (*errors != 0) {
        --*errors;
        settle(d, channel);
    }
}

void errors_bad(struct usbcan *d, uint32_t channel, bool sent)
{
    struct usbcan_channel_counters *n = &d->channels[channel].n;
    if (sent) {
        n->failed++;
        n->tx_errors += 8;
    } else {
        n->damaged++;
        n->rx_errors += n->rx_errors < 255;
    }
    if (n->tx_errors > 255) {
        bus_off(d, channel);
        return;
    }
    d->kind->bus_error(d, channel);
    settle(d, channel);
}
