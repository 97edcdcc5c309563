/*
 * Delivery of events from a bottom half to the thread that handles them (include/takt/io.h).
 *
 *      interrupt at t            takt_line_pass             takt_line_take
 *   ------|------- bottom half ------|------- wake-up ------------|---- the handler runs
 *         |<--------------------- delivery time ----------------->|
 *
 * A line holds one event. So an event waits for at most one earlier run of its handler, and the
 * delay is bounded however fast events come; `merged` tells how many were too fast.
 */
#include "core/cpu.h"

#include <takt/io.h>

#define VALUE_MAX 0xFFFFFFu /* beside the source in a trace value */

static uint32_t value_of(const struct takt_line *line, uint32_t n)
{
    return (uint32_t)line->source << 24 | (n < VALUE_MAX ? n : VALUE_MAX);
}

void takt_line_pass(struct takt_line *line, takt_time_t at, uint32_t merged)
{
    port_irq_t irq = port_irq_save();
    if (line->waiting)
        merged++;
    else
        line->at = at;
    line->waiting = true;
    line->merged += merged;
    if (merged > 0)
        takt_trace_locked(port_now(), TAKT_EV_MERGED, line->place, value_of(line, merged));
    port_irq_restore(irq);
    takt_sem_signal(line->wake); /* refused if it has been signalled already: just as well */
}

bool takt_line_take(struct takt_line *line)
{
    port_irq_t irq = port_irq_save();
    bool taken = line->waiting;
    if (taken) {
        takt_time_t now = port_now();
        line->waiting = false;
        line->delivered++;
        takt_trace_locked(now, TAKT_EV_DELIVER, line->place, value_of(line, now - line->at));
    }
    port_irq_restore(irq);
    return taken;
}
