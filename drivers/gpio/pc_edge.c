/*
 * Pin interrupts of a PC's pins in memory, apart from pc.c so that programs without them carry
 * neither the handler nor its table. The world latches edges and sends the message; what the
 * program does to its own pins comes by pc_edges_seen(). A level brings the handler back as long as
 * it lasts.
 */
#include <irq.h>
#include <takt/isr.h>
#include <takt/port.h>

#include "edges.h"
#include "pc.h"

static uint8_t enabled[PC_PINS]; /* events that interrupt */
static uint32_t asked;           /* pins that have any */
static uint8_t vector;           /* 0: none yet */

static unsigned latched(uint32_t bit)
{
    return (takt_pins.fallen & bit ? TAKT_EDGE_FALL : 0u) |
           (takt_pins.risen & bit ? TAKT_EDGE_RISE : 0u);
}

static unsigned due(uint8_t pin)
{
    uint32_t bit = 1u << pin;
    unsigned level = pc_pins_now() & bit ? TAKT_EDGE_HIGH : TAKT_EDGE_LOW;
    return (latched(bit) | level) & enabled[pin];
}

static bool any_due(void)
{
    for (uint32_t left = asked; left != 0; left &= left - 1u)
        if (due((uint8_t)__builtin_ctz(left)))
            return true;
    return false;
}

static void serve(void *arg)
{
    (void)arg;
    takt_time_t at = port_now();
    takt_isr_enter();
    port_irq_t irq = port_irq_save(); /* from other CPUs */
    for (uint32_t left = asked; left != 0; left &= left - 1u) {
        uint8_t pin = (uint8_t)__builtin_ctz(left);
        unsigned edges = due(pin);
        if (edges != 0)
            edges_seen_isr(pin, edges, at);
    }
    edges_again_isr(at);
    if (any_due())
        irq_pend(vector);
    port_irq_restore(irq);
    edges_exit_isr(vector);
}

bool edge_chip_has(uint8_t pin)
{
    return pin < PC_PINS;
}

int edge_chip_claim(uint8_t pin)
{
    (void)pin;
    if (vector != 0)
        return TAKT_OK;
    int taken = irq_take(serve, NULL);
    if (taken < 0)
        return taken;
    vector = (uint8_t)taken;
    struct irq_message message = irq_message(vector, 0);
    takt_pins.message = message.data;
    takt_pins.message_to = message.address;
    return TAKT_OK;
}

void edge_chip_enable(uint8_t pin, unsigned edges)
{
    uint32_t bit = 1u << pin;
    enabled[pin] = (uint8_t)edges;
    asked = edges ? asked | bit : asked & ~bit;
    if (vector != 0 && due(pin))
        irq_pend(vector);
}

unsigned edge_chip_latched(uint8_t pin)
{
    return latched(1u << pin);
}

void edge_chip_forget(uint8_t pin, unsigned edges)
{
    uint32_t bit = 1u << pin;
    if (edges & TAKT_EDGE_FALL)
        __atomic_fetch_and(&takt_pins.fallen, ~bit, __ATOMIC_RELAXED);
    if (edges & TAKT_EDGE_RISE)
        __atomic_fetch_and(&takt_pins.risen, ~bit, __ATOMIC_RELAXED);
}

void edge_chip_pend(void)
{
    irq_pend(vector);
}

void pc_edges_seen(uint32_t fallen, uint32_t risen)
{
    __atomic_fetch_or(&takt_pins.fallen, fallen, __ATOMIC_RELAXED);
    __atomic_fetch_or(&takt_pins.risen, risen, __ATOMIC_RELAXED);
    if (vector != 0 && any_due())
        irq_pend(vector);
}
