/*
 * Two pins to time by, of the chip 2 and 3 on each board, written by single stores; and an
 * interrupt that no driver has. Without the drivers, so that what is linked is the kernel.
 */
#ifndef ELLI_PINS_H
#define ELLI_PINS_H

#include <stdint.h>

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define NVIC_ENABLE       REGISTER(0xE000E100u)

#define WAIT_PIN   2
#define SIGNAL_PIN 3

#if defined ARDUINO_TAKT_STM32F051 || defined ARDUINO_TAKT_STM32F051_4K
#define PINS_SET   REGISTER(0x48000018u) /* GPIOA: PA2, PA3 */
#define PINS_CLEAR REGISTER(0x48000028u)
#define LAB_IRQ    8
#define lab_isr    isr_tsc

static inline void pins_start(void)
{
    REGISTER(0x48000000u) |= 1u << 2 * WAIT_PIN | 1u << 2 * SIGNAL_PIN; /* outputs */
}
#elif defined ARDUINO_TAKT_PICO || defined ARDUINO_TAKT_GALILEO
#define PINS_SET   REGISTER(0xD0000014u) /* RP2040 SIO: GP2, GP3 */
#define PINS_CLEAR REGISTER(0xD0000018u)
#define LAB_IRQ    7
#define lab_isr    isr_pio0_0

static inline void pins_start(void)
{
    REGISTER(0x40014000u + 8 * WAIT_PIN + 4) = 5; /* function: SIO */
    REGISTER(0x40014000u + 8 * SIGNAL_PIN + 4) = 5;
    REGISTER(0xD0000024u) = 1u << WAIT_PIN | 1u << SIGNAL_PIN; /* outputs */
}
#else
#error "the board's pins are not known here"
#endif

#endif
