/*
 * noInterrupts() and interrupts(): of this CPU, and so of the scheduler. Handlers of pins that are
 * threads may have begun before: programs with such wait for the end of their calls.
 */
#include <takt/fact.h>
#include <takt/port.h>

#include "pin_lines.h"

__attribute__((weak)) bool takt::hold_handlers()
{
    return false;
}
__attribute__((weak)) void takt::let_handlers_begin() {}

void noInterrupts()
{
    TAKT_FACT("masks");
    if (port_in_isr())
        return;
    if (!takt::hold_handlers())
        (void)port_irq_save();
}

void interrupts()
{
    TAKT_FACT("unmasks");
    if (port_in_isr())
        return;
    takt::switch_interrupts_on();
    takt::let_handlers_begin();
}
