/*
 * Pin interrupts of the STM32F0 (RM0091 chapter 11). Apart from stm32f0.c so that programs without
 * them carry neither the handlers nor their table.
 *
 * There are 16 lines, one for each bit of a port: PA3 and PB3 exclude each other. A line belongs to
 * the pin that edges have been asked for of, until none are wanted any more.
 *
 * A line latches one bit, and only for the edges it is told to look for, enabled or not. Those are
 * all that may be asked for (edges_of_interest); if that is both kinds, which came follows from
 * the level now and the level before: the same means that both have. Levels do not interrupt: the
 * edge that leads to one does, and as long as it lasts the handler makes itself pending again.
 */
#include <takt/isr.h>
#include <takt/port.h>
#include <takt/set.h>

#include "../stm32f0/start.h"
#include "edges.h"
#include "stm32f0_pins.h"

STM32F0_START_ADD(edges, 20, STM32F0_RCC->apb2enr, STM32F0_APB2_SYSCFG);

#define LINES 16u

#define LEVEL_HIGH    1u /* in `state`: the level when last looked at; EDGES_LATCHED as they are */
#define ENABLED_SHIFT 4u

/* Written with interrupts off or by the handlers, which have one priority. */
static struct {
    uint8_t owner; /* pin + 1, or 0 */
    uint8_t state;
} lines[LINES];
static uint32_t pended; /* lines whose latch we have set ourselves */

static unsigned line_of(uint8_t pin)
{
    return stm32f0_pins[pin] & 15u;
}

/* A line is the bit of its port. */
static inline bool is_high(unsigned line)
{
    return stm32f0_port(stm32f0_pins[lines[line].owner - 1u])->idr >> line & 1u;
}

static void put(stm32f0_reg *reg, uint32_t bit, bool on)
{
    *reg = on ? *reg | bit : *reg & ~bit;
}

/* The enabled line interrupts once more, as if an edge had come: until that has been taken, other
 * edges that come are no news to the interrupt controller. */
static void pend(unsigned line)
{
    pended |= 1u << line;
    STM32F0_EXTI->swier = 1u << line;
}

static void set_level(unsigned line, bool high)
{
    lines[line].state = (uint8_t)((lines[line].state & ~LEVEL_HIGH) | (high ? LEVEL_HIGH : 0u));
}

/* Takes what the hardware has latched over into `state`. */
static void collect(unsigned line)
{
    uint32_t bit = 1u << line;
    if (!(STM32F0_EXTI->pr & bit))
        return;
    bool ours = pended & bit;
    pended &= ~bit;
    STM32F0_EXTI->pr = bit; /* before the level is read: what comes in between comes again */
    unsigned came = STM32F0_EXTI->ftsr & bit ? TAKT_EDGE_FALL : 0;
    if (STM32F0_EXTI->rtsr & bit)
        came |= TAKT_EDGE_RISE;
    if (came == EDGES_LATCHED) {
        bool high = is_high(line), was = lines[line].state & LEVEL_HIGH;
        if (high != was)
            came = high ? TAKT_EDGE_RISE : TAKT_EDGE_FALL;
        else if (ours)
            came = 0;
        set_level(line, high);
    }
    lines[line].state |= (uint8_t)came;
}

/* Are levels enabled? */
static inline bool levels(unsigned line)
{
    return lines[line].state >> ENABLED_SHIFT & (TAKT_EDGE_LOW | TAKT_EDGE_HIGH);
}

/* What is enabled and has come or lasts. */
static inline unsigned due(unsigned line)
{
    unsigned enabled = lines[line].state >> ENABLED_SHIFT;
    unsigned is = lines[line].state & EDGES_LATCHED;
    if (levels(line))
        is |= is_high(line) ? TAKT_EDGE_HIGH : TAKT_EDGE_LOW;
    return is & enabled;
}

bool edge_chip_has(uint8_t pin)
{
    return pin < stm32f0_pin_count && pin < TAKT_EDGE_PINS;
}

