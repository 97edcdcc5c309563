/*
 * Waves on input pins: edges at equal or pseudo-random distances, made only when somebody looks.
 * An edge is an event while it could change an interrupt or is logged; all others are caught up
 * with when the program or the outside reads the pin, its latches or the count.
 */
#include "machine.h"

#define FRACTION 16

/* Cycles << FRACTION; at random whole cycles. */
static uint64_t distance(struct wave *w)
{
    __extension__ typedef unsigned __int128 wide;
    if (w->shortest == w->longest)
        return w->shortest;
    uint64_t z = w->random += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    uint64_t shortest = w->shortest >> FRACTION, longest = w->longest >> FRACTION;
    return (shortest + (uint64_t)((wide)z * (longest - shortest + 1) >> 64)) << FRACTION;
}

static void go_on(struct wave *w, uint64_t way)
{
    w->fraction += way;
    w->next += w->fraction >> FRACTION;
    w->fraction &= (1u << FRACTION) - 1;
}

/* Edges up to `when`. */
static uint64_t passed(struct wave *w, uint64_t when)
{
    uint64_t count = 0, upto = when < w->stop ? when : w->stop - 1;
    if (w->next >= w->stop || w->next > upto)
        return 0;
    if (w->shortest == w->longest) {
        count = (((upto - w->next + 1) << FRACTION) - 1 - w->fraction) / w->shortest + 1;
        go_on(w, count * w->shortest);
        return count;
    }
    for (; w->next <= upto; count++)
        go_on(w, distance(w));
    return count;
}

static void catch_up(struct takt_machine *m, uint32_t pin, uint64_t when)
{
    struct wave *w = &m->wave[pin];
    uint64_t count = passed(w, when);
    if (count == 0)
        return;
    w->count += count;
    w->level = w->level != ((count & 1) != 0);
    if (count > 1)
        m->chip->edges_passed(m, pin);
    pins_outside(m, pin, w->level, when);
}

void wave_sync(struct takt_machine *m, uint64_t when)
{
    if (m->waves == 0)
        return;
    for (uint32_t bank = 0; bank < PIN_BANKS; bank++) {
        for (uint32_t set = m->pins[bank].waves; set != 0; set &= set - 1)
            catch_up(m, bank * 32 + (uint32_t)__builtin_ctz(set), when);
    }
}

/* The next edge of a pin that somebody would see. */
static uint64_t next_seen(const struct takt_machine *m, uint32_t pin)
{
    const struct wave *w = &m->wave[pin];
    bool logged = (m->pins[pin / 32].log_outside >> pin % 32 & 1) != 0;
    bool seen = logged || m->chip->edges_matter(m, pin);
    return seen && w->next < w->stop ? w->next : TAKT_NEVER;
}

/* The next edge that matters becomes an event. Everything up to now is caught up with. */
void wave_arm(struct takt_machine *m)
{
    uint64_t at = TAKT_NEVER;
    for (uint32_t bank = 0; bank < PIN_BANKS; bank++) {
        for (uint32_t set = m->pins[bank].waves; set != 0; set &= set - 1) {
            uint64_t next = next_seen(m, bank * 32 + (uint32_t)__builtin_ctz(set));
            at = next < at ? next : at;
        }
    }
    event_set(m, EV_WAVE, at);
}

void wave_event(struct takt_machine *m, unsigned id, uint64_t when)
{
    (void)id;
    wave_sync(m, when);
    wave_arm(m);
}

/* The pin is driven otherwise from now on; the count stays. */
void wave_end(struct takt_machine *m, uint32_t pin, uint64_t when)
{
    if ((m->pins[pin / 32].waves >> pin % 32 & 1) == 0)
        return;
    catch_up(m, pin, when);
    m->pins[pin / 32].waves &= ~(1u << pin % 32);
    m->waves--;
    wave_arm(m);
}

int takt_pin_wave(struct takt_machine *m, uint32_t pin, uint64_t shortest, uint64_t longest,
                  uint64_t start, uint64_t stop, uint64_t seed)
{
    if (!pin_exists(m, pin) || shortest >> FRACTION == 0 || longest < shortest ||
        longest >> FRACTION > UINT32_MAX)
        return -1;
    wave_sync(m, m->now);
    m->wave[pin] = (struct wave){.shortest = shortest,
                                 .longest = longest,
                                 .next = start < m->now ? m->now : start,
                                 .fraction = 1u << (FRACTION - 1), /* rounds to the nearest */
                                 .stop = stop,
                                 .random = seed};
    pins_outside(m, pin, 0, m->now);
    m->waves += (~m->pins[pin / 32].waves >> pin % 32) & 1;
    m->pins[pin / 32].waves |= 1u << pin % 32;
    wave_sync(m, m->now);
    wave_arm(m);
    return 0;
}

uint64_t takt_pin_wave_edges(struct takt_machine *m, uint32_t pin)
{
    wave_sync(m, m->now);
    return pin_exists(m, pin) ? m->wave[pin].count : 0;
}
