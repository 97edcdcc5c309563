/* drivers/usb/host.h by a fake host. */
#include "usb_fake.h"

#include <takt/sem.h>

extern "C" {
int usb_submit(struct usb_transfer *transfer)
{
    return fake_usb->submit(transfer);
}

int usb_cancel(struct usb_transfer *transfer)
{
    fake_usb->cancel(transfer);
    return TAKT_OK;
}

int usb_wait(struct usb_transfer *transfer, uint32_t timeout_us)
{
    if (transfer->busy && takt_sem_wait_for(&transfer->wake, timeout_us) != TAKT_OK) {
        fake_usb->cancel(transfer);
        while (transfer->busy)
            takt_sem_wait(&transfer->wake);
    }
    return transfer->result;
}

int usb_control(struct usb_device *device, const struct usb_setup *setup, void *data,
                uint32_t timeout_us)
{
    struct usb_transfer transfer = {};
    transfer.endpoint = &device->control;
    transfer.setup = *setup;
    transfer.data = data;
    int result = usb_submit(&transfer);
    return result == TAKT_OK ? usb_wait(&transfer, timeout_us) : result;
}

int usb_clear_halt(struct usb_endpoint *endpoint)
{
    return fake_usb->clear_halt(endpoint);
}

struct usb_endpoint *usb_endpoint_of(struct usb_device *device, uint8_t, enum usb_type,
                                     uint8_t direction)
{
    struct usb_endpoint key = {};
    key.device = device;
    FakeUsb::Plugged *plugged = fake_usb->find(&key);
    return direction != 0 ? &plugged->in : &plugged->out;
}

void usb_release(struct usb_device *)
{
    fake_usb->released++;
}
}

void traffic(struct usbcan *device, uint32_t channel, uint32_t us, uint32_t id, uint32_t flags,
             uint64_t count)
{
    struct usbcan_traffic t = {};
    t.start_ns = sim_now() * 1000 + us * 1000ull;
    t.shortest_ns = t.longest_ns = us * 1000ull;
    t.id = id;
    t.flags = flags;
    t.length = 8;
    t.count = count;
    if (usbcan_traffic(device, channel, &t) != 0)
        abort();
}

struct usbcan_channel_counters truth(struct usbcan *device, uint32_t channel)
{
    struct usbcan_channel_counters counters;
    usbcan_channel(device, channel, &counters);
    return counters;
}
