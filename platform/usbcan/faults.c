/* What is put wrong, and when. */
#include <string.h>

#include "device.h"

int usbcan_fault(struct usbcan *d, const struct usbcan_fault *fault)
{
    bool of_channel = fault->kind == USBCAN_FAULT_BUS_OFF || fault->kind == USBCAN_FAULT_BUS_ERROR;
    if (fault->kind > USBCAN_FAULT_UNPLUG || d->plans == USBCAN_FAULTS)
        return USBCAN_BAD;
    if (of_channel && fault->argument >= d->settings.channels)
        return USBCAN_BAD;
    if (fault->kind == USBCAN_FAULT_STALL && fault->argument != d->kind->in &&
        fault->argument != d->kind->out)
        return USBCAN_BAD;
    uint32_t at = d->plans++;
    for (; at > 0 && d->plan[at - 1].ns > fault->ns; at--)
        d->plan[at] = d->plan[at - 1];
    d->plan[at] = *fault;
    return 0;
}

void fault_next_act(struct usbcan *d)
{
    struct usbcan_fault f = d->plan[0];
    uint32_t left = f.count != 0 ? f.count : UINT32_MAX;
    memmove(d->plan, d->plan + 1, --d->plans * sizeof d->plan[0]);
    if (f.kind == USBCAN_FAULT_STALL)
        d->halted[f.argument >> 7] = true;
    else if (f.kind == USBCAN_FAULT_BUS_OFF)
        bus_off(d, (uint32_t)f.argument);
    else if (f.kind == USBCAN_FAULT_BUS_ERROR)
        d->channels[f.argument].damages = left;
    else if (f.kind == USBCAN_FAULT_UNPLUG)
        usbcan_plug(d, d->now, 0);
    else
        d->faults[f.kind] = (struct active){left, f.argument};
}

bool fault_takes(struct usbcan *d, uint32_t kind, uint64_t *argument)
{
    struct active *a = &d->faults[kind];
    if (a->left == 0)
        return false;
    if (a->left != UINT32_MAX)
        a->left--;
    if (argument)
        *argument = a->argument;
    return true;
}

void faults_clear(struct usbcan *d)
{
    memset(d->faults, 0, sizeof d->faults);
    for (uint32_t i = 0; i < USBCAN_CHANNELS; i++)
        d->channels[i].damages = 0;
}
