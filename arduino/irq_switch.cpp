/*
 * noInterrupts() and interrupts(): handlers of pins, not the scheduler. Without such handlers in
 * the program there is nothing to switch.
 */
#include "pin_lines.h"

__attribute__((weak)) void takt::switch_handlers(bool) {}

void noInterrupts()
{
    takt::switch_handlers(false);
}

void interrupts()
{
    takt::switch_handlers(true);
}
