/*
 * Periodic streams on a USB bus: see schedule.h.
 *
 * Tuned Pipes, Algorithm 1, sorts the requests (shorter intervals first, longer times first among
 * equal ones) and puts each into the first offset where it fits. What it lacks, and what is here:
 * intervals that do not divide the table, or are longer, are refused; the limit is what the bus
 * gives to periodic transfers, not the whole slot; the offset is in slots; the array is not
 * reordered; what is live stays where it is.
 *
 * The offset: a stream that comes alone goes where the fullest of its slots is emptiest, which
 * leaves short intervals possible; offsets are tried in bit-reversed order (0, 1/2, 1/4, 3/4, ...
 * of the interval), so that equal choices fill one half of the slots before they touch the other.
 * Streams that come together are tried so, then where they fit most tightly, then as Algorithm 1
 * does.
 *
 * Invariants: usb_schedule_sound().
 */
#include "schedule.h"
#include "schedule_own.h"

enum rule { LEAST_USED, MOST_USED, FIRST, RULES };

#define NOWHERE 0xFFFFu

static bool power_of_two(uint32_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

uint16_t usb_interval(uint32_t wanted)
{
    uint32_t interval = USB_SLOTS;

    while (interval > 1 && interval > wanted) {
        interval /= 2;
    }
    return (uint16_t)interval;
}

/* Slots in a row that a stream may be put in, and so counts in. */
static uint32_t width(const struct usb_schedule *s, uint32_t interval)
{
    return interval < s->grain ? interval : s->grain;
}

/* Of the slots at an offset, the most used one's ns. */
static uint32_t fullest(const struct usb_schedule *s, uint32_t interval, uint32_t offset)
{
    uint32_t most = 0, wide = width(s, interval);

    for (uint32_t first = offset; first < USB_SLOTS; first += interval) {
        for (uint32_t slot = first; slot < first + wide; slot++) {
            most = s->used[slot] > most ? s->used[slot] : most;
        }
    }
    return most;
}

static void occupy(struct usb_schedule *s, const struct usb_stream *stream, uint32_t sign)
{
    uint32_t wide = width(s, stream->interval);

    for (uint32_t first = stream->offset; first < USB_SLOTS; first += stream->interval) {
        for (uint32_t slot = first; slot < first + wide; slot++) {
            s->used[slot] += stream->time_ns * sign;
        }
    }
}

/* i, below the power of two `count`, with its bits in reverse. */
static uint32_t reversed(uint32_t i, uint32_t count)
{
    uint32_t result = 0;

    for (; count > 1; count /= 2) {
        result = result * 2 + i % 2;
        i /= 2;
    }
    return result;
}

/* Is an offset with `most` used better than one with `best`? */
static bool better(enum rule rule, uint32_t most, uint32_t best)
{
    return rule == LEAST_USED ? most < best : rule == MOST_USED && most > best;
}

static uint32_t offset_for(const struct usb_schedule *s, const struct usb_stream *stream,
                           enum rule rule)
{
    uint32_t wide = width(s, stream->interval), count = stream->interval / wide;
    uint32_t best = 0, found = NOWHERE;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t offset = (rule == FIRST ? i : reversed(i, count)) * wide;
        uint32_t most = fullest(s, stream->interval, offset);
        if (most + stream->time_ns > s->timing->periodic_ns) {
            continue;
        }
        if (found == NOWHERE || better(rule, most, best)) {
            found = offset;
            best = most;
        }
    }
    return found;
}

static bool place(struct usb_schedule *s, struct usb_stream *stream, enum rule rule)
{
    uint32_t offset = offset_for(s, stream, rule);

    if (offset == NOWHERE) {
        return false;
    }
    stream->offset = (uint16_t)offset;
    stream->placed = true;
    stream->next = s->streams;
    s->streams = stream;
    occupy(s, stream, 1);
    return true;
}

int usb_schedule_remove(struct usb_schedule *s, struct usb_stream *stream)
{
    struct usb_stream **at = &s->streams;

    while (*at != NULL && *at != stream) {
        at = &(*at)->next;
    }
    if (*at == NULL) {
        return TAKT_EINVAL;
    }
    *at = stream->next;
    occupy(s, stream, (uint32_t)-1);
    stream->placed = false;
    return TAKT_OK;
}

/* Places them in the order given, all or none. */
static bool place_all(struct usb_schedule *s, struct usb_stream *streams,
                      const uint8_t *order, uint32_t n, enum rule rule)
{
    uint32_t done = 0;

    while (done < n && place(s, &streams[order[done]], rule)) {
        done++;
    }
    if (done == n && usb_bulk_fits(s)) {
        return true;
    }
    while (done > 0) {
        (void)usb_schedule_remove(s, &streams[order[--done]]);
    }
    return false;
}

static bool before(const struct usb_stream *a, const struct usb_stream *b)
{
    return a->interval != b->interval ? a->interval < b->interval : a->time_ns > b->time_ns;
}

/* Algorithm 1's order, of indices; equal ones stay as they came. */
static void sort(uint8_t *order, const struct usb_stream *streams, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i;
        for (; at > 0 && before(&streams[i], &streams[order[at - 1]]); at--) {
            order[at] = order[at - 1];
        }
        order[at] = (uint8_t)i;
    }
}

static bool valid(const struct usb_schedule *s, const struct usb_stream *stream)
{
    return !stream->placed && stream->time_ns > 0 && stream->time_ns <= s->timing->periodic_ns &&
           power_of_two(stream->interval) && stream->interval <= USB_SLOTS;
}

int usb_schedule_add_all(struct usb_schedule *s, struct usb_stream *streams,
                              uint32_t n)
{
    uint8_t order[USB_BATCH];

    if (n == 0 || n > USB_BATCH) {
        return TAKT_EINVAL;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!valid(s, &streams[i])) {
            return TAKT_EINVAL;
        }
    }
    sort(order, streams, n);
    for (enum rule rule = LEAST_USED; rule < RULES; rule++) {
        if (place_all(s, streams, order, n, rule)) {
            return TAKT_OK;
        }
    }
    return TAKT_EADMIT;
}

int usb_schedule_add(struct usb_schedule *s, struct usb_stream *stream)
{
    return usb_schedule_add_all(s, stream, 1);
}

uint32_t usb_schedule_room(const struct usb_schedule *s, uint16_t interval)
{
    uint32_t least = s->timing->periodic_ns;

    if (!power_of_two(interval) || interval > USB_SLOTS) {
        return 0;
    }
    for (uint32_t offset = 0; offset < interval; offset += width(s, interval)) {
        uint32_t most = fullest(s, interval, offset);
        least = most < least ? most : least;
    }
    return s->timing->periodic_ns - least;
}

int usb_schedule_init(struct usb_schedule *s, const struct usb_timing *timing,
                           uint16_t grain)
{
    if (!power_of_two(grain) || grain > USB_SLOTS) {
        return TAKT_EINVAL;
    }
    *s = (struct usb_schedule){.timing = timing, .grain = grain};
    return TAKT_OK;
}

bool usb_schedule_sound(const struct usb_schedule *s)
{
    for (uint32_t slot = 0; slot < USB_SLOTS; slot++) {
        uint64_t sum = 0;
        for (const struct usb_stream *one = s->streams; one != NULL; one = one->next) {
            uint32_t into = (slot - one->offset) % one->interval;
            sum += into < width(s, one->interval) ? one->time_ns : 0;
        }
        if (sum != s->used[slot] || sum > s->timing->periodic_ns) {
            return false;
        }
    }
    return true;
}
