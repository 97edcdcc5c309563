/*
 * attachInterruptParam() where the build has handlers called in the interrupt (attach_isr.cpp).
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

void called(uint8_t pin, unsigned, takt_time_t, void *)
{
    call(&handlers[pin]);
}

} // namespace

void takt_attach_in_interrupt_param(int pin, voidFuncPtrParam handler, int mode, void *argument)
{
    unsigned edges = takt::edges_of(mode);
    if (pin < 0 || pin >= NUM_DIGITAL_PINS || !handler || !edges)
        return;
    port_irq_t irq = port_irq_save();
    handlers[pin] = {handler, argument};
    port_irq_restore(irq);
    takt_gpio_on_edge(static_cast<uint8_t>(pin), edges, called, nullptr);
}