int edge_chip_claim(uint8_t pin)
{
    static bool ready;
    unsigned line = line_of(pin);
    if (lines[line].owner != 0 && lines[line].owner != pin + 1u)
        return TAKT_EAGAIN;
    if (!ready) {
        ready = true;
        stm32f0_irq_enable(STM32F0_IRQ_EXTI0_1, 0);
        stm32f0_irq_enable(STM32F0_IRQ_EXTI2_3, 0);
        stm32f0_irq_enable(STM32F0_IRQ_EXTI4_15, 0);
    }
    if (lines[line].owner == 0) {
        stm32f0_reg *port = &STM32F0_SYSCFG->exticr[line >> 2];
        unsigned shift = (line & 3u) * 4u;
        *port = (*port & ~(15u << shift)) | (uint32_t)(stm32f0_pins[pin] >> 4) << shift;
        STM32F0_EXTI->pr = 1u << line; /* turning may look like an edge */
        lines[line].owner = (uint8_t)(pin + 1u);
        lines[line].state = 0;
    }
    return TAKT_OK;
}

/* Looks for these edges, and for those that lead to these levels. */
static void look_for(unsigned line, unsigned edges)
{
    uint32_t bit = 1u << line;
    collect(line);
    put(&STM32F0_EXTI->ftsr, bit, edges & (TAKT_EDGE_FALL | TAKT_EDGE_LOW));
    put(&STM32F0_EXTI->rtsr, bit, edges & (TAKT_EDGE_RISE | TAKT_EDGE_HIGH));
    set_level(line, is_high(line));
}

void edge_chip_enable(uint8_t pin, unsigned edges)
{
    unsigned line = line_of(pin);
    if (lines[line].owner != pin + 1u)
        return;
    look_for(line, edges_of_interest(pin));
    lines[line].state =
        (uint8_t)((lines[line].state & (LEVEL_HIGH | EDGES_LATCHED)) | edges << ENABLED_SHIFT);
    put(&STM32F0_EXTI->imr, 1u << line, edges != 0);
    if (due(line))
        pend(line);
    if (!edges_in_use(pin))
        lines[line].owner = 0;
}

unsigned edge_chip_latched(uint8_t pin)
{
    unsigned line = line_of(pin);
    if (lines[line].owner != pin + 1u)
        return 0;
    collect(line);
    if (due(line)) /* no longer in the hardware's latch, but still to be told */
        pend(line);
    return lines[line].state & EDGES_LATCHED;
}

/* What the hardware has latched since is kept. */
void edge_chip_forget(uint8_t pin, unsigned edges)
{
    unsigned line = line_of(pin);
    if (lines[line].owner == pin + 1u)
        lines[line].state &= (uint8_t) ~(edges & EDGES_LATCHED);
}

void edge_chip_pend(void)
{
    stm32f0_irq_pend(STM32F0_IRQ_EXTI4_15);
}

static void serve(uint32_t mask, enum stm32f0_irq irq)
{
    takt_time_t at = port_now();
    takt_isr_enter();
    uint32_t todo = STM32F0_EXTI->pr & STM32F0_EXTI->imr & mask;
    for (; todo != 0; todo &= todo - 1u) {
        unsigned line = takt_set_first(todo);
        put(&STM32F0_EXTI->imr, 1u << line, false); /* what comes from now on may be masked */
        collect(line);
        unsigned edges = due(line);
        if (edges != 0)
            edges_seen_isr((uint8_t)(lines[line].owner - 1u), edges, at);
        put(&STM32F0_EXTI->imr, 1u << line, lines[line].state >> ENABLED_SHIFT);
        if (levels(line) && due(line)) /* it lasts */
            pend(line);
    }
    edges_again_isr(at);
    edges_exit_isr((uint8_t)irq);
}

void isr_exti0_1(void)
{
    serve(0x0003u, STM32F0_IRQ_EXTI0_1);
}

void isr_exti2_3(void)
{
    serve(0x000Cu, STM32F0_IRQ_EXTI2_3);
}

void isr_exti4_15(void)
{
    serve(0xFFF0u, STM32F0_IRQ_EXTI4_15);
}
