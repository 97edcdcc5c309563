/*
 * Which edges of a pin are wanted, and what for: one function (every event, or one event and then
 * masked until it has been dealt with) and any number of watches, each of which awaits a single
 * edge.
 *
 * Interrupts are enabled for the union. The latch of an edge has one bit, so before a call starts
 * to await an edge it is looked at:
 *   latched, enabled for nothing  forgotten, and noted as missed if the function is masked
 *   latched, enabled by another   an interrupt is about to come, which is not meant: `stale`
 * An edge that a watch awaited while the function is masked is noted as missed. Whatever is missed
 * is told by takt_gpio_take_edges() or calls the function after takt_gpio_unmask(). So none loses
 * an edge because of another.
 */
#include "edges.h"

#include <takt/isr.h>
#include <takt/port.h>
#include <takt/pin_set.h>

/* Written with interrupts off or in the handler. */
static struct {
    takt_edge_fn fn;
    void *arg;
    uint8_t edges;  /* wanted, also while masked */
    uint8_t stale;  /* as in struct takt_edge_watch */
    uint8_t missed; /* seen while masked, no longer in the latch */
    bool once : 1;  /* mask before each call */
    bool masked : 1;
} users[TAKT_EDGE_PINS];

static struct takt_edge_watch *watches;
static takt_pins_t again; /* pins unmasked with something missed */

static unsigned wanted(uint8_t pin)
{
    unsigned edges = users[pin].masked ? 0u : users[pin].edges;
    for (const struct takt_edge_watch *w = watches; w != NULL; w = w->next)
        if (w->pin == pin)
            edges |= w->edge;
    return edges;
}

unsigned edges_of_interest(uint8_t pin)
{
    return wanted(pin) | users[pin].edges;
}

bool edges_in_use(uint8_t pin)
{
    const struct takt_edge_watch *w = watches;
    while (w != NULL && w->pin != pin)
        w = w->next;
    return w != NULL || users[pin].fn != NULL;
}

/* Where every pin has what it needs. */
__attribute__((weak)) int edge_chip_claim(uint8_t pin)
{
    (void)pin;
    return TAKT_OK;
}

/* Edges about to be awaited: forgets old ones; returns those that other calls wait for and that
 * will interrupt. */
static unsigned forget_old_locked(uint8_t pin, unsigned edges)
{
    unsigned old = edge_chip_latched(pin) & edges;
    unsigned due = old & wanted(pin);
    edge_chip_forget(pin, old & ~due);
    if (users[pin].masked)
        users[pin].missed |= (uint8_t)(old & ~due & users[pin].edges);
    return due;
}

static int set(uint8_t pin, unsigned edges, takt_edge_fn fn, void *arg, bool once)
{
    if (!edge_chip_has(pin) || edges == 0 || edges > EDGES_ALL || fn == NULL)
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    (void)takt_gpio_off_edge(pin);
    int result = edge_chip_claim(pin);
    if (result == TAKT_OK) {
        if (!once)
            users[pin].masked = false;
        users[pin].stale = (uint8_t)forget_old_locked(pin, edges);
        users[pin].missed = 0;
        users[pin].fn = fn;
        users[pin].arg = arg;
        users[pin].edges = (uint8_t)edges;
        users[pin].once = once;
        edge_chip_enable(pin, wanted(pin));
    }
    port_irq_restore(irq);
    return result;
}

int takt_gpio_on_edge(uint8_t pin, unsigned edges, takt_edge_fn fn, void *arg)
{
    return set(pin, edges, fn, arg, false);
}

int takt_gpio_on_event(uint8_t pin, unsigned edges, takt_edge_fn fn, void *arg)
{
    return set(pin, edges, fn, arg, true);
}

int takt_gpio_off_edge(uint8_t pin)
{
    if (!edge_chip_has(pin))
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    users[pin].fn = NULL; /* its event may be in what the handler is working through */
    users[pin].edges = 0;
    users[pin].missed = 0;
    edge_chip_enable(pin, wanted(pin));
    port_irq_restore(irq);
    return TAKT_OK;
}

