/*
 * attachInterruptParam(): handlers that get an argument, on the thread of attachInterrupt().
 */
#include "pin_lines.h"

void takt::has_argument() {}

void takt::call_with_argument(uint8_t pin)
{
    call_kept(pin);
}

void takt_attach_interrupt_param(int pin, voidFuncPtrParam handler, int mode, void *argument)
{
    if (takt::keep(pin, handler, argument))
        takt_attach_interrupt(pin, takt::has_argument, mode);
}
