/*
 * Fatal errors, as far as every program has them: code and place are left in takt_core for a
 * debugger, and the CPU stops. Programs that tell them on the console have fatal_line.c instead.
 */
#include "cpu.h"

#if !TAKT_HAS_TELLING

void takt_fatal(enum takt_fatal code, uint8_t place, const char *why)
{
    TAKT_FACT("last");
    (void)why;
    port_irq_save();
    takt_note_fatal(code, place);
    port_halt();
}

void takt_unhandled(uint32_t exception)
{
    (void)exception;
    takt_fatal(TAKT_FATAL_FAULT, takt_core.current, NULL);
}

#endif
