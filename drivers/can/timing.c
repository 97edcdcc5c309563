/*
 * Bit rates: a bit is 1 + before + after quanta of divider / clock each.
 */
#include "adapter.h"

#define SAMPLE_PERMILLE 875
#define AFTER_MOST      1024u /* adapters may name any bounds */

/* Where the sample lies, as far from where it should as this; permille. */
static uint32_t error_of(uint32_t before, uint32_t quanta)
{
    uint32_t at = 1000u * (1u + before) / quanta;

    return at > SAMPLE_PERMILLE ? at - SAMPLE_PERMILLE : SAMPLE_PERMILLE - at;
}

/* Divides a bit's quanta best. False: no way. */
static bool divide(const struct can_bounds *b, uint32_t quanta, struct can_timing *timing)
{
    uint32_t best = UINT32_MAX, last = b->after_max < AFTER_MOST ? b->after_max : AFTER_MOST;

    for (uint32_t after = b->after_min; after <= last && after + 1 < quanta; after++) {
        uint32_t before = quanta - 1u - after;
        if (before < b->before_min || before > b->before_max || error_of(before, quanta) >= best) {
            continue;
        }
        best = error_of(before, quanta);
        timing->before = before;
        timing->after = after;
        timing->jump = after < b->jump_max ? after : b->jump_max;
    }
    return best != UINT32_MAX;
}

int can_timing(const struct can_bounds *bounds, uint32_t bit_rate, struct can_timing *timing)
{
    uint32_t best = UINT32_MAX;
    struct can_timing found = {0, 0, 0, 0};

    if (bit_rate == 0 || bounds->clock_hz % bit_rate != 0) {
        return TAKT_EINVAL;
    }
    uint32_t ticks = bounds->clock_hz / bit_rate, first = bounds->divider_min;
    for (uint32_t divider = first > 0 ? first : 1;
         divider <= bounds->divider_max && divider <= ticks; divider++) {
        if (ticks % divider != 0 || !divide(bounds, ticks / divider, &found)) {
            continue;
        }
        if (error_of(found.before, ticks / divider) < best) {
            best = error_of(found.before, ticks / divider);
            *timing = found;
            timing->divider = divider;
        }
    }
    return best != UINT32_MAX ? TAKT_OK : TAKT_EINVAL;
}
