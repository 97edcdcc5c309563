/*
 * noInterrupts() and interrupts().
 */
#include <takt/port.h>

#include "Arduino.h"

/* Both are only written with interrupts off. */
static bool off;
static port_irq_t before;

void noInterrupts()
{
    port_irq_t state = port_irq_save();
    if (!off)
        before = state;
    off = true;
}

void interrupts()
{
    port_irq_t state = port_irq_save();
    bool was_off = off;
    off = false;
    port_irq_restore(was_off ? before : state);
}
