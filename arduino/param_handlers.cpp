/*
 * The handlers of attachInterruptParam(), which get an argument, by pin.
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

/* Not inlined: by its parameter the analysis of stacks knows what it may call. */
__attribute__((noinline)) void call(const Handler *handler)
{
    handler->function(handler->argument);
}

} // namespace

bool takt::keep(int pin, voidFuncPtrParam function, void *argument)
{
    if (pin < 0 || pin >= NUM_DIGITAL_PINS || !function)
        return false;
    port_irq_t irq = port_irq_save();
    handlers[pin] = {function, argument};
    port_irq_restore(irq);
    return true;
}

void takt::call_kept(uint8_t pin)
{
    port_irq_t irq = port_irq_save();
    Handler handler = handlers[pin];
    port_irq_restore(irq);
    call(&handler);
}
