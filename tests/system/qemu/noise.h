/*
 * An interrupt that no driver uses, once after a number of microseconds and some ticks: on every
 * board a timer of its own. NOISE_HANDLER is the handler's name; it calls noise_done() first.
 */
#ifndef NOISE_H
#define NOISE_H

#include <stdint.h>

#define NOISE_REG(address) (*(volatile uint32_t *)(address))

#ifdef __arm__
static inline void noise_irq(unsigned irq, uint8_t priority)
{
    volatile uint32_t *word = (volatile uint32_t *)(0xE000E400u + (irq & ~3u));
    unsigned shift = (irq & 3u) * 8u;
    *word = (*word & ~(0xFFu << shift)) | (uint32_t)priority << shift;
    NOISE_REG(0xE000E100u + irq / 32u * 4u) = 1u << irq % 32u;
}
#endif

#if defined(__AVR__)
#include "noise_avr.h"
#elif defined(BOARD_SIM) /* whole microseconds */
#include <sim.h>
#define NOISE_HANDLER isr_noise
#define NOISE_MHZ     1u
void isr_noise(void);
static inline void noise_open(uint8_t priority)
{
    (void)priority;
}
static inline void noise_due(void *arg)
{
    (void)arg;
    isr_noise();
}
static inline void noise_after(uint32_t ticks)
{
    (void)sim_interrupt_at(sim_now() + ticks, noise_due, 0);
}
static inline void noise_done(void) {}
#elif defined(BOARD_PC) /* the last timer of the HPET, which the machine has started */
#include <irq.h>
#define NOISE_HANDLER isr_noise
#define NOISE_MHZ     100u
#define NOISE_TIMER   0xFED001E0u
void isr_noise(void);
static inline void noise_due(void *arg)
{
    (void)arg;
    isr_noise();
}
static inline void noise_open(uint8_t priority)
{
    (void)priority;
    struct irq_message to = irq_message((uint8_t)irq_take(noise_due, 0), 0);
    NOISE_REG(NOISE_TIMER + 0x10u) = to.data;
    NOISE_REG(NOISE_TIMER + 0x14u) = (uint32_t)to.address;
}
static inline void noise_after(uint32_t ticks)
{
    NOISE_REG(NOISE_TIMER) = 0x100; /* 32 bits, no interrupt */
    NOISE_REG(NOISE_TIMER + 8u) = NOISE_REG(0xFED000F0u) + ticks;
    NOISE_REG(NOISE_TIMER) = 0x4104; /* by message */
}
static inline void noise_done(void) {}
#elif defined(BOARD_PICO) /* alarm 1 of the timer that is the clock: whole microseconds */
#define NOISE_HANDLER isr_timer1
#define NOISE_MHZ     1u
static inline void noise_open(uint8_t priority)
{
    NOISE_REG(0x40056038u) = 2; /* INTE, set */
    noise_irq(1, priority);
}
static inline void noise_after(uint32_t ticks)
{
    NOISE_REG(0x40054014u) = NOISE_REG(0x40054028u) + ticks + 1;
}
static inline void noise_done(void)
{
    NOISE_REG(0x40054034u) = 2;
}
#elif defined(BOARD_STM32F051) /* timer 3 */
#define NOISE_HANDLER isr_tim3
#define NOISE_MHZ     48u
static inline void noise_open(uint8_t priority)
{
    NOISE_REG(0x4002101Cu) |= 2;
    NOISE_REG(0x4000042Cu) = 0xFFFF;
    NOISE_REG(0x4000040Cu) = 1;
    noise_irq(16, priority);
}
static inline void noise_after(uint32_t ticks)
{
    NOISE_REG(0x40000400u) = 0;
    NOISE_REG(0x4000042Cu) = ticks & 0xFFFF;
    NOISE_REG(0x40000424u) = 0;
    NOISE_REG(0x40000410u) = 0;
    NOISE_REG(0x40000400u) = 9; /* on, once */
}
static inline void noise_done(void)
{
    NOISE_REG(0x40000410u) = 0;
}
#elif defined(BOARD_MICROBIT) /* timer 1 */
#define NOISE_HANDLER isr_timer1
#define NOISE_MHZ     16u
static inline void noise_open(uint8_t priority)
{
    NOISE_REG(0x40009508u) = 3; /* 32 bits */
    NOISE_REG(0x40009510u) = 0;
    NOISE_REG(0x40009304u) = 0x10000;
    noise_irq(9, priority);
}
static inline void noise_after(uint32_t ticks)
{
    NOISE_REG(0x40009004u) = 1;
    NOISE_REG(0x4000900Cu) = 1;
    NOISE_REG(0x40009540u) = ticks;
    NOISE_REG(0x40009000u) = 1;
}
static inline void noise_done(void)
{
    NOISE_REG(0x40009004u) = 1; /* stopped: QEMU's would match once more */
    NOISE_REG(0x40009140u) = 0;
}
#elif defined(BOARD_LM3S6965EVB) /* timer 1 */
#define NOISE_HANDLER isr_timer1a
#define NOISE_MHZ     50u
static inline void noise_open(uint8_t priority)
{
    NOISE_REG(0x400FE104u) |= 1u << 17;
    NOISE_REG(0x40031000u) = 0;
    NOISE_REG(0x40031004u) = 1;
    NOISE_REG(0x40031018u) = 1;
    noise_irq(21, priority);
}
static inline void noise_after(uint32_t ticks)
{
    NOISE_REG(0x4003100Cu) = 0;
    NOISE_REG(0x40031028u) = ticks;
    NOISE_REG(0x4003100Cu) = 1;
}
static inline void noise_done(void)
{
    NOISE_REG(0x40031024u) = 1;
}
#elif defined(BOARD_MPS2_AN386) /* dual timer 2 */
#define NOISE_HANDLER isr_dualtimer
#define NOISE_MHZ     25u
static inline void noise_open(uint8_t priority)
{
    noise_irq(10, priority);
}
static inline void noise_after(uint32_t ticks)
{
    NOISE_REG(0x40002028u) = 0x62;
    NOISE_REG(0x40002020u) = ticks;
    NOISE_REG(0x40002028u) = 0xE2; /* on, interrupt, 32 bits, periodic */
}
static inline void noise_done(void)
{
    NOISE_REG(0x40002028u) = 0x62;
    NOISE_REG(0x4000202Cu) = 1;
}
#endif

#if defined(BOARD_LM3S6965EVB) || defined(BOARD_MPS2_AN386)
#define HAS_BASEPRI    1
#define NOISE_ORDINARY 0x80u
#else
#define HAS_BASEPRI    0
#define NOISE_ORDINARY 0x40u
#endif

void NOISE_HANDLER(void);

#endif