unsigned takt_gpio_take_edges(uint8_t pin)
{
    port_irq_t irq = port_irq_save();
    unsigned came = edge_chip_latched(pin) & users[pin].edges & ~wanted(pin);
    edge_chip_forget(pin, came);
    came |= users[pin].missed;
    users[pin].missed = 0;
    port_irq_restore(irq);
    return came;
}

void takt_gpio_unmask(uint8_t pin)
{
    port_irq_t irq = port_irq_save();
    if (users[pin].masked) {
        users[pin].masked = false;
        edge_chip_enable(pin, wanted(pin));
        if (users[pin].missed) {
            takt_pins_add(&again, takt_pins_of(pin));
            edge_chip_pend();
        }
    }
    port_irq_restore(irq);
}

int takt_gpio_watch(struct takt_edge_watch *watch)
{
    if (!edge_chip_has(watch->pin))
        return TAKT_EINVAL;
    port_irq_t irq = port_irq_save();
    int result = edge_chip_claim(watch->pin);
    if (result == TAKT_OK) {
        watch->edge = 0;
        watch->due = false;
        watch->next = watches;
        watches = watch;
    }
    port_irq_restore(irq);
    return result;
}

void takt_gpio_await(struct takt_edge_watch *watch, unsigned edge)
{
    port_irq_t irq = port_irq_save();
    watch->edge = 0;
    watch->stale = (uint8_t)forget_old_locked(watch->pin, edge);
    watch->edge = (uint8_t)edge;
    edge_chip_enable(watch->pin, wanted(watch->pin));
    port_irq_restore(irq);
}

void takt_gpio_unwatch(struct takt_edge_watch *watch)
{
    port_irq_t irq = port_irq_save();
    struct takt_edge_watch **link = &watches;
    while (*link != watch)
        link = &(*link)->next;
    *link = watch->next;
    edge_chip_enable(watch->pin, wanted(watch->pin));
    port_irq_restore(irq);
}

/* Does the watch await one of these? Then it awaits nothing any more. */
static bool hit(struct takt_edge_watch *watch, unsigned edges)
{
    watch->due = edges & watch->edge & ~(unsigned)watch->stale;
    watch->stale &= (uint8_t)~edges;
    if (watch->due)
        watch->edge = 0;
    return watch->due;
}

/* What the function is to be told of these edges; 0: nothing, or it is masked, and then they are
 * missed. */
static unsigned meant_for_user(uint8_t pin, unsigned edges)
{
    unsigned meant = (edges & users[pin].edges & ~(unsigned)users[pin].stale) | users[pin].missed;
    users[pin].stale &= (uint8_t)~edges;
    users[pin].missed = (uint8_t)(users[pin].masked ? meant : 0);
    return users[pin].masked ? 0 : meant;
}

/* An edge that came between its being forgotten and masked would interrupt once more, for nothing:
 * first all is masked that is to be, then forgotten, then told. */
void edges_seen_isr(uint8_t pin, unsigned edges, takt_time_t at)
{
    bool fewer = false;
    for (struct takt_edge_watch *w = watches; w != NULL; w = w->next)
        if (w->pin == pin && hit(w, edges))
            fewer = true;
    unsigned meant = meant_for_user(pin, edges);
    if (meant && users[pin].once)
        fewer = users[pin].masked = true;
    if (fewer)
        edge_chip_enable(pin, wanted(pin));
    edge_chip_forget(pin, edges & EDGES_LATCHED);
    for (struct takt_edge_watch *w = watches; w != NULL; w = w->next) {
        if (w->pin != pin || !w->due)
            continue;
        w->due = false;
        w->fn(w, at);
    }
    if (meant)
        users[pin].fn(pin, meant, at, users[pin].arg);
}

void edges_again_isr(takt_time_t at)
{
    for (; again != 0; again = takt_pins_rest(again))
        edges_seen_isr(takt_pins_first(again), 0, at);
}

/* pin_events.c, where it is linked, charges an I/O VCPU instead. */
__attribute__((weak)) void edges_vain_isr(uint8_t pin)
{
    (void)pin;
}

__attribute__((weak)) void edges_exit_isr(uint8_t source)
{
    takt_isr_exit(source);
}
