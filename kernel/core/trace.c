/*
 * Trace ring behind an RTT-compatible control block (the layout debuggers look for: a 16-byte
 * identifier, counts, then one record per channel). Compiled in when TAKT_TRACE_EVENTS > 0. A port
 * without the RAM for it hands the events to the machine that watches (PORT_TRACE).
 */
#include "cpu.h"

#if TAKT_TRACE_EVENTS > 0

#ifdef PORT_TRACE
/* No room for a ring: the machine that watches collects the bytes (port_inline.h). */
void takt_trace_locked(takt_time_t now, uint8_t kind, uint8_t place, uint32_t value)
{
    PORT_TRACE(now, value, kind, place);
}
#else
struct rtt_up {
    const char *name;
    struct takt_event *buffer;
    uint32_t size;              /* bytes */
    volatile uint32_t write_at; /* bytes, ours */
    volatile uint32_t read_at;  /* bytes, the debugger's */
    uint32_t flags;
};

static struct takt_event ring[TAKT_TRACE_EVENTS];
static uint32_t lost;

struct {
    char id[16];
    uint32_t ups, downs;
    struct rtt_up up[2];
} _SEGGER_RTT = {
    "SEGGER RTT", 2, 0, {{"", NULL, 0, 0, 0, 0}, {"takt", ring, sizeof ring, 0, 0, 0}}};

/* Appends unless the ring is full (one slot stays free). A few dozen cycles: the scheduler calls
 * this with interrupts off. */
static inline __attribute__((always_inline)) bool append(takt_time_t now, uint8_t kind,
                                                         uint8_t place, uint32_t value)
{
    struct rtt_up *up = &_SEGGER_RTT.up[1];
    uint32_t at = up->write_at, next = at + (uint32_t)sizeof(struct takt_event);
    struct takt_event *event = (struct takt_event *)(void *)((char *)ring + at);
    if (next == sizeof ring)
        next = 0;
    if (next == up->read_at)
        return false;
    event->time = now;
    event->value = value;
    event->kind = kind;
    event->place = place;
    event->cpu = takt_this_cpu();
    up->write_at = next;
    return true;
}

/* After a loss: the loss itself comes first. */
static __attribute__((noinline)) void note_after_loss(takt_time_t now, uint8_t kind, uint8_t place,
                                                      uint32_t value)
{
    if (append(now, TAKT_EV_LOST, TAKT_NOBODY, lost))
        lost = append(now, kind, place, value) ? 0 : 1;
    else
        lost++;
}

static inline __attribute__((always_inline)) void note(takt_time_t now, uint8_t kind, uint8_t place,
                                                       uint32_t value)
{
    if (lost > 0)
        note_after_loss(now, kind, place, value);
    else if (!append(now, kind, place, value))
        lost = 1;
}

#if PORT_CPUS > 1
/* All CPUs share the ring, and a CPU at its own work has not got the lock. */
void takt_trace_locked(takt_time_t now, uint8_t kind, uint8_t place, uint32_t value)
{
    port_irq_t irq = port_irq_save();
    note(now, kind, place, value);
    port_irq_restore(irq);
}
#else
void takt_trace_locked(takt_time_t now, uint8_t kind, uint8_t place, uint32_t value)
{
    note(now, kind, place, value);
}
#endif
#endif

void takt_trace_mark(uint32_t value)
{
    port_irq_t irq = port_irq_save();
    takt_trace_locked(port_now(), TAKT_EV_MARK, takt_self(), value);
    port_irq_restore(irq);
}

#else
typedef int takt_trace_is_compiled_out;
#endif
