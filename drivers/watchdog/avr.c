/*
 * The watchdog of an ATmega (ATmega328P data sheet 11.8). Its times are steps of 16 ms * 2^n, up to
 * 8 s, by an oscillator that is taken to be true to 10 %: the least step that is long enough is up
 * to twice as long as it need be.
 *
 * After its reset the watchdog is on, with 16 ms, until WDRF is cleared: on the way from reset to
 * main it is turned off, and what has reset the chip is noted.
 */
#include <avr/io.h>
#include <avr/wdt.h>
#include <takt/port.h>

#include "chip_watchdog.h"

#define STEP_US   14400u /* 16 ms, 10 % fast */
#define STEPS     10u
#define STEP_HIGH 8u /* its bit is WDP3, apart from the others */

uint8_t avr_reset_flags __attribute__((section(".noinit")));

__asm__(".pushsection .init3,\"ax\",@progbits\n\t"
        "wdr\n\t"
        "in r24, 0x34\n\tsts avr_reset_flags, r24\n\tout 0x34, r1\n\t" /* MCUSR */
        "ldi r24, 0x18\n\tsts 0x60, r24\n\tsts 0x60, r1\n\t" /* WDTCSR: WDCE, WDE; off */
        ".popsection");

void chip_watchdog_start(uint32_t us)
{
    uint8_t step = 0;
    for (uint32_t least = STEP_US; least < us && step < STEPS - 1; least *= 2)
        step++;
    if (step >= STEP_HIGH)
        step = (uint8_t)(step - STEP_HIGH + (1u << WDP3));
    port_irq_t irq = port_irq_save();
    wdt_reset();
    WDTCSR = 1u << WDCE | 1u << WDE;
    WDTCSR = (uint8_t)(1u << WDE | step); /* within four cycles */
    port_irq_restore(irq);
}

void chip_watchdog_feed(void)
{
    wdt_reset();
}

bool chip_watchdog_has_reset(void)
{
    return (avr_reset_flags & 1u << WDRF) != 0;
}
