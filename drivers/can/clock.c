/*
 * The adapter's clock and ours. A reading is asked for at a, and taken some time after: what is
 * ours minus the adapter's is at least a - reading, and nearer to that the faster the question came
 * through. The largest of the last few is used: so a frame's instant on our clock is never later
 * than it was, and the delays that are told never shorter than they were. Asked for once a second,
 * for clocks drift apart.
 */
#include "adapter.h"

#include <takt/time.h>

#define WAIT_US      100000u
#define ASTRAY_US    50000 /* no drift makes so much: the adapter's clock was set or has wrapped */

void can_clock_ask(struct can_state *s)
{
    struct can_clock *clock = &s->clock;

    if (s->kind->ask_clock == NULL || clock->transfer.busy) {
        return;
    }
    clock->asked = takt_now();
    clock->waits = true;
    clock->number++;
    int result = s->kind->ask_clock(s);
    if (result != TAKT_OK) {
        clock->waits = false;
    }
    if (clock->transfer.endpoint == s->out) {
        can_write_failed(s, result);
    }
}

void can_clock_told(struct can_state *s, uint32_t us)
{
    struct can_clock *clock = &s->clock;
    takt_time_t offset = clock->asked - us;

    if (!clock->waits) {
        s->counters.strange++;
        return;
    }
    int32_t astray = (int32_t)(offset - clock->offset);
    if (astray > ASTRAY_US || astray < -ASTRAY_US) {
        clock->count = 0;
    }
    clock->offsets[clock->next] = offset;
    clock->next = (uint8_t)((clock->next + 1u) % CAN_CLOCKS);
    clock->count = (uint8_t)(clock->count < CAN_CLOCKS ? clock->count + 1u : CAN_CLOCKS);
    clock->offset = offset;
    for (uint32_t i = 1; i <= clock->count; i++) {
        takt_time_t one = clock->offsets[(clock->next + CAN_CLOCKS - i) % CAN_CLOCKS];
        clock->offset = takt_before(clock->offset, one) ? one : clock->offset;
    }
    clock->waits = false;
}

void can_clock_begin(struct can_state *s)
{
    s->clock.count = 0;
    for (uint32_t i = 0; i < CAN_CLOCKS; i++) {
        can_clock_ask(s);
        for (uint32_t us = 0; s->clock.waits && us < WAIT_US; us += USB_SERVICE_US) {
            (void)takt_sleep(USB_SERVICE_US);
        }
    }
}

takt_time_t can_clock_ours(const struct can_state *s, uint32_t us, takt_time_t now)
{
    takt_time_t at = us + s->clock.offset;

    return s->clock.count == 0 || takt_before(now, at) ? now : at;
}
