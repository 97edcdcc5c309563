/*
 * noInterrupts() and interrupts(): handlers of pins, not the scheduler. Without such handlers in
 * the program there is nothing to switch.
 */
#include "pin_lines.h"

__attribute__((weak)) void takt::hold_handlers() {}
__attribute__((weak)) void takt::let_handlers_begin() {}

void noInterrupts()
{
    takt::hold_handlers();
}

void interrupts()
{
    takt::let_handlers_begin();
}
