/*
 * attachInterruptParam(): handlers that get an argument, on the thread of attachInterrupt().
 */
#include <takt/port.h>

#include "pin_lines.h"

namespace
{

struct Handler {
    void (*function)(void *);
    void *argument;
};

Handler handlers[NUM_DIGITAL_PINS];

} // namespace

void takt::has_argument() {}

void takt::call_with_argument(uint8_t pin)
{
    port_irq_t irq = port_irq_save();
    Handler handler = handlers[pin];
    port_irq_restore(irq);
    handler.function(handler.argument);
}

void takt_attach_interrupt_param(int pin, voidFuncPtrParam handler, int mode, void *argument)
{
    if (pin < 0 || pin >= NUM_DIGITAL_PINS || !handler)
        return;
    port_irq_t irq = port_irq_save();
    handlers[pin] = {handler, argument};
    port_irq_restore(irq);
    takt_attach_interrupt(pin, takt::has_argument, mode);
}
