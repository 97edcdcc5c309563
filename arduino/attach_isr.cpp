/*
 * attachInterruptIsr(): handlers in the interrupt, and detachInterrupt() for every kind. The same is
 * what attachInterrupt() does where the build says so (tools/takt/build/loops.py).
 */
#include "pin_lines.h"

#include <takt/port.h>

__attribute__((weak)) void takt::drop_handler(uint8_t) {}

static void call(uint8_t, unsigned, takt_time_t, void *isr)
{
    reinterpret_cast<void (*)()>(isr)();
}

int attachInterruptIsr(int pin, void (*isr)(), int mode)
{
    unsigned edges = takt::edges_of(mode);
    if (pin < 0 || pin >= NUM_DIGITAL_PINS || !isr || !edges)
        return TAKT_EINVAL;
    uint8_t number = static_cast<uint8_t>(pin);
    takt::drop_handler(number);
    return takt_gpio_on_edge(number, edges, call, reinterpret_cast<void *>(isr));
}

void takt_attach_in_interrupt(int pin, void (*handler)(void), int mode)
{
    attachInterruptIsr(pin, handler, mode);
}

/* For libraries whose devices the handlers use, too; to be weak there. */
extern "C" port_irq_t takt_handlers_off()
{
    return port_irq_save();
}

extern "C" void takt_handlers_on(port_irq_t before)
{
    port_irq_restore(before);
}

void detachInterrupt(int pin)
{
    if (pin < 0 || pin >= NUM_DIGITAL_PINS)
        return;
    takt::drop_handler(static_cast<uint8_t>(pin));
    takt_gpio_off_edge(static_cast<uint8_t>(pin));
}
