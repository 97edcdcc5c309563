/*
 * For libraries whose devices handlers in interrupts use, too (SPI): keeps these off. Linked where
 * attachInterrupt() has them called in the interrupt, and there only (attach_in_interrupt.cpp).
 */
#include <takt/port.h>

extern "C" port_irq_t takt_handlers_off()
{
    return port_irq_save();
}

extern "C" void takt_handlers_on(port_irq_t before)
{
    port_irq_restore(before);
}
