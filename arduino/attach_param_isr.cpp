/*
 * attachInterruptParam() where the build has handlers called in the interrupt
 * (attach_in_interrupt.cpp).
 */
#include "pin_lines.h"

__asm__(".globl takt_handlers_off");

static void call(uint8_t pin, unsigned, takt_time_t, void *)
{
    takt::call_kept(pin);
}

void takt_attach_in_interrupt_param(int pin, voidFuncPtrParam handler, int mode, void *argument)
{
    unsigned edges = takt::edges_of(mode);
    if (edges && takt::keep(pin, handler, argument))
        takt_gpio_on_edge(static_cast<uint8_t>(pin), edges, call, nullptr);
}
