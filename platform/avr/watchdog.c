/* Watchdog: 16 ms << WDP of its own oscillator; an interrupt, or a reset, which ends the run. After
 * that reset it is on, with 16 ms, until the program has cleared WDRF and turned it off. */
#include <simavr/avr_watchdog.h>

#include "avr.h"

enum { WDIF = 0x80, WDIE = 0x40, WDP3 = 0x20, WDCE = 0x10, WDE = 8 };
enum { WDRF = 8 }; /* of MCUSR: while it is set WDE is */
#define OPEN_CYCLES 4u

static void restart(struct takt_machine *m, uint64_t when)
{
    uint8_t d = m->mega->d[R_WDTCSR];
    unsigned scale = (d & 7u) | (d & WDP3) >> 2;
    uint64_t ms = 16ull << (scale < 9 ? scale : 9);
    bool on = (d & (WDE | WDIE)) != 0;
    m->fed = on ? when : TAKT_NEVER;
    event_set(m, EV_WATCHDOG, on ? when + ms * m->chip->hz(m) / 1000 : TAKT_NEVER);
}

void watchdog_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)id;
    if ((m->mega->d[R_WDTCSR] & WDIE) == 0) {
        m->now = when;
        machine_watchdog(m);
        return;
    }
    flag_raise(m, R_WDTCSR, WDIF);
    restart(m, when);
}

/* From its reset on. */
void watchdog_goes_on(struct takt_machine *m)
{
    m->mega->d[R_WDTCSR] = WDE;
    restart(m, m->now);
}

/* With WDE set taking the interrupt clears its enable bit: the next one is a reset. */
void watchdog_taken(struct takt_machine *m)
{
    if ((m->mega->d[R_WDTCSR] & WDE) != 0)
        m->mega->d[R_WDTCSR] &= (uint8_t)~WDIE;
}

/* WDE is cleared, and the time changed, only in the four cycles after WDCE and WDE were set. */
static void write_control(struct takt_machine *m, uint32_t reg, uint8_t value, uint8_t bits,
                          uint64_t when)
{
    (void)bits;
    uint8_t *d = &m->mega->d[reg];
    bool open = when <= m->mega->watchdog_open;
    uint8_t flag = *d & WDIF & (uint8_t)~value;
    if ((value & (WDCE | WDE)) == (WDCE | WDE) && !open) {
        m->mega->watchdog_open = when + OPEN_CYCLES;
        *d = (uint8_t)((*d & ~WDIF) | flag | WDE);
        return;
    }
    uint8_t guarded = WDP3 | WDE | 7;
    uint8_t now = open ? value & guarded : (*d | (value & WDE)) & guarded;
    if ((m->mega->d[R_MCUSR] & WDRF) != 0)
        now |= WDE;
    *d = (uint8_t)(now | (value & WDIE) | flag);
    m->mega->watchdog_open = 0;
    restart(m, when + 1);
    bus_attention(m);
}

/* simavr hands WDR, and SPM, to its devices; this one is the first. */
static int asked(avr_io_t *io, uint32_t what, void *argument)
{
    (void)argument;
    struct takt_machine *m = io->avr->custom.data;
    if (what == AVR_IOCTL_WATCHDOG_RESET && m->event_at[EV_WATCHDOG] != TAKT_NEVER)
        restart(m, io->avr->cycle + 1);
    else if (what != AVR_IOCTL_WATCHDOG_RESET)
        report_note(m, "SPM: programming the flash is not modelled");
    return 0;
}

void watchdog_define(struct takt_machine *m)
{
    m->mega->io = (avr_io_t){.kind = "takt", .ioctl = asked, .avr = m->mega->cpu};
    m->mega->io.next = m->mega->cpu->io_port;
    m->mega->cpu->io_port = &m->mega->io;
    reg_define(m, R_WDTCSR, NULL, write_control, 0xff);
}
