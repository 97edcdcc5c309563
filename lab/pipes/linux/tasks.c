/* The tasks with input and output: one reader or writer for a channel. */
#include <string.h>

#include "lab.h"

void *reader(void *argument)
{
    struct tally *tally = argument;
    unsigned channel = (unsigned)(tally - tallies);
    struct can frame;

    if (settings.budget_us)
        deadline(settings.budget_us, settings.period_us);
    while (way->receive(channel, &frame))
        tally_frame(tally, frame.data, lab_ns());
    return NULL;
}

/* Gives a batch, waits for the next period, and so on: what is given fills the device's queue. */
void *writer(void *argument)
{
    struct writer *self = argument;
    struct can frame = {.id = 0x100u + self->channel, .length = 8};
    uint64_t next = self->start;

    sleep_until(self->start);
    if (settings.budget_us)
        deadline(settings.budget_us, settings.period_us);
    while (lab_ns() < self->end) {
        for (long at = 0; at < settings.batch; at++) {
            uint32_t made = (uint32_t)(lab_ns() / 1000);
            memcpy(frame.data, &self->sent, 4);
            memcpy(frame.data + 4, &made, 4);
            if (way->send(self->channel, &frame))
                self->sent++;
            else
                self->refused++;
        }
        next += (uint64_t)settings.period_us * 1000;
        sleep_until(next);
    }
    return NULL;
}
