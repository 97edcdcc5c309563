/*
 * Trace ring behind an RTT-compatible control block (the layout debuggers look for: a 16-byte
 * identifier, counts, then one record per channel). Compiled in when TAKT_TRACE_EVENTS > 0. A port
 * without the RAM for it hands the events to the machine that watches (PORT_TRACE).
 */
#include "cpu.h"

#include <stddef.h>

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
    void *buffer; /* of struct takt_event */
    uint32_t size;              /* bytes */
    volatile uint32_t write_at; /* bytes, ours */
    volatile uint32_t read_at;  /* bytes, the debugger's */
    uint32_t flags;
};

static uint32_t ring[TAKT_TRACE_EVENTS * sizeof(struct takt_event) / sizeof(uint32_t)];
static uint32_t lost;

struct {
    char id[16];
    uint32_t ups, downs;
    struct rtt_up up[2];
} _SEGGER_RTT = {
    "SEGGER RTT", 2, 0, {{"", NULL, 0, 0, 0, 0}, {"takt", ring, sizeof ring, 0, 0, 0}}};

_Static_assert(offsetof(struct takt_event, kind) == 8 && offsetof(struct takt_event, place) == 9 &&
                   offsetof(struct takt_event, cpu) == 10 && sizeof(struct takt_event) == 12,
               "the last word is what word_of() makes, on a little-endian CPU");

static inline uint32_t word_of(uint8_t kind, uint8_t place)
{
    return kind | (uint32_t)place << 8 | (uint32_t)takt_this_cpu() << 16;
}

/* Writes to the slot that always is free, and gives that to the reader unless none would be left. A
 * few dozen cycles: the scheduler calls this with interrupts off. */
static inline __attribute__((always_inline)) bool append(takt_time_t now, uint32_t word,
                                                         uint32_t value)
{
    struct rtt_up *up = &_SEGGER_RTT.up[1];
    uint32_t next = up->write_at;
    uint32_t *event = (uint32_t *)(void *)((char *)ring + next);
    event[0] = now;
    event[1] = value;
    event[2] = word;
    next += (uint32_t)sizeof(struct takt_event);
    if (next == sizeof ring)
        next = 0;
    if (next == up->read_at)
        return false;
    up->write_at = next;
    return true;
}

/* Is lost, as are those after it until that has been told. */
static __attribute__((noinline)) void lose(takt_time_t now)
{
    lost++;
    if (append(now, word_of(TAKT_EV_LOST, TAKT_NOBODY), lost))
        lost = 0;
}

static inline __attribute__((always_inline)) void note(takt_time_t now, uint32_t word,
                                                       uint32_t value)
{
    if (lost > 0 || !append(now, word, value))
        lose(now);
}

/* All CPUs share the ring, and a CPU at its own work has not got the lock. */
void takt_trace_locked(takt_time_t now, uint8_t kind, uint8_t place, uint32_t value)
{
    port_irq_t irq = PORT_CPUS > 1 ? port_irq_save() : 0;
    note(now, word_of(kind, place), value);
    if (PORT_CPUS > 1)
        port_irq_restore(irq);
}
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
