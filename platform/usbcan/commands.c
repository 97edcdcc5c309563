/* Bulk transfers: messages to the host, packed into what it asks for; commands from it, which wait
 * where there is no room for what they bring about. */
#include <string.h>

#include "device.h"

void commands_run(struct usbcan *d)
{
    while (d->stage_at < d->staged) {
        uint32_t left = d->staged - d->stage_at;
        uint32_t done = d->kind->command(d, d->stage + d->stage_at, left);
        if (done == 0)
            return;
        d->stage_at += done < left ? done : left;
    }
    d->staged = d->stage_at = 0;
}

/* What comes before any transfer; 0: it may go on. */
static int admit(struct usbcan *d, uint64_t now, uint32_t endpoint, uint32_t expected)
{
    usbcan_advance(d, now);
    if (!d->n.plugged)
        return USBCAN_GONE;
    if (endpoint != expected || !d->n.configured)
        return USBCAN_ERROR;
    if (d->halted[endpoint >> 7])
        return USBCAN_STALL;
    return fault_takes(d, USBCAN_FAULT_ERROR, NULL) ? USBCAN_ERROR : 0;
}

int usbcan_out(struct usbcan *d, uint64_t now, uint32_t endpoint, const uint8_t *data,
               uint32_t size)
{
    if (d->staged != 0 && !d->halted[0] && d->n.plugged) { /* before a fault is spent on it */
        usbcan_advance(d, now);
        if (d->staged != 0)
            return USBCAN_NAK;
    }
    int refused = admit(d, now, endpoint, d->kind->out);
    if (refused)
        return refused;
    if (size > STAGE_BYTES) {
        d->n.malformed++;
        d->halted[0] = true;
        return USBCAN_STALL;
    }
    if (size != 0)
        memcpy(d->stage, data, size);
    d->staged = size;
    d->stage_at = 0;
    d->n.out_transfers++;
    d->n.out_bytes += size;
    commands_run(d);
    return (int)size;
}

/* One message, in order of time; 0: none, or no room for it in `size`. -1: babble. */
static int take(struct usbcan *d, uint8_t *out, uint32_t size)
{
    const struct answer *answer = answer_oldest(d);
    const struct kept *kept = buffer_oldest(d);
    uint8_t message[128] = {0};
    uint32_t length = 0;
    bool answers = answer && answer->due <= d->now && (!kept || answer->due <= kept->frame.ns);
    if (answers)
        memcpy(message, answer->bytes, length = answer->length);
    else if (kept)
        length = d->kind->frame(d, kept, message);
    if (length > size)
        return -1;
    memcpy(out, message, length);
    if (answers)
        answer_drop(d);
    else if (kept)
        buffer_drop(d);
    return (int)length;
}

static uint32_t take_rest(struct usbcan *d, uint8_t *data, uint32_t size)
{
    uint32_t bytes = d->rests < size ? d->rests : size;
    memcpy(data, d->rest + d->rest_at, bytes);
    d->rest_at += bytes;
    d->rests -= bytes;
    return bytes;
}

/* As many messages as fit. Not even the first: the device babbles, the message stays. */
static int fill(struct usbcan *d, uint8_t *data, uint32_t size)
{
    uint32_t filled = take_rest(d, data, size);
    if (filled != 0 && (!d->kind->packs || d->rests != 0))
        return (int)filled;
    for (;;) {
        int length = take(d, data + filled, size - filled);
        if (length <= 0)
            return filled != 0 || length == 0 ? (int)filled : USBCAN_BABBLE;
        filled += (uint32_t)length;
        if (!d->kind->packs)
            return (int)filled;
    }
}

static int garbage(uint64_t seed, uint8_t *data, uint32_t size)
{
    uint32_t length = (uint32_t)draw(&seed, 1, size);
    for (uint32_t i = 0; i < length; i++)
        data[i] = (uint8_t)draw(&seed, 0, 255);
    return (int)length;
}

/* A fault cuts a transfer; what is behind the cut comes next. */
static int cut(struct usbcan *d, const uint8_t *data, uint32_t length, uint64_t limit)
{
    if (length <= limit)
        return (int)length;
    memmove(d->rest + (length - limit), d->rest + d->rest_at, d->rests);
    memcpy(d->rest, data + limit, length - (uint32_t)limit);
    d->rests += length - (uint32_t)limit;
    d->rest_at = 0;
    return (int)limit;
}

static bool waiting(const struct usbcan *d)
{
    const struct answer *answer = answer_oldest(d);
    return d->rests != 0 || d->buffer.count != 0 || (answer && answer->due <= d->now);
}

int usbcan_in(struct usbcan *d, uint64_t now, uint32_t endpoint, uint8_t *data, uint32_t size)
{
    uint64_t argument = 0;
    int refused = admit(d, now, endpoint, d->kind->in);
    if (refused || size == 0)
        return refused;
    if (fault_takes(d, USBCAN_FAULT_GARBAGE, &argument)) {
        d->faults[USBCAN_FAULT_GARBAGE].argument++;
        return garbage(argument, data, size);
    }
    if (fault_takes(d, USBCAN_FAULT_BABBLE, NULL)) {
        fill(d, data, size < STAGE_BYTES ? size : STAGE_BYTES);
        return USBCAN_BABBLE;
    }
    if (!waiting(d))
        return USBCAN_NAK;
    bool shortened = fault_takes(d, USBCAN_FAULT_SHORT, &argument);
    int length = fill(d, data, shortened && size > STAGE_BYTES ? STAGE_BYTES : size);
    if (length >= 0 && shortened)
        length = cut(d, data, (uint32_t)length, argument);
    if (length >= 0) {
        d->n.in_transfers++;
        d->n.in_bytes += (uint32_t)length;
    }
    commands_run(d); /* there is room for answers again */
    return length;
}
