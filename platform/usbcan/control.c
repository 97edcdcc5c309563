/* Endpoint 0: the standard requests (USB 2.0, 9.4); the others are the kind's. */
#include <string.h>

#include "bytes.h"
#include "device.h"

enum standard_request {
    GET_STATUS = 0,
    CLEAR_FEATURE = 1,
    SET_FEATURE = 3,
    SET_ADDRESS = 5,
    GET_DESCRIPTOR = 6,
    GET_CONFIGURATION = 8,
    SET_CONFIGURATION = 9,
    GET_INTERFACE = 10,
    SET_INTERFACE = 11,
};

enum descriptor { DEVICE = 1, CONFIGURATION = 2, STRING = 3, QUALIFIER = 6 };

static int give(uint8_t *data, uint32_t size, const void *from, uint32_t length)
{
    length = length < size ? length : size;
    memcpy(data, from, length);
    return (int)length;
}

/* Number 0: the languages; 1, 2: names; 3: the serial number. */
static int string(const struct usbcan *d, uint32_t number, uint8_t *data, uint32_t size)
{
    char digits[11] = "0000000000";
    const char *text = number == 3 ? digits : d->kind->names[number == 2];
    uint8_t out[64] = {4, STRING, 0x09, 0x04}; /* English (US) */
    if (number > 3)
        return USBCAN_STALL;
    for (uint32_t i = 10, left = d->settings.serial; i-- > 0; left /= 10)
        digits[i] = (char)('0' + left % 10);
    for (uint32_t i = 0; number != 0 && text[i] != 0; i++) {
        out[2 + 2 * i] = (uint8_t)text[i];
        out[3 + 2 * i] = 0;
        out[0] = (uint8_t)(4 + 2 * i);
    }
    return give(data, size, out, out[0]);
}

static int descriptor(const struct usbcan *d, const uint8_t *setup, uint8_t *data, uint32_t size)
{
    const struct kind *k = d->kind;
    uint8_t other[10] = {10, QUALIFIER};
    switch (setup[3]) {
    case DEVICE:
        return give(data, size, k->device_descriptor, 18);
    case CONFIGURATION:
        if (setup[2] != 0)
            return USBCAN_STALL;
        return give(data, size, k->configuration, k->configuration_bytes);
    case STRING:
        return string(d, setup[2], data, size);
    case QUALIFIER: /* the high-speed kind's device at full speed */
        if (!k->packs)
            return USBCAN_STALL;
        memcpy(other + 2, k->device_descriptor + 2, 6);
        other[8] = 1;
        return give(data, size, other, sizeof other);
    }
    return USBCAN_STALL;
}

static int configure(struct usbcan *d, uint32_t number)
{
    uint64_t resets = d->n.resets;
    if (number > 1)
        return USBCAN_STALL;
    usbcan_reset(d, d->now);
    d->n.resets = resets;
    d->n.configured = number;
    return 0;
}

/* -1: no such endpoint. */
static int endpoint_of(const struct usbcan *d, const uint8_t *setup)
{
    return setup[4] == d->kind->in ? 1 : setup[4] == d->kind->out ? 0 : -1;
}

static int to_endpoint(struct usbcan *d, const uint8_t *setup, uint8_t *data, uint32_t size)
{
    int endpoint = endpoint_of(d, setup);
    bool control = (setup[4] & 0x7f) == 0;
    if (endpoint < 0 && !control)
        return USBCAN_STALL;
    switch (setup[1]) {
    case GET_STATUS:
        data[0] = endpoint >= 0 && d->halted[endpoint];
        data[1] = 0;
        return size < 2 ? (int)size : 2;
    case CLEAR_FEATURE:
    case SET_FEATURE:
        if (get16(setup + 2) != 0)
            return USBCAN_STALL;
        if (endpoint >= 0)
            d->halted[endpoint] = setup[1] == SET_FEATURE;
        return 0;
    }
    return USBCAN_STALL;
}

static int to_device(struct usbcan *d, const uint8_t *setup, uint8_t *data, uint32_t size)
{
    static const uint8_t zeros[2];
    const uint8_t number = (uint8_t)d->n.configured;
    switch (setup[0] << 8 | setup[1]) {
    case 0x8000 | GET_STATUS:
    case 0x8100 | GET_STATUS:
        return give(data, size, zeros, 2);
    case 0x8000 | GET_DESCRIPTOR:
        return descriptor(d, setup, data, size);
    case 0x8000 | GET_CONFIGURATION:
        return give(data, size, &number, 1);
    case 0x8100 | GET_INTERFACE:
        return give(data, size, zeros, 1);
    case 0x0000 | SET_ADDRESS:
        return 0;
    case 0x0000 | SET_CONFIGURATION:
        return configure(d, setup[2]);
    case 0x0100 | SET_INTERFACE:
        return setup[2] == 0 && setup[4] == 0 ? 0 : USBCAN_STALL;
    }
    return USBCAN_STALL;
}

int usbcan_control(struct usbcan *d, uint64_t now, const uint8_t *setup, uint8_t *data,
                   uint32_t size)
{
    uint8_t longest[64] = {0};
    bool in = (setup[0] & 0x80) != 0;
    uint32_t asked = get16(setup + 6);
    usbcan_advance(d, now);
    if (!d->n.plugged)
        return USBCAN_GONE;
    asked = asked < size ? asked : size;
    if (!in)
        memcpy(longest, data, asked < sizeof longest ? asked : sizeof longest);
    uint32_t room = in || asked > sizeof longest ? sizeof longest : asked;
    int result;
    if ((setup[0] & 0x60) != 0)
        result = d->kind->request(d, setup, longest, room);
    else if ((setup[0] & 0x1f) == 2)
        result = to_endpoint(d, setup, longest, room);
    else
        result = to_device(d, setup, longest, room);
    if (in && result > 0)
        return give(data, asked, longest, (uint32_t)result);
    return result;
}
