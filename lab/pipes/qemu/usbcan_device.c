/*
 * A USB-CAN adapter inside QEMU: platform/usbcan as a device, on QEMU's virtual clock.
 *
 * SPDX-License-Identifier: GPL-2.0-only
 * This file uses QEMU's internal interfaces and is licensed as QEMU is; see COPYING there.
 *
 *   -device takt-usbcan,plan=FILE,report=FILE[,candump=FILE]
 *
 * plan: what the device is and what goes on at its buses, a line each (numbers in ns, bytes, bit/s):
 *   kind K | message_bytes N | buffer_bytes N | reply_ns N
 *   traffic CHANNEL START SHORTEST LONGEST SEED COUNT ID FLAGS LENGTH BITRATE
 *   drain CHANNEL SHORTEST LONGEST SEED
 *   count FROM      frames that the host sent, second by second from then on
 * report: the device's counters when QEMU ends, "name value" a line. candump: every frame on the
 * buses, as that program of can-utils logs them.
 */
#include "qemu/osdep.h"

#include "qapi/error.h"
#include "hw/qdev-properties.h"
#include "hw/usb.h"
#include "qemu/module.h"
#include "qemu/notify.h"
#include "qemu/timer.h"
#include "qom/object.h"
#include "sysemu/sysemu.h"

#include "usbcan.h"

#define TYPE_TAKT_USBCAN "takt-usbcan"
OBJECT_DECLARE_SIMPLE_TYPE(TaktUsbcan, TAKT_USBCAN)

#define SECONDS  128
#define NS_PER_S UINT64_C(1000000000)
#define NUMBERS  10 /* of a line of the plan */

struct TaktUsbcan {
    USBDevice usb;
    char *plan, *report, *candump;
    struct usbcan_settings settings;
    struct usbcan *core;
    QEMUTimer *timer;
    USBPacket *waiting[2]; /* for data (0) and with data (1): at most one each */
    Notifier at_exit;
    FILE *log;
    uint64_t count_from;
    uint32_t sent[USBCAN_CHANNELS][SECONDS];
};

