/*
 * attachInterruptIsr(): handlers in the interrupt, and detachInterrupt() for every kind.
 */
#include "pin_lines.h"

__attribute__((weak)) void takt::drop_handler(uint8_t) {}

static void call(uint8_t, unsigned, takt_time_t, void *isr)
{
    reinterpret_cast<void (*)()>(isr)();
}

int takt::attach_isr(int pin, void (*isr)(), int mode)
{
    unsigned edges = takt::edges_of(mode);
    if (pin < 0 || pin >= NUM_DIGITAL_PINS || !isr || !edges)
        return TAKT_EINVAL;
    uint8_t number = static_cast<uint8_t>(pin);
    takt::drop_handler(number);
    return takt_gpio_on_edge(number, edges, call, reinterpret_cast<void *>(isr));
}

void takt_detach_interrupt(int pin)
{
    if (pin < 0 || pin >= NUM_DIGITAL_PINS)
        return;
    takt::drop_handler(static_cast<uint8_t>(pin));
    takt_gpio_off_edge(static_cast<uint8_t>(pin));
}
