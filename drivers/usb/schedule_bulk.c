/*
 * Bulk reservations on a USB bus: see schedule.h.
 *
 * The controller serves bulk endpoints in what streams and control leave of each slot, in an order
 * of its own (round robin by packets, as a rule). Whatever the order, it does not idle while bulk
 * waits; so a transfer is over by the end of the busy period it is asked for in. A busy period that
 * starts within a slot has by the end of the L slots after it brought at most
 *     demand(L + 1) = sum of all: ceil((L + 1) / interval) x packets x (packet + probes)
 * where before each packet every other endpoint may be asked in vain once, and had at least
 *     supply(L) = min over L slots in a row of the sum of what is free in them
 * where of each slot a packet's time may be lost, as no packet crosses a slot's end. The smallest L
 * with demand(L + 1) <= supply(L) bounds every busy period.
 */
#include "schedule.h"
#include "schedule_own.h"

static const uint32_t NO_BOUND = USB_SLOTS + 1;

static uint32_t reservations(const struct usb_schedule *s)
{
    uint32_t count = 0;

    for (const struct usb_bulk *one = s->bulk; one != NULL; one = one->next) {
        count++;
    }
    return count;
}

static uint32_t longest_packet(const struct usb_schedule *s)
{
    uint32_t longest = 0;

    for (const struct usb_bulk *one = s->bulk; one != NULL; one = one->next) {
        longest = one->packet_ns > longest ? one->packet_ns : longest;
    }
    return longest;
}

/* Sums up what is free: free_until. */
static void look(struct usb_schedule *s, uint64_t lost)
{
    uint32_t sum = 0;

    for (uint32_t slot = 0; slot < USB_SLOTS; slot++) {
        uint64_t taken = s->used[slot] + s->timing->control_ns + lost;
        s->free_until[slot] = sum;
        sum += taken < s->timing->slot_ns ? (uint32_t)(s->timing->slot_ns - taken) : 0;
    }
    s->free_until[USB_SLOTS] = sum;
}

/* ns left for bulk in any `slots` (up to all) in a row. */
static uint32_t supply(const struct usb_schedule *s, uint32_t slots)
{
    uint32_t least = UINT32_MAX, all = s->free_until[USB_SLOTS];

    for (uint32_t from = 0; from < USB_SLOTS; from++) {
        uint32_t to = from + slots;
        uint32_t sum = to <= USB_SLOTS ? s->free_until[to]
                                            : all + s->free_until[to - USB_SLOTS];
        sum -= s->free_until[from];
        least = sum < least ? sum : least;
    }
    return least;
}

static uint64_t demand(const struct usb_schedule *s, uint32_t slots, uint64_t probes_ns)
{
    uint64_t sum = 0;

    for (const struct usb_bulk *one = s->bulk; one != NULL; one = one->next) {
        uint64_t transfers = (slots + one->interval - 1u) / one->interval;
        sum += transfers * one->packets * (one->packet_ns + probes_ns);
    }
    return sum;
}

/* The fewest slots that leave `wanted`. */
static uint32_t slots_for(const struct usb_schedule *s, uint64_t wanted)
{
    uint32_t low = 1, high = NO_BOUND;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (middle <= USB_SLOTS && supply(s, middle) < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t usb_schedule_bulk_slots(struct usb_schedule *s)
{
    uint32_t count = reservations(s), slots = 1, next = 1;

    if (count == 0) {
        return 0;
    }
    uint64_t probes_ns = (uint64_t)(count - 1) * s->timing->probe_ns;
    look(s, longest_packet(s) + probes_ns);
    do {
        slots = next;
        next = slots_for(s, demand(s, slots + 1, probes_ns));
    } while (next > slots && next < NO_BOUND);
    return next > slots ? next : slots;
}

bool usb_bulk_fits(struct usb_schedule *s)
{
    uint32_t slots = usb_schedule_bulk_slots(s);

    for (const struct usb_bulk *one = s->bulk; one != NULL; one = one->next) {
        if (slots > one->within) {
            return false;
        }
    }
    return true;
}

static bool valid(const struct usb_bulk *bulk)
{
    return !bulk->placed && bulk->packets >= 1 && bulk->packets <= UINT16_MAX &&
           bulk->packet_ns >= 1 && bulk->interval >= 1 && bulk->interval <= USB_SLOTS &&
           bulk->within >= 1 && bulk->within <= USB_SLOTS;
}

int usb_schedule_reserve(struct usb_schedule *s, struct usb_bulk *bulk)
{
    if (!valid(bulk) || bulk->packet_ns > s->timing->slot_ns) {
        return TAKT_EINVAL;
    }
    bulk->next = s->bulk;
    s->bulk = bulk;
    bulk->placed = true;
    if (usb_bulk_fits(s)) {
        return TAKT_OK;
    }
    (void)usb_schedule_release(s, bulk);
    return TAKT_EADMIT;
}

int usb_schedule_release(struct usb_schedule *s, struct usb_bulk *bulk)
{
    struct usb_bulk **at = &s->bulk;

    while (*at != NULL && *at != bulk) {
        at = &(*at)->next;
    }
    if (*at == NULL) {
        return TAKT_EINVAL;
    }
    *at = bulk->next;
    bulk->placed = false;
    return TAKT_OK;
}
