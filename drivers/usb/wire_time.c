/*
 * How long transfers take on the wire: see schedule.h. The formulas of USB 2.0, section 5.11.3, in
 * integers, each rounded up; at 480 Mbit/s a bit is 25/12 ns. SuperSpeed: 2 ns a byte (8b/10b at
 * 5 Gbit/s), per packet 48 bytes of header, framing, CRC and link commands.
 */
#include "schedule.h"
#include "host.h"

#define HIGH_NS(bits) (((bits) * 25u + 11u) / 12u)
#define HIGH_PACKET_BITS (55u * 8u) /* sync, token, handshake and turn-arounds */
#define HIGH_ISOCHRONOUS_BITS (38u * 8u)
#define NO_DATA_BITS 3u

const struct usb_timing usb_full_timing = {1000000, 900000, 100000,
                                                     9107 + 3 * 84 + USB_HOST_DELAY_NS};
const struct usb_timing usb_high_timing = {
    125000, 100000, 25000, HIGH_NS(HIGH_PACKET_BITS + NO_DATA_BITS) + USB_HOST_DELAY_NS};
const struct usb_timing usb_super_timing = {125000, 112500, 12500, 0};

/* Of data, with a bit stuffed after every six. */
static uint64_t stuffed_bits(uint32_t bytes)
{
    return (19u + 56u * (uint64_t)bytes) / 6u;
}

static uint64_t full_ns(const struct usb_wire *wire, uint64_t bits)
{
    uint64_t fixed = !wire->isochronous ? 9107 : wire->in ? 7268 : 6265;

    return fixed + (bits * 8354 + 99) / 100;
}

/* With the hub's set-up of 333 ns before and after. */
static uint64_t low_ns(const struct usb_wire *wire, uint64_t bits)
{
    return wire->in ? 64060 + 2 * 333 + (bits * 67667 + 99) / 100
                    : 64107 + 2 * 333 + bits * 667;
}

static uint64_t packet_ns(const struct usb_wire *wire, uint32_t bytes)
{
    uint64_t bits = stuffed_bits(bytes);

    switch ((enum usb_speed)wire->speed) {
    case USB_LOW:
        return low_ns(wire, bits) + USB_HOST_DELAY_NS;
    case USB_FULL:
        return full_ns(wire, bits) + USB_HOST_DELAY_NS;
    case USB_HIGH:
        bits += wire->isochronous ? HIGH_ISOCHRONOUS_BITS : HIGH_PACKET_BITS;
        return HIGH_NS(bits) + USB_HOST_DELAY_NS;
    case USB_SUPER:
    case USB_SUPER_PLUS:
        return 2u * ((uint64_t)bytes + 48u);
    }
    return UINT32_MAX;
}

uint32_t usb_wire_ns(const struct usb_wire *wire, uint32_t bytes)
{
    if (wire->packet == 0) {
        return UINT32_MAX;
    }
    uint32_t whole = bytes / wire->packet, rest = bytes % wire->packet;
    uint64_t ns = whole * packet_ns(wire, wire->packet);

    if (rest > 0 || whole == 0) {
        ns += packet_ns(wire, rest);
    }
    return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}
