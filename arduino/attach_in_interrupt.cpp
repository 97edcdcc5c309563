/*
 * attachInterrupt() where the build has handlers called in the interrupt
 * (tools/takt/build/loops.py).
 */
#include "pin_lines.h"

__asm__(".globl takt_handlers_off"); /* handlers_off.cpp comes with it */

void takt_attach_in_interrupt(int pin, void (*handler)(void), int mode)
{
    takt::attach_isr(pin, handler, mode);
}