static uint64_t now_ns(void)
{
    return (uint64_t)qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* The next moment at which the device does something by itself; touched: the host has just given it
 * something, so that a transfer that waits may have what it waits for. */
static void arm(TaktUsbcan *self, bool touched)
{
    bool waits = self->waiting[0] || self->waiting[1];
    uint64_t next = touched && waits ? 0 : usbcan_next(self->core);

    if (next >= INT64_MAX) {
        timer_del(self->timer);
    } else {
        timer_mod_ns(self->timer, (int64_t)MAX(next, now_ns() + 1));
    }
}

static void refuse(USBPacket *p, int result)
{
    switch (result) {
    case USBCAN_STALL:
        p->status = USB_RET_STALL;
        break;
    case USBCAN_BABBLE:
        p->status = USB_RET_BABBLE;
        break;
    case USBCAN_GONE:
        p->status = USB_RET_NODEV;
        break;
    default:
        p->status = USB_RET_IOERROR;
        break;
    }
}

/* Tries a transfer; false: the device has nothing to give, or no room. */
static bool tried(TaktUsbcan *self, USBPacket *p)
{
    uint32_t size = p->iov.size, endpoint = p->ep->nr;
    g_autofree uint8_t *data = g_malloc(MAX(size, 1));
    int result;

    if (p->pid == USB_TOKEN_IN) {
        result = usbcan_in(self->core, now_ns(), endpoint | 0x80, data, size);
    } else {
        iov_to_buf(p->iov.iov, p->iov.niov, 0, data, size);
        result = usbcan_out(self->core, now_ns(), endpoint, data, size);
    }
    if (result == USBCAN_NAK) {
        return false;
    }
    p->status = USB_RET_SUCCESS;
    if (result < 0) {
        refuse(p, result);
    } else if (p->pid == USB_TOKEN_IN) {
        usb_packet_copy(p, data, result);
    } else {
        p->actual_length = result;
    }
    return true;
}

static void retry(TaktUsbcan *self)
{
    for (int at = 0; at < 2; at++) {
        USBPacket *p = self->waiting[at];

        if (p && tried(self, p)) {
            self->waiting[at] = NULL;
            usb_packet_complete(&self->usb, p); /* may bring the next one */
        }
    }
}

static void happen(void *opaque)
{
    TaktUsbcan *self = opaque;

    usbcan_advance(self->core, now_ns());
    retry(self);
    arm(self, false);
}

static void handle_data(USBDevice *device, USBPacket *p)
{
    TaktUsbcan *self = TAKT_USBCAN(device);
    int at = p->pid != USB_TOKEN_IN;

    if (!tried(self, p)) {
        self->waiting[at] = p;
        p->status = USB_RET_ASYNC;
        arm(self, false);
    } else {
        arm(self, true);
    }
}

static void cancel_packet(USBDevice *device, USBPacket *p)
{
    TaktUsbcan *self = TAKT_USBCAN(device);

    for (int at = 0; at < 2; at++) {
        if (self->waiting[at] == p) {
            self->waiting[at] = NULL;
        }
    }
}

static void handle_control(USBDevice *device, USBPacket *p, int request, int value, int index,
                           int length, uint8_t *data)
{
    TaktUsbcan *self = TAKT_USBCAN(device);
    uint8_t setup[8];
    int result;

    if (request == (DeviceOutRequest | USB_REQ_SET_ADDRESS)) {
        device->addr = value; /* the controller's business, not the device's */
        return;
    }
    stb_p(setup, request >> 8);
    stb_p(setup + 1, request & 0xff);
    stw_le_p(setup + 2, value);
    stw_le_p(setup + 4, index);
    stw_le_p(setup + 6, length);
    result = usbcan_control(self->core, now_ns(), setup, data, length);
    if (result < 0) {
        refuse(p, result);
    } else {
        p->actual_length = result;
    }
    arm(self, true);
}

static void handle_reset(USBDevice *device)
{
    TaktUsbcan *self = TAKT_USBCAN(device);

    usbcan_reset(self->core, now_ns());
    arm(self, true);
}

static void seen(void *opaque, const struct usbcan_frame *frame)
{
    TaktUsbcan *self = opaque;

    if (frame->flags & USBCAN_SENT && frame->ns >= self->count_from) {
        uint64_t second = (frame->ns - self->count_from) / NS_PER_S;
        self->sent[frame->channel][MIN(second, SECONDS - 1)]++;
    }
    if (!self->log) {
        return;
    }
    fprintf(self->log, "(%010" PRIu64 ".%06" PRIu64 ") can%u ", frame->ns / NS_PER_S,
            frame->ns % NS_PER_S / 1000, frame->channel);
    fprintf(self->log, frame->flags & USBCAN_EXTENDED ? "%08X#" : "%03X#", frame->id);
    for (uint32_t at = 0; at < frame->length; at++) {
        fprintf(self->log, "%02X", frame->data[at]);
    }
    fputc('\n', self->log);
}

static bool set(TaktUsbcan *self, const char *name, const uint64_t *number, int count)
{
    struct usbcan_settings *settings = &self->settings;

    if (count != 1) {
        return false;
    } else if (!strcmp(name, "kind")) {
        return usbcan_defaults(settings, number[0]) == 0;
    } else if (!strcmp(name, "message_bytes")) {
        settings->message_bytes = number[0];
    } else if (!strcmp(name, "buffer_bytes")) {
        settings->buffer_bytes = number[0];
    } else if (!strcmp(name, "reply_ns")) {
        settings->reply_ns = number[0];
    } else if (!strcmp(name, "count")) {
        self->count_from = number[0];
    } else {
        return false;
    }
    return true;
}

static bool plan_bus(TaktUsbcan *self, const char *name, const uint64_t *number, int count)
{
    if (!strcmp(name, "traffic") && count == 10) {
        struct usbcan_traffic traffic = {
            .start_ns = number[1],
            .shortest_ns = number[2],
            .longest_ns = number[3],
            .seed = number[4],
            .count = number[5],
            .id = number[6],
            .flags = number[7],
            .length = number[8],
            .bitrate = number[9],
        };
        return usbcan_traffic(self->core, number[0], &traffic) == 0;
    }
    return !strcmp(name, "drain") && count == 4 &&
           usbcan_drain(self->core, number[0], number[1], number[2], number[3]) == 0;
}

/* A line of the plan. What the device is comes before what goes on at its buses. */
static bool plan_line(TaktUsbcan *self, const char *line, bool buses)
{
    g_auto(GStrv) words = g_strsplit_set(line, " ", NUMBERS + 2);
    int count = (int)g_strv_length(words) - 1;
    uint64_t number[NUMBERS];

    if (count < 1 || count > NUMBERS) {
        return count < 1;
    }
    for (int at = 0; at < count; at++) {
        char *end;
        number[at] = strtoull(words[at + 1], &end, 0);
        if (*end || !*words[at + 1]) {
            return false;
        }
    }
    bool bus = !strcmp(words[0], "traffic") || !strcmp(words[0], "drain");
    return bus != buses || (bus ? plan_bus : set)(self, words[0], number, count);
}

static bool planned(TaktUsbcan *self, char **lines, bool buses, Error **errp)
{
    for (char **line = lines; *line; line++) {
        if (!plan_line(self, *line, buses)) {
            error_setg(errp, "%s: line %d means nothing: %s", self->plan, (int)(line - lines) + 1,
                       *line);
            return false;
        }
    }
    return true;
}

static bool made(TaktUsbcan *self, Error **errp)
{
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;

    if (self->plan && !g_file_get_contents(self->plan, &text, NULL, NULL)) {
        error_setg(errp, "no plan %s", self->plan);
        return false;
    }
    lines = g_strsplit(text ? text : "", "\n", -1);
    usbcan_defaults(&self->settings, USBCAN_HYDRA);
    if (!planned(self, lines, false, errp)) {
        return false;
    }
    self->core = g_malloc0(usbcan_size());
    if (usbcan_init(self->core, &self->settings) != 0) {
        error_setg(errp, "%s: settings out of the device's bounds", self->plan);
        return false;
    }
    return planned(self, lines, true, errp);
}

#define TELL(counters, name) fprintf(file, "%s" #name " %" PRIu64 "\n", of, (uint64_t)counters.name)

static void tell_channel(TaktUsbcan *self, FILE *file, uint32_t channel)
{
    g_autofree char *of = g_strdup_printf("channel.%u.", channel);
    struct usbcan_channel_counters counters;

    if (usbcan_channel(self->core, channel, &counters) != 0) {
        return;
    }
    TELL(counters, on_bus);
    TELL(counters, unheard);
    TELL(counters, damaged);
    TELL(counters, heard);
    TELL(counters, stored);
    TELL(counters, dropped);
    TELL(counters, overwritten);
    TELL(counters, flushed);
    TELL(counters, delivered);
    TELL(counters, asked);
    TELL(counters, sent);
    TELL(counters, unsent);
    TELL(counters, oldest_ns);
    for (uint32_t at = 0; at < SECONDS; at++) {
        if (self->sent[channel][at]) {
            fprintf(file, "%ssecond.%u %u\n", of, at, self->sent[channel][at]);
        }
    }
}

static void tell(Notifier *notifier, void *data)
{
    TaktUsbcan *self = container_of(notifier, TaktUsbcan, at_exit);
    FILE *file = self->report ? fopen(self->report, "w") : NULL;
    struct usbcan_counters counters;
    const char *of = "";

    usbcan_advance(self->core, now_ns());
    if (self->log) {
        fclose(self->log);
        self->log = NULL;
    }
    if (!file) {
        return;
    }
    usbcan_counters(self->core, &counters);
    fprintf(file, "end_ns %" PRIu64 "\n", now_ns());
    TELL(counters, overruns);
    TELL(counters, flagged);
    TELL(counters, in_transfers);
    TELL(counters, in_bytes);
    TELL(counters, out_transfers);
    TELL(counters, commands);
    TELL(counters, malformed);
    TELL(counters, resets);
    TELL(counters, held_bytes);
    TELL(counters, peak_bytes);
    for (uint32_t at = 0; at < self->settings.channels; at++) {
        tell_channel(self, file, at);
    }
    fclose(file);
}

static void realize(USBDevice *device, Error **errp)
{
    TaktUsbcan *self = TAKT_USBCAN(device);

    if (!made(self, errp)) {
        return;
    }
    bool full = self->settings.kind == USBCAN_GS;
    device->speed = full ? USB_SPEED_FULL : USB_SPEED_HIGH;
    device->speedmask = full ? USB_SPEED_MASK_FULL : USB_SPEED_MASK_HIGH;
    usb_ep_init(device);
    for (int at = 0; at < 2; at++) {
        USBEndpoint *in = &device->ep_in[at], *out = &device->ep_out[at];
        in->type = out->type = USB_ENDPOINT_XFER_BULK;
        in->ifnum = out->ifnum = 0;
        in->max_packet_size = out->max_packet_size = full ? 64 : 512;
    }
    if (self->candump) {
        self->log = fopen(self->candump, "w");
        if (!self->log) {
            error_setg(errp, "cannot write %s", self->candump);
            return;
        }
    }
    self->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, happen, self);
    usbcan_watch(self->core, seen, self);
    self->at_exit.notify = tell;
    qemu_add_exit_notifier(&self->at_exit);
}

static Property properties[] = {
    DEFINE_PROP_STRING("plan", TaktUsbcan, plan),
    DEFINE_PROP_STRING("report", TaktUsbcan, report),
    DEFINE_PROP_STRING("candump", TaktUsbcan, candump),
    DEFINE_PROP_END_OF_LIST(),
};

static void class_init(ObjectClass *object, void *data)
{
    DeviceClass *device = DEVICE_CLASS(object);
    USBDeviceClass *usb = USB_DEVICE_CLASS(object);

    usb->product_desc = "Takt USB-CAN adapter";
    usb->realize = realize;
    usb->handle_reset = handle_reset;
    usb->handle_control = handle_control;
    usb->handle_data = handle_data;
    usb->cancel_packet = cancel_packet;
    device->desc = "USB-CAN adapter on the virtual clock";
    device->user_creatable = true;
    device_class_set_props(device, properties);
}

static const TypeInfo type = {
    .name = TYPE_TAKT_USBCAN,
    .parent = TYPE_USB_DEVICE,
    .instance_size = sizeof(TaktUsbcan),
    .class_init = class_init,
};

static void register_type(void)
{
    type_register_static(&type);
}

type_init(register_type)
